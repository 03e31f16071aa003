import { rowReader } from "../engine/row-reader.ts";

/** A rate limit, stored in `sys`. */
export interface QuotaRow {
  /**
   * The path as configured, with or without leading and trailing slashes. If it is empty, the limit
   * applies to everything under `/v1`.
   */
  readonly path: string;
  /** Role whose logins are limited. If it is empty, all requests are limited. */
  readonly role: string;
  /** Maximum number of requests per interval. */
  readonly rate: number;
  /** Length of the interval in seconds. */
  readonly interval: number;
  /**
   * Time in seconds for which clients that exceed the limit are blocked. If it is 0, they are not
   * blocked.
   */
  readonly block_interval: number;
  readonly inheritable: boolean;
}
/** The settings shared by all rate limits, stored in `sys`. */
export interface QuotaConfigRow {
  readonly enable_rate_limit_audit_logging: boolean;
  readonly enable_rate_limit_response_headers: boolean;
  readonly rate_limit_exempt_paths: readonly string[];
}

/** Key prefix of rate limits in the `sys` store. */
export const belowQuotas = "ratelimit/";
/** Row keys of rate limits. */
export const quotaKeys = {
  quota: (name: string) => `${belowQuotas}${name}`,
  config: "ratelimits",
} as const;

/** Parsers for the rows of rate limits. */
export const storedQuotas = {
  quota: rowReader<QuotaRow>({
    path: "",
    role: "",
    rate: 1,
    interval: 1,
    block_interval: 0,
    inheritable: false,
  }),
  config: rowReader<QuotaConfigRow>({
    enable_rate_limit_audit_logging: false,
    enable_rate_limit_response_headers: false,
    rate_limit_exempt_paths: [],
  }),
} as const;

/** The CORS settings, stored in `sys`. */
export interface CorsRow {
  /** Allowed origins. A single `*` allows all origins. */
  readonly allowed_origins: readonly string[];
  /** Allowed request headers, in addition to those of the API. */
  readonly allowed_headers: readonly string[];
}
/** Key of the row with the CORS settings. */
export const corsKey = "cors";
/** Parses the row with the CORS settings. */
export const storedCors = rowReader<CorsRow>({ allowed_origins: [], allowed_headers: [] });
