import { rowReader } from "./row-reader.ts";

/**
 * The row that describes a mount, in the mount's store: type, options and settings. A store without
 * this row belongs to no mount, and requests for it are rejected.
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
  /** Version of the placement rules, as in the mount's route. */
  readonly placement?: number;
}
/** Tunable settings of a mount. TTLs are in seconds; 0 means the system default. */
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
  /** Number of partitions, as in the mount's route. If absent, 1. */
  readonly partitions?: number;
}
/** Key of the row that describes a mount, in the mount's store. */
export const mountKey = "mount";
/** Parses the row that describes a mount. */
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
