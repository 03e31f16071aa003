import { toHex } from "../base/bytes.ts";

/** Name of a NIST curve in WebCrypto's spelling. */
export type CurveName = "P-224" | "P-256" | "P-384" | "P-521";

/**
 * What tells whether a point is on the curve y^2 = x^3 - 3x + b over the prime p (SP 800-186
 * section 3.2.1); `size` is the bytes of a coordinate.
 */
export interface Curve {
  readonly size: number;
  readonly p: bigint;
  readonly b: bigint;
}

/** P-224 whole: with the order and the base point. */
export const p224: Curve & { readonly n: bigint; readonly g: Point } = {
  size: 28,
  p: 2n ** 224n - 2n ** 96n + 1n,
  b: 0xb4050a850c04b3abf54132565044b0b7d7bfd8ba270b39432355ffb4n,
  n: 0xffffffffffffffffffffffffffff16a2e0b8f03e13dd29455c5c2a3dn,
  g: [
    0xb70e0cbd6bb4bf7f321390b94a03c1d356c21122343280d6115c1d21n,
    0xbd376388b5f723fb4c22dfe6cd4375a05a07476444d5819985007e34n,
  ],
};

/** The equation of each curve. */
export const curves: Readonly<Record<CurveName, Curve>> = {
  "P-224": p224,
  "P-256": {
    size: 32,
    p: 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n,
    b: 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn,
  },
  "P-384": {
    size: 48,
    p: 2n ** 384n - 2n ** 128n - 2n ** 96n + 2n ** 32n - 1n,
    b: 0xb3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aefn,
  },
  "P-521": {
    size: 66,
    p: 2n ** 521n - 1n,
    b: 0x51953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00n,
  },
};

/** The unsigned number of big-endian bytes. */
export const bigintOf = (bytes: Uint8Array): bigint =>
  bytes.length === 0 ? 0n : BigInt(`0x${toHex(bytes)}`);

/** Bytes of one coordinate. */
export const coordinateSize = (curve: CurveName): number => curves[curve].size;

/** The coordinates of a point that is not infinity. */
export type Point = readonly [x: bigint, y: bigint];

const mod = (a: bigint, m: bigint): bigint => ((a % m) + m) % m;

/**
 * The point of an uncompressed encoding, or undefined when it has another form or is not on the
 * curve. Infinity has no such encoding.
 */
export function pointOnCurve(curve: CurveName, encoded: Uint8Array): Point | undefined {
  const { size, p, b } = curves[curve];
  if (encoded.length !== 1 + 2 * size || encoded[0] !== 4) return undefined;
  const x = bigintOf(encoded.subarray(1, 1 + size));
  const y = bigintOf(encoded.subarray(1 + size));
  if (x >= p || y >= p) return undefined;
  return (y * y - (x * x * x - 3n * x + b)) % p === 0n ? [x, y] : undefined;
}

function inverse(a: bigint, m: bigint): bigint {
  let [r, next, s, nextS] = [mod(a, m), m, 1n, 0n];
  while (next !== 0n) {
    const q = r / next;
    [r, next, s, nextS] = [next, r - q * next, nextS, s - q * nextS];
  }
  return mod(s, m);
}

/**
 * A point of P-224 as [X, Y, Z], standing for x = X / Z^2 and y = Y / Z^3, so that only the result
 * costs a division; undefined is infinity.
 */
type Jacobian = readonly [x: bigint, y: bigint, z: bigint] | undefined;

function double(point: Jacobian): Jacobian {
  if (!point) return undefined;
  const [x, y, z] = point;
  const { p } = p224;
  const [zz, yy] = [(z * z) % p, (y * y) % p];
  const [xyy, slope] = [(x * yy) % p, (3n * (x - zz) * (x + zz)) % p];
  const across = mod(slope * slope - 8n * xyy, p);
  return [across, mod(slope * (4n * xyy - across) - 8n * yy * yy, p), (2n * y * z) % p];
}

/** Sum of a point and one whose Z is 1. */
function add(point: Jacobian, other: Point): Jacobian {
  if (!point) return [...other, 1n];
  const [x, y, z] = point;
  const { p } = p224;
  const zz = (z * z) % p;
  const [dx, dy] = [mod(other[0] * zz - x, p), mod(other[1] * zz * z - y, p)];
  if (dx === 0n) return dy === 0n ? double(point) : undefined;
  const square = (dx * dx) % p;
  const [cube, middle] = [(square * dx) % p, (x * square) % p];
  const across = mod(dy * dy - cube - 2n * middle, p);
  return [across, mod(dy * (middle - across) - y * cube, p), (z * dx) % p];
}

function affine(point: Jacobian): Point | undefined {
  if (!point) return undefined;
  const { p } = p224;
  const w = inverse(point[2], p);
  return [mod(point[0] * w * w, p), mod(point[1] * w * w * w, p)];
}

/** u * G + v * Q, both scalars in one pass. */
function combine(u: bigint, v: bigint, q: Point): Point | undefined {
  // Undefined where Q is -G: both together add nothing then.
  const both = affine(add([...p224.g, 1n], q));
  let sum: Jacobian;
  for (let bit = 223n; bit >= 0n; bit--) {
    sum = double(sum);
    const [hasU, hasV] = [((u >> bit) & 1n) === 1n, ((v >> bit) & 1n) === 1n];
    const step = hasU && hasV ? both : hasU ? p224.g : hasV ? q : undefined;
    if (step) sum = add(sum, step);
  }
  return affine(sum);
}

/**
 * Verifies an ECDSA signature (r and s joined) of P-224, which WebCrypto lacks, over a digest in
 * plain arithmetic (FIPS 186-5 section 6.4.2). Takes public values only, so its time may depend on
 * them. Shares no arithmetic with the code that signs, so that an error of one shows in the other.
 */
export function verifyP224(encoded: Uint8Array, digest: Uint8Array, raw: Uint8Array): boolean {
  const { size, n } = p224;
  const q = pointOnCurve("P-224", encoded);
  const [r, s] = [bigintOf(raw.subarray(0, size)), bigintOf(raw.subarray(size))];
  if (!q || raw.length !== 2 * size || r === 0n || s === 0n || r >= n || s >= n) return false;
  const w = inverse(s, n);
  const point = combine(mod(bigintOf(digest.subarray(0, size)) * w, n), mod(r * w, n), q);
  return point !== undefined && mod(point[0], n) === r;
}
