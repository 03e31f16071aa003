import type { VarsSettings } from "../index.ts";
import { NotConfigured } from "./not-configured.ts";

/** The environment variables with the settings of the variables API. */
export interface VarsEnvironment {
  /**
   * The token (a secret) of the variables API's initial user. If it is not set, that user has no
   * token.
   */
  readonly VARS_TOKEN?: string;
  /** If `false`, `/api/v2/vars` accepts requests from old clients that omit members. */
  readonly VARS_STRICT?: string;
  /**
   * Maximum number of requests to the variables API per second, for each principal. The default is
   * 30, and 0 means no limit.
   */
  readonly VARS_RATE_LIMIT?: string;
  /**
   * The category in all responses of the variables API: `iac` or `terraform`. By default, each
   * variable keeps the spelling with which it was written.
   */
  readonly VARS_CATEGORY_SPELLING?: string;
}

/**
 * Default rate limit in requests per second, which is the documented limit of the hosted service.
 */
const defaultRateLimit = 30;

/**
 * Parses the settings of the variables API. Throws {@link NotConfigured} if a setting is not valid.
 */
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
      "VARS_RATE_LIMIT must be a number of requests per second, or 0 for no limit",
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
