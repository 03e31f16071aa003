import { ecdsa, type ECDSA } from "@noble/curves/abstract/weierstrass.js";
import { sha256 } from "@noble/hashes/sha2.js";
import type { RandomBytes } from "../base/random-text.ts";
import type { Curve } from "./curve.ts";
import { groupOf } from "./point.ts";

// ECDSA on a curve that WebCrypto does not support. Loaded by `import()` on first use, because
// nothing else needs the packages above.

const defined = new Map<string, ECDSA>();
function ecdsaOn(curve: Curve): ECDSA {
  const cached = defined.get(curve.name);
  if (cached) return cached;
  const created = ecdsa(groupOf(curve), sha256, { lowS: false });
  defined.set(curve.name, created);
  return created;
}

/**
 * Generates a scalar, padded to the length of the order, and its point. Uses at least 64 more
 * random bits than the order has, so that the scalar is not biased (FIPS 186-5 appendix A.2.1).
 */
export function newScalar(
  curve: Curve,
  random: RandomBytes,
): { readonly scalar: Uint8Array; readonly point: Uint8Array } {
  const { utils, lengths, getPublicKey } = ecdsaOn(curve);
  const size = lengths.seed ?? Math.ceil(1.5 * curve.size);
  const seed = random(size);
  if (seed.length !== size)
    throw new TypeError(`the random source returned ${seed.length} bytes instead of ${size}`);
  const scalar = utils.randomSecretKey(seed);
  seed.fill(0);
  return { scalar, point: getPublicKey(scalar, false) };
}

/**
 * Signs a digest with ECDSA. Returns the concatenation of r and s, each padded to the length of the
 * order. The nonce is derived according to RFC 6979 with HMAC-SHA-256 and `extra` as additional
 * input (section 3.6).
 */
export const signDigest = (
  curve: Curve,
  scalar: Uint8Array,
  digest: Uint8Array,
  extra?: Uint8Array,
): Uint8Array =>
  ecdsaOn(curve).sign(digest, scalar, { prehash: false, ...(extra && { extraEntropy: extra }) });
