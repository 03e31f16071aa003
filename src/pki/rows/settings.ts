import { keys, type IssuerId, type KeyId, type UrlSet } from "./records.ts";
import { type Setting, setting } from "../../engine/snapshot.ts";

/** The settings in `config/urls` (B 4.1). */
export interface UrlsConfig extends UrlSet {
  readonly enable_templating: boolean;
}
/** The settings in `config/issuers` (A 3.13). */
interface IssuersConfig {
  readonly default: IssuerId | "";
  readonly default_follows_latest_issuer: boolean;
}
/** The settings in `config/keys`. */
interface KeysConfig {
  readonly default: KeyId | "";
}
/** The settings in `config/cluster` (B 4.2). */
export interface ClusterConfig {
  readonly path: string;
  readonly aia_path: string;
}
/** The settings in `config/crl` (B 1.9). Durations are strings, as in the request. */
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
  /**
   * Number of shards for new certificates. With 0, only the unsharded CRL lists their revocations.
   */
  readonly shards: number;
}

/** The URLs that new certificates contain, unless their issuer has its own. */
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
/** The external URLs of the mount. */
export const clusterConfig = setting<ClusterConfig>(keys.config("cluster"), {
  path: "",
  aia_path: "",
});
/** The settings for CRLs and OCSP. */
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

/** The settings of a PKI mount that this module defines. */
export const pkiSettings: readonly Setting<object>[] = [
  urlsConfig,
  issuersConfig,
  keysConfig,
  clusterConfig,
  crlConfig,
];
