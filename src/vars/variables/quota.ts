import { kindOf, type StoreContext } from "../../engine/store-context.ts";
import type { Batch } from "../../engine/ports.ts";
import { attributeFault, invalidError } from "../jsonapi/fault.ts";
import { rowKeys } from "../rows/keys.ts";
import { storedRows } from "../rows/stored.ts";

/** Maximum total size of the values in a workspace: 16 MiB. */
const maxWorkspaceBytes = 16 * 1024 * 1024;
/**
 * Maximum number of variables in a workspace. A list is a single response, and the size limit does
 * not include keys and descriptions.
 */
export const maxVariables = 10_000;

/**
 * Limits up to which small writes are checked against cached totals, which may be a second old.
 * Even 300 concurrent writes of 16 variables with 16 KiB each cannot exceed the limits of the
 * workspace.
 */
const [relaxedTotal, relaxedCount, smallValue, smallCount] = [
  maxWorkspaceBytes / 2,
  maxVariables / 2,
  16 * 1024,
  16,
];

const sizesByWorkspace = kindOf<Map<string, number>>();
/**
 * Rejects with 422 a write that would bring a workspace above 16 MiB or 10,000 variables. `sizes`
 * contains the size of each written value in bytes, by variable ID. Returns the rows and
 * preconditions that the write must add to its batch. For large writes and near the limits, the
 * totals are exact, because these writes are conditional on one shared row and thus serialized.
 */
export async function quotaOf(
  storeContext: StoreContext,
  workspace: string,
  sizes: ReadonlyMap<string, number>,
): Promise<Batch> {
  const cached = await storeContext.cache.recent(sizesByWorkspace, workspace, () =>
    readSizes(storeContext, workspace),
  );
  if (
    isSmall(sizes) &&
    totalWith(cached, sizes) <= relaxedTotal &&
    countWith(cached, sizes) <= relaxedCount
  ) {
    // counts the write now, so that rapid writes do not all see the same old total; a write that
    // fails is counted for at most a second
    for (const [id, size] of sizes) cached.set(id, size);
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
  if (cached) {
    cached.clear();
    for (const [id, size] of [...exact, ...sizes]) cached.set(id, size);
  }
  return { expect: [[key, row?.rev ?? null]], put: [[key, true]] };
}
function totalWith(
  stored: ReadonlyMap<string, number>,
  sizes: ReadonlyMap<string, number>,
): number {
  let total = 0;
  for (const [id, size] of stored) total += sizes.has(id) ? 0 : size;
  for (const size of sizes.values()) total += size;
  return total;
}
const isSmall = (sizes: ReadonlyMap<string, number>): boolean =>
  sizes.size <= smallCount && totalWith(new Map(), sizes) <= smallValue;
const countWith = (
  stored: ReadonlyMap<string, number>,
  sizes: ReadonlyMap<string, number>,
): number => stored.size + [...sizes.keys()].filter((id) => !stored.has(id)).length;
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
