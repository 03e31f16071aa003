import { belowManaged } from "../../engine/managed-records.ts";
import { managedBinding } from "../../managed/remote.ts";
import { sealedAnew, type Resealed } from "../../engine/sealing.ts";
import { stored } from "../../engine/stored.ts";
import type { Unit } from "../../engine/unit.ts";

/** Seals the secrets of managed keys anew under the current sealing key. */
export async function resealManaged({ store, ports }: Unit): Promise<Resealed> {
  const unopened: string[] = [];
  let resealed = 0;
  for (const [key, { value, rev }] of await store.list(belowManaged)) {
    const held = stored.managedKey(value);
    const secret = { sealed: held.sealed, binding: managedBinding(held.uuid) };
    const sealed = await sealedAnew(ports.vault, secret);
    if (!sealed) unopened.push(`sys/${key}`);
    else if (await store.commit({ expect: [[key, rev]], put: [[key, { ...held, sealed }]] }))
      resealed += 1;
  }
  return { resealed, unopened };
}
