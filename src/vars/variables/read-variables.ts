import { byCodePoint } from "../../base/code-point.ts";
import type { Row } from "../../engine/ports.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import { notFound } from "../jsonapi/fault.ts";
import { rowsOf, valueOf } from "../rows/change.ts";
import { isId } from "../rows/ids.ts";
import { rowKeys } from "../rows/keys.ts";
import type { KeyRow, VariableRow } from "../rows/rows.ts";
import { storedRows } from "../rows/stored.ts";

/** Variables in portions, which are read on demand. */
export type Portions = AsyncGenerator<readonly VariableRow[], undefined>;
/**
 * Maximum size in bytes and number of variables per read. A workspace may have 16 MiB, and may be
 * listed many times in parallel.
 */
const [portionBytes, portionCount] = [1024 * 1024, 500];

/**
 * Returns the variables of a workspace without their values, in list order. With `max`, returns at
 * most `max + 1`, so that the caller can tell whether there are more than `max`.
 */
export async function keyRowsIn(
  storeContext: StoreContext,
  workspace: string,
  max?: number,
): Promise<readonly KeyRow[]> {
  const prefix = rowKeys.variableKeys(workspace);
  const rows = await storeContext.store.list(prefix, max === undefined ? {} : { limit: max + 1 });
  return rows.map(([, row]) => storedRows.key(row.value)).sort(inOrder);
}
/**
 * Yields some variables of a workspace in order. A variable that is changed concurrently appears in
 * its new state; a variable that is deleted concurrently is omitted.
 */
export async function* variablesOf(
  storeContext: StoreContext,
  workspace: string,
  keys: readonly KeyRow[],
): Portions {
  for (let at = 0, end = 0; at < keys.length; at = end) {
    let bytes = 0;
    for (end = at; end < keys.length && end - at < portionCount; end++) {
      bytes += keys[end]?.size ?? 0;
      if (bytes > portionBytes && end > at) break;
    }
    const rows = await rowsOf(
      storeContext,
      storedRows.variable,
      keys.slice(at, end).map(({ id }) => rowKeys.variable(id)),
    );
    yield rows.filter((row) => row.workspace === workspace);
  }
  return undefined;
}
/** Yields the variables of a workspace, in list order. */
export async function* variablesIn(storeContext: StoreContext, workspace: string): Portions {
  return yield* variablesOf(storeContext, workspace, await keyRowsIn(storeContext, workspace));
}
/** Returns a variable with its revision, or undefined if it does not exist. */
export async function variableNow(
  storeContext: StoreContext,
  id: string,
): Promise<Row<VariableRow> | undefined> {
  if (!isId("var", id)) return undefined;
  const [row] = await storeContext.store.get([rowKeys.variable(id)]);
  const value = valueOf(storedRows.variable, row);
  return row && value && { value, rev: row.rev };
}
/** Returns a variable in a workspace with its revision. Rejects with 404 if it does not exist. */
export async function variableRow(
  storeContext: StoreContext,
  id: string,
  workspace: string,
): Promise<Row<VariableRow>> {
  const row = await variableNow(storeContext, id);
  if (row?.value.workspace !== workspace) throw notFound();
  return row;
}

/** Compares variables in list order: by key (code points), then kind, then ID. */
function inOrder(
  one: Pick<VariableRow, "key" | "kind" | "id">,
  other: Pick<VariableRow, "key" | "kind" | "id">,
): number {
  return (
    byCodePoint(one.key, other.key) ||
    byCodePoint(one.kind, other.kind) ||
    byCodePoint(one.id, other.id)
  );
}
