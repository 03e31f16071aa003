import { sha224, sha256, sha384, sha512 } from "@noble/hashes/sha2.js";

type Digest = (data: Uint8Array) => Uint8Array;
/** The SHA-2 hash functions (FIPS 180-4), by the names that requests use. */
export const digests: ReadonlyMap<string, Digest> = new Map<string, Digest>([
  ["sha2-224", sha224],
  ["sha2-256", sha256],
  ["sha2-384", sha384],
  ["sha2-512", sha512],
]);
