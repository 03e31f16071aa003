import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";

/**
 * Returns the SHA-256 of a short message synchronously, for the same reason as {@link hmacSha256}.
 */
export const digestSha256 = (message: Uint8Array): Uint8Array => sha256(message);

/**
 * Returns a function that computes HMAC-SHA-256 (RFC 2104) with a key. The function is synchronous,
 * because for short messages, calling WebCrypto takes longer than hashing.
 */
export function hmacSha256(key: Uint8Array): (data: Uint8Array) => Uint8Array {
  // the blocks that are derived from the key are hashed only once
  const keyed = hmac.create(sha256, key);
  // one copy suffices for all messages, because nothing is awaited between two uses
  const copy = keyed.clone();
  return (data) => {
    keyed._cloneInto(copy);
    return copy.update(data).digest();
  };
}
