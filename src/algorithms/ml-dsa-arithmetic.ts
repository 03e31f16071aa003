import { shake128, shake256 } from "@noble/hashes/sha3.js";
import { genCrystals } from "@noble/post-quantum/_crystals.js";
import { ml_dsa44, ml_dsa65, ml_dsa87 } from "@noble/post-quantum/ml-dsa.js";
import { concat, equalBytes, type Bytes } from "../base/bytes.ts";
import type { RandomBytes } from "../base/random-text.ts";
import type { MlDsaParameters } from "./ml-dsa.ts";

// ML-DSA without WebCrypto. Loaded by `import()` on first use, because most deployments do not need
// it.

const sets = { "ML-DSA-44": ml_dsa44, "ML-DSA-65": ml_dsa65, "ML-DSA-87": ml_dsa87 } as const;

/** Expands a seed to the public and the private key (FIPS 204 algorithm 6). */
export const expandSeed = (
  { name }: MlDsaParameters,
  seed: Uint8Array,
): { readonly publicKey: Uint8Array; readonly secretKey: Uint8Array } => sets[name].keygen(seed);

/** Signs with an expanded private key and an empty context (FIPS 204 algorithm 2). */
export function signExpanded(
  { name }: MlDsaParameters,
  expanded: Uint8Array,
  data: Uint8Array,
  random: RandomBytes,
): Bytes {
  const signature = sets[name].sign(data, expanded, { extraEntropy: random(32) });
  return Uint8Array.from(signature);
}

/** Verifies a signature with an empty context (FIPS 204 algorithm 3). */
export const verifySignature = (
  { name }: MlDsaParameters,
  publicKey: Uint8Array,
  data: Uint8Array,
  signature: Uint8Array,
): boolean => sets[name].verify(signature, data, publicKey);

const degree = 256;
const modulus = 8_380_417;
/** Number of low bits of t that the public key omits (d in FIPS 204). */
const dropped = 13;
const { mod, NTT } = genCrystals({
  N: degree,
  Q: modulus,
  F: 8_347_681,
  ROOT_OF_UNITY: 1753,
  newPoly: (length) => new Int32Array(length),
  isKyber: false,
  brvBits: 8,
});

/** Unpacks polynomials whose coefficients have `bits` bits each (FIPS 204 algorithms 18 and 19). */
function unpack(bytes: Uint8Array, bits: number): readonly Int32Array[] {
  const size = (degree * bits) / 8;
  return Array.from({ length: bytes.length / size }, (_, i) => {
    const packed = bytes.subarray(i * size, (i + 1) * size);
    return Int32Array.from({ length: degree }, (__, at) => {
      let value = 0;
      for (let bit = 0; bit < bits; bit++) {
        const position = at * bits + bit;
        value |= (((packed[position >> 3] ?? 0) >> (position & 7)) & 1) << bit;
      }
      return value;
    });
  });
}

/** Packs the high parts of t, which have 10 bits each (FIPS 204 algorithm 16). */
function packHigh(polynomial: Int32Array): Uint8Array {
  const packed = new Uint8Array((degree * 10) / 8);
  polynomial.forEach((value, at) => {
    for (let bit = 0; bit < 10; bit++) {
      const position = at * 10 + bit;
      packed[position >> 3] =
        (packed[position >> 3] ?? 0) | (((value >> bit) & 1) << (position & 7));
    }
  });
  return packed;
}

/** Returns an entry of the matrix A in the NTT domain (FIPS 204 algorithms 30 and 32). */
function matrixEntry(rho: Uint8Array, row: number, column: number): Int32Array {
  const stream = shake128.create({}).update(rho).update(Uint8Array.of(column, row));
  const entry = new Int32Array(degree);
  for (let at = 0; at < degree;) {
    const [low = 0, middle = 0, high = 0] = stream.xof(3);
    const value = low | (middle << 8) | ((high & 0x7f) << 16);
    if (value < modulus) entry[at++] = value;
  }
  return entry;
}

/**
 * Computes the public key from an expanded private key. Returns undefined if the private key is
 * inconsistent: a secret coefficient is out of range, or the contained low bits of t or hash of the
 * public key are wrong.
 */
export function publicKeyOfExpanded(
  { k, l, eta }: MlDsaParameters,
  expanded: Uint8Array,
): Uint8Array | undefined {
  const size = 32 * (eta === 2 ? 3 : 4);
  const [rho, hash] = [expanded.subarray(0, 32), expanded.subarray(64, 128)];
  const secrets = unpack(expanded.subarray(128, 128 + (k + l) * size), size / 32);
  if (secrets.some((polynomial) => polynomial.some((value) => value > 2 * eta))) return undefined;
  const low = unpack(expanded.subarray(128 + (k + l) * size), dropped);
  const short = secrets.map((polynomial) => polynomial.map((value) => eta - value));
  const s1 = short.slice(0, l).map((polynomial) => NTT.encode(polynomial.slice()));
  const rows = low.map((lowBits, row) => {
    const t = new Int32Array(degree);
    s1.forEach((polynomial, column) => {
      const entry = matrixEntry(rho, row, column);
      for (let i = 0; i < degree; i++)
        t[i] = mod((t[i] ?? 0) + mod((entry[i] ?? 0) * (polynomial[i] ?? 0)));
    });
    NTT.decode(t);
    const s2 = short[l + row];
    // subtracting the low bits leaves a multiple of 2^13
    return t.map((value, i) =>
      mod(value + (s2?.[i] ?? 0) - (2 ** (dropped - 1) - (lowBits[i] ?? 0))),
    );
  });
  for (const polynomial of [...secrets, ...short, ...s1, ...low]) polynomial.fill(0);
  const isSplit = rows.every((row) => row.every((value) => value % 2 ** dropped === 0));
  const publicKey = concat([
    rho,
    ...rows.map((row) => packHigh(row.map((high) => high >> dropped))),
  ]);
  return isSplit && equalBytes(shake256(publicKey, { dkLen: 64 }), hash) ? publicKey : undefined;
}
