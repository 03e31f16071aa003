import { kindOf } from "../../engine/cache.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import type { Batch } from "../../engine/ports.ts";
import { attributeFault, invalidError } from "../jsonapi/fault.ts";
import { rowKeys } from "../rows/keys.ts";
import { storedRows } from "../rows/stored.ts";

/** All values of one workspace together: 16 MiB. */
const maxWorkspaceBytes = 16 * 1024 * 1024;
/**
 * Most variables of one workspace: a list is one answer, and keys and descriptions count nowhere
 * else.
 */
export const maxVariables = 10_000;

/**
 * Up to here small writes are judged by sizes that may be a second old: 300 of them at once, each
 * of 16 variables with 16 KiB, still stay within both limits.
 */
const [relaxedTotal, relaxedCount, smallValue, smallCount] = [
  maxWorkspaceBytes / 2,
  maxVariables / 2,
  16 * 1024,
  16,
];

const sizesKept = kindOf<Map<string, number>>();
/**
 * Refuses values (bytes by variable) with which a workspace would hold more than 16 MiB, and new
 * variables beyond 10,000. Near the limits and with large writes the count is exact: such writes
 * expect one row and so follow one another: what they add to their batch.
 */
export async function quotaOf(
  storeContext: StoreContext,
  workspace: string,
  sizes: ReadonlyMap<string, number>,
): Promise<Batch> {
  const kept = await storeContext.cache.recent(sizesKept, workspace, () =>
    readSizes(storeContext, workspace),
  );
  if (
    isSmall(sizes) &&
    totalWith(kept, sizes) <= relaxedTotal &&
    countWith(kept, sizes) <= relaxedCount
  ) {
    // counted at once, so that one caller's quick writes do not all meet the same old sum; a write
    // that fails is counted for a second at most
    for (const [id, size] of sizes) kept.set(id, size);
    return {};
  }
  const key = rowKeys.quota(workspace);
  const [row] = await storeContext.store.get([key]);
  const exact = await readSizes(storeContext, workspace);
  if (totalWith(exact, sizes) > maxWorkspaceBytes)
    throw invalidError([
      attributeFault("value", "Value is too long (maximum is 16 MB for all values of a workspace)"),
    ]);
  if (countWith(exact, sizes) > Math.max(exact.size, maxVariables))
    throw invalidError([
      attributeFault(
        "key",
        `Key cannot be added (maximum is ${maxVariables} variables in a workspace)`,
      ),
    ]);
  if (kept) {
    kept.clear();
    for (const [id, size] of [...exact, ...sizes]) kept.set(id, size);
  }
  return { expect: [[key, row?.rev ?? null]], put: [[key, true]] };
}
function totalWith(held: ReadonlyMap<string, number>, sizes: ReadonlyMap<string, number>): number {
  let total = 0;
  for (const [id, size] of held) total += sizes.has(id) ? 0 : size;
  for (const size of sizes.values()) total += size;
  return total;
}
const isSmall = (sizes: ReadonlyMap<string, number>): boolean =>
  sizes.size <= smallCount && totalWith(new Map(), sizes) <= smallValue;
const countWith = (held: ReadonlyMap<string, number>, sizes: ReadonlyMap<string, number>): number =>
  held.size + [...sizes.keys()].filter((id) => !held.has(id)).length;
async function readSizes(
  storeContext: StoreContext,
  workspace: string,
): Promise<Map<string, number>> {
  const rows = await storeContext.store.list(rowKeys.variableKeys(workspace));
  return new Map(
    rows.map(([, row]) => {
      const { id, size } = storedRows.key(row.value);
      return [id, size];
    }),
  );
}
