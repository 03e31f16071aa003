import type { Engine } from "../engine.ts";
import { change, namesBelow, rowOf, type Change } from "./change.ts";
import { rowKeys, valueBinding, variableIndex, type VariableRow } from "./rows.ts";

/** Seals every sensitive value anew under the current sealing key and tells how many there were. Nothing else of a variable changes. */
export async function resealVariables(ca: Engine): Promise<number> {
  let resealed = 0;
  for (const id of await namesBelow(ca, rowKeys.variables)) {
    // most variables are not sensitive: those are read once and left alone
    const row = await rowOf<VariableRow>(ca, rowKeys.variable(id));
    if (row?.value instanceof Uint8Array && (await change(ca, () => resealOne(ca, id)))) resealed += 1;
  }
  return resealed;
}
async function resealOne(ca: Engine, id: string): Promise<Change<boolean>> {
  const key = rowKeys.variable(id);
  const [row] = await ca.store.get([key]);
  // rows below var/ have this type
  const held = row?.value as VariableRow | undefined;
  if (!row || !(held?.value instanceof Uint8Array)) return { reply: false };
  const { vault } = ca.ports;
  const value = await vault.seal(await vault.unseal(held.value, valueBinding(id)), valueBinding(id));
  return { reply: true, batch: { expect: [[key, row.rev]], put: [[key, { ...held, value }, variableIndex(held.workspace)]] } };
}
