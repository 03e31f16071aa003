import type { CHash } from "@noble/hashes/utils.js";
import { asBytes, concat, utf8, type Bytes } from "../base/bytes.ts";

/** A hash function at once, without a promise. */
export type Hash = CHash;
/** A salt, and how often is hashed. */
export interface Rounds {
  readonly salt: Uint8Array;
  readonly rounds: number;
}

/**
 * PBKDF2 (RFC 8018 section 5.2) over the UTF-8 of a password, as PBES2 and PBMAC1 want it (RFC 9579
 * section 4): `length` bytes.
 */
export async function pbkdf2(
  password: string,
  { salt, rounds, hash }: Rounds & { readonly hash: string },
  length: number,
): Promise<Bytes> {
  // WebKitGTK refuses an empty one; HMAC fills every key up with zeros, so this is the same.
  const bytes = utf8(password || "\0");
  const key = await crypto.subtle.importKey("raw", bytes, "PBKDF2", false, ["deriveBits"]);
  const bits = await crypto.subtle.deriveBits(
    { name: "PBKDF2", hash, salt: asBytes(salt), iterations: rounds },
    key,
    8 * length,
  );
  return new Uint8Array(bits);
}

/** `bytes` again and again, up to the next whole number of blocks; nothing of nothing. */
function repeated(bytes: Uint8Array, block: number): Bytes {
  const out = new Uint8Array(block * Math.ceil(bytes.length / block));
  for (let i = 0; i < out.length; i++) out[i] = bytes[i % bytes.length] ?? 0;
  return out;
}

/**
 * The key of a classic MAC (RFC 7292 appendix B.2, with the identifier 3): as long as the hash, so
 * that one pass of its loop is all. `password`: BMPString with its NUL, or nothing.
 */
export function macKey(password: Uint8Array, { salt, rounds }: Rounds, hash: Hash): Uint8Array {
  const { blockLen } = hash;
  const diversifier = new Uint8Array(blockLen).fill(3);
  let key = hash(concat([diversifier, repeated(salt, blockLen), repeated(password, blockLen)]));
  for (let round = 1; round < rounds; round++) key = hash(key);
  return key;
}
