import type { Decision, StoreContext } from "../../engine/store-context.ts";
import { reseal, type ResealResult, type SealedSecret } from "../../engine/sealing.ts";
import { namesBelow, rowOf, valueOf } from "../rows/change.ts";
import { rowKeys, secretName, valueBinding } from "../rows/keys.ts";
import { storedRows } from "../rows/stored.ts";

/** Reseals all sensitive values under the current sealing key. Changes nothing else. */
export async function resealVariables(storeContext: StoreContext): Promise<ResealResult> {
  let resealed = 0;
  const unopened: string[] = [];
  for (const id of await namesBelow(storeContext, rowKeys.variables)) {
    // most variables are not sensitive, and need only this read
    const row = await rowOf(storeContext, storedRows.variable, rowKeys.variable(id));
    if (!(row?.value instanceof Uint8Array)) continue;
    const outcome = await storeContext.change(() => resealOne(storeContext, id));
    if (outcome === "unopened") unopened.push(secretName(id));
    else if (outcome === "resealed") resealed += 1;
  }
  return { resealed, unopened };
}
async function resealOne(
  storeContext: StoreContext,
  id: string,
): Promise<Decision<"resealed" | "unopened" | "gone">> {
  const key = rowKeys.variable(id);
  const [row] = await storeContext.store.get([key]);
  const variable = valueOf(storedRows.variable, row);
  if (!row || !(variable?.value instanceof Uint8Array)) return { reply: "gone" };
  const value = await reseal(storeContext.ports.vault, {
    sealed: variable.value,
    binding: valueBinding(id),
  });
  if (!value) return { reply: "unopened" };
  return {
    reply: "resealed",
    batch: {
      expect: [[key, row.rev]],
      put: [[key, { ...variable, value }]],
    },
  };
}

/** Yields the sealed values of all variables. */
export async function* sealedVariables(storeContext: StoreContext): AsyncIterable<SealedSecret> {
  for (const id of await namesBelow(storeContext, rowKeys.variables)) {
    const row = await rowOf(storeContext, storedRows.variable, rowKeys.variable(id));
    if (row?.value instanceof Uint8Array) yield { sealed: row.value, binding: valueBinding(id) };
  }
}
