import { lazy } from "../jsonapi/document.ts";
import { readResource } from "../jsonapi/resource.ts";
import { invalidError, requestFault, VarsError, type Fault } from "../jsonapi/fault.ts";
import type { VariableKind } from "../rows/rows.ts";
import { readAttributes, type Attributes, type SentVariable } from "./attributes.ts";
import { uniqueKey } from "./variable-rows.ts";
import { keyInUse } from "./write-variable.ts";

/** Maximum number of variables per request. */
const maxItems = 500;

/** A variable in a bulk write. `at` is the row key that makes the variable's key unique. */
export interface BulkItem {
  readonly sent: Attributes;
  readonly key: string;
  readonly kind: VariableKind;
  readonly at: string;
}

/** The `data` member of a bulk write. */
export const variablesData = lazy({
  type: "array",
  description: "Resource objects of type `vars`.",
  maxItems,
  items: { type: "object" },
});

/** Parses the variables in a request. Rejects with 422 and a fault for each error. */
export async function readBulkItems(
  workspace: string,
  data: unknown,
): Promise<readonly BulkItem[]> {
  if (!Array.isArray(data))
    throw invalidError([requestFault("/data", "data must be a list of variables")]);
  if (data.length > maxItems)
    throw invalidError([requestFault("/data", `data must contain at most ${maxItems} variables`)]);
  const faults: Fault[] = [];
  const byKey = new Map<string, BulkItem>();
  for (const [i, item] of data.entries()) {
    const { attributes: sent, faults: itemFaults } = readItem(item, i);
    faults.push(...itemFaults);
    const { key, category } = sent;
    if (key === undefined || category === undefined) continue;
    const at = await uniqueKey(workspace, category.kind, key);
    if (byKey.has(at)) faults.push(inItem(keyInUse, i));
    byKey.set(at, { sent, key, kind: category.kind, at });
  }
  if (faults.length) throw invalidError(faults);
  return [...byKey.values()];
}
/** Parses an item. Its faults point to the item. */
function readItem(item: unknown, i: number): SentVariable {
  try {
    const { attributes } = readResource(item, { type: "vars", at: `/data/${i}` });
    const sent = readAttributes(attributes, "key", "category");
    return { ...sent, faults: sent.faults.map((fault) => inItem(fault, i)) };
  } catch (error) {
    if (!(error instanceof VarsError)) throw error;
    return { attributes: {}, faults: error.faults };
  }
}
/** Returns an attribute's fault with a pointer to item `i`. */
export const inItem = (fault: Fault, i: number): Fault =>
  fault.source && "pointer" in fault.source
    ? { ...fault, source: { pointer: fault.source.pointer.replace(/^\/data\//, `/data/${i}/`) } }
    : fault;
