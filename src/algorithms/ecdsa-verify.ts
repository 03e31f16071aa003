import { pointOnCurve, type Curve, type Point } from "./curve.ts";
import { bigintOf } from "./form.ts";

const mod = (a: bigint, m: bigint): bigint => ((a % m) + m) % m;

function inverse(a: bigint, m: bigint): bigint {
  let [r, next, s, nextS] = [mod(a, m), m, 1n, 0n];
  while (next !== 0n) {
    const q = r / next;
    [r, next, s, nextS] = [next, r - q * next, nextS, s - q * nextS];
  }
  return mod(s, m);
}

/**
 * A point in Jacobian coordinates: x = X / Z^2 and y = Y / Z^3, so that only the final result needs
 * a division. Infinity is represented by undefined.
 */
type Jacobian = readonly [x: bigint, y: bigint, z: bigint] | undefined;

function double({ p }: Curve, point: Jacobian): Jacobian {
  if (!point) return undefined;
  const [x, y, z] = point;
  const [zz, yy] = [(z * z) % p, (y * y) % p];
  const [xyy, slope] = [(x * yy) % p, (3n * (x - zz) * (x + zz)) % p];
  const across = mod(slope * slope - 8n * xyy, p);
  return [across, mod(slope * (4n * xyy - across) - 8n * yy * yy, p), (2n * y * z) % p];
}

/** Adds two points, the second of which is in affine coordinates. */
function add(curve: Curve, point: Jacobian, other: Point): Jacobian {
  if (!point) return [...other, 1n];
  const { p } = curve;
  const [x, y, z] = point;
  const zz = (z * z) % p;
  const [dx, dy] = [mod(other[0] * zz - x, p), mod(other[1] * zz * z - y, p)];
  if (dx === 0n) return dy === 0n ? double(curve, point) : undefined;
  const square = (dx * dx) % p;
  const [cube, middle] = [(square * dx) % p, (x * square) % p];
  const across = mod(dy * dy - cube - 2n * middle, p);
  return [across, mod(dy * (middle - across) - y * cube, p), (z * dx) % p];
}

function affine({ p }: Curve, point: Jacobian): Point | undefined {
  if (!point) return undefined;
  const w = inverse(point[2], p);
  return [mod(point[0] * w * w, p), mod(point[1] * w * w * w, p)];
}

/** Computes u * G + v * Q in one pass over the bits of both scalars. */
function combine(curve: Curve, u: bigint, v: bigint, q: Point): Point | undefined {
  // G + Q, or undefined (infinity) if Q is -G.
  const both = affine(curve, add(curve, [...curve.g, 1n], q));
  let sum: Jacobian;
  for (let bit = BigInt(curve.bits - 1); bit >= 0n; bit--) {
    sum = double(curve, sum);
    const [hasU, hasV] = [((u >> bit) & 1n) === 1n, ((v >> bit) & 1n) === 1n];
    const step = hasU && hasV ? both : hasU ? curve.g : hasV ? q : undefined;
    if (step) sum = add(curve, sum, step);
  }
  return affine(curve, sum);
}

/**
 * Verifies an ECDSA signature (the concatenation of r and s) over a digest (FIPS 186-5 section
 * 6.4.2). The order of the curve must have `8 * size` bits, and the digest at least as many. All
 * values are public, so the time may depend on them. Shares no arithmetic with the code that signs,
 * so that each can reveal an error in the other.
 */
export function verifyEcdsa(
  curve: Curve,
  encoded: Uint8Array,
  digest: Uint8Array,
  raw: Uint8Array,
): boolean {
  const { size, n } = curve;
  const q = pointOnCurve(curve, encoded);
  const [r, s] = [bigintOf(raw.subarray(0, size)), bigintOf(raw.subarray(size))];
  if (!q || raw.length !== 2 * size || r === 0n || s === 0n || r >= n || s >= n) return false;
  const w = inverse(s, n);
  const z = bigintOf(digest.subarray(0, size));
  const point = combine(curve, mod(z * w, n), mod(r * w, n), q);
  return point !== undefined && mod(point[0], n) === r;
}
