import type { IssuerId, KeyId, UrlSet } from "./records.ts";
import { withDefaults } from "./stored.ts";

/** `config/urls` (B 4.1). */
export interface UrlsConfig extends UrlSet {
  readonly enable_templating: boolean;
}
/** `config/issuers` (A 3.13). */
export interface IssuersConfig {
  readonly default: IssuerId | "";
  readonly default_follows_latest_issuer: boolean;
}
/** `config/keys`. */
export interface KeysConfig {
  readonly default: KeyId | "";
}
/** `config/cluster` (B 4.2). */
export interface ClusterConfig {
  readonly path: string;
  readonly aia_path: string;
}
/** `config/crl` (B 1.9); durations as the texts that were given. */
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
}

/** Each small configuration record, with its defaults laid under what is stored. */
export const settings = {
  urls: withDefaults<UrlsConfig>({
    issuing_certificates: [],
    crl_distribution_points: [],
    delta_crl_distribution_points: [],
    ocsp_servers: [],
    enable_templating: false,
  }),
  issuers: withDefaults<IssuersConfig>({ default: "", default_follows_latest_issuer: false }),
  keys: withDefaults<KeysConfig>({ default: "" }),
  cluster: withDefaults<ClusterConfig>({ path: "", aia_path: "" }),
  crl: withDefaults<CrlConfig>({
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
  }),
} as const;
