import { lastNumberPrefix, parseLastNumber } from "../../base/row-keys.ts";
import type { Batch, Store } from "../../engine/ports.ts";
import type { StoreContext } from "../../engine/store-context.ts";

/** Number by which a restore advances log numbers. The gap shows that entries are missing. */
const numberJump = 2 ** 20;

/** Returns, for each log, the highest sequence number in any partition, by row key. */
export async function lastNumbersOf(
  store: Pick<Store, "list" | "partitions">,
): Promise<ReadonlyMap<string, number>> {
  const highest = new Map<string, number>();
  for (const partition of store.partitions ?? [store])
    for (const [key, { value }] of await partition.list(lastNumberPrefix))
      highest.set(key, Math.max(highest.get(key) ?? 0, parseLastNumber(value)));
  return highest;
}

/**
 * Makes the logs of all partitions continue after the last numbers in the mount's own store,
 * including numbers that `added` will put there. Returns false if a partition was changed
 * concurrently.
 */
export async function continueNumbers(
  { partitions = [] }: Pick<Store, "partitions">,
  added: NonNullable<Batch["put"]>,
): Promise<boolean> {
  const [home, ...others] = partitions;
  if (!home) return true;
  const stored = (await home.list(lastNumberPrefix)).map(
    ([key, { value }]) => [key, value] as const,
  );
  const put = added.filter(([key]) => key.startsWith(lastNumberPrefix));
  const numbers = [...new Map([...stored, ...put.map(([key, value]) => [key, value] as const)])];
  const keys = numbers.map(([key]) => key);
  for (const partition of others) {
    const rows = await partition.get(keys);
    const done = await partition.commit({
      expect: keys.map((key, at) => [key, rows[at]?.rev ?? null] as const),
      put: numbers.map(([key, value], at) => {
        const number = Math.max(parseLastNumber(value), parseLastNumber(rows[at]?.value));
        return [key, number] as const;
      }),
    });
    if (!done) return false;
  }
  return true;
}

/**
 * Returns the value to restore for a row. The last number of a log is raised, so that numbers
 * assigned after the backup are not reused; other values stay unchanged.
 */
export async function lastLogNumber(
  { store }: StoreContext,
  key: string,
  value: unknown,
): Promise<unknown> {
  if (!key.startsWith(lastNumberPrefix) || typeof value !== "number") return value;
  const [stored] = await store.get([key]);
  return Math.max(value + numberJump, typeof stored?.value === "number" ? stored.value : 0);
}
