import { setting } from "../../engine/snapshot.ts";
import { keys } from "../rows/records.ts";

/**
 * The settings of a tidy run, from `config/auto-tidy` or from a request (B 3.1). Buffers are in
 * seconds.
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
  /** If null, the same as `safety_buffer`. */
  readonly revoked_safety_buffer: number | null;
  readonly issuer_safety_buffer: number;
  readonly acme_account_safety_buffer: number;
  readonly revocation_queue_safety_buffer: number;
  /** A duration in Go syntax, such as `1m30s`. */
  readonly pause_duration: string;
  readonly page_size: number;
}
/** The settings in `config/auto-tidy` (B 3.2). Durations are in seconds. */
export interface AutoTidyConfig extends TidySettings {
  readonly enabled: boolean;
  readonly interval_duration: number;
  readonly min_startup_backoff_duration: number;
  readonly max_startup_backoff_duration: number;
  readonly maintain_stored_certificate_counts: boolean;
  readonly publish_stored_certificate_count_metrics: boolean;
}
/** The default settings of a tidy run (B 3.1). */
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
