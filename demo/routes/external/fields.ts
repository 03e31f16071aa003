import type { ExternalPolicy, ExternalSetting } from "./calls.ts";
import {
  wrongSettings,
  type SettingField,
  type SettingRule,
  type Settings,
  type WrongSettings,
} from "../../lib/settings.ts";
import { seconds } from "../../lib/durations.ts";

const timeout: SettingField<ExternalSetting> = {
  name: "timeout",
  label: "Timeout",
  kind: "duration",
  hint: "1s to 60s. If the service does not respond in time, the request is rejected.",
};
const enabled: SettingField<ExternalSetting> = {
  name: "enabled",
  label: "Issue by external policy",
  kind: "flag",
  hint: "If off, requests to issue by external policy are rejected.",
};

/**
 * The fields for the connection to an external service: URL, trusted CAs and client certificate.
 */
const connectionFields: readonly SettingField<ExternalSetting>[] = [
  {
    name: "external_service_url",
    label: "Service URL",
    kind: "text",
    hint: "An https URL. Redirects are not followed.",
  },
  {
    name: "service",
    label: "Service binding",
    kind: "text",
    hint: "On Cloudflare, the name of a binding such as POLICY, instead of a URL.",
  },
  {
    name: "trusted_ca",
    label: "CA certificates for the service",
    kind: "pem",
    hint: "PEM. With a URL, either CA certificates or a pinned certificate is required.",
  },
  {
    name: "trusted_leaf_certificate_bundle",
    label: "Pinned certificate",
    kind: "pem",
    hint: "PEM. Only these certificates are accepted, regardless of names and validity.",
  },
  {
    name: "vault_client_cert_bundle",
    label: "Client certificate and key",
    kind: "pem",
    hint: "PEM. The key never leaves this server.",
  },
  timeout,
  {
    name: "allow_private_network",
    label: "Allow private addresses",
    kind: "flag",
    hint: "Includes the server itself and its network. Leave off if others can change these settings.",
  },
];

/** The fields for the data about the caller that the service receives. */
export const filters: readonly SettingField<ExternalSetting>[] = [
  {
    name: "entity_jmespath",
    label: "Entity data",
    kind: "text",
    hint: "A JMESPath expression, such as @ for everything or {team: metadata.team} for one field. If empty, only the ID is sent.",
  },
  {
    name: "group_jmespath",
    label: "Group data",
    kind: "text",
    hint: "A JMESPath expression, such as @ for everything or [].name for the names of the groups. If empty, nothing is sent.",
  },
];

/**
 * Returns the fields for the settings. A CA in the browser has fewer settings, because a page
 * cannot connect to other servers.
 */
export const externalFields = (browser: boolean): readonly SettingField<ExternalSetting>[] =>
  browser ? [timeout, enabled] : [...connectionFields, enabled];

/** Converts the configuration to values of the form fields. */
export const externalRecord = (config: ExternalPolicy): Readonly<Record<string, unknown>> => ({
  ...config,
  timeout: `${config.timeout / 1e9}s`,
});

const of = (typed: Settings, name: string): string => String(typed[name] ?? "").trim();

const rules: readonly SettingRule[] = [
  [
    "external_service_url",
    (typed) => !/^(?:https:\/\/\S+)?$/i.test(of(typed, "external_service_url")),
    "Must begin with https://",
  ],
  [
    "external_service_url",
    (typed) => of(typed, "external_service_url") !== "" && of(typed, "service") !== "",
    "Enter a service URL or a service binding, not both",
  ],
  [
    "trusted_ca",
    (typed) =>
      of(typed, "external_service_url") !== "" &&
      of(typed, "trusted_ca") === "" &&
      of(typed, "trusted_leaf_certificate_bundle") === "",
    "Set CA certificates or a pinned certificate",
  ],
  [
    "timeout",
    (typed) => {
      const read = seconds(of(typed, "timeout"));
      return read !== undefined && (read < 1 || read > 60);
    },
    "Must be between 1s and 60s",
  ],
];

/** Returns the validation errors that can be detected before the form is submitted. */
export const wrongExternal = (
  typed: Settings,
  fields: readonly SettingField<string>[],
): WrongSettings => wrongSettings(fields, rules, typed);
