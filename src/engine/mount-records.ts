import { rowReader } from "./row-reader.ts";

/**
 * The mount's own row: type, options and settings. A store without it does not belong to a mount
 * and is rejected.
 */
export interface MountRow {
  readonly uuid: string;
  readonly path: string;
  readonly type: string;
  readonly description: string;
  readonly accessor: string;
  readonly local: boolean;
  readonly seal_wrap: boolean;
  readonly external_entropy_access: boolean;
  readonly options: Readonly<Record<string, string>> | null;
  readonly config: MountConfig;
}
/** Tunable settings. TTLs in seconds; 0 for the system's default. */
export interface MountConfig {
  readonly default_lease_ttl: number;
  readonly max_lease_ttl: number;
  readonly force_no_cache: boolean;
  readonly listing_visibility?: string;
  readonly passthrough_request_headers?: readonly string[];
  readonly allowed_response_headers?: readonly string[];
  readonly audit_non_hmac_request_keys?: readonly string[];
  readonly audit_non_hmac_response_keys?: readonly string[];
  readonly allowed_managed_keys?: readonly string[];
  readonly delegated_auth_accessors?: readonly string[];
  readonly identity_token_key?: string;
  readonly trim_request_trailing_slashes?: boolean;
  /** Number of partitions, as in the mount's route; absent: 1. */
  readonly partitions?: number;
}
/** Key of the row of a mount, in its own store. */
export const mountKey = "mount";
/** Reads the row of a mount. */
export const storedMount = rowReader<MountRow>({
  uuid: "",
  path: "",
  type: "",
  description: "",
  accessor: "",
  local: false,
  seal_wrap: false,
  external_entropy_access: false,
  options: null,
  config: { default_lease_ttl: 0, max_lease_ttl: 0, force_no_cache: false },
});
