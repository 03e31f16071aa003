import { asBytes, concat, utf8, type Bytes } from "../base/bytes.ts";
import { hashLength, type SuiteHash } from "./tls-suites.ts";
import { uint, vector } from "./tls-wire.ts";

/** Returns the hash of bytes. */
export const digest = async (hash: SuiteHash, bytes: Uint8Array): Promise<Bytes> =>
  new Uint8Array(await crypto.subtle.digest(hash, asBytes(bytes)));

const hmacKey = (hash: SuiteHash, key: Uint8Array): Promise<CryptoKey> =>
  crypto.subtle.importKey("raw", asBytes(key), { name: "HMAC", hash }, false, ["sign", "verify"]);

/** Computes an HMAC. The key must have at least one byte. */
export async function hmac(
  hash: SuiteHash,
  key: Uint8Array,
  ...data: readonly Uint8Array[]
): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.sign("HMAC", await hmacKey(hash, key), concat(data)));
}

/** Verifies an HMAC in constant time. */
export async function isHmac(
  hash: SuiteHash,
  key: Uint8Array,
  data: Uint8Array,
  mac: Uint8Array,
): Promise<boolean> {
  const imported = await hmacKey(hash, key);
  return await crypto.subtle.verify("HMAC", imported, asBytes(mac), asBytes(data));
}

/** Computes HKDF-Expand-Label (RFC 8446 section 7.1). */
export async function expandLabel(
  hash: SuiteHash,
  secret: Uint8Array,
  label: string,
  { context = new Uint8Array(), length = hashLength(hash) } = {},
): Promise<Bytes> {
  const info = concat([uint(length, 2), vector(1, utf8(`tls13 ${label}`)), vector(1, context)]);
  // the requested length never exceeds one block
  const block = await hmac(hash, secret, info, Uint8Array.of(1));
  return block.slice(0, length);
}

/** Computes the pseudorandom function of TLS 1.2 (RFC 5246 section 5). */
export async function prf(
  hash: SuiteHash,
  secret: Uint8Array,
  [label, seed]: readonly [label: string, seed: Uint8Array],
  length: number,
): Promise<Bytes> {
  const start = concat([utf8(label), seed]);
  const blocks: Bytes[] = [];
  let a: Bytes = start;
  for (let produced = 0; produced < length; produced += hashLength(hash)) {
    a = await hmac(hash, secret, a);
    blocks.push(await hmac(hash, secret, a, start));
  }
  return concat(blocks).slice(0, length);
}

/** Compares two byte strings in constant time. */
export function isEqualSecret(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0);
  return difference === 0;
}
