import { utf8 } from "../base/bytes.ts";
import { uuid } from "../base/ids.ts";
import { sha1 } from "../base/hashes.ts";
import { sysKeys, type ClusterRow, storedSys } from "./sys-records.ts";
import type { StoreContext } from "./store-context.ts";

/** Cached for the life of the store context, because the id never changes. */
const cachedIds = new WeakMap<StoreContext, string>();
/**
 * Returns the row of the cluster id, which the first start stores. `first`: uuid of a mount that it
 * creates.
 */
export const clusterRow = (first: string): [key: string, value: ClusterRow] => [
  sysKeys.cluster,
  { id: uuid((bytes) => sha1(utf8(`cluster ${first}`)).subarray(0, bytes)) },
];
/**
 * Returns the uuid of the deployment for replies that name a cluster (D 4). Generates it if an
 * older version performed the first start. `start`: performs the first start if that has not
 * happened.
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
