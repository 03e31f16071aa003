import type { ManagedKey, ManagedKeySetting, ManagedType } from "../../api/managed-keys.ts";
import {
  wrongSettings,
  type SettingField,
  type SettingRule,
  type Settings,
  type WrongSettings,
} from "../../lib/settings.ts";

/** The settings of a type of managed key. */
interface ManagedFields {
  readonly title: string;
  readonly fields: readonly SettingField<ManagedKeySetting>[];
  readonly more: readonly SettingField<ManagedKeySetting>[];
  readonly needs: readonly ManagedKeySetting[];
}

const trusted: SettingField<ManagedKeySetting> = {
  name: "trusted_ca",
  label: "CA that issued the service’s certificate",
  kind: "pem",
  hint: "PEM. Empty: those that the platform trusts.",
};

const shared: readonly SettingField<ManagedKeySetting>[] = [
  {
    name: "usages",
    label: "Usages",
    kind: "list",
    hint: "One a line, such as sign. Empty: any.",
  },
  {
    name: "any_mount",
    label: "Every mount may use it",
    kind: "flag",
    hint: "Otherwise those that are chosen.",
  },
  {
    name: "allow_private_network",
    label: "Allow private addresses",
    kind: "flag",
    hint: "Those of the own machine and network too.",
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
      hint: "Id, ARN, or alias such as alias/ca.",
    },
    { name: "region", label: "Region", kind: "text", hint: "Empty: us-east-1." },
    { name: "access_key", label: "Access key id", kind: "secret" },
    { name: "secret_key", label: "Secret access key", kind: "secret" },
  ],
  more: [
    {
      name: "allow_generate_key",
      label: "Create the key if it does not exist",
      kind: "flag",
      hint: "With an alias only.",
    },
    {
      name: "key_type",
      label: "Kind",
      kind: "choice",
      options: [
        ["", "Whatever it is; RSA where it is made"],
        ["RSA", "RSA"],
        ["ECDSA", "ECDSA"],
        ["ED25519", "Ed25519"],
      ],
      hint: "What it has to be, and is made as.",
    },
    { name: "key_bits", label: "Bits of a new RSA key", kind: "text", hint: "Empty: 2048." },
    { name: "curve", label: "Curve of a new ECDSA key", kind: "text", hint: "Empty: P256." },
    {
      name: "endpoint",
      label: "Address",
      kind: "text",
      hint: "In place of the region’s own. Begins with https://.",
    },
    trusted,
    ...shared,
  ],
};

const https: ManagedFields = {
  title: "A signing service over HTTPS",
  needs: ["url"],
  fields: [
    {
      name: "url",
      label: "Address",
      kind: "text",
      hint: "Begins with https://. The folder examples/signing-service has one, and the protocol.",
    },
    {
      name: "key",
      label: "Name of the key there",
      kind: "text",
      hint: "Empty: the name that it has here.",
    },
    {
      name: "token",
      label: "Token",
      kind: "secret",
      hint: "Sent as a bearer token. This, or a client certificate, is needed.",
    },
    {
      name: "client_cert_bundle",
      label: "Client certificate and key",
      kind: "secretpem",
      hint: "PEM, shown to the service; never read back.",
    },
    trusted,
    {
      name: "trusted_leaf_certificate_bundle",
      label: "Its certificate, pinned",
      kind: "pem",
      hint: "PEM, in place of an authority.",
    },
  ],
  more: [
    {
      name: "message_type",
      label: "What is sent to be signed",
      kind: "choice",
      options: [
        ["", "A digest, as most want it"],
        ["digest", "A digest"],
        ["raw", "All of it, so that the service sees what it signs"],
      ],
    },
    ...shared,
  ],
};

/** The types that can be registered, each with its fields. */
export const managedFields: Readonly<Record<ManagedType, ManagedFields>> = { awskms, https };

/** Every field of a type. */
export const fieldsOf = (type: ManagedType): readonly SettingField<ManagedKeySetting>[] => {
  const { fields, more } = managedFields[type];
  return [...fields, ...more];
};

const address = (name: ManagedKeySetting): SettingRule => [
  name,
  (of) => !/^(?:https:\/\/\S+)?$/i.test(String(of[name] ?? "").trim()),
  "An address begins with https://",
];

/** Returns the errors of the form; `isNew`: there are no stored values to fall back on. */
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

/** Where a key is kept, in a few words. */
export const keptAt = (one: ManagedKey): string =>
  one.type === "awskms" ? `${one.kms_key ?? ""} in ${one.region || "us-east-1"}` : (one.url ?? "");
