import { rowReader } from "../engine/row-reader.ts";

/** A rate limit, in the store `sys`. */
export interface QuotaRow {
  /** As it was given, with or without slashes at its ends; empty: everything below `/v1`. */
  readonly path: string;
  /** Name of a role that logins name; empty: any request. */
  readonly role: string;
  /** Requests in an interval. */
  readonly rate: number;
  /** Seconds. */
  readonly interval: number;
  /** Seconds; 0: a caller is not blocked. */
  readonly block_interval: number;
  readonly inheritable: boolean;
}
/** What holds for all rate limits, in the store `sys`. */
export interface QuotaConfigRow {
  readonly enable_rate_limit_audit_logging: boolean;
  readonly enable_rate_limit_response_headers: boolean;
  readonly rate_limit_exempt_paths: readonly string[];
}

/** Prefix of the keys of rate limits in the store `sys`. */
export const belowQuotas = "ratelimit/";
/** Keys of the rows of rate limits. */
export const quotaKeys = {
  quota: (name: string) => `${belowQuotas}${name}`,
  config: "ratelimits",
} as const;

/** Readers of the rows of rate limits. */
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

/** Which pages of other origins may call, in the store `sys`. */
export interface CorsRow {
  /** `*` alone: all of them. */
  readonly allowed_origins: readonly string[];
  /** Headers of requests besides those that the API knows. */
  readonly allowed_headers: readonly string[];
}
/** Key of the row of CORS. */
export const corsKey = "cors";
/** Reads the row of CORS. */
export const storedCors = rowReader<CorsRow>({ allowed_origins: [], allowed_headers: [] });
