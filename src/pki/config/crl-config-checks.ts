import { goDuration, parseDuration } from "../../base/duration.ts";
import { CaError } from "../../base/errors.ts";
import type { MountRow } from "../../engine/mount-records.ts";
import type { CrlConfig } from "../rows/settings.ts";
import { maxShards } from "../issuer/crl-retention.ts";

/**
 * Throws `malformed` if CRL settings are invalid, contradict each other, or are not allowed in a
 * local mount (B 1.9).
 */
export function checkCrlConfig(config: CrlConfig, { local }: MountRow): void {
  checkSpans(config);
  if (!config.auto_rebuild) checkAlwaysComplete(config);
  if (local && config.cross_cluster_revocation)
    refuse("Global, cross-cluster revocation queue cannot be enabled on local mounts.");
  if (local && config.unified_crl) refuse("unified_crl cannot be enabled on local mounts.");
  if (config.unified_crl_on_existing_paths && !config.unified_crl)
    refuse("unified_crl_on_existing_paths cannot be enabled if unified_crl is disabled");
  if (config.max_crl_entries < -1)
    refuse(`max_crl_entries must be -1 or more, got ${config.max_crl_entries}`);
  if (config.shards < 0 || config.shards > maxShards)
    refuse(`shards must be between 0 and ${maxShards}, got ${config.shards}`);
}

function checkSpans(config: CrlConfig): void {
  const expiry = spanOf("expiry", config.expiry);
  checkOcspExpiry(config.ocsp_expiry);
  const grace = spanOf("auto_rebuild_grace_period", config.auto_rebuild_grace_period);
  const interval = spanOf("delta_rebuild_interval", config.delta_rebuild_interval);
  if (expiry <= 0)
    refuse(
      `the given expiry is invalid: a CRL must be valid for at least a second, got: ${config.expiry}`,
    );
  if (config.auto_rebuild && grace >= expiry)
    refuse(
      `CRL auto-rebuilding grace period (${goDuration(grace)}) must be strictly shorter than CRL expiry (${goDuration(expiry)}) value when auto-rebuilding of CRLs is enabled`,
    );
  if (config.enable_delta && interval >= expiry)
    refuse(
      `CRL delta rebuild window (${goDuration(interval)}) must be strictly shorter than CRL expiry (${goDuration(expiry)}) value when delta CRLs are enabled`,
    );
}
function checkOcspExpiry(value: string): void {
  const size = spanOf("ocsp_expiry", value.replace(/^-/, ""));
  if (value.startsWith("-") && size > 0)
    refuse(`ocsp_expiry must be greater than or equal to 0 got: ${goDuration(-size)}`);
}

/** Rejects settings that have no effect if every revocation builds the complete CRL. */
function checkAlwaysComplete(config: CrlConfig): void {
  if (config.enable_delta)
    refuse(
      "Delta CRLs cannot be enabled when auto rebuilding is disabled as the complete CRL is always regenerated!",
    );
  if (config.cross_cluster_revocation)
    refuse(
      "Global, cross-cluster revocation queue cannot be enabled when auto rebuilding is disabled as the local cluster may not have the certificate entry!",
    );
  if (config.unified_crl)
    refuse(
      "unified_crl=true requires auto_rebuild=true, as unified CRLs cannot be rebuilt on every revocation.",
    );
}

function spanOf(field: string, value: string): number {
  try {
    return parseDuration(value) ?? 0;
  } catch (error) {
    return refuse(
      `given ${field} could not be decoded: ${error instanceof Error ? error.message : ""}`,
    );
  }
}
function refuse(text: string): never {
  throw new CaError("malformed", text);
}
