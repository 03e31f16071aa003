import { bigintOf } from "./form.ts";

/** Coordinates of a point other than infinity. */
export type Point = readonly [x: bigint, y: bigint];

/**
 * A curve y^2 = x^3 - 3x + b modulo the prime p, with order n and base point g (SP 800-186 section
 * 3.2.1).
 */
export interface Curve {
  readonly name: string;
  readonly oid: string;
  readonly bits: number;
  /** Length of coordinates and scalars in bytes. */
  readonly size: number;
  readonly p: bigint;
  readonly b: bigint;
  readonly n: bigint;
  readonly g: Point;
}

/**
 * Decodes a point from its uncompressed encoding (infinity has none). Returns undefined if the
 * encoding is different or the point is not on the curve.
 */
export function pointOnCurve({ size, p, b }: Curve, encoded: Uint8Array): Point | undefined {
  if (encoded.length !== 1 + 2 * size || encoded[0] !== 4) return undefined;
  const x = bigintOf(encoded.subarray(1, 1 + size));
  const y = bigintOf(encoded.subarray(1 + size));
  if (x >= p || y >= p) return undefined;
  return (y * y - (x * x * x - 3n * x + b)) % p === 0n ? [x, y] : undefined;
}
