import { mergeBatches } from "../../engine/merge-batches.ts";
import type { Batch, Row } from "../../engine/ports.ts";
import type { Decision, StoreContext } from "../../engine/store-context.ts";
import { storeEndpoint } from "../../wire/endpoint.ts";
import { invalidError, notFound, type Fault } from "../jsonapi/fault.ts";
import { listStyle } from "../jsonapi/style.ts";
import { workspaceAccess } from "../rights/workspace-access.ts";
import { valueOf } from "../rows/change.ts";
import { rowKeys } from "../rows/keys.ts";
import type { KeyRow, VariableRow } from "../rows/rows.ts";
import { storedRows } from "../rows/stored.ts";
import { inItem, readBulkItems, variablesData, type BulkItem } from "./bulk-items.ts";
import { startBulkTurn } from "./bulk-turns.ts";
import { quotaOf } from "./quota.ts";
import { lockFaults, valueSealer, type ValueSealer } from "./sensitive.ts";
import { documentsOf, manyVariables, onePart } from "./variable-document.ts";
import { blankVariable, mergeVariable, storeVariable } from "./variable-rows.ts";

export const writeVarsInBulk = storeEndpoint({
  id: "writeVarsInBulk",
  at: ["POST /workspaces/:workspace_id/vars/bulk"],
  access: "known",
  style: listStyle,
  doc: "Creates or updates up to 500 variables, identified by key and category, either all of them or none. Other servers with this API do not have this endpoint.",
  body: { data: variablesData },
  reply: manyVariables,
  refuses: ["not_found", "unsupported_media", "malformed", "invalid_document"],
  run: async (storeContext, { workspace_id, data }, caller) => {
    const access = await workspaceAccess(
      storeContext,
      caller.identity.id,
      workspace_id,
      "writeVariables",
    );
    const items = await readBulkItems(workspace_id, data?.());
    const seal = valueSealer(storeContext);
    let done: (() => void) | undefined;
    const requireTurn = () => void (done ??= startBulkTurn(storeContext, workspace_id));
    try {
      const rows = await storeContext.change(() =>
        writeAll(storeContext, workspace_id, { items, seal, requireTurn }),
      );
      return onePart(documentsOf(storeContext, rows, access, "scoped"));
    } finally {
      done?.();
    }
  },
});

/** Size in bytes above which a write counts as large. Each attempt reads and writes all values. */
const largeBytes = 1024 * 1024;
/** Input of a bulk write. `requireTurn` is called before large values are read. */
interface Work {
  readonly items: readonly BulkItem[];
  readonly seal: ValueSealer;
  requireTurn(): void;
}
/** Returns the batch that writes all variables, existing or new. */
async function writeAll(
  storeContext: StoreContext,
  workspace: string,
  { items, seal, requireTurn }: Work,
): Promise<Decision<readonly VariableRow[]> | "again"> {
  const owner = rowKeys.workspace(workspace);
  const [ownerRow, ...keyRows] = await storeContext.store.get([
    owner,
    ...items.map(({ at }) => at),
  ]);
  if (!ownerRow) throw notFound();
  const keys = keyRows.map((row) => valueOf(storedRows.key, row));
  if (bytesOf(keys, items) > largeBytes) requireTurn();
  const stored = await storedBy(storeContext, keys);
  const faults: Fault[] = [];
  const sizes = new Map<string, number>();
  const rows: VariableRow[] = [];
  const batches: Batch[] = [{ expect: [[owner, ownerRow.rev]] }];
  for (const [i, { sent, key, kind }] of items.entries()) {
    const keyRow = keys[i];
    const before = keyRow && stored.get(keyRow.id);
    // the variable was deleted or its key was changed between the two reads
    if (keyRow && (before?.value.key !== key || before.value.kind !== kind)) return "again";
    if (before) faults.push(...lockFaults(before.value, sent).map((fault) => inItem(fault, i)));
    const was = before?.value ?? blankVariable(storeContext, workspace, key, kind);
    const { row, size } = await mergeVariable(storeContext, was, sent, { surface: "scoped", seal });
    if (size !== undefined || !before) sizes.set(row.id, size ?? 0);
    rows.push(row);
    batches.push(await storeVariable(row, size ?? keyRow?.size ?? 0, before));
  }
  if (faults.length) throw invalidError(faults);
  if (sizes.size) batches.push(await quotaOf(storeContext, workspace, sizes));
  return { reply: rows, batch: mergeBatches(...batches) };
}
/** Returns the approximate total size of the values to read and write, in bytes. */
const bytesOf = (keys: readonly (KeyRow | undefined)[], items: readonly BulkItem[]): number =>
  keys.reduce((sum, key, i) => sum + (key?.size ?? 0) + (items[i]?.sent.value?.length ?? 0), 0);
async function storedBy(
  storeContext: StoreContext,
  keys: readonly (KeyRow | undefined)[],
): Promise<ReadonlyMap<string, Row<VariableRow>>> {
  const ids = keys.flatMap((key) => (key ? [key.id] : []));
  if (ids.length === 0) return new Map();
  const rows = await storeContext.store.get(ids.map(rowKeys.variable));
  const existing = rows.flatMap((row) =>
    row ? [{ value: storedRows.variable(row.value), rev: row.rev }] : [],
  );
  return new Map(existing.map((row) => [row.value.id, row]));
}
