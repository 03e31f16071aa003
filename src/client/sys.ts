// Made by `npm run generate`; what is changed here is lost.
import type { CallOptions, RawBytes, Warned, Warnings, WrapInfo } from "./call.ts";
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
  /** Empty. */
  readonly plugin_version: string;
  /** Version of the secrets engine. */
  readonly running_plugin_version: string;
  /** Empty. */
  readonly running_sha256: string;
  /** Always `supported`. */
  readonly deprecation_status: string;
  /** Settings of the mount; lifetimes in seconds, 0: the system default. */
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
   * Default lifetime: seconds or a duration; 0 or `system`: the system default; empty: unchanged.
   */
  readonly default_lease_ttl?: string | number | undefined;
  /**
   * Maximum lifetime: seconds or a duration; 0 or `system`: the system default; empty: unchanged.
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
  /** Default lifetime in seconds; 0: the system default. */
  readonly default_lease_ttl: number;
  /** Maximum lifetime in seconds; 0: the system default. */
  readonly max_lease_ttl: number;
  /** Always false. */
  readonly force_no_cache: boolean;
  /** Type of the tokens that logins return; only for login methods. */
  readonly token_type?: string;
};

export type HealthInput = {
  /** Status code of the response, 200 to 599; default 200. */
  readonly activecode?: number | undefined;
  /**
   * Status code of the response while `degraded` lists a mount, 200 to 599; default as without it.
   */
  readonly degradedcode?: number | undefined;
  /** Status code for a state that this server is never in. */
  readonly standbycode?: number | undefined;
  /** Status code for a state that this server is never in. */
  readonly drsecondarycode?: number | undefined;
  /** Status code for a state that this server is never in. */
  readonly performancestandbycode?: number | undefined;
  /** Status code for a state that this server is never in. */
  readonly haunhealthycode?: number | undefined;
  /** Status code for a state that this server is never in. */
  readonly uninitcode?: number | undefined;
  /** Status of the answer while `sealed` is true, 200 to 599; 503 unless sent. */
  readonly sealedcode?: number | undefined;
  /** Status code for a state that this server is never in. */
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
   * Whether the sealing key differs from that of the stored secrets; all other calls are refused
   * then.
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
  /** Time of the server, Unix seconds. */
  readonly server_time_utc: number;
  /** Version that clients compare to detect features. */
  readonly version: string;
  /** Always true: the operations of the paid edition are included. */
  readonly enterprise: boolean;
  /** No licence is needed. */
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
  /** The deployment's uuid; empty while the storage cannot be reached. */
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
  /** Problems that need attention, such as a CRL that is held back; absent without any. */
  readonly warnings?: readonly string[];
  /**
   * Mounts that do not work, for example because their storage cannot be reached, and the variables
   * if they do not; absent when all work.
   */
  readonly degraded?: readonly {
    /**
     * Path of the mount; `sys/` for the storage that all mounts share, `/api/v2/` for the variables.
     */
    readonly mount: string;
    /** What is wrong, in one sentence. */
    readonly reason: string;
  }[];
};
export type SealStatusInput = {};
export type SealStatusReply = {
  /** Always `shamir`. */
  readonly type: string;
  /** Always true. */
  readonly initialized: boolean;
  /** Whether the sealing key differs from that of the stored secrets. */
  readonly sealed: boolean;
  /** Always 1. */
  readonly t: number;
  /** Always 1. */
  readonly n: number;
  /** Always 0. */
  readonly progress: number;
  /** Empty. */
  readonly nonce: string;
  /** Version that clients compare to detect features. */
  readonly version: string;
  /** Empty. */
  readonly build_date: string;
  /** Always false. */
  readonly migration: boolean;
  /** Name of the deployment. */
  readonly cluster_name: string;
  /** The deployment's uuid; empty while the storage cannot be reached. */
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
  /** No effect: it is not read. */
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
  /** Always false: without several nodes there is no leader. */
  readonly is_self: boolean;
  /** Always `0001-01-01T00:00:00Z`. */
  readonly active_time: string;
  /** Empty. */
  readonly leader_address: string;
  /** Empty. */
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
      /** Empty. */
      readonly plugin_version: string;
      /** Version of the secrets engine. */
      readonly running_plugin_version: string;
      /** Empty. */
      readonly running_sha256: string;
      /** Always `supported`. */
      readonly deprecation_status: string;
      /** Settings of the mount; lifetimes in seconds, 0: the system default. */
      readonly config: MountConfig;
    }
  >
>;
export type ReadMountedTuneInput = {
  /** Path of the login method; it may have slashes. */
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
  /** Path of the login method; it may have slashes. */
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
  /** Path of the mount; it may have slashes. */
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
  /** Path of the mount; it may have slashes. */
  readonly path: string;
  /** Description of the mount. */
  readonly description?: string | undefined;
  /** Options, stored and returned; no effect. Absent if empty. */
  readonly options?: Readonly<Record<string, string>> | undefined;
};
export type WriteTuneReply = InitReply;
export type ReadMountInput = ReadTuneInput;
export type ReadMountReply = ReadMountedMethodReply;
export type CreateMountInput = {
  /** Path of the mount; it may have slashes. */
  readonly path: string;
  /** Type of secrets engine: `pki`. */
  readonly type?: "" | "pki" | undefined;
  /** Description of the mount. */
  readonly description?: string | undefined;
  /** Settings. */
  readonly config?:
    | {
        /**
         * Default lifetime: seconds or a duration; 0 or `system`: the system default; empty: unchanged.
         */
        readonly default_lease_ttl?: string | number | undefined;
        /**
         * Maximum lifetime: seconds or a duration; 0 or `system`: the system default; empty: unchanged.
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
      }
    | undefined;
  /** Options, stored and returned; no effect. */
  readonly options?: Readonly<Record<string, string>> | undefined;
  /** Whether the mount refuses unified and cross-cluster revocation. Default: `false`. */
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
  /** Id of the lease, as the reply that it came with has it. */
  readonly lease_id?: string | undefined;
};
export type LookupLeaseReply = {
  /** Id of the lease. */
  readonly id: string;
  /** When it was given, RFC 3339. */
  readonly issue_time: string;
  /** When it ends, RFC 3339. */
  readonly expire_time: string;
  /** Always null. */
  readonly last_renewal: string | null;
  /** Always false. */
  readonly renewable: boolean;
  /** Seconds until it ends. */
  readonly ttl: number;
} & Warnings;
export type LookupLeaseAtInput = {
  /** What the ids of the leases begin with; it may have slashes. */
  readonly prefix: string;
};
export type LookupLeaseAtReply = LookupLeaseReply;
export type ListLeasesInput = {
  /** What the ids of the leases begin with; it may have slashes. */
  readonly prefix?: string | undefined;
};
export type ListLeasesReply = {
  /** The next parts of the ids below the prefix, sorted. */
  readonly keys: readonly string[];
} & Warnings;
export type CountLeasesInput = {
  /** `irrevocable`: counts those that cannot be revoked; else all. */
  readonly type?: string | undefined;
  /** Accepted without effect. Default: `false`. */
  readonly include_child_namespaces?: boolean | undefined;
};
export type CountLeasesReply = {
  /** How many there are. */
  readonly lease_count: number;
  /** How many on each mount that has some, by its path. */
  readonly counts: Readonly<Record<string, number>>;
} & Warnings;
export type RenewLeaseInput = {
  /** Id of the lease; it has slashes. */
  readonly url_lease_id?: string | undefined;
  /** Id of the lease, as the reply that it came with has it. */
  readonly lease_id?: string | undefined;
  /** Accepted without effect. Seconds, or a duration such as `72h`. Default: `0`. */
  readonly increment?: number | string | undefined;
};
export type RenewLeaseReply = InitReply;
export type RevokeLeaseInput = {
  /** Id of the lease; it has slashes. */
  readonly url_lease_id?: string | undefined;
  /** Id of the lease, as the reply that it came with has it. */
  readonly lease_id?: string | undefined;
  /** Answer when all is revoked and shown on the lists. Default: `false`. */
  readonly sync?: boolean | undefined;
};
export type RevokeLeaseReply = InitReply;
export type RevokeLeasesInput = {
  /** What the ids of the leases begin with; it may have slashes. */
  readonly prefix: string;
  /** Answer when all is revoked and shown on the lists. Default: `false`. */
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
  /** Path of the login method; it may have slashes. */
  readonly path: string;
  /** Type of login method. */
  readonly type?: "" | "approle" | "cert" | "jwt" | "kubernetes" | "oidc" | "userpass" | undefined;
  /** Description of the method. */
  readonly description?: string | undefined;
  /** Settings. */
  readonly config?:
    | {
        /**
         * Default lifetime: seconds or a duration; 0 or `system`: the system default; empty: unchanged.
         */
        readonly default_lease_ttl?: string | number | undefined;
        /**
         * Maximum lifetime: seconds or a duration; 0 or `system`: the system default; empty: unchanged.
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
  /** Names, sorted. */
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
  /** What it is for; empty: everything. */
  readonly path: string;
  /** Name of the role that logins name; empty: any request. */
  readonly role: string;
  /** Requests in an interval. */
  readonly rate: number;
  /** Interval, seconds. */
  readonly interval: number;
  /** How long a caller who exceeds it is refused, seconds. */
  readonly block_interval: number;
  /** As set; without effect. */
  readonly inheritable: boolean;
} & Warnings;
export type WriteQuotaInput = {
  /** Name of the limit. */
  readonly name: string;
  /** A mount, or a path below one, `*` at its end for what begins so; empty: everything. */
  readonly path?: string | undefined;
  /** Requests in an interval; above 0. */
  readonly rate: number;
  /** Interval; 1 second unless set. Seconds, or a duration such as `72h`. Default: `1`. */
  readonly interval?: number | string | undefined;
  /**
   * How long a caller who exceeds it is refused. Seconds, or a duration such as `72h`. Default:
   * `0`.
   */
  readonly block_interval?: number | string | undefined;
  /**
   * Only logins at `path` by this role, which they name, tell by its role id, or get as the
   * default.
   */
  readonly role?: string | undefined;
  /** Stored and returned; no effect. Default: `false`. */
  readonly inheritable?: boolean | undefined;
  /** Accepted without effect. */
  readonly type?: string | undefined;
};
export type WriteQuotaReply = InitReply;
export type DeleteQuotaInput = ReadQuotaInput;
export type DeleteQuotaReply = InitReply;
export type ReadQuotaConfigInput = SealStatusInput;
export type ReadQuotaConfigReply = {
  /** As set; no effect. */
  readonly enable_rate_limit_audit_logging: boolean;
  /** Whether replies tell of the limit. */
  readonly enable_rate_limit_response_headers: boolean;
  /** Further paths that are not limited. */
  readonly rate_limit_exempt_paths: readonly string[];
} & Warnings;
export type WriteQuotaConfigInput = {
  /** Stored and returned; no effect. */
  readonly enable_rate_limit_audit_logging?: boolean | undefined;
  /** Whether replies tell of the limit in headers `X-Ratelimit-…`. */
  readonly enable_rate_limit_response_headers?: boolean | undefined;
  /**
   * Paths that are not limited besides `sys/health`, `sys/seal-status` and `sys/unseal`; `*` at the
   * end for what begins so.
   */
  readonly rate_limit_exempt_paths?: string | readonly string[] | undefined;
};
export type WriteQuotaConfigReply = InitReply;
export type ReadCorsInput = SealStatusInput;
export type ReadCorsReply = {
  /** Whether there are any. */
  readonly enabled: boolean;
  /** Origins; `*` alone: all. Absent unless enabled. */
  readonly allowed_origins?: readonly string[];
  /** Headers of requests besides those of the API. */
  readonly allowed_headers?: readonly string[];
} & Warnings;
export type WriteCorsInput = {
  /** False, without `allowed_origins`: the same as DELETE. */
  readonly enabled?: boolean | undefined;
  /** Origins such as `https://a.example`, or `*` alone. */
  readonly allowed_origins?: string | readonly string[] | undefined;
  /** Headers of requests besides those of the API. */
  readonly allowed_headers?: string | readonly string[] | undefined;
};
export type WriteCorsReply = InitReply;
export type DeleteCorsInput = SealStatusInput;
export type DeleteCorsReply = InitReply;
export type RemountInput = {
  /** Path of the mount; of a login method with `auth/` before it. */
  readonly from?: string | undefined;
  /** Path to which it is moved; it must be free. */
  readonly to?: string | undefined;
};
export type RemountReply = {
  /** Asks `remount/status/:migration_id`. */
  readonly migration_id: string;
} & Warnings;
export type ReadRemountInput = {
  /** Id of the move, as `sys/remount` told it. */
  readonly migration_id: string;
};
export type ReadRemountReply = {
  /** Id of the move. */
  readonly migration_id: string;
  /** What became of it. */
  readonly migration_info: {
    /** Path that it had. */
    readonly source_mount: string;
    /** Path that it gets. */
    readonly target_mount: string;
    /** How far the move is. */
    readonly status: "in-progress" | "success" | "failure";
  };
} & Warnings;
export type ListManagedKeysInput = {
  /** Where the key is kept. */
  readonly type: "awskms" | "https";
};
export type ListManagedKeysReply = ListQuotasReply;
export type TestManagedKeyInput = {
  /** Where the key is kept. */
  readonly type: "awskms" | "https";
  /** Name of the managed key. */
  readonly name: string;
  /** Of RSA keys: `sha2-256`, `sha2-384` or `sha2-512`; `sha2-256` unless sent. */
  readonly hash_algorithm?: "" | "sha2-256" | "sha2-384" | "sha2-512" | undefined;
  /** Whether RSA keys sign by PSS. Default: `false`. */
  readonly use_pss?: boolean | undefined;
};
export type TestManagedKeyReply = {
  /** What it signed by, such as `ECDSAWithSHA256`. */
  readonly signature_algorithm: string;
  /** Type of the key. */
  readonly key_type: string;
  /** The public key, PEM. */
  readonly public_key: string;
} & Warnings;
export type ReadManagedKeyInput = {
  /** Where the key is kept. */
  readonly type: "awskms" | "https";
  /** Name of the managed key. */
  readonly name: string;
};
export type ReadManagedKeyReply = {
  /** Id of the managed key. */
  readonly UUID: string;
  /** Its name. */
  readonly name: string;
  /** `awskms` or `https`. */
  readonly type: "awskms" | "https";
  /** As set. */
  readonly allow_generate_key: boolean;
  /** As set. */
  readonly allow_replace_key: boolean;
  /** As set. */
  readonly allow_store_key: boolean;
  /** Whether every mount may use it. */
  readonly any_mount: boolean;
  /** What it may be used for; empty: anything. */
  readonly usages: readonly string[];
  /** Whether private addresses may be asked. */
  readonly allow_private_network: boolean;
  /** The public key, PEM, since it was first used. */
  readonly public_key?: string;
  /** awskms: region; `us-east-1` unless set. */
  readonly region?: string;
  /** awskms: URL in the place of the region's own. */
  readonly endpoint?: string;
  /** awskms: id, ARN or alias (`alias/NAME`) of the key. */
  readonly kms_key?: string;
  /**
   * awskms: `RSA`, `ECDSA` or `ED25519`: what the key must be, and what is made; any unless set.
   */
  readonly key_type?: "RSA" | "ECDSA" | "ED25519";
  /** awskms: bits of an RSA key that is made; 2048 unless set. */
  readonly key_bits?: string;
  /** awskms: curve of an ECDSA key that is made; `P256` unless set. */
  readonly curve?: string;
  /** https: URL of the signing service. */
  readonly url?: string;
  /** https: name of the key at the service; that of the managed key unless set. */
  readonly key?: string;
  /** https: `digest`, or `raw`: the service gets all that it signs; `digest` unless set. */
  readonly message_type?: "digest" | "raw";
  /**
   * Certificates, PEM, one of which the server's chain leads to; the platform decides unless set.
   */
  readonly trusted_ca?: string;
  /** https: certificates, PEM, one of which is the server's own. */
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
  /** Where the key is kept. */
  readonly type: "awskms" | "https";
  /** Name of the managed key. */
  readonly name: string;
  /** Whether the key may be made where there is none (awskms with an alias); false unless set. */
  readonly allow_generate_key?: boolean | undefined;
  /** Stored and returned; no effect. */
  readonly allow_replace_key?: boolean | undefined;
  /** Stored and returned; no effect. */
  readonly allow_store_key?: boolean | undefined;
  /** Whether every mount may use the key; else those that list it in `allowed_managed_keys`. */
  readonly any_mount?: boolean | undefined;
  /** What the key may be used for; signing needs `sign`. Empty: anything. */
  readonly usages?: string | readonly string[] | undefined;
  /**
   * Whether addresses of private networks and of the own machine may be asked; as the deployment
   * has it unless set.
   */
  readonly allow_private_network?: boolean | undefined;
  /** awskms: region; `us-east-1` unless set. */
  readonly region?: string | undefined;
  /** awskms: URL in the place of the region's own. */
  readonly endpoint?: string | undefined;
  /** awskms: id, ARN or alias (`alias/NAME`) of the key. */
  readonly kms_key?: string | undefined;
  /**
   * awskms: `RSA`, `ECDSA` or `ED25519`: what the key must be, and what is made; any unless set.
   */
  readonly key_type?: "RSA" | "ECDSA" | "ED25519" | undefined;
  /** awskms: bits of an RSA key that is made; 2048 unless set. */
  readonly key_bits?: string | undefined;
  /** awskms: curve of an ECDSA key that is made; `P256` unless set. */
  readonly curve?: string | undefined;
  /** https: URL of the signing service. */
  readonly url?: string | undefined;
  /** https: name of the key at the service; that of the managed key unless set. */
  readonly key?: string | undefined;
  /** https: `digest`, or `raw`: the service gets all that it signs; `digest` unless set. */
  readonly message_type?: "digest" | "raw" | undefined;
  /**
   * Certificates, PEM, one of which the server's chain leads to; the platform decides unless set.
   */
  readonly trusted_ca?: string | undefined;
  /** https: certificates, PEM, one of which is the server's own. */
  readonly trusted_leaf_certificate_bundle?: string | undefined;
  /** awskms: id of the access key. */
  readonly access_key?: string | undefined;
  /** awskms: the secret access key. */
  readonly secret_key?: string | undefined;
  /** https: bearer token for the service. */
  readonly token?: string | undefined;
  /** https: private key and certificates, PEM, that are shown to the service. */
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
  /** All of them with their versions. */
  readonly detailed: readonly {
    /** Name, as the type of mounts has it. */
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
export type ListCatalogReply = ListQuotasReply;
export type ReadPluginInput = {
  /** Type of plugin. */
  readonly type: "secret" | "auth";
  /** Name of the plugin. */
  readonly name: string;
};
export type ReadPluginReply = {
  /** Name, as the type of mounts has it. */
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
  /** Details of each, by version. */
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
  /** `prometheus`, or empty for JSON. */
  readonly format?: string | undefined;
};
export type ReadMetricsReply = RawBytes | undefined;
export type RotateSealInput = SealStatusInput;
export type RotateSealReply = {
  /** Number of secrets that were sealed again. */
  readonly resealed: number;
  /**
   * Names of the secrets that opened under neither key and stay as they are; absent when all
   * opened.
   */
  readonly unopened?: readonly string[];
} & Warnings;
export type BeginAnewInput = {
  /** Path of the API, as `sys/health` names it: `/api/v2/`. */
  readonly path: string;
};
export type BeginAnewReply = InitReply;
export type BackUpInput = ReadTuneInput;
export type BackUpReply = RawBytes;
export type RestoreInput = {
  /** Path of the mount; it may have slashes. */
  readonly path: string;
  /** A part of a backup: its lines from a first one to its last one. */
  readonly part: Uint8Array;
};
export type RestoreReply = {
  /** Id of the backup. */
  readonly backup: string;
  /** Number of the part, from 1. */
  readonly part: number;
  /** Whether it is the last one. */
  readonly last: boolean;
  /** Number of rows that the part has for a restore. */
  readonly rows: number;
} & Warnings;
export type CheckBackupInput = {
  /** A part of a backup: its lines from a first one to its last one. */
  readonly part: Uint8Array;
  /** From the second part on: `receipt` of the part before, in the query. */
  readonly receipt?: string | undefined;
};
export type CheckBackupReply = {
  /** Id of the backup. */
  readonly backup: string;
  /** Number of the part, from 1. */
  readonly part: number;
  /** Whether it is the last one. */
  readonly last: boolean;
  /** Number of rows that the part has for a restore. */
  readonly rows: number;
  /** To be sent with the next part. */
  readonly receipt: string;
  /** Whether all parts of the backup were checked with this one. */
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
  /** A part of a backup: its lines from a first one to its last one. */
  readonly part: Uint8Array;
};
export type RestoreStoreReply = {
  /** Id of the backup. */
  readonly backup: string;
  /** Number of the part, from 1. */
  readonly part: number;
  /** Whether it is the last one. */
  readonly last: boolean;
  /** Number of rows that the part has for a restore. */
  readonly rows: number;
  /** Whether the store had been restored from this backup before; then nothing was changed. */
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
        /** Empty. */
        readonly plugin_version?: string;
        /** Version of the secrets engine. */
        readonly running_plugin_version?: string;
        /** Empty. */
        readonly running_sha256?: string;
        /** Always `supported`. */
        readonly deprecation_status?: string;
        /** Settings of the mount; lifetimes in seconds, 0: the system default. */
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
        /** Empty. */
        readonly plugin_version?: string;
        /** Version of the secrets engine. */
        readonly running_plugin_version?: string;
        /** Empty. */
        readonly running_sha256?: string;
        /** Always `supported`. */
        readonly deprecation_status?: string;
        /** Settings of the mount; lifetimes in seconds, 0: the system default. */
        readonly config?: MountConfig;
      }
    >
  >;
} & Warnings;
export type ReadVisibleMountInput = {
  /** Path of a mount, or below it; it may have slashes. */
  readonly below: string;
};
export type ReadVisibleMountReply = MountReply & {
  /** Path of the mount, with a slash at its end. */
  readonly path: string;
} & Warnings;
export type WrapDataInput = {
  readonly [name: string]: unknown;
};
export type WrapDataReply = WrapInfo;
export type UnwrapInput = {
  /** The wrapping token; may be sent as the token of the request instead. */
  readonly token?: string | undefined;
};
export type UnwrapReply = OpenapiSpecReply;
export type LookupWrappingInput = UnwrapInput;
export type LookupWrappingReply = {
  /** Path of the request whose reply was wrapped. */
  readonly creation_path: string;
  /** When it was wrapped, RFC 3339. */
  readonly creation_time: string;
  /** Lifetime of the token from then on, seconds. */
  readonly creation_ttl: number;
} & Warnings;
export type RewrapReplyInput = {
  /** The wrapping token. */
  readonly token: string;
};
export type RewrapReplyReply = WrapDataReply;
export type HashDataInput = {
  /** The hash function, instead of `algorithm`. */
  readonly urlalgorithm?: string | undefined;
  /** The data, base64. */
  readonly input: string;
  /** The hash function. Default: `"sha2-256"`. */
  readonly algorithm?: "sha2-224" | "sha2-256" | "sha2-384" | "sha2-512" | undefined;
  /** The encoding of the hash. Default: `"hex"`. */
  readonly format?: "hex" | "base64" | undefined;
};
export type HashDataReply = {
  /** The hash. */
  readonly sum: string;
} & Warnings;
export type RandomBytesInput = {
  /** Where the bytes come from, instead of `source`; or how many, where nothing follows. */
  readonly urlsource?: string | undefined;
  /** How many bytes, instead of `bytes`. */
  readonly urlbytes?: string | undefined;
  /** How many bytes, 1 to 131072. Default: `32`. */
  readonly bytes?: number | undefined;
  /** The encoding of the bytes. Default: `"base64"`. */
  readonly format?: "hex" | "base64" | undefined;
  /** Where the bytes come from: the platform is the only source. Default: `"platform"`. */
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
  /** Its text, as written. */
  readonly policy: string;
} & Warnings;
export type WritePolicyInput = {
  /** Name of the policy. */
  readonly name: string;
  /** The policy: HCL or JSON, or base64 of it. */
  readonly policy?: string | undefined;
};
export type WritePolicyReply = InitReply;
export type DeletePolicyInput = ReadPolicyInput;
export type DeletePolicyReply = InitReply;
export type ListRulesInput = SealStatusInput;
export type ListRulesReply = {
  /** Names of the policies, sorted. */
  readonly keys: readonly string[];
  /** The same. */
  readonly policies: readonly string[];
} & Warnings;
export type ReadRulesInput = ReadPolicyInput;
export type ReadRulesReply = {
  /** Name of the policy. */
  readonly name: string;
  /** Its text, as written. */
  readonly rules: string;
} & Warnings;
export type WriteRulesInput = {
  /** Name of the policy. */
  readonly name: string;
  /** The policy: HCL or JSON, or base64 of it. */
  readonly policy?: string | undefined;
  /** Same as `policy`. */
  readonly rules?: string | undefined;
};
export type WriteRulesReply = InitReply;
export type DeleteRulesInput = ReadPolicyInput;
export type DeleteRulesReply = InitReply;
export type TestPoliciesInput = {
  /** Path below the version prefix: `pki/issue/web`. */
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
  /** Names of policies to judge by, together with those of the token. */
  readonly policies?: string | readonly string[] | undefined;
  /** A token whose policies judge. */
  readonly token?: string | undefined;
  /** The accessor of such a token. */
  readonly accessor?: string | undefined;
  /** Text of a policy that is not stored, to judge by as well. */
  readonly policy?: string | undefined;
  /** Parameters of the request. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Lifetime of the wrapping token that the request asks for. Seconds, or a duration such as `72h`.
   */
  readonly wrap_ttl?: number | string | undefined;
};
export type TestPoliciesReply = {
  /** Whether the request would be granted. */
  readonly granted: boolean;
  /** Why, in one sentence. */
  readonly reason: string;
  /** Names of the policies that were judged by; `draft` for the text sent. */
  readonly policies: readonly string[];
  /** Those of them that do not exist. */
  readonly missing: readonly string[];
  /** Names of the policies that have the pattern which decides. */
  readonly decided_by: readonly string[];
  /** The pattern which decides; null when none matches. */
  readonly pattern: string | null;
  /** What those policies together say of the pattern, or null. */
  readonly rule: {
    /** What may be done; `deny` alone where nothing may. */
    readonly capabilities: readonly string[];
    /** Values that members may have, by name; none: any. */
    readonly allowed_parameters?: Readonly<
      Record<
        string,
        readonly (string | number | boolean | Readonly<Record<string, unknown>> | null)[]
      >
    >;
    /** Values that members may not have, by name; none: any. */
    readonly denied_parameters?: Readonly<
      Record<
        string,
        readonly (string | number | boolean | Readonly<Record<string, unknown>> | null)[]
      >
    >;
    /** Members that a request must have. */
    readonly required_parameters?: readonly string[];
    /** Shortest lifetime of a wrapping token, seconds. */
    readonly min_wrapping_ttl?: number;
    /** Longest lifetime of a wrapping token, seconds. */
    readonly max_wrapping_ttl?: number;
  } | null;
} & Warnings;
export type CapabilitiesSelfInput = {
  /** Paths below the version prefix: `pki/issue/web`; text is split at commas. */
  readonly paths?: string | readonly string[] | undefined;
  /** Same as `paths`. */
  readonly path?: string | readonly string[] | undefined;
};
export type CapabilitiesSelfReply = Readonly<Record<string, readonly string[]>>;
export type CapabilitiesInput = {
  /** The token. */
  readonly token?: string | undefined;
  /** Paths below the version prefix: `pki/issue/web`; text is split at commas. */
  readonly paths?: string | readonly string[] | undefined;
  /** Same as `paths`. */
  readonly path?: string | readonly string[] | undefined;
};
export type CapabilitiesReply = CapabilitiesSelfReply;
export type CapabilitiesAccessorInput = {
  /** The accessor. */
  readonly accessor?: string | undefined;
  /** Paths below the version prefix: `pki/issue/web`; text is split at commas. */
  readonly paths?: string | readonly string[] | undefined;
  /** Same as `paths`. */
  readonly path?: string | readonly string[] | undefined;
};
export type CapabilitiesAccessorReply = CapabilitiesSelfReply;
export type ResultantAclInput = SealStatusInput;
export type ResultantAclReply = {
  /** Whether the token may do everything. */
  readonly root: boolean;
  /** Rules of single paths, by path. */
  readonly exact_paths: Readonly<
    Record<
      string,
      {
        /** What may be done; `deny` alone where nothing may. */
        readonly capabilities: readonly string[];
        /** Values that members may have, by name; none: any. */
        readonly allowed_parameters?: Readonly<
          Record<
            string,
            readonly (string | number | boolean | Readonly<Record<string, unknown>> | null)[]
          >
        >;
        /** Values that members may not have, by name; none: any. */
        readonly denied_parameters?: Readonly<
          Record<
            string,
            readonly (string | number | boolean | Readonly<Record<string, unknown>> | null)[]
          >
        >;
        /** Members that a request must have. */
        readonly required_parameters?: readonly string[];
        /** Shortest lifetime of a wrapping token, seconds. */
        readonly min_wrapping_ttl?: number;
        /** Longest lifetime of a wrapping token, seconds. */
        readonly max_wrapping_ttl?: number;
      }
    >
  >;
  /**
   * Rules of patterns: those that end with a star by what stands before it, those with `+` as
   * written.
   */
  readonly glob_paths: Readonly<
    Record<
      string,
      {
        /** What may be done; `deny` alone where nothing may. */
        readonly capabilities: readonly string[];
        /** Values that members may have, by name; none: any. */
        readonly allowed_parameters?: Readonly<
          Record<
            string,
            readonly (string | number | boolean | Readonly<Record<string, unknown>> | null)[]
          >
        >;
        /** Values that members may not have, by name; none: any. */
        readonly denied_parameters?: Readonly<
          Record<
            string,
            readonly (string | number | boolean | Readonly<Record<string, unknown>> | null)[]
          >
        >;
        /** Members that a request must have. */
        readonly required_parameters?: readonly string[];
        /** Shortest lifetime of a wrapping token, seconds. */
        readonly min_wrapping_ttl?: number;
        /** Longest lifetime of a wrapping token, seconds. */
        readonly max_wrapping_ttl?: number;
      }
    >
  >;
} & Warnings;
export type ListAuditEventsInput = {
  /** Only events before this one, the last of the page before. */
  readonly after?: string | undefined;
  /** Maximum number of events, 1000 at most. Default: `100`. */
  readonly limit?: number | undefined;
  /** `change` or `refusal`; both unless sent. */
  readonly kind?: "" | "change" | "refusal" | undefined;
  /**
   * Only events of this log: changes with a credential (`change`, above the shares of a caller
   * `frequent` and `overflow`), of the token itself (`own`), by ACME accounts with a binding
   * (`acme`) or without (`public`), others (`anonymous`), `refusal` or `acme_refusal`.
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
  /** Only events of this caller. */
  readonly caller?: string | undefined;
  /** Only events of the token of this accessor. */
  readonly accessor?: string | undefined;
  /** Only events of this endpoint, by its id. */
  readonly endpoint?: string | undefined;
  /** Only events of this mount, by its path. */
  readonly mount?: string | undefined;
  /** Only events since this time, Unix seconds. Default: `0`. */
  readonly since?: number | undefined;
};
export type ListAuditEventsReply = {
  /** Ids of the events. */
  readonly keys: readonly string[];
  /** The events, by id. */
  readonly key_info: Readonly<
    Record<
      string,
      {
        /** `change` or `refusal`. */
        readonly kind: string;
        /** Its log. */
        readonly log: string;
        /** When it was stored, Unix milliseconds. */
        readonly time: number;
        /** Id of the request, as its reply and the log tell it. */
        readonly request: string;
        /** Id of the endpoint. */
        readonly endpoint: string;
        /** Method. */
        readonly method: string;
        /** Path of the mount. */
        readonly mount: string;
        /** Path below the mount, with the names of its parameters. */
        readonly path: string;
        /** Who asked; absent for a call that needs no token. */
        readonly caller?: string;
        /** Accessor of the caller's token. */
        readonly accessor?: string;
        /** Id of the caller's entity. */
        readonly entity?: string;
        /** Where it came from, if known. */
        readonly address?: string;
        /** Status of a refusal. */
        readonly status?: number;
        /** Code of a refusal. */
        readonly refusal?: string;
        /** Refusals of the same caller that were not stored before this one. */
        readonly more?: number;
        /** What was asked and made. Names are hashed: POST sys/audit-hash hashes one to compare. */
        readonly fields?: Readonly<Record<string, unknown>>;
        /** Number of the event in its log and store; a gap shows that one is missing. */
        readonly number: number;
        /** `sys`, `vars`, or the uuid of the mount. */
        readonly store: string;
      }
    >
  >;
} & Warnings;
export type ListAuditDevicesInput = SealStatusInput;
export type ListAuditDevicesReply = Readonly<
  Record<
    string,
    {
      /** `store` or `http`. */
      readonly type: string;
      /** What it gets. */
      readonly description: string;
      /** Its settings, such as `url`. */
      readonly options: Readonly<Record<string, string>>;
      /** Always false. */
      readonly local: boolean;
      /** Its path. */
      readonly path: string;
    }
  >
>;
export type AuditHashInput = {
  /** Whose names are hashed: `events`. */
  readonly path?: string | undefined;
  /** The name. */
  readonly input: string;
};
export type AuditHashReply = {
  /** `hmac-sha256:` and 64 hexadecimal digits. */
  readonly hash: string;
} & Warnings;
export type CountStrangersInput = SealStatusInput;
export type CountStrangersReply = {
  /** Hours with such calls, in their order. */
  readonly hours: readonly {
    /** Begin of the hour, Unix seconds. */
    readonly begin: number;
    /** Calls without a valid token. */
    readonly calls: number;
  }[];
} & Warnings;
export type WriteAuditSinkInput = {
  /** An https URL. */
  readonly url: string;
  /** Signs what is sent, 16 to 512 characters; generated if not sent. */
  readonly secret?: string | undefined;
  /** Certificates, one of which the server's chain leads to; the platform decides unless sent. */
  readonly ca_pem?: string | undefined;
};
export type WriteAuditSinkReply = {
  /** The URL. */
  readonly url: string;
  /** The secret, where it was drawn; it is not shown again. */
  readonly secret?: string;
} & Warnings;
export type ReadAuditSinkInput = SealStatusInput;
export type ReadAuditSinkReply = {
  /** The URL. */
  readonly url: string;
  /** How many certificates the server is trusted by. */
  readonly certificates: number;
  /** When it was set. Unix seconds. */
  readonly modified: number;
  /** How many events were sent. */
  readonly sent: number;
  /** When some were sent last. Unix seconds. */
  readonly last_sent?: number;
  /** Reason why the latest delivery failed; absent if it succeeded. */
  readonly failure?: string;
} & Warnings;
export type DeleteAuditSinkInput = SealStatusInput;
export type DeleteAuditSinkReply = InitReply;
export type EnableAuditDeviceInput = {
  /** Name of the device. */
  readonly path: string;
};
export type EnableAuditDeviceReply = InitReply;
export type DisableAuditDeviceInput = EnableAuditDeviceInput;
export type DisableAuditDeviceReply = InitReply;

/** Typed client: Every endpoint below `/v1/sys`. */
export interface SysClient {
  /**
   * Reports that the server is up, and which mounts do not work.
   * `GET /v1/sys/health`. Needs no token.
   */
  health(input?: HealthInput, options?: CallOptions): Promise<HealthReply>;
  /**
   * Reports whether the server can open its secrets, and its version.
   * `GET /v1/sys/seal-status`. Needs no token.
   */
  sealStatus(input?: SealStatusInput, options?: CallOptions): Promise<SealStatusReply>;
  /**
   * Reports that the server is initialized, which it is from its first start.
   * `GET /v1/sys/init`. Needs no token.
   */
  initStatus(input?: InitStatusInput, options?: CallOptions): Promise<InitStatusReply>;
  /**
   * Refused: the server is initialized from its first start.
   * `POST /v1/sys/init`. Needs no token. Fails with `malformed`.
   */
  init(input?: InitInput, options?: CallOptions): Promise<InitReply>;
  /**
   * Refused: the server unseals itself with its sealing key. To put its keys out of use, stop the
   * server and take the sealing key away.
   * `POST /v1/sys/seal`. Needs the capability `sudo`. Fails with `malformed`.
   */
  seal(input?: SealInput, options?: CallOptions): Promise<SealReply>;
  /**
   * Returns the seal status: the server unseals itself with its sealing key, and takes no part of
   * one.
   * `POST /v1/sys/unseal`. Needs no token.
   */
  unseal(input?: UnsealInput, options?: CallOptions): Promise<UnsealReply>;
  /** Reports that there is a single node. `GET /v1/sys/leader`. Needs no token. */
  leader(input?: LeaderInput, options?: CallOptions): Promise<LeaderReply>;
  /** Lists the mounts by path. `GET /v1/sys/mounts`. Fails with `damaged`. */
  listMounts(input?: ListMountsInput, options?: CallOptions): Promise<ListMountsReply>;
  /**
   * Returns the settings of a login method with its effective lifetimes.
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
   * Returns the settings of a mount, with the lifetimes in force.
   * `GET /v1/sys/mounts/:path+/tune`. Fails with `no_mount`.
   */
  readTune(input: ReadTuneInput, options?: CallOptions): Promise<ReadTuneReply>;
  /**
   * Changes the settings of a mount; fields that are not sent keep their value.
   * `POST /v1/sys/mounts/:path+/tune`. Fails with `no_mount`, `malformed`, `invalid_field`.
   */
  writeTune(input: WriteTuneInput, options?: CallOptions): Promise<WriteTuneReply>;
  /** Returns a mount. `GET /v1/sys/mounts/:path+`. Fails with `no_mount`. */
  readMount(input: ReadMountInput, options?: CallOptions): Promise<ReadMountReply>;
  /** Creates a mount. `POST /v1/sys/mounts/:path+`. Fails with `malformed`, `already_exists`. */
  createMount(input: CreateMountInput, options?: CallOptions): Promise<CreateMountReply>;
  /**
   * Deletes a mount and everything in it.
   * `DELETE /v1/sys/mounts/:path+`. Fails with `malformed`.
   */
  deleteMount(input: DeleteMountInput, options?: CallOptions): Promise<DeleteMountReply>;
  /**
   * Returns when a lease was given and when it ends.
   * `POST /v1/sys/leases/lookup`. Fails with `malformed`.
   */
  lookupLease(input?: LookupLeaseInput, options?: CallOptions): Promise<LookupLeaseReply>;
  /**
   * Returns when the lease in the path was given and when it ends.
   * `POST /v1/sys/leases/lookup/:prefix+`. Needs the capability `sudo`. Fails with `malformed`.
   */
  lookupLeaseAt(input: LookupLeaseAtInput, options?: CallOptions): Promise<LookupLeaseAtReply>;
  /**
   * Lists the ids of leases, one part of them at a time: parts that have more below them end in a
   * slash.
   * `LIST /v1/sys/leases/lookup(/:prefix+)`. Needs the capability `sudo`.
   */
  listLeases(input?: ListLeasesInput, options?: CallOptions): Promise<ListLeasesReply>;
  /** Counts the leases. No lease is ever irrevocable. `GET /v1/sys/leases/count`. */
  countLeases(input?: CountLeasesInput, options?: CallOptions): Promise<CountLeasesReply>;
  /**
   * Refuses: leases of certificates are not renewable.
   * `POST /v1/sys/leases/renew(/:url_lease_id+)`, `POST /v1/sys/renew(/:url_lease_id+)`. Fails with
   * `malformed`.
   */
  renewLease(input?: RenewLeaseInput, options?: CallOptions): Promise<RenewLeaseReply>;
  /**
   * Ends a lease and revokes its certificate. An id that names no lease is no error.
   * `POST /v1/sys/leases/revoke(/:url_lease_id+)`, `POST /v1/sys/revoke(/:url_lease_id+)`. Fails
   * with `malformed`, `damaged`.
   */
  revokeLease(input?: RevokeLeaseInput, options?: CallOptions): Promise<RevokeLeaseReply>;
  /**
   * Ends the leases whose ids begin with a path, and revokes their certificates.
   * `POST /v1/sys/leases/revoke-prefix/:prefix+`, `POST /v1/sys/revoke-prefix/:prefix+`. Needs the
   * capability `sudo`.
   */
  revokeLeases(input: RevokeLeasesInput, options?: CallOptions): Promise<RevokeLeasesReply>;
  /**
   * The same; it removes those leases too whose certificate cannot be revoked because it was
   * altered in the storage.
   * `POST /v1/sys/leases/revoke-force/:prefix+`, `POST /v1/sys/revoke-force/:prefix+`. Needs the
   * capability `sudo`.
   */
  forceRevokeLeases(
    input: ForceRevokeLeasesInput,
    options?: CallOptions,
  ): Promise<ForceRevokeLeasesReply>;
  /**
   * Ends the leases whose time has come. This happens by itself too.
   * `POST /v1/sys/leases/tidy`.
   */
  tidyLeases(input?: TidyLeasesInput, options?: CallOptions): Promise<TidyLeasesReply>;
  /** Lists the login methods by path. `GET /v1/sys/auth`. */
  listMethods(input?: ListMethodsInput, options?: CallOptions): Promise<ListMethodsReply>;
  /**
   * Returns the settings of a login method with its effective lifetimes.
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
   * Creates or replaces a rate limit. The most specific limit for a path counts, for each client
   * address by itself and in each isolate by itself.
   * `POST /v1/sys/quotas/rate-limit/:name`. Fails with `malformed`.
   */
  writeQuota(input: WriteQuotaInput, options?: CallOptions): Promise<WriteQuotaReply>;
  /** Deletes a rate limit. `DELETE /v1/sys/quotas/rate-limit/:name`. */
  deleteQuota(input: DeleteQuotaInput, options?: CallOptions): Promise<DeleteQuotaReply>;
  /** Returns what holds for all rate limits. `GET /v1/sys/quotas/config`. */
  readQuotaConfig(
    input?: ReadQuotaConfigInput,
    options?: CallOptions,
  ): Promise<ReadQuotaConfigReply>;
  /**
   * Changes what holds for all rate limits; fields that are not sent keep their value.
   * `POST /v1/sys/quotas/config`.
   */
  writeQuotaConfig(
    input?: WriteQuotaConfigInput,
    options?: CallOptions,
  ): Promise<WriteQuotaConfigReply>;
  /**
   * Returns which pages of other origins may call, besides those that the deployment's settings
   * name.
   * `GET /v1/sys/config/cors`. Needs the capability `sudo`.
   */
  readCors(input?: ReadCorsInput, options?: CallOptions): Promise<ReadCorsReply>;
  /**
   * Sets which pages of other origins may call, the variables API too, within a second everywhere.
   * Credentials of a browser are never allowed: a page needs a token.
   * `POST /v1/sys/config/cors`. Needs the capability `sudo`. Fails with `malformed`.
   */
  writeCors(input?: WriteCorsInput, options?: CallOptions): Promise<WriteCorsReply>;
  /**
   * Allows no origins but those that the deployment's settings name.
   * `DELETE /v1/sys/config/cors`. Needs the capability `sudo`.
   */
  deleteCors(input?: DeleteCorsInput, options?: CallOptions): Promise<DeleteCorsReply>;
  /**
   * Moves a mount, or a login method, to another path; what it holds stays as it is. Leases and
   * rate limits go with it, policies do not.
   * `POST /v1/sys/remount`. Needs the capability `sudo`. Fails with `malformed`, `already_exists`,
   * `no_mount`.
   */
  remount(input?: RemountInput, options?: CallOptions): Promise<RemountReply>;
  /**
   * Tells what became of a move, for a day.
   * `GET /v1/sys/remount/status/:migration_id`. Fails with `not_found`.
   */
  readRemount(input: ReadRemountInput, options?: CallOptions): Promise<ReadRemountReply>;
  /** Lists the managed keys of a type. `LIST /v1/sys/managed-keys/:type`. */
  listManagedKeys(
    input: ListManagedKeysInput,
    options?: CallOptions,
  ): Promise<ListManagedKeysReply>;
  /**
   * Lets a managed key sign a random text, and verifies the signature.
   * `POST /v1/sys/managed-keys/:type/:name/test/sign`. Fails with `malformed`, `not_found`,
   * `signer_failed`.
   */
  testManagedKey(input: TestManagedKeyInput, options?: CallOptions): Promise<TestManagedKeyReply>;
  /**
   * Returns what is set of a managed key; its secrets read `redacted`.
   * `GET /v1/sys/managed-keys/:type/:name`. Fails with `not_found`.
   */
  readManagedKey(input: ReadManagedKeyInput, options?: CallOptions): Promise<ReadManagedKeyReply>;
  /**
   * Registers a key that is kept elsewhere and signs there, or changes what is set of it: fields
   * that are not sent keep their value. Nobody is asked before the key is used.
   * `POST /v1/sys/managed-keys/:type/:name`. Fails with `malformed`, `already_exists`.
   */
  writeManagedKey(
    input: WriteManagedKeyInput,
    options?: CallOptions,
  ): Promise<WriteManagedKeyReply>;
  /**
   * Removes a managed key that no mount lists and no key of a mount stands for. The key itself
   * stays where it is kept.
   * `DELETE /v1/sys/managed-keys/:type/:name`. Fails with `in_use`.
   */
  deleteManagedKey(
    input: DeleteManagedKeyInput,
    options?: CallOptions,
  ): Promise<DeleteManagedKeyReply>;
  /** Returns what mounts and login methods can be made of. `GET /v1/sys/plugins/catalog`. */
  readCatalog(input?: ReadCatalogInput, options?: CallOptions): Promise<ReadCatalogReply>;
  /**
   * Lists the types of mounts (`secret`) or of login methods (`auth`).
   * `LIST /v1/sys/plugins/catalog/:type`. Needs the capability `sudo`. Fails with `malformed`.
   */
  listCatalog(input: ListCatalogInput, options?: CallOptions): Promise<ListCatalogReply>;
  /**
   * Returns one type of mounts or login methods.
   * `GET /v1/sys/plugins/catalog/:type/:name`. Needs the capability `sudo`. Fails with `malformed`,
   * `not_found`.
   */
  readPlugin(input: ReadPluginInput, options?: CallOptions): Promise<ReadPluginReply>;
  /**
   * Lists the version that runs; which ones ran before is not recorded.
   * `LIST /v1/sys/version-history`.
   */
  versionHistory(input?: VersionHistoryInput, options?: CallOptions): Promise<VersionHistoryReply>;
  /**
   * Returns the metrics of the server as a JSON document, or in the text format of Prometheus.
   * `GET /v1/sys/metrics`. Fails with `malformed`.
   */
  readMetrics(input?: ReadMetricsInput, options?: CallOptions): Promise<ReadMetricsReply>;
  /**
   * Seals every stored secret again under the current sealing key, so that the previous one can be
   * removed.
   * `POST /v1/sys/rotate`. Needs the capability `sudo`.
   */
  rotateSeal(input?: RotateSealInput, options?: CallOptions): Promise<RotateSealReply>;
  /**
   * Starts an API over with an empty store when its data is missing. Not part of the documented
   * API.
   * `POST /v1/sys/begin-anew`. Needs the capability `sudo`. Fails with `not_found`, `conflict`.
   */
  beginAnew(input: BeginAnewInput, options?: CallOptions): Promise<BeginAnewReply>;
  /**
   * Returns a backup of a mount as it is at this moment: parts of at most 32 MiB one behind the
   * other, lines of JSON, each part ended by an authentication code. Secrets stay sealed under the
   * sealing key of the deployment.
   * `GET /v1/sys/storage/snapshot/:path+`. Needs the capability `sudo`. Fails with `no_mount`,
   * `storage`.
   */
  backUp(input: BackUpInput, options?: CallOptions): Promise<BackUpReply>;
  /**
   * Restores one part of a backup into the mount that the backup makes, which opens after the last
   * part. The sealing key must be that of the backup, and the mount of the backup must not exist.
   * `POST /v1/sys/storage/snapshot/:path+`. Needs the capability `sudo`. Fails with `malformed`,
   * `already_exists`, `conflict`.
   */
  restore(input: RestoreInput, options?: CallOptions): Promise<RestoreReply>;
  /**
   * Checks one part of a backup of a mount or a store as a restore would, and stores nothing.
   * `POST /v1/sys/storage/snapshot-check`. Needs the capability `sudo`. Fails with `malformed`,
   * `already_exists`.
   */
  checkBackup(input: CheckBackupInput, options?: CallOptions): Promise<CheckBackupReply>;
  /**
   * Returns a backup of a store beside the mounts, in the form of the backup of a mount: `sys`
   * holds tokens, policies, login methods, entities, limits and the table of mounts, `vars` the
   * variables. Secrets stay sealed under the sealing key of the deployment.
   * `GET /v1/sys/storage/stores/:store`. Needs the capability `sudo`. Fails with `not_found`,
   * `storage`.
   */
  backUpStore(input: BackUpStoreInput, options?: CallOptions): Promise<BackUpStoreReply>;
  /**
   * Restores one part of a backup of a store beside the mounts. Nothing changes before the last
   * part, and the installation must not have been used. The mounts of `sys` refuse all calls until
   * their own backups are restored.
   * `POST /v1/sys/storage/stores/:store`. Needs the capability `sudo`. Fails with `malformed`,
   * `not_found`, `already_exists`, `conflict`.
   */
  restoreStore(input: RestoreStoreInput, options?: CallOptions): Promise<RestoreStoreReply>;
  /**
   * Returns the OpenAPI 3.1 document of this server. Without a token that may read it, mounts and
   * login methods are described at their usual paths.
   * `GET /v1/sys/internal/specs/openapi`, `POST /v1/sys/internal/specs/openapi`. Needs no token.
   */
  openapiSpec(input?: OpenapiSpecInput, options?: CallOptions): Promise<OpenapiSpecReply>;
  /**
   * Lists the mounts and login methods on which the caller's token may do anything, and those whose
   * `listing_visibility` is `unauth`; without a valid token only the latter, with type, description
   * and options.
   * `GET /v1/sys/internal/ui/mounts`. Needs no token.
   */
  listVisibleMounts(
    input?: ListVisibleMountsInput,
    options?: CallOptions,
  ): Promise<ListVisibleMountsReply>;
  /**
   * Returns the mount or login method that a path leads to, where the caller's token may do
   * anything on it.
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
   * Replaces a wrapping token by a new one with the same lifetime. The old token becomes invalid.
   * `POST /v1/sys/wrapping/rewrap`. Fails with `malformed`.
   */
  rewrapReply(input: RewrapReplyInput, options?: CallOptions): Promise<RewrapReplyReply>;
  /**
   * Hashes data. An algorithm in the path overrides that of the body.
   * `POST /v1/sys/tools/hash(/:urlalgorithm)`. Fails with `malformed`.
   */
  hashData(input: HashDataInput, options?: CallOptions): Promise<HashDataReply>;
  /**
   * Returns random bytes. A source and a number of bytes in the path override those of the body;
   * the number may stand in the path alone.
   * `POST /v1/sys/tools/random`, `POST /v1/sys/tools/random/:urlsource`, `POST
   * /v1/sys/tools/random/:urlsource/:urlbytes`. Fails with `malformed`.
   */
  randomBytes(input?: RandomBytesInput, options?: CallOptions): Promise<RandomBytesReply>;
  /** Lists the names of the access policies. `LIST /v1/sys/policies/acl`. */
  listPolicies(input?: ListPoliciesInput, options?: CallOptions): Promise<ListPoliciesReply>;
  /** Returns an access policy. The policy `root` has no text. `GET /v1/sys/policies/acl/:name+`. */
  readPolicy(input: ReadPolicyInput, options?: CallOptions): Promise<ReadPolicyReply>;
  /**
   * Creates or replaces an access policy. It counts at once here and within a second elsewhere.
   * Upper case in names is lowered, and their letters are stored in NFC.
   * `POST /v1/sys/policies/acl/:name+`. Fails with `malformed`.
   */
  writePolicy(input: WritePolicyInput, options?: CallOptions): Promise<WritePolicyReply>;
  /**
   * Deletes an access policy. Tokens keep its name, which then grants nothing.
   * `DELETE /v1/sys/policies/acl/:name+`. Fails with `malformed`.
   */
  deletePolicy(input: DeletePolicyInput, options?: CallOptions): Promise<DeletePolicyReply>;
  /**
   * Lists the names of the access policies, for old clients.
   * `LIST /v1/sys/policy`, `GET /v1/sys/policy`.
   */
  listRules(input?: ListRulesInput, options?: CallOptions): Promise<ListRulesReply>;
  /** Returns an access policy, for old clients. `GET /v1/sys/policy/:name+`. */
  readRules(input: ReadRulesInput, options?: CallOptions): Promise<ReadRulesReply>;
  /**
   * Creates or replaces an access policy, for old clients.
   * `POST /v1/sys/policy/:name+`. Fails with `malformed`.
   */
  writeRules(input: WriteRulesInput, options?: CallOptions): Promise<WriteRulesReply>;
  /**
   * Deletes an access policy, for old clients.
   * `DELETE /v1/sys/policy/:name+`. Fails with `malformed`.
   */
  deleteRules(input: DeleteRulesInput, options?: CallOptions): Promise<DeleteRulesReply>;
  /**
   * Tells whether a token, or policies by name, or the text of a policy, grant a request, and which
   * rule decides. The caller must be allowed to read each policy. Not part of the documented API.
   * `POST /v1/sys/policies/test`. Fails with `malformed`, `forbidden`.
   */
  testPolicies(input: TestPoliciesInput, options?: CallOptions): Promise<TestPoliciesReply>;
  /**
   * Returns what the caller's token may do on paths.
   * `POST /v1/sys/capabilities-self`. Fails with `malformed`.
   */
  capabilitiesSelf(
    input?: CapabilitiesSelfInput,
    options?: CallOptions,
  ): Promise<CapabilitiesSelfReply>;
  /** Returns what a token may do on paths. `POST /v1/sys/capabilities`. Fails with `malformed`. */
  capabilities(input?: CapabilitiesInput, options?: CallOptions): Promise<CapabilitiesReply>;
  /**
   * Returns what the token of an accessor may do on paths.
   * `POST /v1/sys/capabilities-accessor`. Fails with `malformed`.
   */
  capabilitiesAccessor(
    input?: CapabilitiesAccessorInput,
    options?: CallOptions,
  ): Promise<CapabilitiesAccessorReply>;
  /**
   * Returns what the policies of the caller's token grant together, by path.
   * `GET /v1/sys/internal/ui/resultant-acl`.
   */
  resultantAcl(input?: ResultantAclInput, options?: CallOptions): Promise<ResultantAclReply>;
  /**
   * Lists requests that changed something, and those that a valid token was refused, of all mounts,
   * newest first. Each log of each store keeps its last 10,000.
   * `LIST /v1/sys/audit/events`. Needs the capability `sudo`. Fails with `malformed`.
   */
  listAuditEvents(
    input?: ListAuditEventsInput,
    options?: CallOptions,
  ): Promise<ListAuditEventsReply>;
  /**
   * Returns where events go: `events/`, the store of what they changed, and `sink/`, a URL, where
   * one is set.
   * `GET /v1/sys/audit`. Needs the capability `sudo`.
   */
  listAuditDevices(
    input?: ListAuditDevicesInput,
    options?: CallOptions,
  ): Promise<ListAuditDevicesReply>;
  /**
   * Hashes a name as events tell it, to be found among them.
   * `POST /v1/sys/audit-hash(/:path)`. Fails with `malformed`.
   */
  auditHash(input: AuditHashInput, options?: CallOptions): Promise<AuditHashReply>;
  /**
   * Returns how many calls brought no valid token, by hours of the last two days: about, since they
   * are written once a minute.
   * `GET /v1/sys/audit/strangers`. Needs the capability `sudo`.
   */
  countStrangers(input?: CountStrangersInput, options?: CallOptions): Promise<CountStrangersReply>;
  /**
   * Sets the URL that events are sent to: in their order, at least once, signed, and tried again
   * while it does not take them. Redirects are not followed.
   * `POST /v1/sys/audit/sink`. Needs the capability `sudo`. Fails with `malformed`.
   */
  writeAuditSink(input: WriteAuditSinkInput, options?: CallOptions): Promise<WriteAuditSinkReply>;
  /**
   * Returns the URL that events are sent to, and how far they are.
   * `GET /v1/sys/audit/sink`. Needs the capability `sudo`. Fails with `not_found`.
   */
  readAuditSink(input?: ReadAuditSinkInput, options?: CallOptions): Promise<ReadAuditSinkReply>;
  /**
   * Sends events nowhere any more. One that is set later gets all that are kept.
   * `DELETE /v1/sys/audit/sink`. Needs the capability `sudo`.
   */
  deleteAuditSink(
    input?: DeleteAuditSinkInput,
    options?: CallOptions,
  ): Promise<DeleteAuditSinkReply>;
  /**
   * Refused: events are stored unless `AUDIT=false`, and sent to the URL of `sys/audit/sink` where
   * one is set.
   * `POST /v1/sys/audit/:path`. Needs the capability `sudo`. Fails with `malformed`.
   */
  enableAuditDevice(
    input: EnableAuditDeviceInput,
    options?: CallOptions,
  ): Promise<EnableAuditDeviceReply>;
  /**
   * Refused: `DELETE sys/audit/sink` removes the URL that events are sent to.
   * `DELETE /v1/sys/audit/:path`. Needs the capability `sudo`. Fails with `malformed`.
   */
  disableAuditDevice(
    input: DisableAuditDeviceInput,
    options?: CallOptions,
  ): Promise<DisableAuditDeviceReply>;
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
  readMetrics: "raw GET /metrics",
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
  wrapData: "in=wrap_info open POST /wrapping/wrap",
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
  listAuditDevices: "open GET /audit",
  auditHash: "POST /audit-hash(/:path)",
  countStrangers: "GET /audit/strangers",
  writeAuditSink: "POST /audit/sink",
  readAuditSink: "GET /audit/sink",
  deleteAuditSink: "DELETE /audit/sink",
  enableAuditDevice: "POST /audit/:path",
  disableAuditDevice: "DELETE /audit/:path",
};
