import type { ExternalPolicy, ExternalSetting } from "./calls.ts";
import {
  wrongSettings,
  type SettingField,
  type SettingRule,
  type Settings,
  type WrongSettings,
} from "../../lib/settings.ts";
import { seconds } from "../../lib/format.ts";

const timeout: SettingField<ExternalSetting> = {
  name: "timeout",
  label: "Timeout",
  kind: "duration",
  hint: "1s to 60s. A request without an answer by then is refused.",
};
const enabled: SettingField<ExternalSetting> = {
  name: "enabled",
  label: "Issue by external policy",
  kind: "flag",
  hint: "Off, every request for it is refused.",
};

/**
 * The connection settings of an external service: its URL, the CAs it is verified with, our client
 * certificate.
 */
const asked: readonly SettingField<ExternalSetting>[] = [
  {
    name: "external_service_url",
    label: "Address of the service",
    kind: "text",
    hint: "Begins with https://. Redirects are not followed.",
  },
  {
    name: "service",
    label: "Service binding",
    kind: "text",
    hint: "In place of an address, on Cloudflare: its name, such as POLICY.",
  },
  {
    name: "trusted_ca",
    label: "CA that issued the service’s certificate",
    kind: "pem",
    hint: "PEM. This, or the pinned certificate, is needed with an address.",
  },
  {
    name: "trusted_leaf_certificate_bundle",
    label: "Its certificate, pinned",
    kind: "pem",
    hint: "PEM. Exactly one of these is taken, whatever its names and validity.",
  },
  {
    name: "vault_client_cert_bundle",
    label: "Client certificate and key",
    kind: "pem",
    hint: "PEM, shown to the service. The key is kept sealed and not read back.",
  },
  timeout,
  {
    name: "allow_private_network",
    label: "Allow private addresses",
    kind: "flag",
    hint: "Those of the own machine and network too. Leave it off where others can write this form.",
  },
];

/** The settings of the data sent about the caller. */
export const filters: readonly SettingField<ExternalSetting>[] = [
  {
    name: "entity_jmespath",
    label: "Of the caller’s entity",
    kind: "text",
    hint: "Empty: its id alone. @: everything. {name: name, team: metadata.team}: these two.",
  },
  {
    name: "group_jmespath",
    label: "Of the caller’s groups",
    kind: "text",
    hint: "Empty: nothing. @: everything. [].name: their names.",
  },
];

/** The settings there are; a page asks no server, so there is less of them in a browser. */
export const externalFields = (browser: boolean): readonly SettingField<ExternalSetting>[] =>
  browser ? [timeout, enabled] : [...asked, enabled];

/** The configuration as its fields hold it. */
export const externalRecord = (config: ExternalPolicy): Readonly<Record<string, unknown>> => ({
  ...config,
  timeout: `${config.timeout / 1e9}s`,
});

const of = (typed: Settings, name: string): string => String(typed[name] ?? "").trim();

const rules: readonly SettingRule[] = [
  [
    "external_service_url",
    (typed) => !/^(?:https:\/\/\S+)?$/i.test(of(typed, "external_service_url")),
    "An address begins with https://",
  ],
  [
    "external_service_url",
    (typed) => of(typed, "external_service_url") !== "" && of(typed, "service") !== "",
    "An address or a service binding, not both",
  ],
  [
    "trusted_ca",
    (typed) =>
      of(typed, "external_service_url") !== "" &&
      of(typed, "trusted_ca") === "" &&
      of(typed, "trusted_leaf_certificate_bundle") === "",
    "Needed: this, or the pinned certificate",
  ],
  [
    "timeout",
    (typed) => {
      const read = seconds(of(typed, "timeout"));
      return read !== undefined && (read < 1 || read > 60);
    },
    "1s to 60s",
  ],
];

/** Returns the errors of the form that can be found before it is sent. */
export const wrongExternal = (
  typed: Settings,
  fields: readonly SettingField<string>[],
): WrongSettings => wrongSettings(fields, rules, typed);
