import type { ManagedKey, ManagedKeySetting, ManagedType } from "../../api/managed-keys.ts";
import {
  wrongSettings,
  type SettingField,
  type SettingRule,
  type Settings,
  type WrongSettings,
} from "../../lib/settings.ts";

/** The settings of a managed key type. */
interface ManagedFields {
  readonly title: string;
  readonly fields: readonly SettingField<ManagedKeySetting>[];
  readonly more: readonly SettingField<ManagedKeySetting>[];
  readonly needs: readonly ManagedKeySetting[];
}

const trusted: SettingField<ManagedKeySetting> = {
  name: "trusted_ca",
  label: "CA certificates for the service",
  kind: "pem",
  hint: "PEM. If empty, the system’s CAs are trusted.",
};

const shared: readonly SettingField<ManagedKeySetting>[] = [
  {
    name: "usages",
    label: "Usages",
    kind: "list",
    hint: "One per line, such as sign. If empty, any usage is allowed.",
  },
  {
    name: "any_mount",
    label: "All mounts can use the key",
    kind: "flag",
    hint: "If off, only the selected mounts can use it.",
  },
  {
    name: "allow_private_network",
    label: "Allow private addresses",
    kind: "flag",
    hint: "Includes the server itself and its network.",
  },
];

const awskms: ManagedFields = {
  title: "AWS KMS",
  needs: ["kms_key", "access_key", "secret_key"],
  fields: [
    {
      name: "kms_key",
      label: "Key",
      kind: "text",
      hint: "ID, ARN, or alias such as alias/ca.",
    },
    { name: "region", label: "Region", kind: "text", hint: "Default: us-east-1." },
    { name: "access_key", label: "Access key ID", kind: "secret" },
    { name: "secret_key", label: "Secret access key", kind: "secret" },
  ],
  more: [
    {
      name: "allow_generate_key",
      label: "Create the key if it does not exist",
      kind: "flag",
      hint: "Only with an alias.",
    },
    {
      name: "key_type",
      label: "Kind",
      kind: "choice",
      options: [
        ["", "Any; RSA for a new key"],
        ["RSA", "RSA"],
        ["ECDSA", "ECDSA"],
        ["ED25519", "Ed25519"],
      ],
      hint: "Required type, also used for a new key.",
    },
    { name: "key_bits", label: "Size of a new RSA key", kind: "text", hint: "Default: 2048." },
    { name: "curve", label: "Curve of a new ECDSA key", kind: "text", hint: "Default: P256." },
    {
      name: "endpoint",
      label: "Address",
      kind: "text",
      hint: "Replaces the default endpoint of the region. Must begin with https://.",
    },
    trusted,
    ...shared,
  ],
};

const https: ManagedFields = {
  title: "HTTPS signing service",
  needs: ["url"],
  fields: [
    {
      name: "url",
      label: "Address",
      kind: "text",
      hint: "Must begin with https://. See examples/signing-service for an implementation and the protocol.",
    },
    {
      name: "key",
      label: "Remote key name",
      kind: "text",
      hint: "If empty, the name of this managed key is used.",
    },
    {
      name: "token",
      label: "Token",
      kind: "secret",
      hint: "Sent as a bearer token. Either a token or a client certificate is required.",
    },
    {
      name: "client_cert_bundle",
      label: "Client certificate and key",
      kind: "secretpem",
      hint: "PEM. The certificate is presented to the service. The key never leaves this server.",
    },
    trusted,
    {
      name: "trusted_leaf_certificate_bundle",
      label: "Pinned certificate",
      kind: "pem",
      hint: "PEM. If set, only this server certificate is trusted, instead of a CA.",
    },
  ],
  more: [
    {
      name: "message_type",
      label: "Data to sign",
      kind: "choice",
      options: [
        ["", "Default: a digest"],
        ["digest", "A digest"],
        ["raw", "The full data, so the service can inspect it"],
      ],
    },
    ...shared,
  ],
};

/** The fields for each type of managed key that the console can register. */
export const managedFields: Readonly<Record<ManagedType, ManagedFields>> = { awskms, https };

/** Returns all fields of the given managed key type. */
export const fieldsOf = (type: ManagedType): readonly SettingField<ManagedKeySetting>[] => {
  const { fields, more } = managedFields[type];
  return [...fields, ...more];
};

const address = (name: ManagedKeySetting): SettingRule => [
  name,
  (of) => !/^(?:https:\/\/\S+)?$/i.test(String(of[name] ?? "").trim()),
  "Must begin with https://",
];

/**
 * Returns the validation errors of the form. If `isNew`, empty secret fields are errors too,
 * because there are no stored values to keep.
 */
export function wrongManaged(type: ManagedType, typed: Settings, isNew: boolean): WrongSettings {
  const fields = fieldsOf(type);
  const secret = new Set(
    fields.filter(({ kind }) => kind === "secret" || kind === "secretpem").map(({ name }) => name),
  );
  const missing = managedFields[type].needs.filter(
    (name) => String(typed[name] ?? "").trim() === "" && (isNew || !secret.has(name)),
  );
  const label = (name: string): string => fields.find((one) => one.name === name)?.label ?? name;
  return {
    ...wrongSettings(fields, [address("url"), address("endpoint")], typed),
    ...Object.fromEntries(missing.map((name) => [name, `${label(name)} is missing`])),
  };
}

/** Describes the location of a managed key. */
export const keyLocation = (one: ManagedKey): string =>
  one.type === "awskms" ? `${one.kms_key ?? ""} in ${one.region || "us-east-1"}` : (one.url ?? "");
