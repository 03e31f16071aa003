import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";

/**
 * Returns the current configuration rather than a cached one that may be outdated, because changes
 * to the allowed addresses and the trust anchors must take effect at once.
 */
export async function currentConfig(ca: Mount): Promise<Snapshot> {
  if (ca.cachedConfig && ca.cachedConfig.epoch !== (await ca.storeContext.epoch())) ca.forget();
  return ca.config();
}
