import { openDB } from "idb";
import type { CryptoKey } from "../base/platform.ts";
import { CaError } from "../base/errors.ts";

/**
 * Returns the AES-256-GCM key for `sealingKey` of an authority whose rows are in
 * `indexedDbStore(name)`. It is generated once and stored by the browser, and cannot be extracted,
 * even by this code. Concurrent tabs or workers agree on one key. Throws `CaError` `storage` if
 * another value is stored in its place.
 */
export async function indexedDbKey(name = "sealwright"): Promise<CryptoKey> {
  const database = await openDB("sealwright-keys", 1, {
    upgrade: (fresh) => void fresh.createObjectStore("keys"),
  });
  try {
    const stored: unknown = await database.get("keys", name);
    if (stored instanceof CryptoKey) return stored;
    // generated before the transaction, because IndexedDB closes a transaction that waits for
    // anything else
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
