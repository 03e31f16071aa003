import { listForm, lowerCaseForm } from "../base/forms.ts";
import { CaError } from "../base/errors.ts";
import { parseDuration } from "../base/duration.ts";
import type { MountConfig } from "../engine/mount-records.ts";
import {
  describedBy,
  flag,
  withNormalForm,
  int,
  list,
  text,
  textPairs,
  texts,
} from "../wire/field.ts";
import { namesOf } from "../wire/shape.ts";

const lists = [
  "passthrough_request_headers",
  "allowed_response_headers",
  "audit_non_hmac_request_keys",
  "audit_non_hmac_response_keys",
  "allowed_managed_keys",
  "delegated_auth_accessors",
] as const;
const headers = listForm(lowerCaseForm);
/** The settings that have the same form in requests and responses. */
export const settings = {
  listing_visibility: text.optional(
    "Visibility of the mount in sys/internal/ui/mounts: empty, `unauth` or `hidden`.",
    ["", "unauth", "hidden"],
  ),
  passthrough_request_headers: withNormalForm(list, headers).optional(
    "Request headers that are passed to the mount.",
  ),
  allowed_response_headers: withNormalForm(list, headers).optional(
    "Response headers that the mount may set.",
  ),
  audit_non_hmac_request_keys: list.optional("Stored and returned, but has no effect."),
  audit_non_hmac_response_keys: list.optional("Stored and returned, but has no effect."),
  allowed_managed_keys: list.optional("Names of the managed keys that the mount may use."),
  delegated_auth_accessors: list.optional(
    "Accessors of the login methods with which the mount may authenticate clients, for example for EST.",
  ),
  identity_token_key: text.optional("Stored and returned, but has no effect."),
  trim_request_trailing_slashes: flag.optional(
    "Whether a trailing slash in the path of a write is ignored; otherwise such a write is rejected.",
  ),
} as const;
const lifetimeForm = (text: string): number => readTtl("", text);
const lifetime = describedBy(text, { type: ["string", "integer"] });
/** The settings of a mount in requests that change it. */
export const mountSettings = {
  default_lease_ttl: withNormalForm(lifetime, lifetimeForm).optional(
    "Default lifetime in seconds or as a duration. 0 or `system` means the system default; an empty string changes nothing.",
  ),
  max_lease_ttl: withNormalForm(lifetime, lifetimeForm).optional(
    "Maximum lifetime in seconds or as a duration. 0 or `system` means the system default; an empty string changes nothing.",
  ),
  ...settings,
} as const;
/** The settings of a mount in requests that create it. */
export const newMountSettings = {
  ...mountSettings,
  partitions: int.optional(
    "Number of partitions over which the certificates are spread: 1 (the default), 4, 16 or 64. It can be increased later if the storage supports this, but not reduced.",
  ),
} as const;
/** The settings of a mount in responses. */
export const replySettings = {
  default_lease_ttl: int.required("Default lifetime in seconds; 0 means the system default."),
  max_lease_ttl: int.required("Maximum lifetime in seconds; 0 means the system default."),
  force_no_cache: flag.required("Always false."),
  ...settings,
  partitions: int.optional("Number of partitions; absent if there is one."),
  token_type: text.optional("Type of the tokens that logins return. Absent for mounts."),
} as const;

/** Members that clients of the API family send, but which have no effect on this server. */
const meaningless = ["force_no_cache", "options", "plugin_name", "plugin_version"];
/** The names of the ignored members within `config`, for the `ignores` list of an endpoint. */
export const ignoredConfig: readonly string[] = meaningless.map((name) => `config.${name}`);
/**
 * Returns warnings about unknown members of `config`. Unknown members are not errors, because newer
 * clients send members on which they do not depend. The warnings reveal misspelled members.
 */
export function warningsOf(
  input: Readonly<Record<string, unknown>>,
  allowed: Readonly<Record<string, unknown>> = mountSettings,
): readonly string[] {
  const unknown = Object.keys(input)
    .filter((name) => !Object.hasOwn(allowed, name) && !meaningless.includes(name))
    .sort();
  return unknown.length === 0
    ? []
    : [`Endpoint ignored these unrecognized members of config: [${namesOf(unknown)}]`];
}

/** The settings of a mount while they are being parsed. */
type WritableMountConfig = { -readonly [K in keyof MountConfig]?: MountConfig[K] };
/**
 * Parses the settings of a mount. Durations may have any form, and lists may be arrays or strings.
 * Ignores unknown members.
 */
export function readConfig(input: Readonly<Record<string, unknown>>): WritableMountConfig {
  const config: WritableMountConfig = {};
  for (const name of ["default_lease_ttl", "max_lease_ttl"] as const)
    if (isSent(input[name])) config[name] = readTtl(name, input[name]);
  for (const name of lists)
    if (input[name] !== undefined) config[name] = list.optional("").parse(input[name], name) ?? [];
  const { identity_token_key: key, trim_request_trailing_slashes: trims } = input;
  if (key !== undefined)
    config.identity_token_key = text.required("").parse(key, "identity_token_key");
  if (trims !== undefined)
    config.trim_request_trailing_slashes = flag
      .required("")
      .parse(trims, "trim_request_trailing_slashes");
  if (input["listing_visibility"] !== undefined) {
    const visibility = text.required("").parse(input["listing_visibility"], "listing_visibility");
    if (!["", "unauth", "hidden"].includes(visibility))
      throw new CaError(
        "malformed",
        `invalid listing_visibility ${visibility.slice(0, 64)}; use unauth, hidden or an empty string`,
      );
    config.listing_visibility = visibility;
  }
  return config;
}
/**
 * Parses the settings of a new mount in the same way as `readConfig`, and also the number of
 * partitions.
 */
export function readNewConfig(given: Readonly<Record<string, unknown>>): WritableMountConfig {
  const partitions = int.optional("").parse(given["partitions"], "partitions");
  return { ...readConfig(given), ...(partitions === undefined ? {} : { partitions }) };
}
/** Removes empty settings, which count as not set, from a configuration. */
export function withoutEmpty<T extends WritableMountConfig>(config: T): T {
  for (const name of [...lists, "listing_visibility", "identity_token_key"] as const)
    if (config[name]?.length === 0) delete config[name];
  if (config.trim_request_trailing_slashes === false) delete config.trim_request_trailing_slashes;
  return config;
}
/**
 * Reports whether a request sets a lifetime. Typed clients send both lifetimes with every change,
 * as empty strings if they are unchanged.
 */
const isSent = (lifetime: unknown): boolean =>
  lifetime !== undefined && lifetime !== null && lifetime !== "";
function readTtl(name: string, value: unknown): number {
  if (value === "system") return 0;
  try {
    return parseDuration(value) ?? 0;
  } catch (error) {
    throw new CaError(
      "invalid_field",
      `Field validation failed: error converting input for field "${name}": ${error instanceof Error ? error.message : ""}`,
    );
  }
}
const optionText = text.required("");
/** Converts the values of options to strings. */
export const textValues = (
  options: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name, optionText.parse(value, name)]),
  );
/**
 * Returns the options after a change. An empty map changes nothing, because clients that do not
 * change the options send one.
 */
export const changedOptions = (
  sent: Readonly<Record<string, unknown>> | undefined,
  before: Readonly<Record<string, string>> | null,
): Readonly<Record<string, string>> | null =>
  sent && Object.keys(sent).length > 0 ? textValues(sent) : before;

/** The fields of any mount that can be changed. */
export const tuneFields = {
  description: text.optional("Description of the mount."),
  ...mountSettings,
  options: textPairs.optional(
    "Options, which are stored and returned, but have no effect. Absent if empty.",
  ),
} as const;
/** The fields for a mount's settings in responses. */
export const tuneReply = {
  description: text.required("Description of the mount."),
  default_lease_ttl: int.required("Effective default lifetime in seconds."),
  max_lease_ttl: int.required("Effective maximum lifetime in seconds."),
  force_no_cache: flag.required("Always false."),
  ...settings,
  options: texts.optional("Options."),
} as const;
