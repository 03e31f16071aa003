import { toHex } from "../base/bytes.ts";

/** Name of a NIST curve in WebCrypto's spelling. */
export type CurveName = "P-224" | "P-256" | "P-384" | "P-521";

/** Domain parameters of y^2 = x^3 - 3x + b over the prime p (SP 800-186 section 3.2.1); `size` is the bytes of a coordinate. */
interface Curve {
  readonly size: number;
  readonly p: bigint;
  readonly b: bigint;
  readonly n: bigint;
  readonly g: readonly [x: bigint, y: bigint];
}

const curves: Record<CurveName, Curve> = {
  "P-224": {
    size: 28,
    p: 2n ** 224n - 2n ** 96n + 1n,
    b: 0xb4050a850c04b3abf54132565044b0b7d7bfd8ba270b39432355ffb4n,
    n: 0xffffffffffffffffffffffffffff16a2e0b8f03e13dd29455c5c2a3dn,
    g: [0xb70e0cbd6bb4bf7f321390b94a03c1d356c21122343280d6115c1d21n, 0xbd376388b5f723fb4c22dfe6cd4375a05a07476444d5819985007e34n],
  },
  "P-256": {
    size: 32,
    p: 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n,
    b: 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn,
    n: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
    g: [0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296n, 0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5n],
  },
  "P-384": {
    size: 48,
    p: 2n ** 384n - 2n ** 128n - 2n ** 96n + 2n ** 32n - 1n,
    b: 0xb3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aefn,
    n: 0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
    g: [
      0xaa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7n,
      0x3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5fn,
    ],
  },
  "P-521": {
    size: 66,
    p: 2n ** 521n - 1n,
    b: 0x51953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00n,
    n: 0x1fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409n,
    g: [
      0xc6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d3dbaa14b5e77efe75928fe1dc127a2ffa8de3348b3c1856a429bf97e7e31c2e5bd66n,
      0x11839296a789a3bc0045c8a5fb42c7d1bd998f54449579b446817afbd17273e662c97ee72995ef42640c550b9013fad0761353c7086a272c24088be94769fd16650n,
    ],
  },
};

/** The unsigned number of big-endian bytes. */
export const bigintOf = (bytes: Uint8Array): bigint => (bytes.length === 0 ? 0n : BigInt(`0x${toHex(bytes)}`));

/** Bytes of one coordinate. */
export const coordinateSize = (curve: CurveName): number => curves[curve].size;

type Point = readonly [x: bigint, y: bigint];

const mod = (a: bigint, m: bigint): bigint => ((a % m) + m) % m;

/** The point of an uncompressed encoding, or undefined when it has another form or is not on the curve. Infinity has no such encoding. */
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

/** Sum of two points; undefined is infinity. */
function add(curve: Curve, a: Point | undefined, b: Point | undefined): Point | undefined {
  if (!a || !b) return a ?? b;
  const { p } = curve;
  if (a[0] === b[0] && mod(a[1] + b[1], p) === 0n) return undefined;
  const slope = a[0] === b[0] ? (3n * a[0] * a[0] - 3n) * inverse(2n * a[1], p) : (b[1] - a[1]) * inverse(b[0] - a[0], p);
  const x = mod(slope * slope - a[0] - b[0], p);
  return [x, mod(slope * (a[0] - x) - a[1], p)];
}

/** u * G + v * Q, both scalars in one pass. */
function combine(curve: Curve, u: bigint, v: bigint, q: Point): Point | undefined {
  const both = add(curve, curve.g, q);
  let sum: Point | undefined;
  for (let bit = BigInt(8 * curve.size); bit >= 0n; bit--) {
    sum = add(curve, sum, sum);
    const [hasU, hasV] = [(u >> bit) & 1n, (v >> bit) & 1n];
    if (hasU === 1n || hasV === 1n) sum = add(curve, sum, hasU === 0n ? q : hasV === 0n ? curve.g : both);
  }
  return sum;
}

/**
 * Verifies an ECDSA signature (r and s joined) over a digest in plain arithmetic, for P-224, which WebCrypto lacks (FIPS 186-5 section 6.4.2).
 * Takes public values only, so its time may depend on them.
 */
export function verifyEcdsa(name: CurveName, encoded: Uint8Array, digest: Uint8Array, raw: Uint8Array): boolean {
  const curve = curves[name];
  const q = pointOnCurve(name, encoded);
  const [r, s] = [bigintOf(raw.subarray(0, curve.size)), bigintOf(raw.subarray(curve.size))];
  if (!q || raw.length !== 2 * curve.size || r === 0n || s === 0n || r >= curve.n || s >= curve.n) return false;
  const extra = BigInt(Math.max(0, 8 * digest.length - curve.n.toString(2).length));
  const w = inverse(s, curve.n);
  const point = combine(curve, mod((bigintOf(digest) >> extra) * w, curve.n), mod(r * w, curve.n), q);
  return point !== undefined && mod(point[0], curve.n) === r;
}
