import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";

/**
 * Returns the current configuration rather than a cached one that may be outdated, because changes
 * to the allowed addresses and the trust anchors must take effect at once.
 */
export async function currentConfig(mount: Mount): Promise<Snapshot> {
  if (mount.cachedConfig && mount.cachedConfig.epoch !== (await mount.storeContext.epoch()))
    mount.forget();
  return mount.config();
}
