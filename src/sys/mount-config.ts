import { CaError } from "../base/errors.ts";
import { parseDuration } from "../base/duration.ts";
import type { MountConfig } from "../engine/records.ts";
import { flag, list, text } from "../wire/field.ts";

const lists = [
  "passthrough_request_headers",
  "allowed_response_headers",
  "audit_non_hmac_request_keys",
  "audit_non_hmac_response_keys",
  "allowed_managed_keys",
  "delegated_auth_accessors",
] as const;
/** Settings of a mount while they are read. */
export type Writable = { -readonly [K in keyof MountConfig]?: MountConfig[K] };
/**
 * Settings of a mount as sent: durations in every spelling, lists as arrays or text. Unknown
 * members are left out.
 */
export function readConfig(given: Readonly<Record<string, unknown>>): Writable {
  const config: Writable = {};
  for (const name of ["default_lease_ttl", "max_lease_ttl"] as const)
    if (given[name] !== undefined) config[name] = readTtl(name, given[name]);
  for (const name of lists)
    if (given[name] !== undefined) config[name] = list.optional("").parse(given[name], name) ?? [];
  const { identity_token_key: key, trim_request_trailing_slashes: trims } = given;
  if (key !== undefined)
    config.identity_token_key = text.required("").parse(key, "identity_token_key");
  if (trims !== undefined)
    config.trim_request_trailing_slashes = flag
      .required("")
      .parse(trims, "trim_request_trailing_slashes");
  if (given["listing_visibility"] !== undefined) {
    const visibility = text.required("").parse(given["listing_visibility"], "listing_visibility");
    if (!["", "unauth", "hidden"].includes(visibility))
      throw new CaError(
        "malformed",
        `invalid listing_visibility ${visibility.slice(0, 64)}: use unauth, hidden or an empty text`,
      );
    config.listing_visibility = visibility;
  }
  return config;
}
/** A setting that is empty is one that is not set: it is not shown. */
export function withoutEmpty<T extends Writable>(config: T): T {
  for (const name of [...lists, "listing_visibility", "identity_token_key"] as const)
    if (config[name]?.length === 0) delete config[name];
  if (config.trim_request_trailing_slashes === false) delete config.trim_request_trailing_slashes;
  return config;
}
function readTtl(name: string, value: unknown): number {
  if (value === "" || value === "system") return 0;
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
/** Options as texts. */
export const textValues = (
  options: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name, optionText.parse(value, name)]),
  );
