import type { Store } from "../../src/index.ts";
import { authority } from "../support/authority.ts";
import { partitionedStores } from "../support/partitioned-stores.ts";
import { over, type Tidying } from "./tidy/tidying.ts";

/** An authority whose mount has four partitions, with a role `web`. */
export async function inFour(
  role: object = {},
): Promise<Tidying & { readonly partitions: readonly Store[] }> {
  const { stores, partitionsOf } = partitionedStores(4);
  const a = authority({ stores });
  await a.root();
  await a.role("web", { max_ttl: "40000h", ...role });
  const world = await over(a);
  return { ...world, partitions: partitionsOf(world.uuid) };
}
/** Returns the keys below a prefix in each partition, without the prefix. */
export const keysIn = (partitions: readonly Store[], prefix: string) =>
  Promise.all(
    partitions.map(async (store) => {
      const rows = await store.list(prefix, { values: false });
      return rows.map(([key]) => key.slice(prefix.length));
    }),
  );
/** Returns a serial number as in the keys of rows. */
export const hexOf = (serial: string): string => serial.replaceAll(":", "");
