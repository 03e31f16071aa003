import { mergeBatches } from "../../engine/merge-batches.ts";
import type { Row } from "../../engine/ports.ts";
import type { Decision, StoreContext } from "../../engine/store-context.ts";
import { attributeFault, invalidError, notFound, type Fault } from "../jsonapi/fault.ts";
import { valueOf } from "../rows/change.ts";
import { rowKeys } from "../rows/keys.ts";
import type { VariableRow } from "../rows/rows.ts";
import { storedRows } from "../rows/stored.ts";
import type { SentVariable } from "./attributes.ts";
import type { Surface } from "./category.ts";
import { quotaOf } from "./quota.ts";
import { variableRow } from "./read-variables.ts";
import { lockFaults, valueSealer } from "./sensitive.ts";
import { blankVariable, mergeVariable, storeVariable, uniqueKey } from "./variable-rows.ts";

/** The fault for a key that another variable in the workspace already has. */
export const keyInUse: Fault = attributeFault("key", "Key has already been taken");
/** Returns the faults, preceded by the fault for a key that is already in use. */
const withKeyInUse = (faults: readonly Fault[], isInUse: boolean): readonly Fault[] =>
  isInUse ? [keyInUse, ...faults] : faults;

/**
 * Creates a variable. Rejects with 404 if the workspace no longer exists, and with 422 if the key
 * is in use, attributes are invalid, or the workspace would become too large.
 */
export async function createVariable(
  storeContext: StoreContext,
  workspace: string,
  { attributes, faults }: SentVariable,
  surface: Surface,
): Promise<VariableRow> {
  const { key, category } = attributes;
  if (key === undefined || category === undefined) throw invalidError(faults);
  const fresh = blankVariable(storeContext, workspace, key, category.kind);
  const owner = rowKeys.workspace(workspace);
  const unique = await uniqueKey(workspace, category.kind, key);
  const seal = valueSealer(storeContext);
  return storeContext.change(async (): Promise<Decision<VariableRow>> => {
    const [ownerRow, existing] = await storeContext.store.get([owner, unique]);
    if (!ownerRow) throw notFound();
    if (existing || faults.length) throw invalidError(withKeyInUse(faults, existing !== undefined));
    const { row, size = 0 } = await mergeVariable(storeContext, fresh, attributes, {
      surface,
      seal,
    });
    const quota = await quotaOf(storeContext, workspace, new Map([[row.id, size]]));
    const batches = [
      { expect: [[owner, ownerRow.rev] as const] },
      await storeVariable(row, size),
      quota,
    ];
    return { reply: row, batch: mergeBatches(...batches) };
  });
}

/**
 * Changes a variable. Rejects with 404 if it no longer exists, and with 422 if attributes are
 * invalid, the new key is in use, the change is forbidden, or the workspace would become too large.
 */
export async function updateVariable(
  storeContext: StoreContext,
  initial: Row<VariableRow>,
  sent: SentVariable,
  surface: Surface,
): Promise<VariableRow> {
  const seal = valueSealer(storeContext);
  let current: Row<VariableRow> | undefined = initial;
  return storeContext.change(async (): Promise<Decision<VariableRow> | "again"> => {
    const before =
      current ?? (await variableRow(storeContext, initial.value.id, initial.value.workspace));
    current = undefined;
    const stored = before.value;
    const { key = stored.key, category = { kind: stored.kind } } = sent.attributes;
    const [from, to] = [
      await uniqueKey(stored.workspace, stored.kind, stored.key),
      await uniqueKey(stored.workspace, category.kind, key),
    ];
    const [now, existing, ownerRow] = await storeContext.store.get([
      rowKeys.variable(stored.id),
      to,
      from,
    ]);
    if (now?.rev !== before.rev) return "again";
    const faults = inAttributeOrder([
      ...withKeyInUse(sent.faults, from !== to && existing !== undefined),
      ...lockFaults(stored, sent.attributes),
    ]);
    if (faults.length) throw invalidError(faults);
    const { row, size } = await mergeVariable(storeContext, stored, sent.attributes, {
      surface,
      seal,
    });
    const oldSize = valueOf(storedRows.key, ownerRow)?.size;
    if (oldSize === undefined) throw new TypeError("a variable has no key row");
    const grows = size !== undefined && size > oldSize;
    const quota = grows
      ? await quotaOf(storeContext, stored.workspace, new Map([[row.id, size]]))
      : {};
    return {
      reply: row,
      batch: mergeBatches(await storeVariable(row, size ?? oldSize, before), quota),
    };
  });
}
const order = ["key", "value", "description", "category", "hcl", "sensitive"].map(
  (name) => `/data/attributes/${name}`,
);
const rankOf = ({ source }: Fault): number =>
  order.indexOf(source && "pointer" in source ? source.pointer : "");
const inAttributeOrder = (faults: readonly Fault[]): readonly Fault[] =>
  faults.toSorted((one, other) => rankOf(one) - rankOf(other));

/** Deletes a variable. Rejects with 404 if it no longer exists. */
export async function deleteVariable(
  storeContext: StoreContext,
  initial: Row<VariableRow>,
): Promise<undefined> {
  let current: Row<VariableRow> | undefined = initial;
  return storeContext.change(async (): Promise<Decision<undefined>> => {
    const { value, rev } =
      current ?? (await variableRow(storeContext, initial.value.id, initial.value.workspace));
    current = undefined;
    const key = rowKeys.variable(value.id);
    const unique = await uniqueKey(value.workspace, value.kind, value.key);
    return { reply: undefined, batch: { expect: [[key, rev]], del: [key, unique] } };
  });
}
