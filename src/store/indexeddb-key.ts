import { openDB } from "idb";
import type { CryptoKey } from "../base/platform.ts";
import { CaError } from "../base/errors.ts";

/**
 * Returns the AES-256-GCM key to pass as `sealingKey` for an authority whose rows are in
 * `indexedDbStore(name)`. The key is generated once, stored by the browser and cannot be extracted,
 * even by this code. Concurrent tabs and workers agree on one key. Throws `CaError` `storage` if a
 * value other than a key is stored in its place.
 */
export async function indexedDbKey(name = "sealwright"): Promise<CryptoKey> {
  const database = await openDB("sealwright-keys", 1, {
    upgrade: (fresh) => void fresh.createObjectStore("keys"),
  });
  try {
    const stored: unknown = await database.get("keys", name);
    if (stored instanceof CryptoKey) return stored;
    // the key is generated before the transaction begins, because IndexedDB closes a transaction
    // that waits for anything but its own requests
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
