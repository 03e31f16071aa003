import type { VarsSettings } from "../index.ts";
import { NotConfigured } from "./not-configured.ts";

/** Settings of the variables API. */
export interface VarsEnvironment {
  /** Secret: the token of the first user of the variables API; without it that user has none. */
  readonly VARS_TOKEN?: string;
  /** `false`: `/api/v2/vars` accepts requests of old clients that omit members. */
  readonly VARS_STRICT?: string;
  /** Variables API: requests per second and principal; default 30, 0 = unlimited. */
  readonly VARS_RATE_LIMIT?: string;
  /** `iac` or `terraform`: the category in all replies; otherwise as it was written. */
  readonly VARS_CATEGORY_SPELLING?: string;
}

/** Documented limit of the hosted service: 30 requests per second. */
const defaultRateLimit = 30;

/** Parses the settings of the variables API. Throws {@link NotConfigured}. */
export function parseVarsSettings({
  VARS_TOKEN: token,
  VARS_STRICT,
  VARS_RATE_LIMIT,
  VARS_CATEGORY_SPELLING,
}: VarsEnvironment): VarsSettings {
  if (token && token.length < 16)
    throw new NotConfigured("the secret VARS_TOKEN must have at least 16 characters");
  const rateLimit = VARS_RATE_LIMIT ? Number(VARS_RATE_LIMIT) : defaultRateLimit;
  if (!Number.isInteger(rateLimit) || rateLimit < 0)
    throw new NotConfigured(
      "VARS_RATE_LIMIT must be a whole number of requests a second, 0 for no limit",
    );
  const categorySpelling =
    VARS_CATEGORY_SPELLING === "iac" || VARS_CATEGORY_SPELLING === "terraform"
      ? VARS_CATEGORY_SPELLING
      : "echo";
  return {
    ...(token ? { token } : {}),
    strict: VARS_STRICT !== "false",
    rateLimit,
    categorySpelling,
  };
}
