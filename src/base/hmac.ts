import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";

/**
 * Returns HMAC-SHA-256 (RFC 2104) under one key: 32 bytes. Synchronous, because calling WebCrypto
 * takes longer than the hash of such short messages.
 */
export function hmacSha256(key: Uint8Array): (data: Uint8Array) => Uint8Array {
  // the key's own blocks are hashed once
  const keyed = hmac.create(sha256, key);
  // one copy for all messages, because nothing waits between its use and the next one
  const copy = keyed.clone();
  return (data) => {
    keyed._cloneInto(copy);
    return copy.update(data).digest();
  };
}
