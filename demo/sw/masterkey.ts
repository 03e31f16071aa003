import { openDB } from "idb";

/**
 * The AES-256-GCM key that seals the authority's keys. It is made once, kept by the browser and cannot be read out, not even by this code.
 * Two workers that race agree on one: the key is offered inside a transaction that keeps the first.
 */
export async function masterKey(folder: string): Promise<CryptoKey> {
  const database = await openDB("sealwright-keys", 1, { upgrade: (fresh) => void fresh.createObjectStore("keys") });
  try {
    const known: unknown = await database.get("keys", folder);
    if (known instanceof CryptoKey) return known;
    // Made before the transaction: IndexedDB closes one that waits for anything else.
    const offered = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt", "unwrapKey"]);
    const change = database.transaction("keys", "readwrite", { durability: "strict" });
    const first: unknown = await change.store.get(folder);
    if (first === undefined) await change.store.put(offered, folder);
    await change.done;
    return first instanceof CryptoKey ? first : offered;
  } finally {
    database.close();
  }
}
