import type { Mount } from "../../engine/mount.ts";
import { keys, type IssuerId } from "../../engine/records.ts";
import type { Batch } from "../../engine/ports.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { issuerRows } from "./new-issuer.ts";

/**
 * The change that removes issuers, with every chain that they leave, and the configuration without
 * them. Keys and certificates stay; nobody becomes the default by this.
 */
export async function issuerRemoval(
  ca: Mount,
  config: Snapshot,
  ids: ReadonlySet<IssuerId>,
): Promise<{ readonly without: Snapshot; readonly batch: Required<Pick<Batch, "put" | "del">> }> {
  const wasDefault = config.issuersConfig.default !== "" && ids.has(config.issuersConfig.default);
  const issuersConfig = wasDefault
    ? { ...config.issuersConfig, default: "" }
    : config.issuersConfig;
  const issuers = new Map([...config.issuers].filter(([id]) => !ids.has(id)));
  const without = { ...config, issuers, issuersConfig };
  const key = keys.config("issuers");
  const rows = (await issuerRows(ca, without, [])).filter(([name]) => name !== key);
  return {
    without,
    batch: {
      put: [...rows, ...(wasDefault ? [[key, issuersConfig] as const] : [])],
      del: [...ids].flatMap(keys.ofIssuer),
    },
  };
}
