import { belowManaged, storedManagedKey } from "../../managed/records.ts";
import { managedBinding } from "../../managed/remote.ts";
import { reseal, type ResealResult } from "../../engine/sealing.ts";
import type { Decision, StoreContext } from "../../engine/store-context.ts";

/**
 * Reseals the secrets of all managed keys under the current sealing key. Includes keys that are
 * changed concurrently, perhaps by a process that still has the previous sealing key.
 */
export async function resealManaged(sys: StoreContext): Promise<ResealResult> {
  const unopened: string[] = [];
  let resealed = 0;
  for (const [key] of await sys.store.list(belowManaged, { values: false })) {
    const done = await sys.change(() => resealKey(sys, key), { what: "a managed key" });
    if (done === "unopened") unopened.push(`sys/${key}`);
    else if (done === "resealed") resealed += 1;
  }
  return { resealed, unopened };
}
type Outcome = "removed" | "unopened" | "resealed";
async function resealKey({ store, ports }: StoreContext, key: string): Promise<Decision<Outcome>> {
  const [row] = await store.get([key]);
  if (!row) return { reply: "removed" };
  const stored = storedManagedKey(row.value);
  const secret = { sealed: stored.sealed, binding: managedBinding(stored.uuid) };
  const sealed = await reseal(ports.vault, secret);
  if (!sealed) return { reply: "unopened" };
  const put = [[key, { ...stored, sealed }]] as const;
  return { reply: "resealed", batch: { expect: [[key, row.rev]], put } };
}
