// Made by `npm run generate`; what is changed here is lost.
import type { CallOptions, RawBytes, Warned, WrapInfo } from "./call.ts";
import type { Table } from "./table.ts";

/** What `health` takes. */
export type HealthInput = {
  /** Status code of the response, 200 to 599; default 200. */
  readonly activecode?: number | undefined;
  /**
   * Status code of the response while `degraded` lists a mount, 200 to 599; default as without
   * it.
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
  /**
   * No effect: this server is never a standby.
   * @default false
   */
  readonly standbyok?: boolean | undefined;
  /**
   * No effect: this server is never a standby.
   * @default false
   */
  readonly perfstandbyok?: boolean | undefined;
};
/** What `health` answers. */
export type HealthReply = {
  /** Always true. */
  readonly initialized: boolean;
  /**
   * Whether the sealing key differs from that of the stored secrets; all other calls are
   * refused then.
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
   * Mounts that do not work, for example because their storage cannot be reached, and the
   * variables if they do not; absent when all work.
   */
  readonly degraded?: readonly {
    /**
     * Path of the mount; `sys/` for the storage that all mounts share, `/api/v2/` for the
     * variables.
     */
    readonly mount: string;
    /** What is wrong, in one sentence. */
    readonly reason: string;
  }[];
};
/** What `sealStatus` takes. */
export type SealStatusInput = {};
/** What `sealStatus` answers. */
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
/** What `initStatus` takes. */
export type InitStatusInput = SealStatusInput;
/** What `initStatus` answers. */
export type InitStatusReply = {
  /** Always true. */
  readonly initialized: boolean;
};
/** What `init` takes. */
export type InitInput = {
  /** No effect. */
  readonly secret_shares?: number | undefined;
  /** No effect. */
  readonly secret_threshold?: number | undefined;
};
/** What `init` answers. */
export type InitReply = Warned | undefined;
/** What `seal` takes. */
export type SealInput = SealStatusInput;
/** What `seal` answers. */
export type SealReply = InitReply;
/** What `unseal` takes. */
export type UnsealInput = {
  /** No effect: it is not read. */
  readonly key?: string | undefined;
  /**
   * No effect.
   * @default false
   */
  readonly reset?: boolean | undefined;
  /**
   * No effect.
   * @default false
   */
  readonly migrate?: boolean | undefined;
};
/** What `unseal` answers. */
export type UnsealReply = SealStatusReply;
/** What `leader` takes. */
export type LeaderInput = SealStatusInput;
/** What `leader` answers. */
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
/** What `listMounts` takes. */
export type ListMountsInput = SealStatusInput;
/** What `listMounts` answers. */
export type ListMountsReply = Readonly<
  Record<
    string,
    {
      /** Type of secrets engine: `pki`. */
      readonly type: string;
      /** Description of the mount. */
      readonly description: string;
      /** A second identifier of the mount, which never changes. */
      readonly accessor: string;
      /** As set: a local mount has no unified or cross-cluster revocation. */
      readonly local: boolean;
      /** As set; no effect. */
      readonly seal_wrap: boolean;
      /** As set; no effect. */
      readonly external_entropy_access: boolean;
      /** Options as set, or null. */
      readonly options: Readonly<Record<string, string>> | null;
      /** Id of the mount. */
      readonly uuid: string;
      /** Empty. */
      readonly plugin_version: string;
      /** Version of the secrets mount. */
      readonly running_plugin_version: string;
      /** Empty. */
      readonly running_sha256: string;
      /** Always `supported`. */
      readonly deprecation_status: string;
      /** Settings of the mount; lifetimes in seconds, 0 for the system default. */
      readonly config: {
        /** Default lifetime, seconds; 0 for the system default. */
        readonly default_lease_ttl: number;
        /** Maximum lifetime, seconds; 0 for the system default. */
        readonly max_lease_ttl: number;
        /** Always false. */
        readonly force_no_cache: boolean;
        /** Empty, `unauth` or `hidden`. */
        readonly listing_visibility?: "" | "unauth" | "hidden";
        /** Request headers that are passed to the mount. */
        readonly passthrough_request_headers?: readonly string[];
        /** Response headers that the engine may set. */
        readonly allowed_response_headers?: readonly string[];
        /** Stored and returned; no effect. */
        readonly audit_non_hmac_request_keys?: readonly string[];
        /** Stored and returned; no effect. */
        readonly audit_non_hmac_response_keys?: readonly string[];
        /** Names of the managed keys that the mount may use. */
        readonly allowed_managed_keys?: readonly string[];
        /**
         * Accessors of the login methods by which the mount may let clients sign in itself, as EST
         * does.
         */
        readonly delegated_auth_accessors?: readonly string[];
        /** Stored and returned; no effect. */
        readonly identity_token_key?: string;
        /**
         * Whether a write to a path that ends in a slash is one to the path without it; else it is
         * refused.
         */
        readonly trim_request_trailing_slashes?: boolean;
        /** What tokens logins of a login method get. */
        readonly token_type?: string;
      };
    }
  >
>;
/** What `readMountedTune` takes. */
export type ReadMountedTuneInput = {
  /** Path of the login method; it may have slashes. */
  readonly path: string;
};
/** What `readMountedTune` answers. */
export type ReadMountedTuneReply = {
  /** Description of the mount. */
  readonly description: string;
  /** Default lifetime in force, seconds. */
  readonly default_lease_ttl: number;
  /** Maximum lifetime in force, seconds. */
  readonly max_lease_ttl: number;
  /** Always false. */
  readonly force_no_cache: boolean;
  /** Empty, `unauth` or `hidden`. */
  readonly listing_visibility?: "" | "unauth" | "hidden";
  /** Request headers that are passed to the mount. */
  readonly passthrough_request_headers?: readonly string[];
  /** Response headers that the engine may set. */
  readonly allowed_response_headers?: readonly string[];
  /** Stored and returned; no effect. */
  readonly audit_non_hmac_request_keys?: readonly string[];
  /** Stored and returned; no effect. */
  readonly audit_non_hmac_response_keys?: readonly string[];
  /** Names of the managed keys that the mount may use. */
  readonly allowed_managed_keys?: readonly string[];
  /**
   * Accessors of the login methods by which the mount may let clients sign in itself, as EST
   * does.
   */
  readonly delegated_auth_accessors?: readonly string[];
  /** Stored and returned; no effect. */
  readonly identity_token_key?: string;
  /**
   * Whether a write to a path that ends in a slash is one to the path without it; else it is
   * refused.
   */
  readonly trim_request_trailing_slashes?: boolean;
  /** Options. */
  readonly options?: Readonly<Record<string, string>>;
  /** Type of tokens that it makes. */
  readonly token_type: "default-service" | "default-batch" | "service" | "batch";
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `readMountedMethod` takes. */
export type ReadMountedMethodInput = ReadMountedTuneInput;
/** What `readMountedMethod` answers. */
export type ReadMountedMethodReply = {
  /** Type of secrets engine: `pki`. */
  readonly type: string;
  /** Description of the mount. */
  readonly description: string;
  /** A second identifier of the mount, which never changes. */
  readonly accessor: string;
  /** As set: a local mount has no unified or cross-cluster revocation. */
  readonly local: boolean;
  /** As set; no effect. */
  readonly seal_wrap: boolean;
  /** As set; no effect. */
  readonly external_entropy_access: boolean;
  /** Options as set, or null. */
  readonly options: Readonly<Record<string, string>> | null;
  /** Id of the mount. */
  readonly uuid: string;
  /** Empty. */
  readonly plugin_version: string;
  /** Version of the secrets mount. */
  readonly running_plugin_version: string;
  /** Empty. */
  readonly running_sha256: string;
  /** Always `supported`. */
  readonly deprecation_status: string;
  /** Settings of the mount; lifetimes in seconds, 0 for the system default. */
  readonly config: {
    /** Default lifetime, seconds; 0 for the system default. */
    readonly default_lease_ttl: number;
    /** Maximum lifetime, seconds; 0 for the system default. */
    readonly max_lease_ttl: number;
    /** Always false. */
    readonly force_no_cache: boolean;
    /** Empty, `unauth` or `hidden`. */
    readonly listing_visibility?: "" | "unauth" | "hidden";
    /** Request headers that are passed to the mount. */
    readonly passthrough_request_headers?: readonly string[];
    /** Response headers that the engine may set. */
    readonly allowed_response_headers?: readonly string[];
    /** Stored and returned; no effect. */
    readonly audit_non_hmac_request_keys?: readonly string[];
    /** Stored and returned; no effect. */
    readonly audit_non_hmac_response_keys?: readonly string[];
    /** Names of the managed keys that the mount may use. */
    readonly allowed_managed_keys?: readonly string[];
    /**
     * Accessors of the login methods by which the mount may let clients sign in itself, as EST
     * does.
     */
    readonly delegated_auth_accessors?: readonly string[];
    /** Stored and returned; no effect. */
    readonly identity_token_key?: string;
    /**
     * Whether a write to a path that ends in a slash is one to the path without it; else it is
     * refused.
     */
    readonly trim_request_trailing_slashes?: boolean;
    /** What tokens logins of a login method get. */
    readonly token_type?: string;
  };
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `writeMountedTune` takes. */
export type WriteMountedTuneInput = {
  /** Path of the login method; it may have slashes. */
  readonly path: string;
  /** Description of the mount. */
  readonly description?: string | undefined;
  /**
   * Default lifetime, as seconds or a duration; 0 or `system` for the system default, empty:
   * not sent.
   */
  readonly default_lease_ttl?: string | number | undefined;
  /**
   * Maximum lifetime, as seconds or a duration; 0 or `system` for the system default, empty:
   * not sent.
   */
  readonly max_lease_ttl?: string | number | undefined;
  /** Empty, `unauth` or `hidden`. */
  readonly listing_visibility?: "" | "unauth" | "hidden" | undefined;
  /** Request headers that are passed to the mount. */
  readonly passthrough_request_headers?: string | readonly string[] | undefined;
  /** Response headers that the engine may set. */
  readonly allowed_response_headers?: string | readonly string[] | undefined;
  /** Stored and returned; no effect. */
  readonly audit_non_hmac_request_keys?: string | readonly string[] | undefined;
  /** Stored and returned; no effect. */
  readonly audit_non_hmac_response_keys?: string | readonly string[] | undefined;
  /** Names of the managed keys that the mount may use. */
  readonly allowed_managed_keys?: string | readonly string[] | undefined;
  /**
   * Accessors of the login methods by which the mount may let clients sign in itself, as EST
   * does.
   */
  readonly delegated_auth_accessors?: string | readonly string[] | undefined;
  /** Stored and returned; no effect. */
  readonly identity_token_key?: string | undefined;
  /**
   * Whether a write to a path that ends in a slash is one to the path without it; else it is
   * refused.
   */
  readonly trim_request_trailing_slashes?: boolean | undefined;
  /** Options, stored and returned; no effect. None: not sent. */
  readonly options?: Readonly<Record<string, string>> | undefined;
  /**
   * Type of tokens that it makes: `default-service`, `default-batch`, or `service` or `batch`
   * for all of them, whatever a role says.
   */
  readonly token_type?: "default-service" | "default-batch" | "service" | "batch" | undefined;
};
/** What `writeMountedTune` answers. */
export type WriteMountedTuneReply = InitReply;
/** What `readTune` takes. */
export type ReadTuneInput = {
  /** Path of the mount; it may have slashes. */
  readonly path: string;
};
/** What `readTune` answers. */
export type ReadTuneReply = {
  /** Description of the mount. */
  readonly description: string;
  /** Default lifetime in force, seconds. */
  readonly default_lease_ttl: number;
  /** Maximum lifetime in force, seconds. */
  readonly max_lease_ttl: number;
  /** Always false. */
  readonly force_no_cache: boolean;
  /** Empty, `unauth` or `hidden`. */
  readonly listing_visibility?: "" | "unauth" | "hidden";
  /** Request headers that are passed to the mount. */
  readonly passthrough_request_headers?: readonly string[];
  /** Response headers that the engine may set. */
  readonly allowed_response_headers?: readonly string[];
  /** Stored and returned; no effect. */
  readonly audit_non_hmac_request_keys?: readonly string[];
  /** Stored and returned; no effect. */
  readonly audit_non_hmac_response_keys?: readonly string[];
  /** Names of the managed keys that the mount may use. */
  readonly allowed_managed_keys?: readonly string[];
  /**
   * Accessors of the login methods by which the mount may let clients sign in itself, as EST
   * does.
   */
  readonly delegated_auth_accessors?: readonly string[];
  /** Stored and returned; no effect. */
  readonly identity_token_key?: string;
  /**
   * Whether a write to a path that ends in a slash is one to the path without it; else it is
   * refused.
   */
  readonly trim_request_trailing_slashes?: boolean;
  /** Options. */
  readonly options?: Readonly<Record<string, string>>;
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `writeTune` takes. */
export type WriteTuneInput = {
  /** Path of the mount; it may have slashes. */
  readonly path: string;
  /** Description of the mount. */
  readonly description?: string | undefined;
  /**
   * Default lifetime, as seconds or a duration; 0 or `system` for the system default, empty:
   * not sent.
   */
  readonly default_lease_ttl?: string | number | undefined;
  /**
   * Maximum lifetime, as seconds or a duration; 0 or `system` for the system default, empty:
   * not sent.
   */
  readonly max_lease_ttl?: string | number | undefined;
  /** Empty, `unauth` or `hidden`. */
  readonly listing_visibility?: "" | "unauth" | "hidden" | undefined;
  /** Request headers that are passed to the mount. */
  readonly passthrough_request_headers?: string | readonly string[] | undefined;
  /** Response headers that the engine may set. */
  readonly allowed_response_headers?: string | readonly string[] | undefined;
  /** Stored and returned; no effect. */
  readonly audit_non_hmac_request_keys?: string | readonly string[] | undefined;
  /** Stored and returned; no effect. */
  readonly audit_non_hmac_response_keys?: string | readonly string[] | undefined;
  /** Names of the managed keys that the mount may use. */
  readonly allowed_managed_keys?: string | readonly string[] | undefined;
  /**
   * Accessors of the login methods by which the mount may let clients sign in itself, as EST
   * does.
   */
  readonly delegated_auth_accessors?: string | readonly string[] | undefined;
  /** Stored and returned; no effect. */
  readonly identity_token_key?: string | undefined;
  /**
   * Whether a write to a path that ends in a slash is one to the path without it; else it is
   * refused.
   */
  readonly trim_request_trailing_slashes?: boolean | undefined;
  /** Options, stored and returned; no effect. None: not sent. */
  readonly options?: Readonly<Record<string, string>> | undefined;
};
/** What `writeTune` answers. */
export type WriteTuneReply = InitReply;
/** What `readMount` takes. */
export type ReadMountInput = ReadTuneInput;
/** What `readMount` answers. */
export type ReadMountReply = ReadMountedMethodReply;
/** What `createMount` takes. */
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
         * Default lifetime, as seconds or a duration; 0 or `system` for the system default, empty:
         * not sent.
         */
        readonly default_lease_ttl?: string | number | undefined;
        /**
         * Maximum lifetime, as seconds or a duration; 0 or `system` for the system default, empty:
         * not sent.
         */
        readonly max_lease_ttl?: string | number | undefined;
        /** Empty, `unauth` or `hidden`. */
        readonly listing_visibility?: "" | "unauth" | "hidden" | undefined;
        /** Request headers that are passed to the mount. */
        readonly passthrough_request_headers?: string | readonly string[] | undefined;
        /** Response headers that the engine may set. */
        readonly allowed_response_headers?: string | readonly string[] | undefined;
        /** Stored and returned; no effect. */
        readonly audit_non_hmac_request_keys?: string | readonly string[] | undefined;
        /** Stored and returned; no effect. */
        readonly audit_non_hmac_response_keys?: string | readonly string[] | undefined;
        /** Names of the managed keys that the mount may use. */
        readonly allowed_managed_keys?: string | readonly string[] | undefined;
        /**
         * Accessors of the login methods by which the mount may let clients sign in itself, as EST
         * does.
         */
        readonly delegated_auth_accessors?: string | readonly string[] | undefined;
        /** Stored and returned; no effect. */
        readonly identity_token_key?: string | undefined;
        /**
         * Whether a write to a path that ends in a slash is one to the path without it; else it is
         * refused.
         */
        readonly trim_request_trailing_slashes?: boolean | undefined;
      }
    | undefined;
  /** Options, stored and returned; no effect. */
  readonly options?: Readonly<Record<string, string>> | undefined;
  /**
   * Whether the mount refuses unified and cross-cluster revocation.
   * @default false
   */
  readonly local?: boolean | undefined;
  /**
   * Stored and returned; no effect.
   * @default false
   */
  readonly seal_wrap?: boolean | undefined;
  /**
   * Stored and returned; no effect.
   * @default false
   */
  readonly external_entropy_access?: boolean | undefined;
  /** Same as `type`. */
  readonly plugin_name?: string | undefined;
};
/** What `createMount` answers. */
export type CreateMountReply = InitReply;
/** What `deleteMount` takes. */
export type DeleteMountInput = ReadTuneInput;
/** What `deleteMount` answers. */
export type DeleteMountReply = InitReply;
/** What `lookupLease` takes. */
export type LookupLeaseInput = {
  /** Id of the lease, as the reply that it came with has it. */
  readonly lease_id?: string | undefined;
};
/** What `lookupLease` answers. */
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
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `lookupLeaseAt` takes. */
export type LookupLeaseAtInput = {
  /** What the ids of the leases begin with; it may have slashes. */
  readonly prefix: string;
};
/** What `lookupLeaseAt` answers. */
export type LookupLeaseAtReply = LookupLeaseReply;
/** What `listLeases` takes. */
export type ListLeasesInput = {
  /** What the ids of the leases begin with; it may have slashes. */
  readonly prefix?: string | undefined;
};
/** What `listLeases` answers. */
export type ListLeasesReply = {
  /** The next parts of the ids below the prefix, sorted. */
  readonly keys: readonly string[];
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `countLeases` takes. */
export type CountLeasesInput = {
  /** `irrevocable`: counts those that cannot be revoked; else all. */
  readonly type?: string | undefined;
  /**
   * Accepted without effect.
   * @default false
   */
  readonly include_child_namespaces?: boolean | undefined;
};
/** What `countLeases` answers. */
export type CountLeasesReply = {
  /** How many there are. */
  readonly lease_count: number;
  /** How many on each mount that has some, by its path. */
  readonly counts: Readonly<Record<string, number>>;
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `renewLease` takes. */
export type RenewLeaseInput = {
  /** Id of the lease; it has slashes. */
  readonly url_lease_id?: string | undefined;
  /** Id of the lease, as the reply that it came with has it. */
  readonly lease_id?: string | undefined;
  /**
   * Accepted without effect. Seconds, or a duration such as `72h`.
   * @default 0
   */
  readonly increment?: number | string | undefined;
};
/** What `renewLease` answers. */
export type RenewLeaseReply = InitReply;
/** What `revokeLease` takes. */
export type RevokeLeaseInput = {
  /** Id of the lease; it has slashes. */
  readonly url_lease_id?: string | undefined;
  /** Id of the lease, as the reply that it came with has it. */
  readonly lease_id?: string | undefined;
  /**
   * Answer when all is revoked and shown on the lists.
   * @default false
   */
  readonly sync?: boolean | undefined;
};
/** What `revokeLease` answers. */
export type RevokeLeaseReply = InitReply;
/** What `revokeLeases` takes. */
export type RevokeLeasesInput = {
  /** What the ids of the leases begin with; it may have slashes. */
  readonly prefix: string;
  /**
   * Answer when all is revoked and shown on the lists.
   * @default false
   */
  readonly sync?: boolean | undefined;
};
/** What `revokeLeases` answers. */
export type RevokeLeasesReply = InitReply;
/** What `forceRevokeLeases` takes. */
export type ForceRevokeLeasesInput = RevokeLeasesInput;
/** What `forceRevokeLeases` answers. */
export type ForceRevokeLeasesReply = InitReply;
/** What `tidyLeases` takes. */
export type TidyLeasesInput = SealStatusInput;
/** What `tidyLeases` answers. */
export type TidyLeasesReply = InitReply;
/** What `listMethods` takes. */
export type ListMethodsInput = SealStatusInput;
/** What `listMethods` answers. */
export type ListMethodsReply = ListMountsReply;
/** What `readMethodTune` takes. */
export type ReadMethodTuneInput = ReadMountedTuneInput;
/** What `readMethodTune` answers. */
export type ReadMethodTuneReply = ReadMountedTuneReply;
/** What `writeMethodTune` takes. */
export type WriteMethodTuneInput = WriteMountedTuneInput;
/** What `writeMethodTune` answers. */
export type WriteMethodTuneReply = InitReply;
/** What `readMethod` takes. */
export type ReadMethodInput = ReadMountedTuneInput;
/** What `readMethod` answers. */
export type ReadMethodReply = ReadMountedMethodReply;
/** What `enableMethod` takes. */
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
         * Default lifetime, as seconds or a duration; 0 or `system` for the system default, empty:
         * not sent.
         */
        readonly default_lease_ttl?: string | number | undefined;
        /**
         * Maximum lifetime, as seconds or a duration; 0 or `system` for the system default, empty:
         * not sent.
         */
        readonly max_lease_ttl?: string | number | undefined;
        /** Empty, `unauth` or `hidden`. */
        readonly listing_visibility?: "" | "unauth" | "hidden" | undefined;
        /** Request headers that are passed to the mount. */
        readonly passthrough_request_headers?: string | readonly string[] | undefined;
        /** Response headers that the engine may set. */
        readonly allowed_response_headers?: string | readonly string[] | undefined;
        /** Stored and returned; no effect. */
        readonly audit_non_hmac_request_keys?: string | readonly string[] | undefined;
        /** Stored and returned; no effect. */
        readonly audit_non_hmac_response_keys?: string | readonly string[] | undefined;
        /** Names of the managed keys that the mount may use. */
        readonly allowed_managed_keys?: string | readonly string[] | undefined;
        /**
         * Accessors of the login methods by which the mount may let clients sign in itself, as EST
         * does.
         */
        readonly delegated_auth_accessors?: string | readonly string[] | undefined;
        /** Stored and returned; no effect. */
        readonly identity_token_key?: string | undefined;
        /**
         * Whether a write to a path that ends in a slash is one to the path without it; else it is
         * refused.
         */
        readonly trim_request_trailing_slashes?: boolean | undefined;
        /** What tokens its logins get. */
        readonly token_type?: "default-service" | "default-batch" | "service" | "batch" | undefined;
      }
    | undefined;
  /** Options, stored and returned; no effect. */
  readonly options?: Readonly<Record<string, string>> | undefined;
  /**
   * Stored and returned; no effect.
   * @default false
   */
  readonly local?: boolean | undefined;
  /**
   * Stored and returned; no effect.
   * @default false
   */
  readonly seal_wrap?: boolean | undefined;
  /**
   * Stored and returned; no effect.
   * @default false
   */
  readonly external_entropy_access?: boolean | undefined;
  /** Same as `type`. */
  readonly plugin_name?: string | undefined;
};
/** What `enableMethod` answers. */
export type EnableMethodReply = InitReply;
/** What `disableMethod` takes. */
export type DisableMethodInput = ReadMountedTuneInput;
/** What `disableMethod` answers. */
export type DisableMethodReply = InitReply;
/** What `unlockUser` takes. */
export type UnlockUserInput = {
  /** Accessor of the login method. */
  readonly mount_accessor: string;
  /** Name of the user. */
  readonly alias_identifier: string;
};
/** What `unlockUser` answers. */
export type UnlockUserReply = InitReply;
/** What `listQuotas` takes. */
export type ListQuotasInput = SealStatusInput;
/** What `listQuotas` answers. */
export type ListQuotasReply = {
  /** Names, sorted. */
  readonly keys: readonly string[];
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `readQuota` takes. */
export type ReadQuotaInput = {
  /** Name of the limit. */
  readonly name: string;
};
/** What `readQuota` answers. */
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
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `writeQuota` takes. */
export type WriteQuotaInput = {
  /** Name of the limit. */
  readonly name: string;
  /** A mount, or a path below one, `*` at its end for what begins so; empty: everything. */
  readonly path?: string | undefined;
  /** Requests in an interval; above 0. */
  readonly rate: number;
  /**
   * Interval; 1 second unless set. Seconds, or a duration such as `72h`.
   * @default 1
   */
  readonly interval?: number | string | undefined;
  /**
   * How long a caller who exceeds it is refused. Seconds, or a duration such as `72h`.
   * @default 0
   */
  readonly block_interval?: number | string | undefined;
  /**
   * Only logins at `path` by this role, which they name, tell by its role id, or get as the
   * default.
   */
  readonly role?: string | undefined;
  /**
   * Stored and returned; no effect.
   * @default false
   */
  readonly inheritable?: boolean | undefined;
  /** Accepted without effect. */
  readonly type?: string | undefined;
};
/** What `writeQuota` answers. */
export type WriteQuotaReply = InitReply;
/** What `deleteQuota` takes. */
export type DeleteQuotaInput = ReadQuotaInput;
/** What `deleteQuota` answers. */
export type DeleteQuotaReply = InitReply;
/** What `readQuotaConfig` takes. */
export type ReadQuotaConfigInput = SealStatusInput;
/** What `readQuotaConfig` answers. */
export type ReadQuotaConfigReply = {
  /** As set; no effect. */
  readonly enable_rate_limit_audit_logging: boolean;
  /** Whether replies tell of the limit. */
  readonly enable_rate_limit_response_headers: boolean;
  /** Further paths that are not limited. */
  readonly rate_limit_exempt_paths: readonly string[];
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `writeQuotaConfig` takes. */
export type WriteQuotaConfigInput = {
  /** Stored and returned; no effect. */
  readonly enable_rate_limit_audit_logging?: boolean | undefined;
  /** Whether replies tell of the limit in headers `X-Ratelimit-…`. */
  readonly enable_rate_limit_response_headers?: boolean | undefined;
  /**
   * Paths that are not limited besides `sys/health`, `sys/seal-status` and `sys/unseal`; `*` at
   * the end for what begins so.
   */
  readonly rate_limit_exempt_paths?: string | readonly string[] | undefined;
};
/** What `writeQuotaConfig` answers. */
export type WriteQuotaConfigReply = InitReply;
/** What `readCors` takes. */
export type ReadCorsInput = SealStatusInput;
/** What `readCors` answers. */
export type ReadCorsReply = {
  /** Whether there are any. */
  readonly enabled: boolean;
  /** Origins; `*` alone: all. Absent unless enabled. */
  readonly allowed_origins?: readonly string[];
  /** Headers of requests besides those of the API. */
  readonly allowed_headers?: readonly string[];
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `writeCors` takes. */
export type WriteCorsInput = {
  /** False, without `allowed_origins`: the same as DELETE. */
  readonly enabled?: boolean | undefined;
  /** Origins such as `https://a.example`, or `*` alone. */
  readonly allowed_origins?: string | readonly string[] | undefined;
  /** Headers of requests besides those of the API. */
  readonly allowed_headers?: string | readonly string[] | undefined;
};
/** What `writeCors` answers. */
export type WriteCorsReply = InitReply;
/** What `deleteCors` takes. */
export type DeleteCorsInput = SealStatusInput;
/** What `deleteCors` answers. */
export type DeleteCorsReply = InitReply;
/** What `remount` takes. */
export type RemountInput = {
  /** Path of the mount; of a login method with `auth/` before it. */
  readonly from?: string | undefined;
  /** Path to which it is moved; it must be free. */
  readonly to?: string | undefined;
};
/** What `remount` answers. */
export type RemountReply = {
  /** Asks `remount/status/:migration_id`. */
  readonly migration_id: string;
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `readRemount` takes. */
export type ReadRemountInput = {
  /** Id of the move, as `sys/remount` told it. */
  readonly migration_id: string;
};
/** What `readRemount` answers. */
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
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `listManagedKeys` takes. */
export type ListManagedKeysInput = {
  /** Where the key is kept. */
  readonly type: "awskms" | "https";
};
/** What `listManagedKeys` answers. */
export type ListManagedKeysReply = ListQuotasReply;
/** What `testManagedKey` takes. */
export type TestManagedKeyInput = {
  /** Where the key is kept. */
  readonly type: "awskms" | "https";
  /** Name of the managed key. */
  readonly name: string;
  /** Of RSA keys: `sha2-256`, `sha2-384` or `sha2-512`; `sha2-256` unless sent. */
  readonly hash_algorithm?: "" | "sha2-256" | "sha2-384" | "sha2-512" | undefined;
  /**
   * Whether RSA keys sign by PSS.
   * @default false
   */
  readonly use_pss?: boolean | undefined;
};
/** What `testManagedKey` answers. */
export type TestManagedKeyReply = {
  /** What it signed by, such as `ECDSAWithSHA256`. */
  readonly signature_algorithm: string;
  /** Type of the key. */
  readonly key_type: string;
  /** The public key, PEM. */
  readonly public_key: string;
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `readManagedKey` takes. */
export type ReadManagedKeyInput = {
  /** Where the key is kept. */
  readonly type: "awskms" | "https";
  /** Name of the managed key. */
  readonly name: string;
};
/** What `readManagedKey` answers. */
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
   * awskms: `RSA`, `ECDSA` or `ED25519`: what the key must be, and what is made; any unless
   * set.
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
   * Certificates, PEM, one of which the server's chain leads to; the platform decides unless
   * set.
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
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `writeManagedKey` takes. */
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
   * Whether addresses of private networks and of the own machine may be asked; as the
   * deployment has it unless set.
   */
  readonly allow_private_network?: boolean | undefined;
  /** awskms: region; `us-east-1` unless set. */
  readonly region?: string | undefined;
  /** awskms: URL in the place of the region's own. */
  readonly endpoint?: string | undefined;
  /** awskms: id, ARN or alias (`alias/NAME`) of the key. */
  readonly kms_key?: string | undefined;
  /**
   * awskms: `RSA`, `ECDSA` or `ED25519`: what the key must be, and what is made; any unless
   * set.
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
   * Certificates, PEM, one of which the server's chain leads to; the platform decides unless
   * set.
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
/** What `writeManagedKey` answers. */
export type WriteManagedKeyReply = InitReply;
/** What `deleteManagedKey` takes. */
export type DeleteManagedKeyInput = ReadManagedKeyInput;
/** What `deleteManagedKey` answers. */
export type DeleteManagedKeyReply = InitReply;
/** What `readCatalog` takes. */
export type ReadCatalogInput = SealStatusInput;
/** What `readCatalog` answers. */
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
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `listCatalog` takes. */
export type ListCatalogInput = {
  /** Type of plugin. */
  readonly type: "secret" | "auth";
};
/** What `listCatalog` answers. */
export type ListCatalogReply = ListQuotasReply;
/** What `readPlugin` takes. */
export type ReadPluginInput = {
  /** Type of plugin. */
  readonly type: "secret" | "auth";
  /** Name of the plugin. */
  readonly name: string;
};
/** What `readPlugin` answers. */
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
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `versionHistory` takes. */
export type VersionHistoryInput = SealStatusInput;
/** What `versionHistory` answers. */
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
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `readMetrics` takes. */
export type ReadMetricsInput = {
  /** `prometheus`, or empty for JSON. */
  readonly format?: string | undefined;
};
/** What `readMetrics` answers. */
export type ReadMetricsReply = RawBytes | undefined;
/** What `rotateSeal` takes. */
export type RotateSealInput = SealStatusInput;
/** What `rotateSeal` answers. */
export type RotateSealReply = {
  /** Number of secrets that were sealed again. */
  readonly resealed: number;
  /**
   * Names of the secrets that opened under neither key and stay as they are; absent when all
   * opened.
   */
  readonly unopened?: readonly string[];
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `beginAnew` takes. */
export type BeginAnewInput = {
  /** Path of the API, as `sys/health` names it: `/api/v2/`. */
  readonly path: string;
};
/** What `beginAnew` answers. */
export type BeginAnewReply = InitReply;
/** What `backUp` takes. */
export type BackUpInput = ReadTuneInput;
/** What `backUp` answers. */
export type BackUpReply = RawBytes;
/** What `restore` takes. */
export type RestoreInput = {
  /** Path of the mount; it may have slashes. */
  readonly path: string;
  /** A part of a backup: its lines from a first one to its last one. */
  readonly part: Uint8Array;
};
/** What `restore` answers. */
export type RestoreReply = {
  /** Id of the backup. */
  readonly backup: string;
  /** Number of the part, from 1. */
  readonly part: number;
  /** Whether it is the last one. */
  readonly last: boolean;
  /** Number of rows that the part has for a restore. */
  readonly rows: number;
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `checkBackup` takes. */
export type CheckBackupInput = {
  /** A part of a backup: its lines from a first one to its last one. */
  readonly part: Uint8Array;
  /** From the second part on: `receipt` of the part before, in the query. */
  readonly receipt?: string | undefined;
};
/** What `checkBackup` answers. */
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
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `backUpStore` takes. */
export type BackUpStoreInput = {
  /** Name of the store: `sys`, or `vars` for the variables. */
  readonly store: "sys" | "vars";
};
/** What `backUpStore` answers. */
export type BackUpStoreReply = BackUpReply;
/** What `restoreStore` takes. */
export type RestoreStoreInput = {
  /** Name of the store: `sys`, or `vars` for the variables. */
  readonly store: "sys" | "vars";
  /** A part of a backup: its lines from a first one to its last one. */
  readonly part: Uint8Array;
};
/** What `restoreStore` answers. */
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
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `openapiSpec` takes. */
export type OpenapiSpecInput = {
  /**
   * Describe all mounts once, with a path parameter for the mount.
   * @default false
   */
  readonly generic_mount_paths?: boolean | undefined;
};
/** What `openapiSpec` answers. */
export type OpenapiSpecReply = Readonly<Record<string, unknown>>;
/** What `listVisibleMounts` takes. */
export type ListVisibleMountsInput = SealStatusInput;
/** What `listVisibleMounts` answers. */
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
        /** A second identifier of the mount, which never changes. */
        readonly accessor?: string;
        /** As set: a local mount has no unified or cross-cluster revocation. */
        readonly local?: boolean;
        /** As set; no effect. */
        readonly seal_wrap?: boolean;
        /** As set; no effect. */
        readonly external_entropy_access?: boolean;
        /** Options as set, or null. */
        readonly options: Readonly<Record<string, string>> | null;
        /** Id of the mount. */
        readonly uuid?: string;
        /** Empty. */
        readonly plugin_version?: string;
        /** Version of the secrets mount. */
        readonly running_plugin_version?: string;
        /** Empty. */
        readonly running_sha256?: string;
        /** Always `supported`. */
        readonly deprecation_status?: string;
        /** Settings of the mount; lifetimes in seconds, 0 for the system default. */
        readonly config?: {
          /** Default lifetime, seconds; 0 for the system default. */
          readonly default_lease_ttl: number;
          /** Maximum lifetime, seconds; 0 for the system default. */
          readonly max_lease_ttl: number;
          /** Always false. */
          readonly force_no_cache: boolean;
          /** Empty, `unauth` or `hidden`. */
          readonly listing_visibility?: "" | "unauth" | "hidden";
          /** Request headers that are passed to the mount. */
          readonly passthrough_request_headers?: readonly string[];
          /** Response headers that the engine may set. */
          readonly allowed_response_headers?: readonly string[];
          /** Stored and returned; no effect. */
          readonly audit_non_hmac_request_keys?: readonly string[];
          /** Stored and returned; no effect. */
          readonly audit_non_hmac_response_keys?: readonly string[];
          /** Names of the managed keys that the mount may use. */
          readonly allowed_managed_keys?: readonly string[];
          /**
           * Accessors of the login methods by which the mount may let clients sign in itself, as EST
           * does.
           */
          readonly delegated_auth_accessors?: readonly string[];
          /** Stored and returned; no effect. */
          readonly identity_token_key?: string;
          /**
           * Whether a write to a path that ends in a slash is one to the path without it; else it is
           * refused.
           */
          readonly trim_request_trailing_slashes?: boolean;
          /** What tokens logins of a login method get. */
          readonly token_type?: string;
        };
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
        /** A second identifier of the mount, which never changes. */
        readonly accessor?: string;
        /** As set: a local mount has no unified or cross-cluster revocation. */
        readonly local?: boolean;
        /** As set; no effect. */
        readonly seal_wrap?: boolean;
        /** As set; no effect. */
        readonly external_entropy_access?: boolean;
        /** Options as set, or null. */
        readonly options: Readonly<Record<string, string>> | null;
        /** Id of the mount. */
        readonly uuid?: string;
        /** Empty. */
        readonly plugin_version?: string;
        /** Version of the secrets mount. */
        readonly running_plugin_version?: string;
        /** Empty. */
        readonly running_sha256?: string;
        /** Always `supported`. */
        readonly deprecation_status?: string;
        /** Settings of the mount; lifetimes in seconds, 0 for the system default. */
        readonly config?: {
          /** Default lifetime, seconds; 0 for the system default. */
          readonly default_lease_ttl: number;
          /** Maximum lifetime, seconds; 0 for the system default. */
          readonly max_lease_ttl: number;
          /** Always false. */
          readonly force_no_cache: boolean;
          /** Empty, `unauth` or `hidden`. */
          readonly listing_visibility?: "" | "unauth" | "hidden";
          /** Request headers that are passed to the mount. */
          readonly passthrough_request_headers?: readonly string[];
          /** Response headers that the engine may set. */
          readonly allowed_response_headers?: readonly string[];
          /** Stored and returned; no effect. */
          readonly audit_non_hmac_request_keys?: readonly string[];
          /** Stored and returned; no effect. */
          readonly audit_non_hmac_response_keys?: readonly string[];
          /** Names of the managed keys that the mount may use. */
          readonly allowed_managed_keys?: readonly string[];
          /**
           * Accessors of the login methods by which the mount may let clients sign in itself, as EST
           * does.
           */
          readonly delegated_auth_accessors?: readonly string[];
          /** Stored and returned; no effect. */
          readonly identity_token_key?: string;
          /**
           * Whether a write to a path that ends in a slash is one to the path without it; else it is
           * refused.
           */
          readonly trim_request_trailing_slashes?: boolean;
          /** What tokens logins of a login method get. */
          readonly token_type?: string;
        };
      }
    >
  >;
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `readVisibleMount` takes. */
export type ReadVisibleMountInput = {
  /** Path of a mount, or below it; it may have slashes. */
  readonly below: string;
};
/** What `readVisibleMount` answers. */
export type ReadVisibleMountReply = {
  /** Type of secrets engine: `pki`. */
  readonly type: string;
  /** Description of the mount. */
  readonly description: string;
  /** A second identifier of the mount, which never changes. */
  readonly accessor: string;
  /** As set: a local mount has no unified or cross-cluster revocation. */
  readonly local: boolean;
  /** As set; no effect. */
  readonly seal_wrap: boolean;
  /** As set; no effect. */
  readonly external_entropy_access: boolean;
  /** Options as set, or null. */
  readonly options: Readonly<Record<string, string>> | null;
  /** Id of the mount. */
  readonly uuid: string;
  /** Empty. */
  readonly plugin_version: string;
  /** Version of the secrets mount. */
  readonly running_plugin_version: string;
  /** Empty. */
  readonly running_sha256: string;
  /** Always `supported`. */
  readonly deprecation_status: string;
  /** Settings of the mount; lifetimes in seconds, 0 for the system default. */
  readonly config: {
    /** Default lifetime, seconds; 0 for the system default. */
    readonly default_lease_ttl: number;
    /** Maximum lifetime, seconds; 0 for the system default. */
    readonly max_lease_ttl: number;
    /** Always false. */
    readonly force_no_cache: boolean;
    /** Empty, `unauth` or `hidden`. */
    readonly listing_visibility?: "" | "unauth" | "hidden";
    /** Request headers that are passed to the mount. */
    readonly passthrough_request_headers?: readonly string[];
    /** Response headers that the engine may set. */
    readonly allowed_response_headers?: readonly string[];
    /** Stored and returned; no effect. */
    readonly audit_non_hmac_request_keys?: readonly string[];
    /** Stored and returned; no effect. */
    readonly audit_non_hmac_response_keys?: readonly string[];
    /** Names of the managed keys that the mount may use. */
    readonly allowed_managed_keys?: readonly string[];
    /**
     * Accessors of the login methods by which the mount may let clients sign in itself, as EST
     * does.
     */
    readonly delegated_auth_accessors?: readonly string[];
    /** Stored and returned; no effect. */
    readonly identity_token_key?: string;
    /**
     * Whether a write to a path that ends in a slash is one to the path without it; else it is
     * refused.
     */
    readonly trim_request_trailing_slashes?: boolean;
    /** What tokens logins of a login method get. */
    readonly token_type?: string;
  };
  /** Path of the mount, with a slash at its end. */
  readonly path: string;
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `wrapData` takes. */
export type WrapDataInput = {
  readonly [name: string]: unknown;
};
/** What `wrapData` answers. */
export type WrapDataReply = WrapInfo;
/** What `unwrap` takes. */
export type UnwrapInput = {
  /** The wrapping token; may be sent as the token of the request instead. */
  readonly token?: string | undefined;
};
/** What `unwrap` answers. */
export type UnwrapReply = OpenapiSpecReply;
/** What `lookupWrapping` takes. */
export type LookupWrappingInput = UnwrapInput;
/** What `lookupWrapping` answers. */
export type LookupWrappingReply = {
  /** Path of the request whose reply was wrapped. */
  readonly creation_path: string;
  /** When it was wrapped, RFC 3339. */
  readonly creation_time: string;
  /** Lifetime of the token from then on, seconds. */
  readonly creation_ttl: number;
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `rewrapReply` takes. */
export type RewrapReplyInput = {
  /** The wrapping token. */
  readonly token: string;
};
/** What `rewrapReply` answers. */
export type RewrapReplyReply = WrapDataReply;
/** What `hashData` takes. */
export type HashDataInput = {
  /** The hash function, instead of `algorithm`. */
  readonly urlalgorithm?: string | undefined;
  /** The data, base64. */
  readonly input: string;
  /**
   * The hash function.
   * @default "sha2-256"
   */
  readonly algorithm?: "sha2-224" | "sha2-256" | "sha2-384" | "sha2-512" | undefined;
  /**
   * The encoding of the hash.
   * @default "hex"
   */
  readonly format?: "hex" | "base64" | undefined;
};
/** What `hashData` answers. */
export type HashDataReply = {
  /** The hash. */
  readonly sum: string;
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `randomBytes` takes. */
export type RandomBytesInput = {
  /** Where the bytes come from, instead of `source`; or how many, where nothing follows. */
  readonly urlsource?: string | undefined;
  /** How many bytes, instead of `bytes`. */
  readonly urlbytes?: string | undefined;
  /**
   * How many bytes, 1 to 131072.
   * @default 32
   */
  readonly bytes?: number | undefined;
  /**
   * The encoding of the bytes.
   * @default "base64"
   */
  readonly format?: "hex" | "base64" | undefined;
  /**
   * Where the bytes come from: the platform is the only source.
   * @default "platform"
   */
  readonly source?: "platform" | "all" | undefined;
};
/** What `randomBytes` answers. */
export type RandomBytesReply = {
  /** The bytes. */
  readonly random_bytes: string;
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `listPolicies` takes. */
export type ListPoliciesInput = SealStatusInput;
/** What `listPolicies` answers. */
export type ListPoliciesReply = {
  /** Names of the policies, sorted. */
  readonly keys: readonly string[];
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `readPolicy` takes. */
export type ReadPolicyInput = {
  /** Name of the policy. */
  readonly name: string;
};
/** What `readPolicy` answers. */
export type ReadPolicyReply = {
  /** Name of the policy. */
  readonly name: string;
  /** Its text, as written. */
  readonly policy: string;
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `writePolicy` takes. */
export type WritePolicyInput = {
  /** Name of the policy. */
  readonly name: string;
  /** The policy: HCL or JSON, or base64 of it. */
  readonly policy?: string | undefined;
};
/** What `writePolicy` answers. */
export type WritePolicyReply = InitReply;
/** What `deletePolicy` takes. */
export type DeletePolicyInput = ReadPolicyInput;
/** What `deletePolicy` answers. */
export type DeletePolicyReply = InitReply;
/** What `listRules` takes. */
export type ListRulesInput = SealStatusInput;
/** What `listRules` answers. */
export type ListRulesReply = {
  /** Names of the policies, sorted. */
  readonly keys: readonly string[];
  /** The same. */
  readonly policies: readonly string[];
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `readRules` takes. */
export type ReadRulesInput = ReadPolicyInput;
/** What `readRules` answers. */
export type ReadRulesReply = {
  /** Name of the policy. */
  readonly name: string;
  /** Its text, as written. */
  readonly rules: string;
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `writeRules` takes. */
export type WriteRulesInput = {
  /** Name of the policy. */
  readonly name: string;
  /** The policy: HCL or JSON, or base64 of it. */
  readonly policy?: string | undefined;
  /** Same as `policy`. */
  readonly rules?: string | undefined;
};
/** What `writeRules` answers. */
export type WriteRulesReply = InitReply;
/** What `deleteRules` takes. */
export type DeleteRulesInput = ReadPolicyInput;
/** What `deleteRules` answers. */
export type DeleteRulesReply = InitReply;
/** What `testPolicies` takes. */
export type TestPoliciesInput = {
  /** Path below the version prefix: `pki/issue/web`. */
  readonly path: string;
  /**
   * `create`, `read`, `update`, `delete`, `list`, `patch` or `sudo`.
   * @default "update"
   */
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
   * Lifetime of the wrapping token that the request asks for. Seconds, or a duration such as
   * `72h`.
   */
  readonly wrap_ttl?: number | string | undefined;
};
/** What `testPolicies` answers. */
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
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `capabilitiesSelf` takes. */
export type CapabilitiesSelfInput = {
  /** Paths below the version prefix: `pki/issue/web`; text is split at commas. */
  readonly paths?: string | readonly string[] | undefined;
  /** Same as `paths`. */
  readonly path?: string | readonly string[] | undefined;
};
/** What `capabilitiesSelf` answers. */
export type CapabilitiesSelfReply = Readonly<Record<string, readonly string[]>>;
/** What `capabilities` takes. */
export type CapabilitiesInput = {
  /** The token. */
  readonly token?: string | undefined;
  /** Paths below the version prefix: `pki/issue/web`; text is split at commas. */
  readonly paths?: string | readonly string[] | undefined;
  /** Same as `paths`. */
  readonly path?: string | readonly string[] | undefined;
};
/** What `capabilities` answers. */
export type CapabilitiesReply = CapabilitiesSelfReply;
/** What `capabilitiesAccessor` takes. */
export type CapabilitiesAccessorInput = {
  /** The accessor. */
  readonly accessor?: string | undefined;
  /** Paths below the version prefix: `pki/issue/web`; text is split at commas. */
  readonly paths?: string | readonly string[] | undefined;
  /** Same as `paths`. */
  readonly path?: string | readonly string[] | undefined;
};
/** What `capabilitiesAccessor` answers. */
export type CapabilitiesAccessorReply = CapabilitiesSelfReply;
/** What `resultantAcl` takes. */
export type ResultantAclInput = SealStatusInput;
/** What `resultantAcl` answers. */
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
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `listAuditEvents` takes. */
export type ListAuditEventsInput = {
  /** Only events before this one, the last of the page before. */
  readonly after?: string | undefined;
  /**
   * Maximum number of events, 1000 at most.
   * @default 100
   */
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
  /**
   * Only events since this time, Unix seconds.
   * @default 0
   */
  readonly since?: number | undefined;
};
/** What `listAuditEvents` answers. */
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
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `listAuditDevices` takes. */
export type ListAuditDevicesInput = SealStatusInput;
/** What `listAuditDevices` answers. */
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
/** What `auditHash` takes. */
export type AuditHashInput = {
  /** Whose names are hashed: `events`. */
  readonly path?: string | undefined;
  /** The name. */
  readonly input: string;
};
/** What `auditHash` answers. */
export type AuditHashReply = {
  /** `hmac-sha256:` and 64 hexadecimal digits. */
  readonly hash: string;
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `countStrangers` takes. */
export type CountStrangersInput = SealStatusInput;
/** What `countStrangers` answers. */
export type CountStrangersReply = {
  /** Hours with such calls, in their order. */
  readonly hours: readonly {
    /** Begin of the hour, Unix seconds. */
    readonly begin: number;
    /** Calls without a valid token. */
    readonly calls: number;
  }[];
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `writeAuditSink` takes. */
export type WriteAuditSinkInput = {
  /** An https URL. */
  readonly url: string;
  /** Signs what is sent, 16 to 512 characters; drawn unless sent. */
  readonly secret?: string | undefined;
  /** Certificates, one of which the server's chain leads to; the platform decides unless sent. */
  readonly ca_pem?: string | undefined;
};
/** What `writeAuditSink` answers. */
export type WriteAuditSinkReply = {
  /** The URL. */
  readonly url: string;
  /** The secret, where it was drawn; it is not shown again. */
  readonly secret?: string;
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `readAuditSink` takes. */
export type ReadAuditSinkInput = SealStatusInput;
/** What `readAuditSink` answers. */
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
  /** Why it failed last; absent while it does not. */
  readonly failure?: string;
  /** What the authority has to say about what it did. */
  readonly warnings?: readonly string[];
};
/** What `deleteAuditSink` takes. */
export type DeleteAuditSinkInput = SealStatusInput;
/** What `deleteAuditSink` answers. */
export type DeleteAuditSinkReply = InitReply;
/** What `enableAuditDevice` takes. */
export type EnableAuditDeviceInput = {
  /** Name of the device. */
  readonly path: string;
};
/** What `enableAuditDevice` answers. */
export type EnableAuditDeviceReply = InitReply;
/** What `disableAuditDevice` takes. */
export type DisableAuditDeviceInput = EnableAuditDeviceInput;
/** What `disableAuditDevice` answers. */
export type DisableAuditDeviceReply = InitReply;

/** Typed client: Every endpoint below `/v1/sys`. */
export interface SysClient {
  /**
   * Reports that the server is up, and which mounts do not work.
   *
   * `GET /v1/sys/health`. Needs no token.
   */
  health(input?: HealthInput, options?: CallOptions): Promise<HealthReply>;
  /**
   * Reports whether the server can open its secrets, and its version.
   *
   * `GET /v1/sys/seal-status`. Needs no token.
   */
  sealStatus(input?: SealStatusInput, options?: CallOptions): Promise<SealStatusReply>;
  /**
   * Reports that the server is initialized, which it is from its first start.
   *
   * `GET /v1/sys/init`. Needs no token.
   */
  initStatus(input?: InitStatusInput, options?: CallOptions): Promise<InitStatusReply>;
  /**
   * Refused: the server is initialized from its first start.
   *
   * `POST /v1/sys/init`. Needs no token.
   *
   * Refuses with `malformed`.
   */
  init(input?: InitInput, options?: CallOptions): Promise<InitReply>;
  /**
   * Refused: the server unseals itself with its sealing key. To put its keys out of use, stop
   * the server and take the sealing key away.
   *
   * `POST /v1/sys/seal`. Needs the capability `sudo`.
   *
   * Refuses with `malformed`.
   */
  seal(input?: SealInput, options?: CallOptions): Promise<SealReply>;
  /**
   * Returns the seal status: the server unseals itself with its sealing key, and takes no part
   * of one.
   *
   * `POST /v1/sys/unseal`. Needs no token.
   */
  unseal(input?: UnsealInput, options?: CallOptions): Promise<UnsealReply>;
  /**
   * Reports that there is a single node.
   *
   * `GET /v1/sys/leader`. Needs no token.
   */
  leader(input?: LeaderInput, options?: CallOptions): Promise<LeaderReply>;
  /**
   * Lists the mounts by path.
   *
   * `GET /v1/sys/mounts`.
   *
   * Refuses with `damaged`.
   */
  listMounts(input?: ListMountsInput, options?: CallOptions): Promise<ListMountsReply>;
  /**
   * Returns the settings of a login method, with the lifetimes in force.
   *
   * `GET /v1/sys/mounts/auth/:path+/tune`.
   *
   * Refuses with `no_mount`.
   */
  readMountedTune(
    input: ReadMountedTuneInput,
    options?: CallOptions,
  ): Promise<ReadMountedTuneReply>;
  /**
   * Returns a login method.
   *
   * `GET /v1/sys/mounts/auth/:path+`.
   *
   * Refuses with `no_mount`.
   */
  readMountedMethod(
    input: ReadMountedMethodInput,
    options?: CallOptions,
  ): Promise<ReadMountedMethodReply>;
  /**
   * Changes the settings of a login method; fields that are not sent keep their value.
   *
   * `POST /v1/sys/mounts/auth/:path+/tune`.
   *
   * Refuses with `no_mount`, `malformed`, `invalid_field`.
   */
  writeMountedTune(
    input: WriteMountedTuneInput,
    options?: CallOptions,
  ): Promise<WriteMountedTuneReply>;
  /**
   * Returns the settings of a mount, with the lifetimes in force.
   *
   * `GET /v1/sys/mounts/:path+/tune`.
   *
   * Refuses with `no_mount`.
   */
  readTune(input: ReadTuneInput, options?: CallOptions): Promise<ReadTuneReply>;
  /**
   * Changes the settings of a mount; fields that are not sent keep their value.
   *
   * `POST /v1/sys/mounts/:path+/tune`.
   *
   * Refuses with `no_mount`, `malformed`, `invalid_field`.
   */
  writeTune(input: WriteTuneInput, options?: CallOptions): Promise<WriteTuneReply>;
  /**
   * Returns a mount.
   *
   * `GET /v1/sys/mounts/:path+`.
   *
   * Refuses with `no_mount`.
   */
  readMount(input: ReadMountInput, options?: CallOptions): Promise<ReadMountReply>;
  /**
   * Creates a mount.
   *
   * `POST /v1/sys/mounts/:path+`.
   *
   * Refuses with `malformed`, `already_exists`.
   */
  createMount(input: CreateMountInput, options?: CallOptions): Promise<CreateMountReply>;
  /**
   * Deletes a mount and everything in it.
   *
   * `DELETE /v1/sys/mounts/:path+`.
   *
   * Refuses with `malformed`.
   */
  deleteMount(input: DeleteMountInput, options?: CallOptions): Promise<DeleteMountReply>;
  /**
   * Returns when a lease was given and when it ends.
   *
   * `POST /v1/sys/leases/lookup`.
   *
   * Refuses with `malformed`.
   */
  lookupLease(input?: LookupLeaseInput, options?: CallOptions): Promise<LookupLeaseReply>;
  /**
   * The same of the lease that the path names.
   *
   * `POST /v1/sys/leases/lookup/:prefix+`. Needs the capability `sudo`.
   *
   * Refuses with `malformed`.
   */
  lookupLeaseAt(input: LookupLeaseAtInput, options?: CallOptions): Promise<LookupLeaseAtReply>;
  /**
   * Lists the ids of leases, one part of them at a time: parts that have more below them end in
   * a slash.
   *
   * `LIST /v1/sys/leases/lookup(/:prefix+)`. Needs the capability `sudo`.
   *
   * Refuses with `not_found`.
   */
  listLeases(input?: ListLeasesInput, options?: CallOptions): Promise<ListLeasesReply>;
  /**
   * Counts the leases. No lease is ever irrevocable.
   *
   * `GET /v1/sys/leases/count`.
   */
  countLeases(input?: CountLeasesInput, options?: CallOptions): Promise<CountLeasesReply>;
  /**
   * Refuses: leases of certificates are not renewable.
   *
   * `POST /v1/sys/leases/renew(/:url_lease_id+)`, `POST /v1/sys/renew(/:url_lease_id+)`.
   *
   * Refuses with `malformed`.
   */
  renewLease(input?: RenewLeaseInput, options?: CallOptions): Promise<RenewLeaseReply>;
  /**
   * Ends a lease and revokes its certificate. An id that names no lease is no error.
   *
   * `POST /v1/sys/leases/revoke(/:url_lease_id+)`, `POST /v1/sys/revoke(/:url_lease_id+)`.
   *
   * Refuses with `malformed`, `damaged`.
   */
  revokeLease(input?: RevokeLeaseInput, options?: CallOptions): Promise<RevokeLeaseReply>;
  /**
   * Ends the leases whose ids begin with a path, and revokes their certificates.
   *
   * `POST /v1/sys/leases/revoke-prefix/:prefix+`, `POST /v1/sys/revoke-prefix/:prefix+`. Needs
   * the capability `sudo`.
   */
  revokeLeases(input: RevokeLeasesInput, options?: CallOptions): Promise<RevokeLeasesReply>;
  /**
   * The same; it removes those leases too whose certificate cannot be revoked because it was
   * altered in the storage.
   *
   * `POST /v1/sys/leases/revoke-force/:prefix+`, `POST /v1/sys/revoke-force/:prefix+`. Needs
   * the capability `sudo`.
   */
  forceRevokeLeases(
    input: ForceRevokeLeasesInput,
    options?: CallOptions,
  ): Promise<ForceRevokeLeasesReply>;
  /**
   * Ends the leases whose time has come. This happens by itself too.
   *
   * `POST /v1/sys/leases/tidy`.
   */
  tidyLeases(input?: TidyLeasesInput, options?: CallOptions): Promise<TidyLeasesReply>;
  /**
   * Lists the login methods by path.
   *
   * `GET /v1/sys/auth`.
   */
  listMethods(input?: ListMethodsInput, options?: CallOptions): Promise<ListMethodsReply>;
  /**
   * Returns the settings of a login method, with the lifetimes in force.
   *
   * `GET /v1/sys/auth/:path+/tune`. Needs the capability `sudo`.
   *
   * Refuses with `no_mount`.
   */
  readMethodTune(input: ReadMethodTuneInput, options?: CallOptions): Promise<ReadMethodTuneReply>;
  /**
   * Changes the settings of a login method; fields that are not sent keep their value.
   *
   * `POST /v1/sys/auth/:path+/tune`. Needs the capability `sudo`.
   *
   * Refuses with `no_mount`, `malformed`, `invalid_field`.
   */
  writeMethodTune(
    input: WriteMethodTuneInput,
    options?: CallOptions,
  ): Promise<WriteMethodTuneReply>;
  /**
   * Returns a login method.
   *
   * `GET /v1/sys/auth/:path+`. Needs the capability `sudo`.
   *
   * Refuses with `no_mount`.
   */
  readMethod(input: ReadMethodInput, options?: CallOptions): Promise<ReadMethodReply>;
  /**
   * Enables a login method.
   *
   * `POST /v1/sys/auth/:path+`. Needs the capability `sudo`.
   *
   * Refuses with `malformed`, `already_exists`.
   */
  enableMethod(input: EnableMethodInput, options?: CallOptions): Promise<EnableMethodReply>;
  /**
   * Disables a login method: removes what it stores, and revokes the tokens that it made.
   *
   * `DELETE /v1/sys/auth/:path+`. Needs the capability `sudo`.
   *
   * Refuses with `malformed`.
   */
  disableMethod(input: DisableMethodInput, options?: CallOptions): Promise<DisableMethodReply>;
  /**
   * Unlocks a user of a login method that too many failed logins have locked.
   *
   * `POST /v1/sys/locked-users/:mount_accessor/unlock/:alias_identifier`.
   *
   * Refuses with `no_mount`.
   */
  unlockUser(input: UnlockUserInput, options?: CallOptions): Promise<UnlockUserReply>;
  /**
   * Lists the names of the rate limits.
   *
   * `LIST /v1/sys/quotas/rate-limit`.
   *
   * Refuses with `not_found`.
   */
  listQuotas(input?: ListQuotasInput, options?: CallOptions): Promise<ListQuotasReply>;
  /**
   * Returns a rate limit.
   *
   * `GET /v1/sys/quotas/rate-limit/:name`.
   *
   * Refuses with `not_found`.
   */
  readQuota(input: ReadQuotaInput, options?: CallOptions): Promise<ReadQuotaReply>;
  /**
   * Creates or replaces a rate limit. The most specific limit for a path counts, for each
   * client address by itself and in each isolate by itself.
   *
   * `POST /v1/sys/quotas/rate-limit/:name`.
   *
   * Refuses with `malformed`.
   */
  writeQuota(input: WriteQuotaInput, options?: CallOptions): Promise<WriteQuotaReply>;
  /**
   * Deletes a rate limit.
   *
   * `DELETE /v1/sys/quotas/rate-limit/:name`.
   */
  deleteQuota(input: DeleteQuotaInput, options?: CallOptions): Promise<DeleteQuotaReply>;
  /**
   * Returns what holds for all rate limits.
   *
   * `GET /v1/sys/quotas/config`.
   */
  readQuotaConfig(
    input?: ReadQuotaConfigInput,
    options?: CallOptions,
  ): Promise<ReadQuotaConfigReply>;
  /**
   * Changes what holds for all rate limits; fields that are not sent keep their value.
   *
   * `POST /v1/sys/quotas/config`.
   */
  writeQuotaConfig(
    input?: WriteQuotaConfigInput,
    options?: CallOptions,
  ): Promise<WriteQuotaConfigReply>;
  /**
   * Returns which pages of other origins may call, besides those that the deployment's settings
   * name.
   *
   * `GET /v1/sys/config/cors`. Needs the capability `sudo`.
   */
  readCors(input?: ReadCorsInput, options?: CallOptions): Promise<ReadCorsReply>;
  /**
   * Sets which pages of other origins may call, the variables API too, within a second
   * everywhere. Credentials of a browser are never allowed: a page needs a token.
   *
   * `POST /v1/sys/config/cors`. Needs the capability `sudo`.
   *
   * Refuses with `malformed`.
   */
  writeCors(input?: WriteCorsInput, options?: CallOptions): Promise<WriteCorsReply>;
  /**
   * Allows no origins but those that the deployment's settings name.
   *
   * `DELETE /v1/sys/config/cors`. Needs the capability `sudo`.
   */
  deleteCors(input?: DeleteCorsInput, options?: CallOptions): Promise<DeleteCorsReply>;
  /**
   * Moves a mount, or a login method, to another path; what it holds stays as it is. Leases and
   * rate limits go with it, policies do not.
   *
   * `POST /v1/sys/remount`. Needs the capability `sudo`.
   *
   * Refuses with `malformed`, `already_exists`, `no_mount`.
   */
  remount(input?: RemountInput, options?: CallOptions): Promise<RemountReply>;
  /**
   * Tells what became of a move, for a day.
   *
   * `GET /v1/sys/remount/status/:migration_id`.
   *
   * Refuses with `not_found`.
   */
  readRemount(input: ReadRemountInput, options?: CallOptions): Promise<ReadRemountReply>;
  /**
   * Lists the managed keys of a type.
   *
   * `LIST /v1/sys/managed-keys/:type`.
   *
   * Refuses with `not_found`.
   */
  listManagedKeys(
    input: ListManagedKeysInput,
    options?: CallOptions,
  ): Promise<ListManagedKeysReply>;
  /**
   * Lets a managed key sign a random text, and verifies the signature.
   *
   * `POST /v1/sys/managed-keys/:type/:name/test/sign`.
   *
   * Refuses with `malformed`, `not_found`, `signer_failed`.
   */
  testManagedKey(input: TestManagedKeyInput, options?: CallOptions): Promise<TestManagedKeyReply>;
  /**
   * Returns what is set of a managed key; its secrets read `redacted`.
   *
   * `GET /v1/sys/managed-keys/:type/:name`.
   *
   * Refuses with `not_found`.
   */
  readManagedKey(input: ReadManagedKeyInput, options?: CallOptions): Promise<ReadManagedKeyReply>;
  /**
   * Registers a key that is kept elsewhere and signs there, or changes what is set of it:
   * fields that are not sent keep their value. Nobody is asked before the key is used.
   *
   * `POST /v1/sys/managed-keys/:type/:name`.
   *
   * Refuses with `malformed`, `already_exists`.
   */
  writeManagedKey(
    input: WriteManagedKeyInput,
    options?: CallOptions,
  ): Promise<WriteManagedKeyReply>;
  /**
   * Removes a managed key that no mount lists and no key of a mount stands for. The key itself
   * stays where it is kept.
   *
   * `DELETE /v1/sys/managed-keys/:type/:name`.
   *
   * Refuses with `in_use`.
   */
  deleteManagedKey(
    input: DeleteManagedKeyInput,
    options?: CallOptions,
  ): Promise<DeleteManagedKeyReply>;
  /**
   * Returns what mounts and login methods can be made of.
   *
   * `GET /v1/sys/plugins/catalog`.
   */
  readCatalog(input?: ReadCatalogInput, options?: CallOptions): Promise<ReadCatalogReply>;
  /**
   * Lists the types of mounts (`secret`) or of login methods (`auth`).
   *
   * `LIST /v1/sys/plugins/catalog/:type`. Needs the capability `sudo`.
   *
   * Refuses with `malformed`, `not_found`.
   */
  listCatalog(input: ListCatalogInput, options?: CallOptions): Promise<ListCatalogReply>;
  /**
   * Returns one type of mounts or login methods.
   *
   * `GET /v1/sys/plugins/catalog/:type/:name`. Needs the capability `sudo`.
   *
   * Refuses with `malformed`, `not_found`.
   */
  readPlugin(input: ReadPluginInput, options?: CallOptions): Promise<ReadPluginReply>;
  /**
   * Lists the version that runs; which ones ran before is not recorded.
   *
   * `LIST /v1/sys/version-history`.
   */
  versionHistory(input?: VersionHistoryInput, options?: CallOptions): Promise<VersionHistoryReply>;
  /**
   * Returns the metrics of the server as a JSON document, or in the text format of Prometheus.
   *
   * `GET /v1/sys/metrics`.
   *
   * Refuses with `malformed`.
   */
  readMetrics(input?: ReadMetricsInput, options?: CallOptions): Promise<ReadMetricsReply>;
  /**
   * Seals every stored secret again under the current sealing key, so that the previous one can
   * be removed.
   *
   * `POST /v1/sys/rotate`. Needs the capability `sudo`.
   */
  rotateSeal(input?: RotateSealInput, options?: CallOptions): Promise<RotateSealReply>;
  /**
   * Starts an API over with an empty store when its data is missing. Not part of the documented
   * API.
   *
   * `POST /v1/sys/begin-anew`. Needs the capability `sudo`.
   *
   * Refuses with `not_found`, `conflict`.
   */
  beginAnew(input: BeginAnewInput, options?: CallOptions): Promise<BeginAnewReply>;
  /**
   * Returns a backup of a mount as it is at this moment: parts of at most 32 MiB one behind the
   * other, lines of JSON, each part ended by an authentication code. Secrets stay sealed under
   * the sealing key of the deployment.
   *
   * `GET /v1/sys/storage/snapshot/:path+`. Needs the capability `sudo`.
   *
   * Refuses with `no_mount`, `storage`.
   */
  backUp(input: BackUpInput, options?: CallOptions): Promise<BackUpReply>;
  /**
   * Restores one part of a backup into the mount that the backup makes, which opens after the
   * last part. The sealing key must be that of the backup, and the mount of the backup must not
   * exist.
   *
   * `POST /v1/sys/storage/snapshot/:path+`. Needs the capability `sudo`.
   *
   * Refuses with `malformed`, `already_exists`, `conflict`.
   */
  restore(input: RestoreInput, options?: CallOptions): Promise<RestoreReply>;
  /**
   * Checks one part of a backup of a mount or a store as a restore would, and stores nothing.
   *
   * `POST /v1/sys/storage/snapshot-check`. Needs the capability `sudo`.
   *
   * Refuses with `malformed`, `already_exists`.
   */
  checkBackup(input: CheckBackupInput, options?: CallOptions): Promise<CheckBackupReply>;
  /**
   * Returns a backup of a store beside the mounts, in the form of the backup of a mount: `sys`
   * holds tokens, policies, login methods, entities, limits and the table of mounts, `vars` the
   * variables. Secrets stay sealed under the sealing key of the deployment.
   *
   * `GET /v1/sys/storage/stores/:store`. Needs the capability `sudo`.
   *
   * Refuses with `not_found`, `storage`.
   */
  backUpStore(input: BackUpStoreInput, options?: CallOptions): Promise<BackUpStoreReply>;
  /**
   * Restores one part of a backup of a store beside the mounts. Nothing changes before the last
   * part, and the installation must not have been used. The mounts of `sys` refuse all calls
   * until their own backups are restored.
   *
   * `POST /v1/sys/storage/stores/:store`. Needs the capability `sudo`.
   *
   * Refuses with `malformed`, `not_found`, `already_exists`, `conflict`.
   */
  restoreStore(input: RestoreStoreInput, options?: CallOptions): Promise<RestoreStoreReply>;
  /**
   * Returns the OpenAPI 3.1 document of this server. Without a token that may read it, mounts
   * and login methods are described at their usual paths.
   *
   * `GET /v1/sys/internal/specs/openapi`, `POST /v1/sys/internal/specs/openapi`. Needs no
   * token.
   */
  openapiSpec(input?: OpenapiSpecInput, options?: CallOptions): Promise<OpenapiSpecReply>;
  /**
   * Lists the mounts and login methods on which the caller's token may do anything, and those
   * whose `listing_visibility` is `unauth`; without a valid token only the latter, with type,
   * description and options.
   *
   * `GET /v1/sys/internal/ui/mounts`. Needs no token.
   */
  listVisibleMounts(
    input?: ListVisibleMountsInput,
    options?: CallOptions,
  ): Promise<ListVisibleMountsReply>;
  /**
   * Returns the mount or login method that a path leads to, where the caller's token may do
   * anything on it.
   *
   * `GET /v1/sys/internal/ui/mounts/:below+`. Needs no token.
   *
   * Refuses with `forbidden`.
   */
  readVisibleMount(
    input: ReadVisibleMountInput,
    options?: CallOptions,
  ): Promise<ReadVisibleMountReply>;
  /**
   * Wraps the body and returns a wrapping token for it. The header `X-Service-Wrap-TTL` (or
   * `X-Vault-Wrap-TTL`) sets the lifetime of the token.
   *
   * `POST /v1/sys/wrapping/wrap`.
   *
   * Refuses with `malformed`.
   */
  wrapData(input?: WrapDataInput, options?: CallOptions): Promise<WrapDataReply>;
  /**
   * Returns the wrapped reply. A token can be unwrapped once.
   *
   * `POST /v1/sys/wrapping/unwrap`. Needs no token.
   *
   * Refuses with `malformed`.
   */
  unwrap(input?: UnwrapInput, options?: CallOptions): Promise<UnwrapReply>;
  /**
   * Returns the origin of a wrapping token without unwrapping it.
   *
   * `POST /v1/sys/wrapping/lookup`, `GET /v1/sys/wrapping/lookup`. Needs no token.
   *
   * Refuses with `malformed`.
   */
  lookupWrapping(input?: LookupWrappingInput, options?: CallOptions): Promise<LookupWrappingReply>;
  /**
   * Replaces a wrapping token by a new one with the same lifetime. The old token becomes
   * invalid.
   *
   * `POST /v1/sys/wrapping/rewrap`.
   *
   * Refuses with `malformed`.
   */
  rewrapReply(input: RewrapReplyInput, options?: CallOptions): Promise<RewrapReplyReply>;
  /**
   * Hashes data. An algorithm in the path overrides that of the body.
   *
   * `POST /v1/sys/tools/hash(/:urlalgorithm)`.
   *
   * Refuses with `malformed`.
   */
  hashData(input: HashDataInput, options?: CallOptions): Promise<HashDataReply>;
  /**
   * Returns random bytes. A source and a number of bytes in the path override those of the
   * body; the number may stand in the path alone.
   *
   * `POST /v1/sys/tools/random`, `POST /v1/sys/tools/random/:urlsource`, `POST
   * /v1/sys/tools/random/:urlsource/:urlbytes`.
   *
   * Refuses with `malformed`.
   */
  randomBytes(input?: RandomBytesInput, options?: CallOptions): Promise<RandomBytesReply>;
  /**
   * Lists the names of the access policies.
   *
   * `LIST /v1/sys/policies/acl`.
   */
  listPolicies(input?: ListPoliciesInput, options?: CallOptions): Promise<ListPoliciesReply>;
  /**
   * Returns an access policy. The policy `root` has no text.
   *
   * `GET /v1/sys/policies/acl/:name+`.
   */
  readPolicy(input: ReadPolicyInput, options?: CallOptions): Promise<ReadPolicyReply>;
  /**
   * Creates or replaces an access policy. It counts at once here and within a second elsewhere.
   * Upper case in names is lowered, and their letters are stored in NFC.
   *
   * `POST /v1/sys/policies/acl/:name+`.
   *
   * Refuses with `malformed`.
   */
  writePolicy(input: WritePolicyInput, options?: CallOptions): Promise<WritePolicyReply>;
  /**
   * Deletes an access policy. Tokens keep its name, which then grants nothing.
   *
   * `DELETE /v1/sys/policies/acl/:name+`.
   *
   * Refuses with `malformed`.
   */
  deletePolicy(input: DeletePolicyInput, options?: CallOptions): Promise<DeletePolicyReply>;
  /**
   * Lists the names of the access policies, for old clients.
   *
   * `LIST /v1/sys/policy`, `GET /v1/sys/policy`.
   */
  listRules(input?: ListRulesInput, options?: CallOptions): Promise<ListRulesReply>;
  /**
   * Returns an access policy, for old clients.
   *
   * `GET /v1/sys/policy/:name+`.
   */
  readRules(input: ReadRulesInput, options?: CallOptions): Promise<ReadRulesReply>;
  /**
   * Creates or replaces an access policy, for old clients.
   *
   * `POST /v1/sys/policy/:name+`.
   *
   * Refuses with `malformed`.
   */
  writeRules(input: WriteRulesInput, options?: CallOptions): Promise<WriteRulesReply>;
  /**
   * Deletes an access policy, for old clients.
   *
   * `DELETE /v1/sys/policy/:name+`.
   *
   * Refuses with `malformed`.
   */
  deleteRules(input: DeleteRulesInput, options?: CallOptions): Promise<DeleteRulesReply>;
  /**
   * Tells whether a token, or policies by name, or the text of a policy, grant a request, and
   * which rule decides. The caller must be allowed to read each policy. Not part of the
   * documented API.
   *
   * `POST /v1/sys/policies/test`.
   *
   * Refuses with `malformed`, `forbidden`.
   */
  testPolicies(input: TestPoliciesInput, options?: CallOptions): Promise<TestPoliciesReply>;
  /**
   * Returns what the caller's token may do on paths.
   *
   * `POST /v1/sys/capabilities-self`.
   *
   * Refuses with `malformed`.
   */
  capabilitiesSelf(
    input?: CapabilitiesSelfInput,
    options?: CallOptions,
  ): Promise<CapabilitiesSelfReply>;
  /**
   * Returns what a token may do on paths.
   *
   * `POST /v1/sys/capabilities`.
   *
   * Refuses with `malformed`.
   */
  capabilities(input?: CapabilitiesInput, options?: CallOptions): Promise<CapabilitiesReply>;
  /**
   * Returns what the token of an accessor may do on paths.
   *
   * `POST /v1/sys/capabilities-accessor`.
   *
   * Refuses with `malformed`.
   */
  capabilitiesAccessor(
    input?: CapabilitiesAccessorInput,
    options?: CallOptions,
  ): Promise<CapabilitiesAccessorReply>;
  /**
   * Returns what the policies of the caller's token grant together, by path.
   *
   * `GET /v1/sys/internal/ui/resultant-acl`.
   */
  resultantAcl(input?: ResultantAclInput, options?: CallOptions): Promise<ResultantAclReply>;
  /**
   * Lists requests that changed something, and those that a valid token was refused, of all
   * mounts, newest first. Each log of each store keeps its last 10,000.
   *
   * `LIST /v1/sys/audit/events`. Needs the capability `sudo`.
   *
   * Refuses with `malformed`, `not_found`.
   */
  listAuditEvents(
    input?: ListAuditEventsInput,
    options?: CallOptions,
  ): Promise<ListAuditEventsReply>;
  /**
   * Returns where events go: `events/`, the store of what they changed, and `sink/`, a URL,
   * where one is set.
   *
   * `GET /v1/sys/audit`. Needs the capability `sudo`.
   */
  listAuditDevices(
    input?: ListAuditDevicesInput,
    options?: CallOptions,
  ): Promise<ListAuditDevicesReply>;
  /**
   * Hashes a name as events tell it, to be found among them.
   *
   * `POST /v1/sys/audit-hash(/:path)`.
   *
   * Refuses with `malformed`.
   */
  auditHash(input: AuditHashInput, options?: CallOptions): Promise<AuditHashReply>;
  /**
   * Returns how many calls brought no valid token, by hours of the last two days: about, since
   * they are written once a minute.
   *
   * `GET /v1/sys/audit/strangers`. Needs the capability `sudo`.
   */
  countStrangers(input?: CountStrangersInput, options?: CallOptions): Promise<CountStrangersReply>;
  /**
   * Sets the URL that events are sent to: in their order, at least once, signed, and tried
   * again while it does not take them. Redirects are not followed.
   *
   * `POST /v1/sys/audit/sink`. Needs the capability `sudo`.
   *
   * Refuses with `malformed`.
   */
  writeAuditSink(input: WriteAuditSinkInput, options?: CallOptions): Promise<WriteAuditSinkReply>;
  /**
   * Returns the URL that events are sent to, and how far they are.
   *
   * `GET /v1/sys/audit/sink`. Needs the capability `sudo`.
   *
   * Refuses with `not_found`.
   */
  readAuditSink(input?: ReadAuditSinkInput, options?: CallOptions): Promise<ReadAuditSinkReply>;
  /**
   * Sends events nowhere any more. One that is set later gets all that are kept.
   *
   * `DELETE /v1/sys/audit/sink`. Needs the capability `sudo`.
   */
  deleteAuditSink(
    input?: DeleteAuditSinkInput,
    options?: CallOptions,
  ): Promise<DeleteAuditSinkReply>;
  /**
   * Refused: events are stored unless `AUDIT=false`, and sent to the URL of `sys/audit/sink`
   * where one is set.
   *
   * `POST /v1/sys/audit/:path`. Needs the capability `sudo`.
   *
   * Refuses with `malformed`.
   */
  enableAuditDevice(
    input: EnableAuditDeviceInput,
    options?: CallOptions,
  ): Promise<EnableAuditDeviceReply>;
  /**
   * Refused: `DELETE sys/audit/sink` removes the URL that events are sent to.
   *
   * `DELETE /v1/sys/audit/:path`. Needs the capability `sudo`.
   *
   * Refuses with `malformed`.
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
  listAuditEvents: "LIST /audit/events",
  listAuditDevices: "open GET /audit",
  auditHash: "POST /audit-hash(/:path)",
  countStrangers: "GET /audit/strangers",
  writeAuditSink: "POST /audit/sink",
  readAuditSink: "GET /audit/sink",
  deleteAuditSink: "DELETE /audit/sink",
  enableAuditDevice: "POST /audit/:path",
  disableAuditDevice: "DELETE /audit/:path",
};
