import { readDer, type Reader } from "../base/der.ts";
import type { Bytes } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import { sha1 } from "../base/sha1.ts";
import { coordinateSize, type CurveName } from "./curve.ts";
import { keyOid } from "./oid.ts";

/** A public key taken apart. */
export interface PublicKey {
  readonly type: "rsa" | "ec" | "ed25519";
  /** Bits of the modulus or of the curve. */
  readonly bits: number;
  readonly curve?: CurveName;
  /** SubjectPublicKeyInfo, DER. */
  readonly spki: Uint8Array;
  /** Content of the BIT STRING: RSAPublicKey, an uncompressed point, or 32 bytes. */
  readonly keyBits: Uint8Array;
  /** RSA: unsigned, big-endian, no zero in front. */
  readonly modulus?: Uint8Array;
  readonly exponent?: number;
}

/** Named curves by their object identifier. */
const curveOids: ReadonlyMap<string, readonly [name: CurveName, bits: number]> = new Map([
  [keyOid.p224, ["P-224", 224]],
  [keyOid.p256, ["P-256", 256]],
  [keyOid.p384, ["P-384", 384]],
  [keyOid.p521, ["P-521", 521]],
]);

function rsaKey(spki: Uint8Array, keyBits: Uint8Array): PublicKey {
  const key = readDer(keyBits, "RSA public key").enter("RSAPublicKey");
  const signed = key.unsigned("the modulus");
  const exponent = key.number("the exponent");
  key.end();
  const modulus = signed[0] === 0 ? signed.subarray(1) : signed;
  return {
    type: "rsa",
    bits: modulus.length === 0 ? 0 : 8 * modulus.length - Math.clz32(modulus[0] ?? 0) + 24,
    spki,
    keyBits,
    modulus,
    exponent,
  };
}

function ecKey(spki: Uint8Array, keyBits: Uint8Array, algorithm: Reader): PublicKey {
  if (algorithm.tag !== 0x06)
    throw new CaError(
      "bad_key",
      "EC public key: only a named curve is supported, no explicit or absent parameters",
    );
  const curveOid = algorithm.oid("the curve");
  algorithm.end();
  const [curve, bits] = curveOids.get(curveOid) ?? [];
  if (!curve || !bits) throw new CaError("bad_key", `EC public key: unsupported curve ${curveOid}`);
  if (keyBits[0] === 2 || keyBits[0] === 3)
    throw new CaError("bad_key", "EC public key: compressed points are not supported");
  if (keyBits[0] !== 4 || keyBits.length !== 1 + 2 * coordinateSize(curve)) {
    throw new CaError("bad_key", `EC public key: not an uncompressed point of ${curve}`);
  }
  return { type: "ec", bits, curve, spki, keyBits };
}

const parsed = new WeakMap<Uint8Array, PublicKey>();
/**
 * Takes a SubjectPublicKeyInfo apart, strictly. Whether the key is any good is for
 * `checkPublicKey`. Throws `CaError`: `malformed` when it is not DER, `bad_key` when its kind is
 * not supported.
 */
export function parsePublicKey(spki: Uint8Array): PublicKey {
  // the key of one request is asked for by several steps; nothing changes bytes that were read
  let key = parsed.get(spki);
  if (!key) {
    key = parse(spki);
    parsed.set(spki, key);
  }
  return key;
}
function parse(spki: Uint8Array): PublicKey {
  const outer = readDer(spki, "public key").enter("SubjectPublicKeyInfo");
  const algorithm = outer.enter("the algorithm");
  const kind = algorithm.oid("the key type");
  const keyBits = outer.wholeBits("the key");
  outer.end();
  if (kind === keyOid.ec) return ecKey(spki, keyBits, algorithm);
  if (kind === keyOid.rsa) {
    algorithm.null("the parameters");
    algorithm.end();
    return rsaKey(spki, keyBits);
  }
  if (kind === keyOid.ed25519) {
    algorithm.end();
    if (keyBits.length !== 32) throw new CaError("bad_key", "Ed25519 public key: not 32 bytes");
    return { type: "ed25519", bits: 256, spki, keyBits };
  }
  if (kind === keyOid.rsaPss)
    throw new CaError(
      "bad_key",
      `public key: RSASSA-PSS keys (${kind}) are not supported, use an rsaEncryption key`,
    );
  throw new CaError("bad_key", `public key: unsupported type ${kind}`);
}

/**
 * Subject key identifier: SHA-1 over the content of the key's BIT STRING (RFC 5280 section 4.2.1.2,
 * method 1).
 */
export async function keyIdentifier(spki: Uint8Array): Promise<Bytes> {
  const outer = readDer(spki, "public key").enter("SubjectPublicKeyInfo");
  outer.raw("the algorithm", 0x30);
  const keyBits = outer.wholeBits("the key");
  outer.end();
  return sha1(keyBits);
}
