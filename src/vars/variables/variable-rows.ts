import type { Batch, Row } from "../../engine/ports.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import { newId, newVersion, keyPart } from "../rows/ids.ts";
import { rowKeys } from "../rows/keys.ts";
import type { KeyRow, VariableKind, VariableRow } from "../rows/rows.ts";
import { sizeOf, type Attributes } from "./attributes.ts";
import { spellingsAfter, type Surface } from "./category.ts";
import { openValue, type ValueSealer } from "./sensitive.ts";

/** Returns the row of a new variable with defaults. */
export const blankVariable = (
  storeContext: StoreContext,
  workspace: string,
  key: string,
  kind: VariableKind,
): VariableRow => ({
  id: newId("var", storeContext.ports.random),
  workspace,
  key,
  kind,
  value: "",
  sensitive: false,
  hcl: false,
  description: null,
  version: "",
  created: storeContext.ports.now(),
});

/** The API through which a variable is written, and the function that seals its value. */
interface Writing {
  readonly surface: Surface;
  readonly seal: ValueSealer;
}
/** A variable to store, with the size of its value in bytes if the request changes the value. */
interface Merged {
  readonly row: VariableRow;
  readonly size: number | undefined;
}
/** Returns a new or stored variable, updated with the attributes in a request. */
export async function mergeVariable(
  storeContext: StoreContext,
  stored: VariableRow,
  sent: Attributes,
  { surface, seal }: Writing,
): Promise<Merged> {
  const sensitive = sent.sensitive ?? stored.sensitive;
  const nextValue = sent.value === null ? (stored.sensitive ? undefined : "") : sent.value;
  // also reseals an unchanged value, so that the previous sealing key is eventually no longer
  // needed
  const value = nextValue ?? (sensitive ? await openValue(storeContext, stored) : undefined);
  const row: VariableRow = {
    ...stored,
    key: sent.key ?? stored.key,
    kind: sent.category?.kind ?? stored.kind,
    value: value === undefined ? stored.value : sensitive ? await seal(stored.id, value) : value,
    sensitive,
    hcl: sent.hcl ?? stored.hcl,
    description: sent.description === undefined ? stored.description : sent.description,
    version: newVersion(storeContext.ports.random),
    ...spellingsAfter(stored, sent.category, surface),
  };
  return { row, size: nextValue === undefined ? undefined : sizeOf(nextValue) };
}

/** Returns the row key that makes a variable's key unique in its workspace. */
export const uniqueKey = async (
  workspace: string,
  kind: VariableKind,
  key: string,
): Promise<string> => rowKeys.variableKey(workspace, kind, await keyPart(key));

/** Returns the batch that stores a variable. `before` is the stored version, if any. */
export async function storeVariable(
  row: VariableRow,
  size: number,
  before?: Row<VariableRow>,
): Promise<Required<Pick<Batch, "expect" | "put" | "del">>> {
  const keyRow: KeyRow = { id: row.id, key: row.key, kind: row.kind, size };
  const id = rowKeys.variable(row.id);
  const to = await uniqueKey(row.workspace, row.kind, row.key);
  const from = before && (await uniqueKey(row.workspace, before.value.kind, before.value.key));
  return {
    expect: [[id, before?.rev ?? null], ...(from === to ? [] : [[to, null] as const])],
    put: [
      [id, row],
      [to, keyRow],
    ],
    del: from === undefined || from === to ? [] : [from],
  };
}
