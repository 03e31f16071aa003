import { weierstrass, type WeierstrassPointCons } from "@noble/curves/abstract/weierstrass.js";
import type { Curve } from "./curve.ts";
import { bigintOf } from "./form.ts";

// Computes the public point of a private scalar, which not every WebCrypto does: Firefox does not
// export a key that was imported without its point. Loaded only by `import()` on first use, because
// nothing else needs the arithmetic of the package above.

const groups = new Map<string, WeierstrassPointCons<bigint>>();

/**
 * Returns the group of a curve. It is defined on first use rather than at load time, when a Worker
 * may not generate randomness, which the package needs.
 */
export function groupOf({ name, p, b, n, g }: Curve): WeierstrassPointCons<bigint> {
  const cached = groups.get(name);
  if (cached) return cached;
  const group = weierstrass({ p, n, h: 1n, a: p - 3n, b, Gx: g[0], Gy: g[1] });
  // A small table takes 20 to 30 ms to compute instead of 70 to 200.
  group.BASE.precompute(4);
  groups.set(name, group);
  return group;
}

/**
 * Returns the uncompressed public point of a scalar at full length; undefined if the scalar is
 * zero, not below the order, or of another length.
 */
export function publicPoint(curve: Curve, scalar: Uint8Array): Uint8Array | undefined {
  const { BASE, Fn } = groupOf(curve);
  const number = bigintOf(scalar);
  if (scalar.length !== curve.size || number === 0n || number >= Fn.ORDER) return undefined;
  return BASE.multiply(number).toBytes(false);
}
