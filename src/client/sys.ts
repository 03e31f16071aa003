// Made by `npm run generate`; what is changed here is lost.
import type { CallOptions, Warned, Warnings, WrapInfo } from "./call.ts";
import type { Table } from "./table.ts";

/** A mount or login method. */
export type MountReply = {
  /** Type of secrets engine: `pki`. */
  readonly type: string;
  /** Description of the mount. */
  readonly description: string;
  /** Accessor: a second, permanent identifier of the mount. */
  readonly accessor: string;
  /** Whether the mount is local: without unified or cross-cluster revocation. */
  readonly local: boolean;
  /** Stored value; no effect. */
  readonly seal_wrap: boolean;
  /** Stored value; no effect. */
  readonly external_entropy_access: boolean;
  /** Options as stored, or null. */
  readonly options: Readonly<Record<string, string>> | null;
  /** ID of the mount. */
  readonly uuid: string;
  /** Always empty. */
  readonly plugin_version: string;
  /** Version of the secrets engine. */
  readonly running_plugin_version: string;
  /** Always empty. */
  readonly running_sha256: string;
  /** Always `supported`. */
  readonly deprecation_status: string;
  /** Settings of the mount. Lifetimes are in seconds; 0 means the system default. */
  readonly config: MountConfig;
};
/** Settings of a mount or login method. */
export type MountSettingsReply = {
  /** Visibility in sys/internal/ui/mounts: empty, `unauth` or `hidden`. */
  readonly listing_visibility?: "" | "unauth" | "hidden";
  /** Request headers passed to the mount. */
  readonly passthrough_request_headers?: readonly string[];
  /** Response headers that the mount may set. */
  readonly allowed_response_headers?: readonly string[];
  /** Stored and returned; no effect. */
  readonly audit_non_hmac_request_keys?: readonly string[];
  /** Stored and returned; no effect. */
  readonly audit_non_hmac_response_keys?: readonly string[];
  /** Names of the managed keys that the mount may use. */
  readonly allowed_managed_keys?: readonly string[];
  /** Accessors of the login methods that the mount may authenticate clients with, as for EST. */
  readonly delegated_auth_accessors?: readonly string[];
  /** Stored and returned; no effect. */
  readonly identity_token_key?: string;
  /**
   * Whether writes to a path with a trailing slash go to the path without it; otherwise they are
   * rejected.
   */
  readonly trim_request_trailing_slashes?: boolean;
};
/** Settings of a mount or login method. */
export type MountSettingsFields = {
  /**
   * Default lifetime in seconds or as a duration. 0 or `system` means the system default; an empty
   * string changes nothing.
   */
  readonly default_lease_ttl?: string | number | undefined;
  /**
   * Maximum lifetime in seconds or as a duration. 0 or `system` means the system default; an empty
   * string changes nothing.
   */
  readonly max_lease_ttl?: string | number | undefined;
  /** Visibility in sys/internal/ui/mounts: empty, `unauth` or `hidden`. */
  readonly listing_visibility?: "" | "unauth" | "hidden" | undefined;
  /** Request headers passed to the mount. */
  readonly passthrough_request_headers?: string | readonly string[] | undefined;
  /** Response headers that the mount may set. */
  readonly allowed_response_headers?: string | readonly string[] | undefined;
  /** Stored and returned; no effect. */
  readonly audit_non_hmac_request_keys?: string | readonly string[] | undefined;
  /** Stored and returned; no effect. */
  readonly audit_non_hmac_response_keys?: string | readonly string[] | undefined;
  /** Names of the managed keys that the mount may use. */
  readonly allowed_managed_keys?: string | readonly string[] | undefined;
  /** Accessors of the login methods that the mount may authenticate clients with, as for EST. */
  readonly delegated_auth_accessors?: string | readonly string[] | undefined;
  /** Stored and returned; no effect. */
  readonly identity_token_key?: string | undefined;
  /**
   * Whether writes to a path with a trailing slash go to the path without it; otherwise they are
   * rejected.
   */
  readonly trim_request_trailing_slashes?: boolean | undefined;
};
/** Settings of a mount or login method, as stored. */
export type MountConfig = MountSettingsReply & {
  /** Default lifetime in seconds; 0 means the system default. */
  readonly default_lease_ttl: number;
  /** Maximum lifetime in seconds; 0 means the system default. */
  readonly max_lease_ttl: number;
  /** Always false. */
  readonly force_no_cache: boolean;
  /** Number of partitions; absent if there is one. */
  readonly partitions?: number;
  /** Type of the tokens that logins return; only for login methods. */
  readonly token_type?: string;
};

export type HealthInput = {
  /** Status code of the response, 200 to 599. Default: 200. */
  readonly activecode?: number | undefined;
  /** Status code while `degraded` lists a mount, 200 to 599. Default: `activecode`. */
  readonly degradedcode?: number | undefined;
  /** Ignored: this server is never in that state. */
  readonly standbycode?: number | undefined;
  /** Ignored: this server is never in that state. */
  readonly drsecondarycode?: number | undefined;
  /** Ignored: this server is never in that state. */
  readonly performancestandbycode?: number | undefined;
  /** Ignored: this server is never in that state. */
  readonly haunhealthycode?: number | undefined;
  /** Ignored: this server is never in that state. */
  readonly uninitcode?: number | undefined;
  /** Status code while `sealed` is true, 200 to 599. Default: 503. */
  readonly sealedcode?: number | undefined;
  /** Ignored: this server is never in that state. */
  readonly removedcode?: number | undefined;
  /** No effect: this server is never a standby. Default: `false`. */
  readonly standbyok?: boolean | undefined;
  /** No effect: this server is never a standby. Default: `false`. */
  readonly perfstandbyok?: boolean | undefined;
};
export type HealthReply = {
  /** Always true. */
  readonly initialized: boolean;
  /**
   * Whether the sealing key does not match the stored secrets. If so, all other requests are
   * rejected.
   */
  readonly sealed: boolean;
  /** Always false. */
  readonly standby: boolean;
  /** Always false. */
  readonly performance_standby: boolean;
  /** Always `disabled`. */
  readonly replication_performance_mode: string;
  /** Always `disabled`. */
  readonly replication_dr_mode: string;
  /** Server time, Unix seconds. */
  readonly server_time_utc: number;
  /** Version that clients compare to detect features. */
  readonly version: string;
  /** Always true: enterprise operations are included. */
  readonly enterprise: boolean;
  /** License information: none is needed. */
  readonly license: {
    /** Always `none`. */
    readonly state: string;
    /** Always empty. */
    readonly expiry_time: string;
    /** Always false. */
    readonly terminated: boolean;
  };
  /** Name of the deployment. */
  readonly cluster_name: string;
  /** UUID of the deployment; empty while the storage is unreachable. */
  readonly cluster_id: string;
  /** Always 0: there is a single node. */
  readonly echo_duration_ms: number;
  /** Always 0: there is a single node. */
  readonly clock_skew_ms: number;
  /** Always 0: nothing is replicated. */
  readonly replication_primary_canary_age_ms: number;
  /** Always false. */
  readonly removed_from_cluster: boolean;
  /** Always true: there is a single node. */
  readonly ha_connection_healthy: boolean;
  /** Always 0: requests are not forwarded. */
  readonly last_request_forwarding_heartbeat_ms: number;
  /**
   * Problems that need attention, such as a CRL that could not be rebuilt; absent if there are
   * none.
   */
  readonly warnings?: readonly string[];
  /**
   * Mounts and APIs that are unavailable, for example because their storage is unreachable. Absent
   * if all work.
   */
  readonly degraded?: readonly {
    /** Path of the mount; `sys/` is the shared storage, `/api/v2/` the variables API. */
    readonly mount: string;
    /** Description of the problem, one sentence. */
    readonly reason: string;
  }[];
};
export type SealStatusInput = {};
export type SealStatusReply = {
  /** Always `shamir`. */
  readonly type: string;
  /** Always true. */
  readonly initialized: boolean;
  /** Whether the sealing key does not match the stored secrets. */
  readonly sealed: boolean;
  /** Always 1. */
  readonly t: number;
  /** Always 1. */
  readonly n: number;
  /** Always 0. */
  readonly progress: number;
  /** Always empty. */
  readonly nonce: string;
  /** Version that clients compare to detect features. */
  readonly version: string;
  /** Always empty. */
  readonly build_date: string;
  /** Always false. */
  readonly migration: boolean;
  /** Name of the deployment. */
  readonly cluster_name: string;
  /** UUID of the deployment; empty while the storage is unreachable. */
  readonly cluster_id: string;
  /** Always false. */
  readonly recovery_seal: boolean;
  /** Always false. */
  readonly removed_from_cluster: boolean;
  /** Name of the storage. */
  readonly storage_type: string;
};
export type InitStatusInput = SealStatusInput;
export type InitStatusReply = {
  /** Always true. */
  readonly initialized: boolean;
};
export type InitInput = {
  /** No effect. */
  readonly secret_shares?: number | undefined;
  /** No effect. */
  readonly secret_threshold?: number | undefined;
};
export type InitReply = Warned | undefined;
export type SealInput = SealStatusInput;
export type SealReply = InitReply;
export type UnsealInput = {
  /** Ignored. */
  readonly key?: string | undefined;
  /** No effect. Default: `false`. */
  readonly reset?: boolean | undefined;
  /** No effect. Default: `false`. */
  readonly migrate?: boolean | undefined;
};
export type UnsealReply = SealStatusReply;
export type LeaderInput = SealStatusInput;
export type LeaderReply = {
  /** Always false. */
  readonly ha_enabled: boolean;
  /** Always false: a single node has no leader. */
  readonly is_self: boolean;
  /** Always `0001-01-01T00:00:00Z`. */
  readonly active_time: string;
  /** Always empty. */
  readonly leader_address: string;
  /** Always empty. */
  readonly leader_cluster_address: string;
  /** Always false. */
  readonly performance_standby: boolean;
  /** Always 0. */
  readonly performance_standby_last_remote_wal: number;
};
export type ListMountsInput = SealStatusInput;
export type ListMountsReply = Readonly<
  Record<
    string,
    {
      /** Type of secrets engine: `pki`. */
      readonly type: string;
      /** Description of the mount. */
      readonly description: string;
      /** Accessor: a second, permanent identifier of the mount. */
      readonly accessor: string;
      /** Whether the mount is local: without unified or cross-cluster revocation. */
      readonly local: boolean;
      /** Stored value; no effect. */
      readonly seal_wrap: boolean;
      /** Stored value; no effect. */
      readonly external_entropy_access: boolean;
      /** Options as stored, or null. */
      readonly options: Readonly<Record<string, string>> | null;
      /** ID of the mount. */
      readonly uuid: string;
      /** Always empty. */
      readonly plugin_version: string;
      /** Version of the secrets engine. */
      readonly running_plugin_version: string;
      /** Always empty. */
      readonly running_sha256: string;
      /** Always `supported`. */
      readonly deprecation_status: string;
      /** Settings of the mount. Lifetimes are in seconds; 0 means the system default. */
      readonly config: MountConfig;
    }
  >
>;
export type ReadMountedTuneInput = {
  /** Path of the login method; may contain slashes. */
  readonly path: string;
};
export type ReadMountedTuneReply = MountSettingsReply & {
  /** Description of the mount. */
  readonly description: string;
  /** Effective default lifetime in seconds. */
  readonly default_lease_ttl: number;
  /** Effective maximum lifetime in seconds. */
  readonly max_lease_ttl: number;
  /** Always false. */
  readonly force_no_cache: boolean;
  /** Options. */
  readonly options?: Readonly<Record<string, string>>;
  /** Type of its tokens. */
  readonly token_type: "default-service" | "default-batch" | "service" | "batch";
} & Warnings;
export type ReadMountedMethodInput = ReadMountedTuneInput;
export type ReadMountedMethodReply = MountReply & Warnings;
export type WriteMountedTuneInput = MountSettingsFields & {
  /** Path of the login method; may contain slashes. */
  readonly path: string;
  /** Description of the mount. */
  readonly description?: string | undefined;
  /** Options, stored and returned; no effect. Absent if empty. */
  readonly options?: Readonly<Record<string, string>> | undefined;
  /**
   * Type of its tokens: `default-service` or `default-batch`, which roles can override, or
   * `service` or `batch`, which they cannot.
   */
  readonly token_type?: "default-service" | "default-batch" | "service" | "batch" | undefined;
};
export type WriteMountedTuneReply = InitReply;
export type ReadTuneInput = {
  /** Path of the mount; may contain slashes. */
  readonly path: string;
};
export type ReadTuneReply = MountSettingsReply & {
  /** Description of the mount. */
  readonly description: string;
  /** Effective default lifetime in seconds. */
  readonly default_lease_ttl: number;
  /** Effective maximum lifetime in seconds. */
  readonly max_lease_ttl: number;
  /** Always false. */
  readonly force_no_cache: boolean;
  /** Options. */
  readonly options?: Readonly<Record<string, string>>;
} & Warnings;
export type WriteTuneInput = MountSettingsFields & {
  /** Path of the mount; may contain slashes. */
  readonly path: string;
  /** Description of the mount. */
  readonly description?: string | undefined;
  /** Options, stored and returned; no effect. Absent if empty. */
  readonly options?: Readonly<Record<string, string>> | undefined;
};
export type WriteTuneReply = InitReply;
export type ReadPartitionsInput = ReadTuneInput;
export type ReadPartitionsReply = {
  /** Number of partitions. */
  readonly count: number;
  /** Progress of a growth; absent if all rows have been moved. */
  readonly growth?: {
    /** `stopped` after a DELETE, until the next POST. */
    readonly state: "moving" | "stopped";
    /** Number of partitions before the growth. */
    readonly from: number;
    /** Number of rows moved so far. */
    readonly moved: number;
    /** Estimated progress in percent. */
    readonly percent: number;
  };
  /** The partitions. */
  readonly partitions: readonly {
    /**
     * Number of the partition. Partition 0 has the configuration and all rows that are not spread.
     */
    readonly number: number;
    /** Name of the partition's store, as in audit events. */
    readonly store: string;
    /** State: `empty` if it lost its rows, `unreachable` if it cannot be read. */
    readonly state: "ready" | "empty" | "unreachable";
    /** Estimated number of rows in the partition, at most a minute old; absent if unknown. */
    readonly rows?: number;
    /**
     * Estimated size of the partition's rows in bytes, at most a minute old. On Workers, the size of
     * the whole database; on SQLite, without indexes.
     */
    readonly bytes?: number;
  }[];
} & Warnings;
export type GrowPartitionsInput = {
  /** Path of the mount; may contain slashes. */
  readonly path: string;
  /** New number of partitions: 4, 16 or 64. */
  readonly count: number;
};
export type GrowPartitionsReply = InitReply;
export type StopPartitionsInput = ReadTuneInput;
export type StopPartitionsReply = InitReply;
export type ReadMountInput = ReadTuneInput;
export type ReadMountReply = ReadMountedMethodReply;
export type CreateMountInput = {
  /** Path of the mount; may contain slashes. */
  readonly path: string;
  /** Type of secrets engine: `pki`. */
  readonly type?: "" | "pki" | undefined;
  /** Description of the mount. */
  readonly description?: string | undefined;
  /** Settings. */
  readonly config?:
    | {
        /**
         * Default lifetime in seconds or as a duration. 0 or `system` means the system default; an empty
         * string changes nothing.
         */
        readonly default_lease_ttl?: string | number | undefined;
        /**
         * Maximum lifetime in seconds or as a duration. 0 or `system` means the system default; an empty
         * string changes nothing.
         */
        readonly max_lease_ttl?: string | number | undefined;
        /** Visibility in sys/internal/ui/mounts: empty, `unauth` or `hidden`. */
        readonly listing_visibility?: "" | "unauth" | "hidden" | undefined;
        /** Request headers passed to the mount. */
        readonly passthrough_request_headers?: string | readonly string[] | undefined;
        /** Response headers that the mount may set. */
        readonly allowed_response_headers?: string | readonly string[] | undefined;
        /** Stored and returned; no effect. */
        readonly audit_non_hmac_request_keys?: string | readonly string[] | undefined;
        /** Stored and returned; no effect. */
        readonly audit_non_hmac_response_keys?: string | readonly string[] | undefined;
        /** Names of the managed keys that the mount may use. */
        readonly allowed_managed_keys?: string | readonly string[] | undefined;
        /** Accessors of the login methods that the mount may authenticate clients with, as for EST. */
        readonly delegated_auth_accessors?: string | readonly string[] | undefined;
        /** Stored and returned; no effect. */
        readonly identity_token_key?: string | undefined;
        /**
         * Whether writes to a path with a trailing slash go to the path without it; otherwise they are
         * rejected.
         */
        readonly trim_request_trailing_slashes?: boolean | undefined;
        /**
         * Number of partitions that the certificates are spread over: 1, 4, 16 or 64. Default: 1. The
         * number can only be increased later.
         */
        readonly partitions?: number | undefined;
      }
    | undefined;
  /** Options, stored and returned; no effect. */
  readonly options?: Readonly<Record<string, string>> | undefined;
  /** Whether the mount rejects unified and cross-cluster revocation. Default: `false`. */
  readonly local?: boolean | undefined;
  /** Stored and returned; no effect. Default: `false`. */
  readonly seal_wrap?: boolean | undefined;
  /** Stored and returned; no effect. Default: `false`. */
  readonly external_entropy_access?: boolean | undefined;
  /** Same as `type`. */
  readonly plugin_name?: string | undefined;
};
export type CreateMountReply = InitReply;
export type DeleteMountInput = ReadTuneInput;
export type DeleteMountReply = InitReply;
export type LookupLeaseInput = {
  /** Lease ID, as returned when the lease was created. */
  readonly lease_id?: string | undefined;
};
export type LookupLeaseReply = {
  /** ID of the lease. */
  readonly id: string;
  /** When it was issued, RFC 3339. */
  readonly issue_time: string;
  /** When it expires, RFC 3339. */
  readonly expire_time: string;
  /** Always null. */
  readonly last_renewal: string | null;
  /** Always false. */
  readonly renewable: boolean;
  /** Remaining lifetime in seconds. */
  readonly ttl: number;
} & Warnings;
export type LookupLeaseAtInput = {
  /** Prefix of the lease IDs; may contain slashes. */
  readonly prefix: string;
};
export type LookupLeaseAtReply = LookupLeaseReply;
export type ListLeasesInput = {
  /** Prefix of the lease IDs; may contain slashes. */
  readonly prefix?: string | undefined;
};
export type ListLeasesReply = {
  /** Next segments of the lease IDs below the prefix, sorted. */
  readonly keys: readonly string[];
} & Warnings;
export type CountLeasesInput = {
  /** `irrevocable` counts only irrevocable leases; any other value counts all. */
  readonly type?: string | undefined;
  /** Accepted; no effect. Default: `false`. */
  readonly include_child_namespaces?: boolean | undefined;
};
export type CountLeasesReply = {
  /** Number of leases. */
  readonly lease_count: number;
  /** Number of leases per mount path. */
  readonly counts: Readonly<Record<string, number>>;
} & Warnings;
export type RenewLeaseInput = {
  /** ID of the lease; contains slashes. */
  readonly url_lease_id?: string | undefined;
  /** Lease ID, as returned when the lease was created. */
  readonly lease_id?: string | undefined;
  /** Accepted; no effect. Seconds, or a duration such as `72h`. Default: `0`. */
  readonly increment?: number | string | undefined;
};
export type RenewLeaseReply = InitReply;
export type RevokeLeaseInput = {
  /** ID of the lease; contains slashes. */
  readonly url_lease_id?: string | undefined;
  /** Lease ID, as returned when the lease was created. */
  readonly lease_id?: string | undefined;
  /** Respond only after all certificates are revoked and on the CRLs. Default: `false`. */
  readonly sync?: boolean | undefined;
};
export type RevokeLeaseReply = InitReply;
export type RevokeLeasesInput = {
  /** Prefix of the lease IDs; may contain slashes. */
  readonly prefix: string;
  /** Respond only after all certificates are revoked and on the CRLs. Default: `false`. */
  readonly sync?: boolean | undefined;
};
export type RevokeLeasesReply = InitReply;
export type ForceRevokeLeasesInput = RevokeLeasesInput;
export type ForceRevokeLeasesReply = InitReply;
export type TidyLeasesInput = SealStatusInput;
export type TidyLeasesReply = InitReply;
export type ListMethodsInput = SealStatusInput;
export type ListMethodsReply = ListMountsReply;
export type ReadMethodTuneInput = ReadMountedTuneInput;
export type ReadMethodTuneReply = ReadMountedTuneReply;
export type WriteMethodTuneInput = WriteMountedTuneInput;
export type WriteMethodTuneReply = InitReply;
export type ReadMethodInput = ReadMountedTuneInput;
export type ReadMethodReply = ReadMountedMethodReply;
export type EnableMethodInput = {
  /** Path of the login method; may contain slashes. */
  readonly path: string;
  /** Type of login method. */
  readonly type?: "" | "approle" | "cert" | "jwt" | "kubernetes" | "oidc" | "userpass" | undefined;
  /** Description of the method. */
  readonly description?: string | undefined;
  /** Settings. */
  readonly config?:
    | {
        /**
         * Default lifetime in seconds or as a duration. 0 or `system` means the system default; an empty
         * string changes nothing.
         */
        readonly default_lease_ttl?: string | number | undefined;
        /**
         * Maximum lifetime in seconds or as a duration. 0 or `system` means the system default; an empty
         * string changes nothing.
         */
        readonly max_lease_ttl?: string | number | undefined;
        /** Visibility in sys/internal/ui/mounts: empty, `unauth` or `hidden`. */
        readonly listing_visibility?: "" | "unauth" | "hidden" | undefined;
        /** Request headers passed to the mount. */
        readonly passthrough_request_headers?: string | readonly string[] | undefined;
        /** Response headers that the mount may set. */
        readonly allowed_response_headers?: string | readonly string[] | undefined;
        /** Stored and returned; no effect. */
        readonly audit_non_hmac_request_keys?: string | readonly string[] | undefined;
        /** Stored and returned; no effect. */
        readonly audit_non_hmac_response_keys?: string | readonly string[] | undefined;
        /** Names of the managed keys that the mount may use. */
        readonly allowed_managed_keys?: string | readonly string[] | undefined;
        /** Accessors of the login methods that the mount may authenticate clients with, as for EST. */
        readonly delegated_auth_accessors?: string | readonly string[] | undefined;
        /** Stored and returned; no effect. */
        readonly identity_token_key?: string | undefined;
        /**
         * Whether writes to a path with a trailing slash go to the path without it; otherwise they are
         * rejected.
         */
        readonly trim_request_trailing_slashes?: boolean | undefined;
        /** Type of the tokens that logins return. */
        readonly token_type?: "default-service" | "default-batch" | "service" | "batch" | undefined;
      }
    | undefined;
  /** Options, stored and returned; no effect. */
  readonly options?: Readonly<Record<string, string>> | undefined;
  /** Stored and returned; no effect. Default: `false`. */
  readonly local?: boolean | undefined;
  /** Stored and returned; no effect. Default: `false`. */
  readonly seal_wrap?: boolean | undefined;
  /** Stored and returned; no effect. Default: `false`. */
  readonly external_entropy_access?: boolean | undefined;
  /** Same as `type`. */
  readonly plugin_name?: string | undefined;
};
export type EnableMethodReply = InitReply;
export type DisableMethodInput = ReadMountedTuneInput;
export type DisableMethodReply = InitReply;
export type UnlockUserInput = {
  /** Accessor of the login method. */
  readonly mount_accessor: string;
  /** Name of the user. */
  readonly alias_identifier: string;
};
export type UnlockUserReply = InitReply;
export type ListQuotasInput = SealStatusInput;
export type ListQuotasReply = {
  /** Names of the rate limits, sorted. */
  readonly keys: readonly string[];
} & Warnings;
export type ReadQuotaInput = {
  /** Name of the limit. */
  readonly name: string;
};
export type ReadQuotaReply = {
  /** Always `rate-limit`. */
  readonly type: string;
  /** Name of the limit. */
  readonly name: string;
  /** Path that the limit applies to, or empty if it applies to all requests. */
  readonly path: string;
  /** Role whose logins the limit applies to, or empty if it applies to any request. */
  readonly role: string;
  /** Number of requests per interval. */
  readonly rate: number;
  /** Interval in seconds. */
  readonly interval: number;
  /** How long clients that exceed the limit are blocked, in seconds. */
  readonly block_interval: number;
  /** Stored value; no effect. */
  readonly inheritable: boolean;
} & Warnings;
export type WriteQuotaInput = {
  /** Name of the limit. */
  readonly name: string;
  /**
   * Mount, or a path below a mount; a trailing `*` matches any suffix. If empty, the limit applies
   * to all requests.
   */
  readonly path?: string | undefined;
  /** Number of requests per interval; greater than 0. */
  readonly rate: number;
  /** Interval; default: 1 second. Seconds, or a duration such as `72h`. Default: `1`. */
  readonly interval?: number | string | undefined;
  /**
   * How long clients that exceed the limit are blocked. Seconds, or a duration such as `72h`.
   * Default: `0`.
   */
  readonly block_interval?: number | string | undefined;
  /**
   * Count only logins at `path` with this role, whether the request names it, identifies it by role
   * ID, or uses the default role.
   */
  readonly role?: string | undefined;
  /** Stored and returned; no effect. Default: `false`. */
  readonly inheritable?: boolean | undefined;
  /** Accepted; no effect. */
  readonly type?: string | undefined;
};
export type WriteQuotaReply = InitReply;
export type DeleteQuotaInput = ReadQuotaInput;
export type DeleteQuotaReply = InitReply;
export type ReadQuotaConfigInput = SealStatusInput;
export type ReadQuotaConfigReply = {
  /** Stored value; no effect. */
  readonly enable_rate_limit_audit_logging: boolean;
  /** Whether replies include `X-Ratelimit-…` headers. */
  readonly enable_rate_limit_response_headers: boolean;
  /** Additional exempt paths. */
  readonly rate_limit_exempt_paths: readonly string[];
} & Warnings;
export type WriteQuotaConfigInput = {
  /** Stored and returned; no effect. */
  readonly enable_rate_limit_audit_logging?: boolean | undefined;
  /** Whether replies include `X-Ratelimit-…` headers. */
  readonly enable_rate_limit_response_headers?: boolean | undefined;
  /**
   * Paths exempt from rate limits, in addition to `sys/health`, `sys/seal-status` and `sys/unseal`;
   * a trailing `*` matches any suffix.
   */
  readonly rate_limit_exempt_paths?: string | readonly string[] | undefined;
};
export type WriteQuotaConfigReply = InitReply;
export type ReadCorsInput = SealStatusInput;
export type ReadCorsReply = {
  /** Whether CORS is enabled. */
  readonly enabled: boolean;
  /** Allowed origins; `*` means all. Absent if CORS is disabled. */
  readonly allowed_origins?: readonly string[];
  /** Allowed request headers, besides those of the API. */
  readonly allowed_headers?: readonly string[];
} & Warnings;
export type WriteCorsInput = {
  /** If false and `allowed_origins` is empty, the settings are deleted. */
  readonly enabled?: boolean | undefined;
  /** Allowed origins such as `https://a.example`, or only `*`. */
  readonly allowed_origins?: string | readonly string[] | undefined;
  /** Allowed request headers, besides those of the API. */
  readonly allowed_headers?: string | readonly string[] | undefined;
};
export type WriteCorsReply = InitReply;
export type DeleteCorsInput = SealStatusInput;
export type DeleteCorsReply = InitReply;
export type RemountInput = {
  /** Current path; a login method's starts with `auth/`. */
  readonly from?: string | undefined;
  /** New path, which must be free. */
  readonly to?: string | undefined;
};
export type RemountReply = {
  /** ID to poll with `remount/status/:migration_id`. */
  readonly migration_id: string;
} & Warnings;
export type ReadRemountInput = {
  /** ID of the move, from `sys/remount`. */
  readonly migration_id: string;
};
export type ReadRemountReply = {
  /** ID of the move. */
  readonly migration_id: string;
  /** Details of the move. */
  readonly migration_info: {
    /** Old path. */
    readonly source_mount: string;
    /** New path. */
    readonly target_mount: string;
    /** Status of the move. */
    readonly status: "in-progress" | "success" | "failure";
  };
} & Warnings;
export type ListManagedKeysInput = {
  /** Type of the managed key. */
  readonly type: "awskms" | "https";
};
export type ListManagedKeysReply = {
  /** Names, sorted. */
  readonly keys: readonly string[];
} & Warnings;
export type TestManagedKeyInput = {
  /** Type of the managed key. */
  readonly type: "awskms" | "https";
  /** Name of the managed key. */
  readonly name: string;
  /** Hash for RSA keys: `sha2-256` (the default), `sha2-384` or `sha2-512`. */
  readonly hash_algorithm?: "" | "sha2-256" | "sha2-384" | "sha2-512" | undefined;
  /** Whether RSA keys use PSS. Default: `false`. */
  readonly use_pss?: boolean | undefined;
};
export type TestManagedKeyReply = {
  /** Signature algorithm, such as `ECDSAWithSHA256`. */
  readonly signature_algorithm: string;
  /** Type of the key. */
  readonly key_type: string;
  /** Public key (PEM). */
  readonly public_key: string;
} & Warnings;
export type ReadManagedKeyInput = {
  /** Type of the managed key. */
  readonly type: "awskms" | "https";
  /** Name of the managed key. */
  readonly name: string;
};
export type ReadManagedKeyReply = {
  /** ID of the managed key. */
  readonly UUID: string;
  /** Name of the managed key. */
  readonly name: string;
  /** `awskms` or `https`. */
  readonly type: "awskms" | "https";
  /** Stored value. */
  readonly allow_generate_key: boolean;
  /** Stored value. */
  readonly allow_replace_key: boolean;
  /** Stored value. */
  readonly allow_store_key: boolean;
  /** Whether every mount may use the key. */
  readonly any_mount: boolean;
  /** Allowed usages. If empty, any usage is allowed. */
  readonly usages: readonly string[];
  /** Whether the service may have a private or loopback address. */
  readonly allow_private_network: boolean;
  /** Public key (PEM). Absent until the key is first used. */
  readonly public_key?: string;
  /** awskms: AWS region. Default: `us-east-1`. */
  readonly region?: string;
  /** awskms: endpoint URL, which overrides that of the region. */
  readonly endpoint?: string;
  /** awskms: ID, ARN or alias (`alias/NAME`) of the key. */
  readonly kms_key?: string;
  /**
   * awskms: required type of the key, also of a generated one: `RSA`, `ECDSA` or `ED25519`.
   * Default: any.
   */
  readonly key_type?: "RSA" | "ECDSA" | "ED25519";
  /** awskms: size in bits of a generated RSA key. Default: 2048. */
  readonly key_bits?: string;
  /** awskms: curve of a generated ECDSA key. Default: `P256`. */
  readonly curve?: string;
  /** https: URL of the signing service. */
  readonly url?: string;
  /** https: name of the key in the service. Default: the name of the managed key. */
  readonly key?: string;
  /** https: what the service signs: `digest` (the default), or `raw`, the whole message. */
  readonly message_type?: "digest" | "raw";
  /**
   * CA certificates (PEM), one of which the server's certificate must chain to. Default: the
   * platform's CAs.
   */
  readonly trusted_ca?: string;
  /** https: accepted server certificates (PEM). */
  readonly trusted_leaf_certificate_bundle?: string;
  /** `redacted`. */
  readonly access_key?: string;
  /** `redacted`. */
  readonly secret_key?: string;
  /** `redacted`. */
  readonly token?: string;
  /** `redacted`. */
  readonly client_cert_bundle?: string;
} & Warnings;
export type WriteManagedKeyInput = {
  /** Type of the managed key. */
  readonly type: "awskms" | "https";
  /** Name of the managed key. */
  readonly name: string;
  /** Whether a missing key may be generated (awskms with an alias). Default: false. */
  readonly allow_generate_key?: boolean | undefined;
  /** Stored and returned; no effect. */
  readonly allow_replace_key?: boolean | undefined;
  /** Stored and returned; no effect. */
  readonly allow_store_key?: boolean | undefined;
  /**
   * Whether every mount may use the key. Otherwise only mounts that list it in
   * `allowed_managed_keys` may.
   */
  readonly any_mount?: boolean | undefined;
  /** Allowed usages. Signing requires `sign`. If empty, any usage is allowed. */
  readonly usages?: string | readonly string[] | undefined;
  /**
   * Whether the service may have a private or loopback address. Default: the deployment's setting.
   */
  readonly allow_private_network?: boolean | undefined;
  /** awskms: AWS region. Default: `us-east-1`. */
  readonly region?: string | undefined;
  /** awskms: endpoint URL, which overrides that of the region. */
  readonly endpoint?: string | undefined;
  /** awskms: ID, ARN or alias (`alias/NAME`) of the key. */
  readonly kms_key?: string | undefined;
  /**
   * awskms: required type of the key, also of a generated one: `RSA`, `ECDSA` or `ED25519`.
   * Default: any.
   */
  readonly key_type?: "RSA" | "ECDSA" | "ED25519" | undefined;
  /** awskms: size in bits of a generated RSA key. Default: 2048. */
  readonly key_bits?: string | undefined;
  /** awskms: curve of a generated ECDSA key. Default: `P256`. */
  readonly curve?: string | undefined;
  /** https: URL of the signing service. */
  readonly url?: string | undefined;
  /** https: name of the key in the service. Default: the name of the managed key. */
  readonly key?: string | undefined;
  /** https: what the service signs: `digest` (the default), or `raw`, the whole message. */
  readonly message_type?: "digest" | "raw" | undefined;
  /**
   * CA certificates (PEM), one of which the server's certificate must chain to. Default: the
   * platform's CAs.
   */
  readonly trusted_ca?: string | undefined;
  /** https: accepted server certificates (PEM). */
  readonly trusted_leaf_certificate_bundle?: string | undefined;
  /** awskms: access key ID. */
  readonly access_key?: string | undefined;
  /** awskms: secret access key. */
  readonly secret_key?: string | undefined;
  /** https: bearer token for the service. */
  readonly token?: string | undefined;
  /** https: client private key and certificates (PEM). */
  readonly client_cert_bundle?: string | undefined;
};
export type WriteManagedKeyReply = InitReply;
export type DeleteManagedKeyInput = ReadManagedKeyInput;
export type DeleteManagedKeyReply = InitReply;
export type ReadCatalogInput = SealStatusInput;
export type ReadCatalogReply = {
  /** Types of login methods. */
  readonly auth: readonly string[];
  /** Always empty. */
  readonly database: readonly string[];
  /** Types of mounts. */
  readonly secret: readonly string[];
  /** All types with their versions. */
  readonly detailed: readonly {
    /** Plugin name: the type of the mount or login method. */
    readonly name: string;
    /** `secret` or `auth`. */
    readonly type: "secret" | "auth";
    /** Version. */
    readonly version: string;
    /** Always true. */
    readonly builtin: boolean;
    /** Always `supported`. */
    readonly deprecation_status: string;
  }[];
} & Warnings;
export type ListCatalogInput = {
  /** Type of plugin. */
  readonly type: "secret" | "auth";
};
export type ListCatalogReply = ListManagedKeysReply;
export type ReadPluginInput = {
  /** Type of plugin. */
  readonly type: "secret" | "auth";
  /** Name of the plugin. */
  readonly name: string;
};
export type ReadPluginReply = {
  /** Plugin name: the type of the mount or login method. */
  readonly name: string;
  /** `secret` or `auth`. */
  readonly type: "secret" | "auth";
  /** Version. */
  readonly version: string;
  /** Always true. */
  readonly builtin: boolean;
  /** Always `supported`. */
  readonly deprecation_status: string;
  /** Always empty. */
  readonly args: readonly string[];
  /** Always empty. */
  readonly command: string;
  /** Always empty. */
  readonly sha256: string;
} & Warnings;
export type VersionHistoryInput = SealStatusInput;
export type VersionHistoryReply = {
  /** Versions. */
  readonly keys: readonly string[];
  /** Details of each version. */
  readonly key_info: Readonly<
    Record<
      string,
      {
        /** Always null. */
        readonly previous_version: string | null;
        /** Always empty. */
        readonly timestamp_installed: string;
        /** Always empty. */
        readonly build_date: string;
      }
    >
  >;
} & Warnings;
export type ReadMetricsInput = {
  /** `prometheus` for the Prometheus text format. If empty, JSON. */
  readonly format?: string | undefined;
};
export type ReadMetricsReply = string | undefined;
export type RotateSealInput = SealStatusInput;
export type RotateSealReply = {
  /** Number of re-encrypted secrets. */
  readonly resealed: number;
  /**
   * Names of secrets that neither key could decrypt, and that are unchanged. Absent if there are
   * none.
   */
  readonly unopened?: readonly string[];
} & Warnings;
export type BeginAnewInput = {
  /** Path of the API as in `sys/health`, such as `/api/v2/`. */
  readonly path: string;
};
export type BeginAnewReply = InitReply;
export type BackUpInput = ReadTuneInput;
export type BackUpReply = Uint8Array;
export type RestoreInput = {
  /** Path of the mount; may contain slashes. */
  readonly path: string;
  /** A complete part of a backup. */
  readonly part: Uint8Array;
  /**
   * Number of partitions, in the query of the first part: 1, 4, 16 or 64. Default: that of the
   * backup, or 1 if the storage supports no more.
   */
  readonly partitions?: number | undefined;
};
export type RestoreReply = {
  /** ID of the backup. */
  readonly backup: string;
  /** Number of the part, starting at 1. */
  readonly part: number;
  /** Whether it is the last part. */
  readonly last: boolean;
  /** Number of rows to restore from this part. */
  readonly rows: number;
} & Warnings;
export type CheckBackupInput = {
  /** A complete part of a backup. */
  readonly part: Uint8Array;
  /** `receipt` of the previous part, in the query. Required from the second part on. */
  readonly receipt?: string | undefined;
};
export type CheckBackupReply = {
  /** ID of the backup. */
  readonly backup: string;
  /** Number of the part, starting at 1. */
  readonly part: number;
  /** Whether it is the last part. */
  readonly last: boolean;
  /** Number of rows to restore from this part. */
  readonly rows: number;
  /** Receipt to send with the next part. */
  readonly receipt: string;
  /** Whether all parts have now been verified. */
  readonly complete: boolean;
} & Warnings;
export type BackUpStoreInput = {
  /** Name of the store: `sys`, or `vars` for the variables. */
  readonly store: "sys" | "vars";
};
export type BackUpStoreReply = BackUpReply;
export type RestoreStoreInput = {
  /** Name of the store: `sys`, or `vars` for the variables. */
  readonly store: "sys" | "vars";
  /** A complete part of a backup. */
  readonly part: Uint8Array;
};
export type RestoreStoreReply = {
  /** ID of the backup. */
  readonly backup: string;
  /** Number of the part, starting at 1. */
  readonly part: number;
  /** Whether it is the last part. */
  readonly last: boolean;
  /** Number of rows to restore from this part. */
  readonly rows: number;
  /** Whether the store was already restored from this backup, so that nothing was changed. */
  readonly repeated: boolean;
} & Warnings;
export type OpenapiSpecInput = {
  /** Describe all mounts once, with a path parameter for the mount. Default: `false`. */
  readonly generic_mount_paths?: boolean | undefined;
};
export type OpenapiSpecReply = Readonly<Record<string, unknown>>;
export type ListVisibleMountsInput = SealStatusInput;
export type ListVisibleMountsReply = {
  /** The mounts by path. */
  readonly secret: Readonly<
    Record<
      string,
      {
        /** Type of secrets engine: `pki`. */
        readonly type: string;
        /** Description of the mount. */
        readonly description: string;
        /** Accessor: a second, permanent identifier of the mount. */
        readonly accessor?: string;
        /** Whether the mount is local: without unified or cross-cluster revocation. */
        readonly local?: boolean;
        /** Stored value; no effect. */
        readonly seal_wrap?: boolean;
        /** Stored value; no effect. */
        readonly external_entropy_access?: boolean;
        /** Options as stored, or null. */
        readonly options: Readonly<Record<string, string>> | null;
        /** ID of the mount. */
        readonly uuid?: string;
        /** Always empty. */
        readonly plugin_version?: string;
        /** Version of the secrets engine. */
        readonly running_plugin_version?: string;
        /** Always empty. */
        readonly running_sha256?: string;
        /** Always `supported`. */
        readonly deprecation_status?: string;
        /** Settings of the mount. Lifetimes are in seconds; 0 means the system default. */
        readonly config?: MountConfig;
      }
    >
  >;
  /** The login methods by path below `auth/`. */
  readonly auth: Readonly<
    Record<
      string,
      {
        /** Type of secrets engine: `pki`. */
        readonly type: string;
        /** Description of the mount. */
        readonly description: string;
        /** Accessor: a second, permanent identifier of the mount. */
        readonly accessor?: string;
        /** Whether the mount is local: without unified or cross-cluster revocation. */
        readonly local?: boolean;
        /** Stored value; no effect. */
        readonly seal_wrap?: boolean;
        /** Stored value; no effect. */
        readonly external_entropy_access?: boolean;
        /** Options as stored, or null. */
        readonly options: Readonly<Record<string, string>> | null;
        /** ID of the mount. */
        readonly uuid?: string;
        /** Always empty. */
        readonly plugin_version?: string;
        /** Version of the secrets engine. */
        readonly running_plugin_version?: string;
        /** Always empty. */
        readonly running_sha256?: string;
        /** Always `supported`. */
        readonly deprecation_status?: string;
        /** Settings of the mount. Lifetimes are in seconds; 0 means the system default. */
        readonly config?: MountConfig;
      }
    >
  >;
} & Warnings;
export type ReadVisibleMountInput = {
  /** Path of a mount, or below one; may contain slashes. */
  readonly below: string;
};
export type ReadVisibleMountReply = MountReply & {
  /** Path of the mount, with a trailing slash. */
  readonly path: string;
} & Warnings;
export type WrapDataInput = {
  readonly [name: string]: unknown;
};
export type WrapDataReply = WrapInfo;
export type UnwrapInput = {
  /** Wrapping token; may be sent as the request's token instead. */
  readonly token?: string | undefined;
};
export type UnwrapReply = OpenapiSpecReply;
export type LookupWrappingInput = UnwrapInput;
export type LookupWrappingReply = {
  /** Path of the request whose reply was wrapped. */
  readonly creation_path: string;
  /** When it was wrapped, RFC 3339. */
  readonly creation_time: string;
  /** Lifetime of the wrapping token in seconds. */
  readonly creation_ttl: number;
} & Warnings;
export type RewrapReplyInput = {
  /** Wrapping token. */
  readonly token: string;
};
export type RewrapReplyReply = WrapDataReply;
export type HashDataInput = {
  /** Hash function, which overrides `algorithm`. */
  readonly urlalgorithm?: string | undefined;
  /** Data, base64. */
  readonly input: string;
  /** Hash function. Default: `"sha2-256"`. */
  readonly algorithm?: "sha2-224" | "sha2-256" | "sha2-384" | "sha2-512" | undefined;
  /** Encoding of the hash. Default: `"hex"`. */
  readonly format?: "hex" | "base64" | undefined;
};
export type HashDataReply = {
  /** The hash. */
  readonly sum: string;
} & Warnings;
export type RandomBytesInput = {
  /**
   * Source of the bytes, which overrides `source`; or the number of bytes, if this is the last
   * segment.
   */
  readonly urlsource?: string | undefined;
  /** Number of bytes, which overrides `bytes`. */
  readonly urlbytes?: string | undefined;
  /** Number of bytes, 1 to 131072. Default: `32`. */
  readonly bytes?: number | undefined;
  /** Encoding of the bytes. Default: `"base64"`. */
  readonly format?: "hex" | "base64" | undefined;
  /** Source of the bytes; `platform` is the only one. Default: `"platform"`. */
  readonly source?: "platform" | "all" | undefined;
};
export type RandomBytesReply = {
  /** The bytes. */
  readonly random_bytes: string;
} & Warnings;
export type ListPoliciesInput = SealStatusInput;
export type ListPoliciesReply = {
  /** Names of the policies, sorted. */
  readonly keys: readonly string[];
} & Warnings;
export type ReadPolicyInput = {
  /** Name of the policy. */
  readonly name: string;
};
export type ReadPolicyReply = {
  /** Name of the policy. */
  readonly name: string;
  /** Policy text, as written. */
  readonly policy: string;
} & Warnings;
export type WritePolicyInput = {
  /** Name of the policy. */
  readonly name: string;
  /** The policy in HCL or JSON, or base64 of that. */
  readonly policy?: string | undefined;
};
export type WritePolicyReply = InitReply;
export type DeletePolicyInput = ReadPolicyInput;
export type DeletePolicyReply = InitReply;
export type ListRulesInput = SealStatusInput;
export type ListRulesReply = {
  /** Names of the policies, sorted. */
  readonly keys: readonly string[];
  /** Same as `keys`. */
  readonly policies: readonly string[];
} & Warnings;
export type ReadRulesInput = ReadPolicyInput;
export type ReadRulesReply = {
  /** Name of the policy. */
  readonly name: string;
  /** Policy text, as written. */
  readonly rules: string;
} & Warnings;
export type WriteRulesInput = {
  /** Name of the policy. */
  readonly name: string;
  /** The policy in HCL or JSON, or base64 of that. */
  readonly policy?: string | undefined;
  /** Same as `policy`. */
  readonly rules?: string | undefined;
};
export type WriteRulesReply = InitReply;
export type DeleteRulesInput = ReadPolicyInput;
export type DeleteRulesReply = InitReply;
export type TestPoliciesInput = {
  /** Path below the version prefix, such as `pki/issue/web`. */
  readonly path: string;
  /** `create`, `read`, `update`, `delete`, `list`, `patch` or `sudo`. Default: `"update"`. */
  readonly capability?:
    | "create"
    | "read"
    | "update"
    | "delete"
    | "list"
    | "patch"
    | "sudo"
    | undefined;
  /** Names of policies to test, in addition to those of the token. */
  readonly policies?: string | readonly string[] | undefined;
  /** Token whose policies are tested. */
  readonly token?: string | undefined;
  /** Accessor of the token whose policies are tested; an alternative to `token`. */
  readonly accessor?: string | undefined;
  /** Text of an unsaved policy to test, too. */
  readonly policy?: string | undefined;
  /** Parameters of the request. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
  /** Requested lifetime of the wrapping token. Seconds, or a duration such as `72h`. */
  readonly wrap_ttl?: number | string | undefined;
};
export type TestPoliciesReply = {
  /** Whether the request is allowed. */
  readonly granted: boolean;
  /** Explanation, one sentence. */
  readonly reason: string;
  /** Names of the tested policies. `draft` stands for the text in `policy`. */
  readonly policies: readonly string[];
  /** Names of tested policies that do not exist. */
  readonly missing: readonly string[];
  /** Names of the policies with the deciding pattern. */
  readonly decided_by: readonly string[];
  /** The deciding pattern, or null if none matches. */
  readonly pattern: string | null;
  /** Combined rule of these policies for the pattern, or null if none matches. */
  readonly rule: {
    /** Capabilities. Only `deny` if there are none. */
    readonly capabilities: readonly string[];
    /** Allowed parameter values by name. An empty list allows any value. */
    readonly allowed_parameters?: Readonly<
      Record<
        string,
        readonly (string | number | boolean | Readonly<Record<string, unknown>> | null)[]
      >
    >;
    /** Denied parameter values by name. An empty list denies any value. */
    readonly denied_parameters?: Readonly<
      Record<
        string,
        readonly (string | number | boolean | Readonly<Record<string, unknown>> | null)[]
      >
    >;
    /** Required parameters. */
    readonly required_parameters?: readonly string[];
    /** Minimum lifetime of a wrapping token in seconds. */
    readonly min_wrapping_ttl?: number;
    /** Maximum lifetime of a wrapping token in seconds. */
    readonly max_wrapping_ttl?: number;
  } | null;
} & Warnings;
export type CapabilitiesSelfInput = {
  /** Paths below the version prefix, such as `pki/issue/web`. A string is split at commas. */
  readonly paths?: string | readonly string[] | undefined;
  /** Same as `paths`. */
  readonly path?: string | readonly string[] | undefined;
};
export type CapabilitiesSelfReply = Readonly<Record<string, readonly string[]>>;
export type CapabilitiesInput = {
  /** The token. */
  readonly token?: string | undefined;
  /** Paths below the version prefix, such as `pki/issue/web`. A string is split at commas. */
  readonly paths?: string | readonly string[] | undefined;
  /** Same as `paths`. */
  readonly path?: string | readonly string[] | undefined;
};
export type CapabilitiesReply = CapabilitiesSelfReply;
export type CapabilitiesAccessorInput = {
  /** Accessor of the token. */
  readonly accessor?: string | undefined;
  /** Paths below the version prefix, such as `pki/issue/web`. A string is split at commas. */
  readonly paths?: string | readonly string[] | undefined;
  /** Same as `paths`. */
  readonly path?: string | readonly string[] | undefined;
};
export type CapabilitiesAccessorReply = CapabilitiesSelfReply;
export type ResultantAclInput = SealStatusInput;
export type ResultantAclReply = {
  /** Whether the token may do everything. */
  readonly root: boolean;
  /** Permissions by exact path. */
  readonly exact_paths: Readonly<
    Record<
      string,
      {
        /** Capabilities. Only `deny` if there are none. */
        readonly capabilities: readonly string[];
        /** Allowed parameter values by name. An empty list allows any value. */
        readonly allowed_parameters?: Readonly<
          Record<
            string,
            readonly (string | number | boolean | Readonly<Record<string, unknown>> | null)[]
          >
        >;
        /** Denied parameter values by name. An empty list denies any value. */
        readonly denied_parameters?: Readonly<
          Record<
            string,
            readonly (string | number | boolean | Readonly<Record<string, unknown>> | null)[]
          >
        >;
        /** Required parameters. */
        readonly required_parameters?: readonly string[];
        /** Minimum lifetime of a wrapping token in seconds. */
        readonly min_wrapping_ttl?: number;
        /** Maximum lifetime of a wrapping token in seconds. */
        readonly max_wrapping_ttl?: number;
      }
    >
  >;
  /**
   * Permissions by pattern. Patterns are shown without a trailing star, or as written if they
   * contain `+`.
   */
  readonly glob_paths: Readonly<
    Record<
      string,
      {
        /** Capabilities. Only `deny` if there are none. */
        readonly capabilities: readonly string[];
        /** Allowed parameter values by name. An empty list allows any value. */
        readonly allowed_parameters?: Readonly<
          Record<
            string,
            readonly (string | number | boolean | Readonly<Record<string, unknown>> | null)[]
          >
        >;
        /** Denied parameter values by name. An empty list denies any value. */
        readonly denied_parameters?: Readonly<
          Record<
            string,
            readonly (string | number | boolean | Readonly<Record<string, unknown>> | null)[]
          >
        >;
        /** Required parameters. */
        readonly required_parameters?: readonly string[];
        /** Minimum lifetime of a wrapping token in seconds. */
        readonly min_wrapping_ttl?: number;
        /** Maximum lifetime of a wrapping token in seconds. */
        readonly max_wrapping_ttl?: number;
      }
    >
  >;
} & Warnings;
export type ListAuditEventsInput = {
  /** Return only events before the event with this ID: the last ID of the previous page. */
  readonly after?: string | undefined;
  /** Maximum number of events to return, at most 1000. Default: `100`. */
  readonly limit?: number | undefined;
  /** `change` or `refusal`. Default: both. */
  readonly kind?: "" | "change" | "refusal" | undefined;
  /**
   * Return only events of this log: `change` (changes made with a credential), `frequent` or
   * `overflow` (changes beyond a caller's share), `own` (a token's changes to itself), `acme` (ACME
   * accounts with an external account binding), `public` (ACME accounts without one), `anonymous`
   * (other changes), `refusal` or `acme_refusal`.
   */
  readonly log?:
    | ""
    | "change"
    | "frequent"
    | "overflow"
    | "own"
    | "acme"
    | "public"
    | "anonymous"
    | "refusal"
    | "acme_refusal"
    | undefined;
  /** Return only events of this caller. */
  readonly caller?: string | undefined;
  /**
   * Return only events with this value in their details, such as a common name as the caller sent
   * it, whose hash is compared, or a serial number without colons.
   */
  readonly name?: string | undefined;
  /** Return only events of the token with this accessor. */
  readonly accessor?: string | undefined;
  /** Return only events of this endpoint, by ID. */
  readonly endpoint?: string | undefined;
  /** Return only events of this mount, by path. */
  readonly mount?: string | undefined;
  /** Return only events since this time, Unix seconds. Default: `0`. */
  readonly since?: number | undefined;
};
export type ListAuditEventsReply = {
  /** Event IDs, newest first. */
  readonly keys: readonly string[];
  /** Events by ID. */
  readonly key_info: Readonly<
    Record<
      string,
      {
        /** `change` or `refusal`. */
        readonly kind: string;
        /** Log of the event. */
        readonly log: string;
        /** When the event was stored, in Unix ms. */
        readonly time: number;
        /** Request ID, as in the response and the log. */
        readonly request: string;
        /** ID of the endpoint. */
        readonly endpoint: string;
        /** HTTP method. */
        readonly method: string;
        /** Path of the mount. */
        readonly mount: string;
        /** Path below the mount, with parameter names. */
        readonly path: string;
        /** Caller; absent for a request that needs no token. */
        readonly caller?: string;
        /** Accessor of the caller's token. */
        readonly accessor?: string;
        /** ID of the caller's entity. */
        readonly entity?: string;
        /** Client address, if known. */
        readonly address?: string;
        /** HTTP status of a refusal. */
        readonly status?: number;
        /** Error code of a refusal. */
        readonly refusal?: string;
        /** Number of earlier refusals of the same caller that were not stored. */
        readonly more?: number;
        /**
         * Details of the request and its result. Names are hashed; POST sys/audit-hash hashes a name to
         * compare.
         */
        readonly fields?: Readonly<Record<string, unknown>>;
        /** Sequence number of the event in its log and store. A gap means that an event is missing. */
        readonly number: number;
        /** `sys`, `vars`, or the UUID of the mount. */
        readonly store: string;
      }
    >
  >;
} & Warnings;
export type CountAuditEventsInput = {
  /** Count only events of this mount, by path. */
  readonly mount?: string | undefined;
  /** Number of days, including today, 1 to 366. Default: `30`. */
  readonly days?: number | undefined;
};
export type CountAuditEventsReply = {
  /**
   * Time since which all events are counted, Unix seconds: the start of the first day, or later if
   * older events were deleted.
   */
  readonly since: number;
  /** Counts, oldest day first. */
  readonly counts: readonly {
    /** Start of the day, Unix seconds. */
    readonly begin: number;
    /** `change` or `refusal`. */
    readonly kind: string;
    /** ID of the endpoint. */
    readonly endpoint: string;
    /** Role of the request. */
    readonly role?: string;
    /** ID of the issuer that signed a certificate. */
    readonly issuer?: string;
    /** Error code of a refusal. */
    readonly refusal?: string;
    /** Number of events, including refusals that were only counted. */
    readonly count: number;
  }[];
} & Warnings;
export type ListAuditDevicesInput = SealStatusInput;
export type ListAuditDevicesReply = Readonly<
  Record<
    string,
    {
      /** `store` or `http`. */
      readonly type: string;
      /** Description of the device. */
      readonly description: string;
      /** Settings of the device, such as `url`. */
      readonly options: Readonly<Record<string, string>>;
      /** Always false. */
      readonly local: boolean;
      /** Path of the device. */
      readonly path: string;
    }
  >
>;
export type AuditHashInput = {
  /** Audit device: `events`. */
  readonly path?: string | undefined;
  /** Name to hash. */
  readonly input: string;
};
export type AuditHashReply = {
  /** `hmac-sha256:` and 64 hexadecimal digits. */
  readonly hash: string;
} & Warnings;
export type CountStrangersInput = SealStatusInput;
export type CountStrangersReply = {
  /** Hours with such requests, in order. */
  readonly hours: readonly {
    /** Start of the hour, Unix seconds. */
    readonly begin: number;
    /** Number of requests without a valid token. */
    readonly calls: number;
  }[];
} & Warnings;
export type WriteAuditSinkInput = {
  /** Destination URL (https). */
  readonly url: string;
  /** Signing secret, 16 to 512 characters. Generated if absent. */
  readonly secret?: string | undefined;
  /**
   * CA certificates (PEM), one of which the server's certificate must chain to. Default: the
   * platform's CAs.
   */
  readonly ca_pem?: string | undefined;
};
export type WriteAuditSinkReply = {
  /** Destination URL. */
  readonly url: string;
  /** Signing secret, if generated. Returned only once. */
  readonly secret?: string;
} & Warnings;
export type ReadAuditSinkInput = SealStatusInput;
export type ReadAuditSinkReply = {
  /** Destination URL. */
  readonly url: string;
  /** Number of CA certificates used to verify the server. */
  readonly certificates: number;
  /** When the URL was set. Unix seconds. */
  readonly modified: number;
  /** Number of delivered events. */
  readonly sent: number;
  /** When events were last delivered. Unix seconds. */
  readonly last_sent?: number;
  /** Error of the last delivery; absent if it succeeded. */
  readonly failure?: string;
} & Warnings;
export type DeleteAuditSinkInput = SealStatusInput;
export type DeleteAuditSinkReply = InitReply;
export type EnableAuditDeviceInput = {
  /** Name of the audit device. */
  readonly path: string;
};
export type EnableAuditDeviceReply = InitReply;
export type DisableAuditDeviceInput = EnableAuditDeviceInput;
export type DisableAuditDeviceReply = InitReply;
export type ListEventSinksInput = SealStatusInput;
export type ListEventSinksReply = {
  /** Names of the sinks, sorted. */
  readonly keys: readonly string[];
  /** Sinks by name. */
  readonly key_info: Readonly<
    Record<
      string,
      {
        /** Destination URL. */
        readonly url: string;
        /** Whether events are sent. */
        readonly enabled: boolean;
        /** Error of the last delivery; absent if it succeeded. */
        readonly failure?: string;
      }
    >
  >;
} & Warnings;
export type TestEventSinkInput = {
  /** Name of the sink: 1 to 64 letters, digits and `_ . -`. */
  readonly name: string;
};
export type TestEventSinkReply = {
  /** Whether the receiver accepted the event. */
  readonly delivered: boolean;
  /** Reason why the receiver did not accept the event. */
  readonly failure?: string;
} & Warnings;
export type ReadEventSinkInput = TestEventSinkInput;
export type ReadEventSinkReply = {
  /** Destination URL. */
  readonly url: string;
  /** Filter of event types. */
  readonly types: readonly string[];
  /** Filter of mounts. */
  readonly mounts: readonly string[];
  /** Filter of roles. */
  readonly roles: readonly string[];
  /** Filter of issuers. */
  readonly issuers: readonly string[];
  /** Filter of names. */
  readonly names: readonly string[];
  /** Whether events are sent. Becomes false when the receiver responds with status 410. */
  readonly enabled: boolean;
  /** Number of CA certificates used to verify the server. */
  readonly certificates: number;
  /** When the sink was written. Unix seconds. */
  readonly modified: number;
  /** Number of delivered events. */
  readonly delivered: number;
  /** Number of events that are waiting to be delivered, counted before filtering. */
  readonly waiting: number;
  /**
   * Number of events that were dropped because too many were waiting (counted before filtering), or
   * because the receiver rejected them.
   */
  readonly lost: number;
  /** When an event was last delivered. Unix seconds. */
  readonly last_success?: number;
  /** When a delivery last failed. Unix seconds. */
  readonly last_failure?: number;
  /** Error of the last delivery; absent if it succeeded. */
  readonly failure?: string;
} & Warnings;
export type WriteEventSinkInput = {
  /** Name of the sink: 1 to 64 letters, digits and `_ . -`. */
  readonly name: string;
  /** Destination URL (https). */
  readonly url: string;
  /**
   * Signing secret: `whsec_` and 24 to 64 octets in base64. Default: the current secret, or a new
   * one.
   */
  readonly secret?: string | undefined;
  /**
   * CA certificates (PEM), one of which the server's certificate must chain to. If empty, the
   * platform's CAs. Default: the current ones.
   */
  readonly ca_pem?: string | undefined;
  /** Send only events of these types; `*` matches any characters. Default: all. */
  readonly types?: string | readonly string[] | undefined;
  /** Send only events of mounts with these paths; `*` as above. */
  readonly mounts?: string | readonly string[] | undefined;
  /** Send only events about certificates of these roles; `*` as above. */
  readonly roles?: string | readonly string[] | undefined;
  /** Send only events of issuers with these names or IDs; `*` as above. */
  readonly issuers?: string | readonly string[] | undefined;
  /** Send only events about one of these names; `*` as above. */
  readonly names?: string | readonly string[] | undefined;
  /**
   * Whether events are sent. Events that occur while this is false are never sent. Default: true
   * for a new sink.
   */
  readonly enabled?: boolean | undefined;
};
export type WriteEventSinkReply = {
  /** Signing secret, if generated. Returned only once. */
  readonly secret?: string;
} & Warnings;
export type DeleteEventSinkInput = TestEventSinkInput;
export type DeleteEventSinkReply = InitReply;

/** Typed client: Every endpoint below `/v1/sys`. */
export interface SysClient {
  /**
   * Reports that the server is up, and which mounts are unavailable.
   * `GET /v1/sys/health`. Needs no token.
   */
  health(input?: HealthInput, options?: CallOptions): Promise<HealthReply>;
  /**
   * Reports the seal status and version of the server.
   * `GET /v1/sys/seal-status`. Needs no token.
   */
  sealStatus(input?: SealStatusInput, options?: CallOptions): Promise<SealStatusReply>;
  /** Reports that the server is initialized. It always is. `GET /v1/sys/init`. Needs no token. */
  initStatus(input?: InitStatusInput, options?: CallOptions): Promise<InitStatusReply>;
  /**
   * Rejected: the server is always initialized.
   * `POST /v1/sys/init`. Needs no token. Fails with `malformed`.
   */
  init(input?: InitInput, options?: CallOptions): Promise<InitReply>;
  /**
   * Rejected: the server unseals itself. To disable its keys, stop the server and remove the
   * sealing key.
   * `POST /v1/sys/seal`. Needs the capability `sudo`. Fails with `malformed`.
   */
  seal(input?: SealInput, options?: CallOptions): Promise<SealReply>;
  /**
   * Returns the seal status. Key shares are not used: the server unseals itself with its sealing
   * key.
   * `POST /v1/sys/unseal`. Needs no token.
   */
  unseal(input?: UnsealInput, options?: CallOptions): Promise<UnsealReply>;
  /** Reports that there is a single node. `GET /v1/sys/leader`. Needs no token. */
  leader(input?: LeaderInput, options?: CallOptions): Promise<LeaderReply>;
  /** Lists the mounts by path. `GET /v1/sys/mounts`. Fails with `damaged`. */
  listMounts(input?: ListMountsInput, options?: CallOptions): Promise<ListMountsReply>;
  /**
   * Returns the settings of a login method, including its effective token lifetimes.
   * `GET /v1/sys/mounts/auth/:path+/tune`. Fails with `no_mount`.
   */
  readMountedTune(
    input: ReadMountedTuneInput,
    options?: CallOptions,
  ): Promise<ReadMountedTuneReply>;
  /** Returns a login method. `GET /v1/sys/mounts/auth/:path+`. Fails with `no_mount`. */
  readMountedMethod(
    input: ReadMountedMethodInput,
    options?: CallOptions,
  ): Promise<ReadMountedMethodReply>;
  /**
   * Updates the given settings of a login method.
   * `POST /v1/sys/mounts/auth/:path+/tune`. Fails with `no_mount`, `malformed`, `invalid_field`.
   */
  writeMountedTune(
    input: WriteMountedTuneInput,
    options?: CallOptions,
  ): Promise<WriteMountedTuneReply>;
  /**
   * Returns the settings of a mount with its effective lifetimes.
   * `GET /v1/sys/mounts/:path+/tune`. Fails with `no_mount`.
   */
  readTune(input: ReadTuneInput, options?: CallOptions): Promise<ReadTuneReply>;
  /**
   * Updates the given settings of a mount.
   * `POST /v1/sys/mounts/:path+/tune`. Fails with `no_mount`, `malformed`, `invalid_field`.
   */
  writeTune(input: WriteTuneInput, options?: CallOptions): Promise<WriteTuneReply>;
  /**
   * Returns the partitions of a mount, which its certificates are spread over.
   * `GET /v1/sys/mounts/:path+/partitions`. Fails with `no_mount`.
   */
  readPartitions(input: ReadPartitionsInput, options?: CallOptions): Promise<ReadPartitionsReply>;
  /**
   * Increases the number of partitions of a mount, or continues a stopped growth. The mount serves
   * requests while its rows are moved.
   * `POST /v1/sys/mounts/:path+/partitions`. Fails with `no_mount`, `malformed`, `conflict`.
   */
  growPartitions(input: GrowPartitionsInput, options?: CallOptions): Promise<GrowPartitionsReply>;
  /**
   * Stops moving rows to more partitions. Rows stay where they are, and the mount continues to
   * serve requests.
   * `DELETE /v1/sys/mounts/:path+/partitions`. Fails with `no_mount`, `conflict`.
   */
  stopPartitions(input: StopPartitionsInput, options?: CallOptions): Promise<StopPartitionsReply>;
  /** Returns a mount. `GET /v1/sys/mounts/:path+`. Fails with `no_mount`. */
  readMount(input: ReadMountInput, options?: CallOptions): Promise<ReadMountReply>;
  /** Creates a mount. `POST /v1/sys/mounts/:path+`. Fails with `malformed`, `already_exists`. */
  createMount(input: CreateMountInput, options?: CallOptions): Promise<CreateMountReply>;
  /** Deletes a mount and all its data. `DELETE /v1/sys/mounts/:path+`. Fails with `malformed`. */
  deleteMount(input: DeleteMountInput, options?: CallOptions): Promise<DeleteMountReply>;
  /**
   * Returns when a lease was issued and when it expires.
   * `POST /v1/sys/leases/lookup`. Fails with `malformed`.
   */
  lookupLease(input?: LookupLeaseInput, options?: CallOptions): Promise<LookupLeaseReply>;
  /**
   * Returns when the lease in the path was issued and when it expires.
   * `POST /v1/sys/leases/lookup/:prefix+`. Needs the capability `sudo`. Fails with `malformed`.
   */
  lookupLeaseAt(input: LookupLeaseAtInput, options?: CallOptions): Promise<LookupLeaseAtReply>;
  /**
   * Lists the next segments of lease IDs below a prefix. Segments with more below them end with a
   * slash.
   * `LIST /v1/sys/leases/lookup(/:prefix+)`. Needs the capability `sudo`.
   */
  listLeases(input?: ListLeasesInput, options?: CallOptions): Promise<ListLeasesReply>;
  /** Counts the leases. Leases are never irrevocable. `GET /v1/sys/leases/count`. */
  countLeases(input?: CountLeasesInput, options?: CallOptions): Promise<CountLeasesReply>;
  /**
   * Rejected: leases of certificates cannot be renewed.
   * `POST /v1/sys/leases/renew(/:url_lease_id+)`, `POST /v1/sys/renew(/:url_lease_id+)`. Fails with
   * `malformed`.
   */
  renewLease(input?: RenewLeaseInput, options?: CallOptions): Promise<RenewLeaseReply>;
  /**
   * Revokes a lease and its certificate. Succeeds if the lease does not exist.
   * `POST /v1/sys/leases/revoke(/:url_lease_id+)`, `POST /v1/sys/revoke(/:url_lease_id+)`. Fails
   * with `malformed`, `damaged`.
   */
  revokeLease(input?: RevokeLeaseInput, options?: CallOptions): Promise<RevokeLeaseReply>;
  /**
   * Revokes all leases whose IDs start with a prefix, and their certificates.
   * `POST /v1/sys/leases/revoke-prefix/:prefix+`, `POST /v1/sys/revoke-prefix/:prefix+`. Needs the
   * capability `sudo`.
   */
  revokeLeases(input: RevokeLeasesInput, options?: CallOptions): Promise<RevokeLeasesReply>;
  /**
   * Revokes leases by prefix, and also removes those whose certificate cannot be revoked because it
   * was altered in the storage.
   * `POST /v1/sys/leases/revoke-force/:prefix+`, `POST /v1/sys/revoke-force/:prefix+`. Needs the
   * capability `sudo`.
   */
  forceRevokeLeases(
    input: ForceRevokeLeasesInput,
    options?: CallOptions,
  ): Promise<ForceRevokeLeasesReply>;
  /** Removes expired leases. A job also does this regularly. `POST /v1/sys/leases/tidy`. */
  tidyLeases(input?: TidyLeasesInput, options?: CallOptions): Promise<TidyLeasesReply>;
  /** Lists the login methods by path. `GET /v1/sys/auth`. */
  listMethods(input?: ListMethodsInput, options?: CallOptions): Promise<ListMethodsReply>;
  /**
   * Returns the settings of a login method, including its effective token lifetimes.
   * `GET /v1/sys/auth/:path+/tune`. Needs the capability `sudo`. Fails with `no_mount`.
   */
  readMethodTune(input: ReadMethodTuneInput, options?: CallOptions): Promise<ReadMethodTuneReply>;
  /**
   * Updates the given settings of a login method.
   * `POST /v1/sys/auth/:path+/tune`. Needs the capability `sudo`. Fails with `no_mount`,
   * `malformed`, `invalid_field`.
   */
  writeMethodTune(
    input: WriteMethodTuneInput,
    options?: CallOptions,
  ): Promise<WriteMethodTuneReply>;
  /**
   * Returns a login method.
   * `GET /v1/sys/auth/:path+`. Needs the capability `sudo`. Fails with `no_mount`.
   */
  readMethod(input: ReadMethodInput, options?: CallOptions): Promise<ReadMethodReply>;
  /**
   * Enables a login method.
   * `POST /v1/sys/auth/:path+`. Needs the capability `sudo`. Fails with `malformed`,
   * `already_exists`.
   */
  enableMethod(input: EnableMethodInput, options?: CallOptions): Promise<EnableMethodReply>;
  /**
   * Disables a login method, deletes its data and revokes its tokens.
   * `DELETE /v1/sys/auth/:path+`. Needs the capability `sudo`. Fails with `malformed`.
   */
  disableMethod(input: DisableMethodInput, options?: CallOptions): Promise<DisableMethodReply>;
  /**
   * Unlocks a user of a login method after too many failed logins.
   * `POST /v1/sys/locked-users/:mount_accessor/unlock/:alias_identifier`. Fails with `no_mount`.
   */
  unlockUser(input: UnlockUserInput, options?: CallOptions): Promise<UnlockUserReply>;
  /** Lists the names of the rate limits. `LIST /v1/sys/quotas/rate-limit`. */
  listQuotas(input?: ListQuotasInput, options?: CallOptions): Promise<ListQuotasReply>;
  /** Returns a rate limit. `GET /v1/sys/quotas/rate-limit/:name`. Fails with `not_found`. */
  readQuota(input: ReadQuotaInput, options?: CallOptions): Promise<ReadQuotaReply>;
  /**
   * Creates or replaces a rate limit. The most specific limit of a path applies. Requests are
   * counted per client address and per isolate.
   * `POST /v1/sys/quotas/rate-limit/:name`. Fails with `malformed`.
   */
  writeQuota(input: WriteQuotaInput, options?: CallOptions): Promise<WriteQuotaReply>;
  /** Deletes a rate limit. `DELETE /v1/sys/quotas/rate-limit/:name`. */
  deleteQuota(input: DeleteQuotaInput, options?: CallOptions): Promise<DeleteQuotaReply>;
  /** Returns the settings shared by all rate limits. `GET /v1/sys/quotas/config`. */
  readQuotaConfig(
    input?: ReadQuotaConfigInput,
    options?: CallOptions,
  ): Promise<ReadQuotaConfigReply>;
  /** Updates the given settings shared by all rate limits. `POST /v1/sys/quotas/config`. */
  writeQuotaConfig(
    input?: WriteQuotaConfigInput,
    options?: CallOptions,
  ): Promise<WriteQuotaConfigReply>;
  /**
   * Returns the stored CORS settings, which do not include the origins in the deployment's
   * settings.
   * `GET /v1/sys/config/cors`. Needs the capability `sudo`.
   */
  readCors(input?: ReadCorsInput, options?: CallOptions): Promise<ReadCorsReply>;
  /**
   * Sets the origins whose pages may call this server, including the variables API; effective
   * everywhere within a second. Browser credentials are never allowed: pages need a token.
   * `POST /v1/sys/config/cors`. Needs the capability `sudo`. Fails with `malformed`.
   */
  writeCors(input?: WriteCorsInput, options?: CallOptions): Promise<WriteCorsReply>;
  /**
   * Deletes the CORS settings. Origins in the deployment's settings stay allowed.
   * `DELETE /v1/sys/config/cors`. Needs the capability `sudo`.
   */
  deleteCors(input?: DeleteCorsInput, options?: CallOptions): Promise<DeleteCorsReply>;
  /**
   * Moves a mount or login method to another path with its data, leases and rate limits. Policies
   * are not changed.
   * `POST /v1/sys/remount`. Needs the capability `sudo`. Fails with `malformed`, `already_exists`,
   * `no_mount`.
   */
  remount(input?: RemountInput, options?: CallOptions): Promise<RemountReply>;
  /**
   * Returns the status of a move, which is retained for a day.
   * `GET /v1/sys/remount/status/:migration_id`. Fails with `not_found`.
   */
  readRemount(input: ReadRemountInput, options?: CallOptions): Promise<ReadRemountReply>;
  /** Lists the managed keys of a type. `LIST /v1/sys/managed-keys/:type`. */
  listManagedKeys(
    input: ListManagedKeysInput,
    options?: CallOptions,
  ): Promise<ListManagedKeysReply>;
  /**
   * Tests a managed key: signs a random message and verifies the signature.
   * `POST /v1/sys/managed-keys/:type/:name/test/sign`. Fails with `malformed`, `not_found`,
   * `signer_failed`.
   */
  testManagedKey(input: TestManagedKeyInput, options?: CallOptions): Promise<TestManagedKeyReply>;
  /**
   * Returns the configuration of a managed key. Secrets are shown as `redacted`.
   * `GET /v1/sys/managed-keys/:type/:name`. Fails with `not_found`.
   */
  readManagedKey(input: ReadManagedKeyInput, options?: CallOptions): Promise<ReadManagedKeyReply>;
  /**
   * Registers a key in an external signing service, or updates the given fields of a registered
   * one. The service is not contacted until the key is used.
   * `POST /v1/sys/managed-keys/:type/:name`. Fails with `malformed`, `already_exists`.
   */
  writeManagedKey(
    input: WriteManagedKeyInput,
    options?: CallOptions,
  ): Promise<WriteManagedKeyReply>;
  /**
   * Deletes a managed key that no mount uses or lists. The external key is not deleted.
   * `DELETE /v1/sys/managed-keys/:type/:name`. Fails with `in_use`.
   */
  deleteManagedKey(
    input: DeleteManagedKeyInput,
    options?: CallOptions,
  ): Promise<DeleteManagedKeyReply>;
  /** Lists the available types of mounts and login methods. `GET /v1/sys/plugins/catalog`. */
  readCatalog(input?: ReadCatalogInput, options?: CallOptions): Promise<ReadCatalogReply>;
  /**
   * Lists the types of mounts (`secret`) or login methods (`auth`).
   * `LIST /v1/sys/plugins/catalog/:type`. Needs the capability `sudo`. Fails with `malformed`.
   */
  listCatalog(input: ListCatalogInput, options?: CallOptions): Promise<ListCatalogReply>;
  /**
   * Returns a type of mount or login method.
   * `GET /v1/sys/plugins/catalog/:type/:name`. Needs the capability `sudo`. Fails with `malformed`,
   * `not_found`.
   */
  readPlugin(input: ReadPluginInput, options?: CallOptions): Promise<ReadPluginReply>;
  /**
   * Returns the running version; earlier versions are not recorded.
   * `LIST /v1/sys/version-history`.
   */
  versionHistory(input?: VersionHistoryInput, options?: CallOptions): Promise<VersionHistoryReply>;
  /**
   * Returns the server metrics as JSON or in Prometheus text format.
   * `GET /v1/sys/metrics`. Fails with `malformed`.
   */
  readMetrics(input?: ReadMetricsInput, options?: CallOptions): Promise<ReadMetricsReply>;
  /**
   * Re-encrypts every stored secret with the current sealing key, so that the previous one can be
   * removed.
   * `POST /v1/sys/rotate`. Needs the capability `sudo`.
   */
  rotateSeal(input?: RotateSealInput, options?: CallOptions): Promise<RotateSealReply>;
  /**
   * Restarts an API with an empty store after its data was lost. Not available on other servers
   * with this API.
   * `POST /v1/sys/begin-anew`. Needs the capability `sudo`. Fails with `not_found`, `conflict`.
   */
  beginAnew(input: BeginAnewInput, options?: CallOptions): Promise<BeginAnewReply>;
  /**
   * Returns a consistent backup of a mount: consecutive parts of at most 32 MiB of JSON lines, each
   * ending with an authentication code. Secrets stay encrypted with the sealing key.
   * `GET /v1/sys/storage/snapshot/:path+`. Needs the capability `sudo`. Fails with `no_mount`,
   * `storage`.
   */
  backUp(input: BackUpInput, options?: CallOptions): Promise<BackUpReply>;
  /**
   * Restores one part of a backup as a new mount, which becomes available after the last part. The
   * sealing key must be that of the backup, and the mount must not exist.
   * `POST /v1/sys/storage/snapshot/:path+`. Needs the capability `sudo`. Fails with `malformed`,
   * `already_exists`, `conflict`.
   */
  restore(input: RestoreInput, options?: CallOptions): Promise<RestoreReply>;
  /**
   * Verifies one part of a backup of a mount or store as a restore would, without storing anything.
   * `POST /v1/sys/storage/snapshot-check`. Needs the capability `sudo`. Fails with `malformed`,
   * `already_exists`.
   */
  checkBackup(input: CheckBackupInput, options?: CallOptions): Promise<CheckBackupReply>;
  /**
   * Returns a backup of a shared store in the same format as a mount's: `sys` (tokens, policies,
   * login methods, entities, limits, mount table) or `vars` (variables). Secrets stay encrypted
   * with the sealing key.
   * `GET /v1/sys/storage/stores/:store`. Needs the capability `sudo`. Fails with `not_found`,
   * `storage`.
   */
  backUpStore(input: BackUpStoreInput, options?: CallOptions): Promise<BackUpStoreReply>;
  /**
   * Restores one part of a backup of a shared store into an unused installation. The restore takes
   * effect only with the last part. After `sys` is restored, each mount rejects requests until its
   * own backup is restored.
   * `POST /v1/sys/storage/stores/:store`. Needs the capability `sudo`. Fails with `malformed`,
   * `not_found`, `already_exists`, `conflict`.
   */
  restoreStore(input: RestoreStoreInput, options?: CallOptions): Promise<RestoreStoreReply>;
  /**
   * Returns the OpenAPI 3.1 document of this server. Without a token that may read it, mounts and
   * login methods appear at their default paths.
   * `GET /v1/sys/internal/specs/openapi`, `POST /v1/sys/internal/specs/openapi`. Needs no token.
   */
  openapiSpec(input?: OpenapiSpecInput, options?: CallOptions): Promise<OpenapiSpecReply>;
  /**
   * Lists the mounts and login methods that the caller's token can use, and those with
   * `listing_visibility` `unauth`. Without a valid token, lists only the latter, with type,
   * description and options.
   * `GET /v1/sys/internal/ui/mounts`. Needs no token.
   */
  listVisibleMounts(
    input?: ListVisibleMountsInput,
    options?: CallOptions,
  ): Promise<ListVisibleMountsReply>;
  /**
   * Returns the mount or login method at a path, if the caller's token can use it.
   * `GET /v1/sys/internal/ui/mounts/:below+`. Needs no token. Fails with `forbidden`.
   */
  readVisibleMount(
    input: ReadVisibleMountInput,
    options?: CallOptions,
  ): Promise<ReadVisibleMountReply>;
  /**
   * Wraps the body and returns a wrapping token for it. The header `X-Service-Wrap-TTL` (or
   * `X-Vault-Wrap-TTL`) sets the lifetime of the token.
   * `POST /v1/sys/wrapping/wrap`. Fails with `malformed`.
   */
  wrapData(input?: WrapDataInput, options?: CallOptions): Promise<WrapDataReply>;
  /**
   * Returns the wrapped reply. A token can be unwrapped once.
   * `POST /v1/sys/wrapping/unwrap`. Needs no token. Fails with `malformed`.
   */
  unwrap(input?: UnwrapInput, options?: CallOptions): Promise<UnwrapReply>;
  /**
   * Returns the origin of a wrapping token without unwrapping it.
   * `POST /v1/sys/wrapping/lookup`, `GET /v1/sys/wrapping/lookup`. Needs no token. Fails with
   * `malformed`.
   */
  lookupWrapping(input?: LookupWrappingInput, options?: CallOptions): Promise<LookupWrappingReply>;
  /**
   * Replaces a wrapping token with a new one of the same lifetime. The old token becomes invalid.
   * `POST /v1/sys/wrapping/rewrap`. Fails with `malformed`.
   */
  rewrapReply(input: RewrapReplyInput, options?: CallOptions): Promise<RewrapReplyReply>;
  /**
   * Hashes data. An algorithm in the path overrides the algorithm in the body.
   * `POST /v1/sys/tools/hash(/:urlalgorithm)`. Fails with `malformed`.
   */
  hashData(input: HashDataInput, options?: CallOptions): Promise<HashDataReply>;
  /**
   * Returns random bytes. The source and the number of bytes in the path override those in the
   * body. The path may contain only the number.
   * `POST /v1/sys/tools/random`, `POST /v1/sys/tools/random/:urlsource`, `POST
   * /v1/sys/tools/random/:urlsource/:urlbytes`. Fails with `malformed`.
   */
  randomBytes(input?: RandomBytesInput, options?: CallOptions): Promise<RandomBytesReply>;
  /** Lists the names of the access policies. `LIST /v1/sys/policies/acl`. */
  listPolicies(input?: ListPoliciesInput, options?: CallOptions): Promise<ListPoliciesReply>;
  /** Returns an access policy. The `root` policy has no text. `GET /v1/sys/policies/acl/:name+`. */
  readPolicy(input: ReadPolicyInput, options?: CallOptions): Promise<ReadPolicyReply>;
  /**
   * Creates or replaces an access policy, which takes effect within a second. Names are converted
   * to lower case and NFC.
   * `POST /v1/sys/policies/acl/:name+`. Fails with `malformed`.
   */
  writePolicy(input: WritePolicyInput, options?: CallOptions): Promise<WritePolicyReply>;
  /**
   * Deletes an access policy. Tokens retain its name, which then grants nothing.
   * `DELETE /v1/sys/policies/acl/:name+`. Fails with `malformed`.
   */
  deletePolicy(input: DeletePolicyInput, options?: CallOptions): Promise<DeletePolicyReply>;
  /**
   * Lists the names of the access policies (legacy path).
   * `LIST /v1/sys/policy`, `GET /v1/sys/policy`.
   */
  listRules(input?: ListRulesInput, options?: CallOptions): Promise<ListRulesReply>;
  /** Returns an access policy (legacy path). `GET /v1/sys/policy/:name+`. */
  readRules(input: ReadRulesInput, options?: CallOptions): Promise<ReadRulesReply>;
  /**
   * Creates or replaces an access policy (legacy path).
   * `POST /v1/sys/policy/:name+`. Fails with `malformed`.
   */
  writeRules(input: WriteRulesInput, options?: CallOptions): Promise<WriteRulesReply>;
  /**
   * Deletes an access policy (legacy path).
   * `DELETE /v1/sys/policy/:name+`. Fails with `malformed`.
   */
  deleteRules(input: DeleteRulesInput, options?: CallOptions): Promise<DeleteRulesReply>;
  /**
   * Tests whether a token, named policies or a policy text allow a request, and returns the
   * deciding rule. The caller must be able to read each policy. Not available on other servers with
   * this API.
   * `POST /v1/sys/policies/test`. Fails with `malformed`, `forbidden`.
   */
  testPolicies(input: TestPoliciesInput, options?: CallOptions): Promise<TestPoliciesReply>;
  /**
   * Returns the capabilities of the caller's token on paths.
   * `POST /v1/sys/capabilities-self`. Fails with `malformed`.
   */
  capabilitiesSelf(
    input?: CapabilitiesSelfInput,
    options?: CallOptions,
  ): Promise<CapabilitiesSelfReply>;
  /**
   * Returns the capabilities of a token on paths.
   * `POST /v1/sys/capabilities`. Fails with `malformed`.
   */
  capabilities(input?: CapabilitiesInput, options?: CallOptions): Promise<CapabilitiesReply>;
  /**
   * Returns the capabilities of a token on paths, given its accessor.
   * `POST /v1/sys/capabilities-accessor`. Fails with `malformed`.
   */
  capabilitiesAccessor(
    input?: CapabilitiesAccessorInput,
    options?: CallOptions,
  ): Promise<CapabilitiesAccessorReply>;
  /**
   * Returns the combined permissions of the caller's token by path.
   * `GET /v1/sys/internal/ui/resultant-acl`.
   */
  resultantAcl(input?: ResultantAclInput, options?: CallOptions): Promise<ResultantAclReply>;
  /**
   * Lists changes, and denied requests with a valid token, in all mounts, newest first. Each log of
   * each store retains its last 10,000 events.
   * `LIST /v1/sys/audit/events`. Needs the capability `sudo`. Fails with `malformed`.
   */
  listAuditEvents(
    input?: ListAuditEventsInput,
    options?: CallOptions,
  ): Promise<ListAuditEventsReply>;
  /**
   * Counts stored audit events by day (UTC), endpoint, role, issuer and error code.
   * `GET /v1/sys/audit/counts`. Needs the capability `sudo`. Fails with `malformed`.
   */
  countAuditEvents(
    input?: CountAuditEventsInput,
    options?: CallOptions,
  ): Promise<CountAuditEventsReply>;
  /**
   * Lists the audit devices: `events/`, the event store, and `sink/`, the URL that events are sent
   * to, if set.
   * `GET /v1/sys/audit`. Needs the capability `sudo`.
   */
  listAuditDevices(
    input?: ListAuditDevicesInput,
    options?: CallOptions,
  ): Promise<ListAuditDevicesReply>;
  /**
   * Hashes a name as audit events do, so that events with the name can be found.
   * `POST /v1/sys/audit-hash(/:path)`. Fails with `malformed`.
   */
  auditHash(input: AuditHashInput, options?: CallOptions): Promise<AuditHashReply>;
  /**
   * Returns hourly counts of requests without a valid token, for the last two days. Counts are
   * approximate, because they are stored once a minute.
   * `GET /v1/sys/audit/strangers`. Needs the capability `sudo`.
   */
  countStrangers(input?: CountStrangersInput, options?: CallOptions): Promise<CountStrangersReply>;
  /**
   * Sets the URL that events are sent to. Events are signed, and sent in order and at least once,
   * with retries. Redirects are not followed.
   * `POST /v1/sys/audit/sink`. Needs the capability `sudo`. Fails with `malformed`.
   */
  writeAuditSink(input: WriteAuditSinkInput, options?: CallOptions): Promise<WriteAuditSinkReply>;
  /**
   * Returns the URL that events are sent to, and the delivery status.
   * `GET /v1/sys/audit/sink`. Needs the capability `sudo`. Fails with `not_found`.
   */
  readAuditSink(input?: ReadAuditSinkInput, options?: CallOptions): Promise<ReadAuditSinkReply>;
  /**
   * Stops sending events. A URL that is set later receives all stored events.
   * `DELETE /v1/sys/audit/sink`. Needs the capability `sudo`.
   */
  deleteAuditSink(
    input?: DeleteAuditSinkInput,
    options?: CallOptions,
  ): Promise<DeleteAuditSinkReply>;
  /**
   * Rejected: events are stored unless `AUDIT=false`, and sent to the URL of `sys/audit/sink` if
   * set.
   * `POST /v1/sys/audit/:path`. Needs the capability `sudo`. Fails with `malformed`.
   */
  enableAuditDevice(
    input: EnableAuditDeviceInput,
    options?: CallOptions,
  ): Promise<EnableAuditDeviceReply>;
  /**
   * Rejected: `DELETE sys/audit/sink` removes the URL that events are sent to.
   * `DELETE /v1/sys/audit/:path`. Needs the capability `sudo`. Fails with `malformed`.
   */
  disableAuditDevice(
    input: DisableAuditDeviceInput,
    options?: CallOptions,
  ): Promise<DisableAuditDeviceReply>;
  /** Lists the event sinks. `LIST /v1/sys/events/sinks`. Needs the capability `sudo`. */
  listEventSinks(input?: ListEventSinksInput, options?: CallOptions): Promise<ListEventSinksReply>;
  /**
   * Sends a test event to a sink at once, regardless of its filters, and returns the result.
   * `POST /v1/sys/events/sinks/:name/test`. Needs the capability `sudo`. Fails with `not_found`.
   */
  testEventSink(input: TestEventSinkInput, options?: CallOptions): Promise<TestEventSinkReply>;
  /**
   * Returns an event sink and its delivery status. The secret is never returned.
   * `GET /v1/sys/events/sinks/:name`. Needs the capability `sudo`. Fails with `not_found`.
   */
  readEventSink(input: ReadEventSinkInput, options?: CallOptions): Promise<ReadEventSinkReply>;
  /**
   * Creates or updates an event sink: a URL that receives events as signed CloudEvents, at least
   * once, with retries. All fields but `url` keep their values when omitted. Redirects are not
   * followed.
   * `POST /v1/sys/events/sinks/:name`. Needs the capability `sudo`. Fails with `malformed`.
   */
  writeEventSink(input: WriteEventSinkInput, options?: CallOptions): Promise<WriteEventSinkReply>;
  /**
   * Deletes an event sink. Waiting events are not sent.
   * `DELETE /v1/sys/events/sinks/:name`. Needs the capability `sudo`.
   */
  deleteEventSink(
    input: DeleteEventSinkInput,
    options?: CallOptions,
  ): Promise<DeleteEventSinkReply>;
}

/** Every endpoint below `/v1/sys`. */
export const sys: Table<SysClient> = {
  health: "plain GET /health",
  sealStatus: "plain GET /seal-status",
  initStatus: "plain GET /init",
  init: "plain POST /init",
  seal: "plain POST /seal",
  unseal: "plain POST /unseal",
  leader: "plain GET /leader",
  listMounts: "open GET /mounts",
  readMountedTune: "GET /mounts/auth/:path+/tune",
  readMountedMethod: "GET /mounts/auth/:path+",
  writeMountedTune: "POST /mounts/auth/:path+/tune",
  readTune: "GET /mounts/:path+/tune",
  writeTune: "POST /mounts/:path+/tune",
  readPartitions: "GET /mounts/:path+/partitions",
  growPartitions: "POST /mounts/:path+/partitions",
  stopPartitions: "DELETE /mounts/:path+/partitions",
  readMount: "GET /mounts/:path+",
  createMount: "POST /mounts/:path+",
  deleteMount: "DELETE /mounts/:path+",
  lookupLease: "POST /leases/lookup",
  lookupLeaseAt: "POST /leases/lookup/:prefix+",
  listLeases: "LIST /leases/lookup(/:prefix+)",
  countLeases: "GET /leases/count",
  renewLease: "POST /leases/renew(/:url_lease_id+)|POST /renew(/:url_lease_id+)",
  revokeLease: "POST /leases/revoke(/:url_lease_id+)|POST /revoke(/:url_lease_id+)",
  revokeLeases: "POST /leases/revoke-prefix/:prefix+|POST /revoke-prefix/:prefix+",
  forceRevokeLeases: "POST /leases/revoke-force/:prefix+|POST /revoke-force/:prefix+",
  tidyLeases: "POST /leases/tidy",
  listMethods: "open GET /auth",
  readMethodTune: "GET /auth/:path+/tune",
  writeMethodTune: "POST /auth/:path+/tune",
  readMethod: "GET /auth/:path+",
  enableMethod: "POST /auth/:path+",
  disableMethod: "DELETE /auth/:path+",
  unlockUser: "POST /locked-users/:mount_accessor/unlock/:alias_identifier",
  listQuotas: "LIST /quotas/rate-limit",
  readQuota: "GET /quotas/rate-limit/:name",
  writeQuota: "POST /quotas/rate-limit/:name",
  deleteQuota: "DELETE /quotas/rate-limit/:name",
  readQuotaConfig: "GET /quotas/config",
  writeQuotaConfig: "POST /quotas/config",
  readCors: "GET /config/cors",
  writeCors: "POST /config/cors",
  deleteCors: "DELETE /config/cors",
  remount: "POST /remount",
  readRemount: "GET /remount/status/:migration_id",
  listManagedKeys: "LIST /managed-keys/:type",
  testManagedKey: "POST /managed-keys/:type/:name/test/sign",
  readManagedKey: "GET /managed-keys/:type/:name",
  writeManagedKey: "POST /managed-keys/:type/:name",
  deleteManagedKey: "DELETE /managed-keys/:type/:name",
  readCatalog: "GET /plugins/catalog",
  listCatalog: "LIST /plugins/catalog/:type",
  readPlugin: "GET /plugins/catalog/:type/:name",
  versionHistory: "LIST /version-history",
  readMetrics: "raw text GET /metrics",
  rotateSeal: "POST /rotate",
  beginAnew: "POST /begin-anew",
  backUp: "raw GET /storage/snapshot/:path+",
  restore: "body=part:application/x-ndjson POST /storage/snapshot/:path+",
  checkBackup: "body=part:application/x-ndjson POST /storage/snapshot-check",
  backUpStore: "raw GET /storage/stores/:store",
  restoreStore: "body=part:application/x-ndjson POST /storage/stores/:store",
  openapiSpec: "plain open GET /internal/specs/openapi|POST /internal/specs/openapi",
  listVisibleMounts: "GET /internal/ui/mounts",
  readVisibleMount: "GET /internal/ui/mounts/:below+",
  wrapData: "in=wrap_info open free= POST /wrapping/wrap",
  unwrap: "open POST /wrapping/unwrap",
  lookupWrapping: "POST /wrapping/lookup|GET /wrapping/lookup",
  rewrapReply: "in=wrap_info POST /wrapping/rewrap",
  hashData: "POST /tools/hash(/:urlalgorithm)",
  randomBytes:
    "POST /tools/random|POST /tools/random/:urlsource|POST /tools/random/:urlsource/:urlbytes",
  listPolicies: "LIST /policies/acl",
  readPolicy: "GET /policies/acl/:name+",
  writePolicy: "POST /policies/acl/:name+",
  deletePolicy: "DELETE /policies/acl/:name+",
  listRules: "LIST /policy|GET /policy",
  readRules: "GET /policy/:name+",
  writeRules: "POST /policy/:name+",
  deleteRules: "DELETE /policy/:name+",
  testPolicies: "POST /policies/test",
  capabilitiesSelf: "open POST /capabilities-self",
  capabilities: "open POST /capabilities",
  capabilitiesAccessor: "open POST /capabilities-accessor",
  resultantAcl: "GET /internal/ui/resultant-acl",
  listAuditEvents: "info LIST /audit/events",
  countAuditEvents: "GET /audit/counts",
  listAuditDevices: "open GET /audit",
  auditHash: "POST /audit-hash(/:path)",
  countStrangers: "GET /audit/strangers",
  writeAuditSink: "POST /audit/sink",
  readAuditSink: "GET /audit/sink",
  deleteAuditSink: "DELETE /audit/sink",
  enableAuditDevice: "POST /audit/:path",
  disableAuditDevice: "DELETE /audit/:path",
  listEventSinks: "LIST /events/sinks",
  testEventSink: "POST /events/sinks/:name/test",
  readEventSink: "GET /events/sinks/:name",
  writeEventSink: "POST /events/sinks/:name",
  deleteEventSink: "DELETE /events/sinks/:name",
};
