import { sha224, sha256, sha384, sha512 } from "@noble/hashes/sha2.js";
import { sha3_224, sha3_256, sha3_384, sha3_512 } from "@noble/hashes/sha3.js";

/** The hash functions of FIPS 180-4 and FIPS 202, by the names that requests use. */
export const digests: ReadonlyMap<string, (data: Uint8Array) => Uint8Array> = new Map([
  ["sha2-224", sha224],
  ["sha2-256", sha256],
  ["sha2-384", sha384],
  ["sha2-512", sha512],
  ["sha3-224", sha3_224],
  ["sha3-256", sha3_256],
  ["sha3-384", sha3_384],
  ["sha3-512", sha3_512],
]);
