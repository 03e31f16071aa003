import { reseal, type ResealResult } from "../../engine/sealing.ts";
import type { Decision, StoreContext } from "../../engine/store-context.ts";

/**
 * Reseals the secrets in the member `sealed` of rows with the current sealing key. `secrets`
 * contains the keys of the rows and the bindings. Includes rows that are changed concurrently.
 */
export async function resealStored(
  sys: StoreContext,
  secrets: readonly (readonly [key: string, binding: string])[],
): Promise<ResealResult> {
  const unopened: string[] = [];
  let resealed = 0;
  for (const [key, binding] of secrets) {
    const done = await sys.change(() => resealRowAt(sys, key, binding));
    if (done === false) unopened.push(binding);
    else if (done) resealed += 1;
  }
  return { resealed, unopened };
}
/**
 * Returns the change that reseals the secret in a row. Its reply is whether the secret could be
 * opened, or undefined if the row does not exist.
 */
async function resealRowAt(
  { store, ports }: StoreContext,
  key: string,
  binding: string,
): Promise<Decision<boolean | undefined>> {
  const [row] = await store.get([key]);
  if (!row) return { reply: undefined };
  // the caller names only rows with this member
  const stored = row.value as { readonly sealed: Uint8Array };
  const sealed = await reseal(ports.vault, { sealed: stored.sealed, binding });
  if (!sealed) return { reply: false };
  return { reply: true, batch: { expect: [[key, row.rev]], put: [[key, { ...stored, sealed }]] } };
}
