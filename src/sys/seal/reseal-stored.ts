import { reseal, type ResealResult, type StoredSecret } from "../../engine/sealing.ts";
import type { Decision, StoreContext } from "../../engine/store-context.ts";

/**
 * Reseals secrets in rows of `sys` with the current sealing key. Includes rows that are changed
 * concurrently, perhaps by a process that still has the previous sealing key.
 */
export async function resealStored(
  sys: StoreContext,
  secrets: readonly StoredSecret[],
): Promise<ResealResult> {
  const unopened: string[] = [];
  let resealed = 0;
  for (const secret of secrets) {
    const outcome = await sys.change(() => resealedRow(sys, secret), { what: "a stored secret" });
    if (outcome === "unopened") unopened.push(secret.name);
    else if (outcome === "resealed") resealed += 1;
  }
  return { resealed, unopened };
}
type Outcome = "absent" | "unopened" | "resealed";
async function resealedRow(
  { store, ports }: StoreContext,
  { key, member = "sealed", bindingOf }: StoredSecret,
): Promise<Decision<Outcome>> {
  const [row] = await store.get([key]);
  // a row with sealed members is an object, and its sealed members are bytes
  const value = row?.value as Readonly<Record<string, Uint8Array | undefined>> | undefined;
  const secret = value?.[member];
  if (!row || !secret) return { reply: "absent" };
  const sealed = await reseal(ports.vault, { sealed: secret, binding: bindingOf(value) });
  if (!sealed) return { reply: "unopened" };
  const put = [[key, { ...value, [member]: sealed }]] as const;
  return { reply: "resealed", batch: { expect: [[key, row.rev]], put } };
}
