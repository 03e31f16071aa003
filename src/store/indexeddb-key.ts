import { openDB } from "idb";
import type { CryptoKey } from "../base/platform.ts";
import { CaError } from "../base/errors.ts";

/**
 * The AES-256-GCM key for `sealingKey` of an authority whose rows are in `indexedDbStore(name)`. It
 * is made once, kept by the browser and cannot be read out, not even by this code. Two tabs or
 * workers that race agree on one. Throws `CaError` `storage` when something else lies in its place.
 */
export async function indexedDbKey(name = "sealwright"): Promise<CryptoKey> {
  const database = await openDB("sealwright-keys", 1, {
    upgrade: (fresh) => void fresh.createObjectStore("keys"),
  });
  try {
    const known: unknown = await database.get("keys", name);
    if (known instanceof CryptoKey) return known;
    // made before the transaction: IndexedDB closes one that waits for anything else
    const offered = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, [
      "encrypt",
      "decrypt",
      "unwrapKey",
    ]);
    const change = database.transaction("keys", "readwrite", { durability: "strict" });
    const first: unknown = await change.store.get(name);
    if (first === undefined) await change.store.put(offered, name);
    await change.done;
    if (first === undefined) return offered;
    if (first instanceof CryptoKey) return first;
    throw new CaError("storage", "the value stored as the sealing key is not a key");
  } finally {
    database.close();
  }
}
