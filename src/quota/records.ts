import { rowReader } from "../engine/row-reader.ts";

/** A rate limit, in the store `sys`. */
export interface QuotaRow {
  /** As configured, with or without slashes at its ends; empty: everything below `/v1`. */
  readonly path: string;
  /** Role of logins; empty: any request. */
  readonly role: string;
  /** Requests per interval. */
  readonly rate: number;
  /** Seconds. */
  readonly interval: number;
  /** Seconds; 0: no blocking. */
  readonly block_interval: number;
  readonly inheritable: boolean;
}
/** The configuration of all rate limits, in the store `sys`. */
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

/** The CORS configuration, in the store `sys`. */
export interface CorsRow {
  /** `*` alone allows all. */
  readonly allowed_origins: readonly string[];
  /** Allowed request headers besides those of the API. */
  readonly allowed_headers: readonly string[];
}
/** Key of the row of CORS. */
export const corsKey = "cors";
/** Reads the row of CORS. */
export const storedCors = rowReader<CorsRow>({ allowed_origins: [], allowed_headers: [] });
