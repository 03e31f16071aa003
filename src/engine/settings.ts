import type { ExternalPolicyConfig } from "./external-records.ts";
import { keys, type IssuerId, type KeyId, type UrlSet } from "./records.ts";
import { type Setting, setting } from "./snapshot.ts";

/** `config/urls` (B 4.1). */
export interface UrlsConfig extends UrlSet {
  readonly enable_templating: boolean;
}
/** `config/issuers` (A 3.13). */
interface IssuersConfig {
  readonly default: IssuerId | "";
  readonly default_follows_latest_issuer: boolean;
}
/** `config/keys`. */
interface KeysConfig {
  readonly default: KeyId | "";
}
/** `config/cluster` (B 4.2). */
export interface ClusterConfig {
  readonly path: string;
  readonly aia_path: string;
}
/** `config/crl` (B 1.9); durations as configured. */
export interface CrlConfig {
  readonly expiry: string;
  readonly disable: boolean;
  readonly ocsp_disable: boolean;
  readonly ocsp_expiry: string;
  readonly auto_rebuild: boolean;
  readonly auto_rebuild_grace_period: string;
  readonly enable_delta: boolean;
  readonly delta_rebuild_interval: string;
  readonly allow_expired_cert_revocation: boolean;
  readonly cross_cluster_revocation: boolean;
  readonly unified_crl: boolean;
  readonly unified_crl_on_existing_paths: boolean;
  readonly max_crl_entries: number;
  /** Number of shards for new certificates; 0: they are on the complete CRL only. */
  readonly shards: number;
}
/**
 * The options of a tidy run: `config/auto-tidy`, or those of a call (B 3.1); buffers in seconds.
 */
export interface TidySettings {
  readonly tidy_cert_store: boolean;
  readonly tidy_revoked_certs: boolean;
  readonly tidy_revoked_cert_issuer_associations: boolean;
  readonly tidy_expired_issuers: boolean;
  readonly tidy_move_legacy_ca_bundle: boolean;
  readonly tidy_revocation_queue: boolean;
  readonly tidy_cross_cluster_revoked_certs: boolean;
  readonly tidy_acme: boolean;
  readonly tidy_cert_metadata: boolean;
  readonly tidy_cmpv2_nonce_store: boolean;
  readonly tidy_invalid_certs: boolean;
  readonly safety_buffer: number;
  /** null: same as `safety_buffer`. */
  readonly revoked_safety_buffer: number | null;
  readonly issuer_safety_buffer: number;
  readonly acme_account_safety_buffer: number;
  readonly revocation_queue_safety_buffer: number;
  /** In the duration format of Go. */
  readonly pause_duration: string;
  readonly page_size: number;
}
/** `config/auto-tidy` (B 3.2); durations in seconds. */
export interface AutoTidyConfig extends TidySettings {
  readonly enabled: boolean;
  readonly interval_duration: number;
  readonly min_startup_backoff_duration: number;
  readonly max_startup_backoff_duration: number;
  readonly maintain_stored_certificate_counts: boolean;
  readonly publish_stored_certificate_count_metrics: boolean;
}
/** `config/acme` (B 5.3); `max_ttl` in seconds. */
export interface AcmeConfig {
  readonly enabled: boolean;
  readonly allowed_issuers: readonly string[];
  readonly allowed_roles: readonly string[];
  readonly allow_role_ext_key_usage: boolean;
  /** `forbid`, `sign-verbatim` or `role:<name>`. */
  readonly default_directory_policy: string;
  /** `<address>:<port>`; "" for the host's resolver. */
  readonly dns_resolver: string;
  readonly eab_policy: string;
  readonly max_ttl: number;
  readonly challenge_permitted_ip_ranges: readonly string[];
  readonly challenge_excluded_ip_ranges: readonly string[];
  /** Seconds after which a challenge that could not be validated fails. */
  readonly challenge_timeout: number;
}
/** The login methods that EST clients use: the accessor of each. */
export interface EstAuthenticators {
  /** `cert_role`: role of the method; default the first matching one. */
  readonly cert?: { readonly accessor: string; readonly cert_role?: string };
  readonly userpass?: { readonly accessor: string };
  readonly approle?: { readonly accessor: string };
}
/** `config/est` (B 6.1). */
export interface EstConfig {
  readonly enabled: boolean;
  readonly default_mount: boolean;
  /** `sign-verbatim` or `role:<name>`; "": paths without label and role do not exist. */
  readonly default_path_policy: string;
  readonly label_to_path_policy: Readonly<Record<string, string>>;
  readonly authenticators: EstAuthenticators;
  readonly enable_sentinel_parsing: boolean;
  readonly audit_fields: readonly string[];
  /** Object identifiers and attributes that clients should include in CSRs. */
  readonly csr_attributes: readonly string[];
  /** Unix milliseconds; 0 if it was never written. */
  readonly last_updated: number;
}
/** The defaults of a tidy run (B 3.1). */
export const tidyDefaults: TidySettings = {
  tidy_cert_store: false,
  tidy_revoked_certs: false,
  tidy_revoked_cert_issuer_associations: false,
  tidy_expired_issuers: false,
  tidy_move_legacy_ca_bundle: false,
  tidy_revocation_queue: false,
  tidy_cross_cluster_revoked_certs: false,
  tidy_acme: false,
  tidy_cert_metadata: false,
  tidy_cmpv2_nonce_store: false,
  tidy_invalid_certs: false,
  safety_buffer: 72 * 3600,
  revoked_safety_buffer: null,
  issuer_safety_buffer: 8760 * 3600,
  acme_account_safety_buffer: 720 * 3600,
  revocation_queue_safety_buffer: 48 * 3600,
  pause_duration: "0s",
  page_size: 1000,
};

/** URLs of new certificates. */
export const urlsConfig = setting<UrlsConfig>(keys.config("urls"), {
  issuing_certificates: [],
  crl_distribution_points: [],
  delta_crl_distribution_points: [],
  ocsp_servers: [],
  enable_templating: false,
});
/** The default issuer. */
export const issuersConfig = setting<IssuersConfig>(keys.config("issuers"), {
  default: "",
  default_follows_latest_issuer: false,
});
/** The default key. */
export const keysConfig = setting<KeysConfig>(keys.config("keys"), { default: "" });
/** The addresses of the mount. */
export const clusterConfig = setting<ClusterConfig>(keys.config("cluster"), {
  path: "",
  aia_path: "",
});
/** The settings of CRLs and OCSP. */
export const crlConfig = setting<CrlConfig>(keys.config("crl"), {
  expiry: "72h",
  disable: false,
  ocsp_disable: false,
  ocsp_expiry: "12h",
  auto_rebuild: false,
  auto_rebuild_grace_period: "12h",
  enable_delta: false,
  delta_rebuild_interval: "15m",
  allow_expired_cert_revocation: false,
  cross_cluster_revocation: false,
  unified_crl: false,
  unified_crl_on_existing_paths: false,
  max_crl_entries: -1,
  shards: 0,
});
/** The settings of ACME. */
export const acmeConfig = setting<AcmeConfig>(keys.config("acme"), {
  enabled: false,
  allowed_issuers: ["*"],
  allowed_roles: ["*"],
  allow_role_ext_key_usage: false,
  default_directory_policy: "sign-verbatim",
  dns_resolver: "",
  eab_policy: "not-required",
  max_ttl: 90 * 24 * 3600,
  challenge_permitted_ip_ranges: [],
  challenge_excluded_ip_ranges: [],
  challenge_timeout: 30,
});
/** The settings of EST. */
export const estConfig = setting<EstConfig>(keys.config("est"), {
  enabled: false,
  default_mount: false,
  default_path_policy: "",
  label_to_path_policy: {},
  authenticators: {},
  enable_sentinel_parsing: false,
  audit_fields: ["common_name", "alt_names", "ip_sans", "uri_sans"],
  csr_attributes: [],
  last_updated: 0,
});
/** The settings of automatic tidy runs. */
export const autoTidyConfig = setting<AutoTidyConfig>(keys.config("auto-tidy"), {
  ...tidyDefaults,
  enabled: false,
  interval_duration: 12 * 3600,
  min_startup_backoff_duration: 300,
  max_startup_backoff_duration: 900,
  maintain_stored_certificate_counts: false,
  publish_stored_certificate_count_metrics: false,
});
/** The settings of the external policy. */
export const externalPolicyConfig = setting<ExternalPolicyConfig>(keys.config("external-policy"), {
  enabled: false,
  external_service_url: "",
  service: "",
  timeout: 15,
  trusted_ca: "",
  trusted_leaf_certificate_bundle: "",
  client: null,
  entity_jmespath: "",
  group_jmespath: "",
  allow_private_network: null,
  updated: 0,
});

/** All settings of a mount. */
export const settings: readonly Setting<object>[] = [
  urlsConfig,
  issuersConfig,
  keysConfig,
  clusterConfig,
  crlConfig,
  acmeConfig,
  estConfig,
  autoTidyConfig,
  externalPolicyConfig,
];
