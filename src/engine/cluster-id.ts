import { utf8 } from "../base/bytes.ts";
import { uuid } from "../base/ids.ts";
import { sha1 } from "../base/hashes.ts";
import { sysKeys, type ClusterRow, storedSys } from "./sys-records.ts";
import type { StoreContext } from "./store-context.ts";

/** Cluster IDs by store context of `sys`. They are cached forever, because they never change. */
const cachedIds = new WeakMap<StoreContext, string>();
/**
 * Returns the row of the cluster ID, which is stored when the deployment is initialized. The ID is
 * derived from `first`, the UUID of a mount that the initialization creates.
 */
export const clusterRow = (first: string): [key: string, value: ClusterRow] => [
  sysKeys.cluster,
  { id: uuid((bytes) => sha1(utf8(`cluster ${first}`)).subarray(0, bytes)) },
];
/**
 * Returns the UUID of the deployment, for responses with a cluster ID (D 4). Generates and stores
 * the ID if the deployment was initialized by an older version, which stored none. `start`
 * initializes the deployment if necessary.
 */
export async function clusterId(
  sys: StoreContext,
  start: () => Promise<unknown> = async () => undefined,
): Promise<string> {
  const cached = cachedIds.get(sys.self);
  if (cached !== undefined) return cached;
  await start();
  const id = await sys.change(async () => {
    const [row] = await sys.store.get([sysKeys.cluster]);
    if (row) return { reply: storedSys.cluster(row.value).id };
    const generated = uuid(sys.ports.random);
    return {
      reply: generated,
      batch: { expect: [[sysKeys.cluster, null]], put: [[sysKeys.cluster, { id: generated }]] },
    };
  });
  cachedIds.set(sys.self, id);
  return id;
}
