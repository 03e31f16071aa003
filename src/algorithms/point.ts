import { weierstrass, type WeierstrassPointCons } from "@noble/curves/abstract/weierstrass.js";
import type { Curve } from "./curve.ts";
import { bigintOf } from "./form.ts";

// Computes the public point of a private scalar. Not every WebCrypto can do this: Firefox does not
// export a key that was imported without its point. Loaded by `import()` on first use, because
// nothing else needs the package above.

const groups = new Map<string, WeierstrassPointCons<bigint>>();

/**
 * Returns the group of the given curve. The group is created on first use, not at load time,
 * because the package needs randomness, which Workers do not provide at load time.
 */
export function groupOf({ name, p, b, n, g }: Curve): WeierstrassPointCons<bigint> {
  const cached = groups.get(name);
  if (cached) return cached;
  const group = weierstrass({ p, n, h: 1n, a: p - 3n, b, Gx: g[0], Gy: g[1] });
  // Precomputing a small table takes 20 to 30 ms; the default takes 70 to 200 ms.
  group.BASE.precompute(4);
  groups.set(name, group);
  return group;
}

/**
 * Computes the uncompressed public point of a scalar. Returns undefined if the scalar is zero, not
 * less than the order, or not as long as the order.
 */
export function publicPoint(curve: Curve, scalar: Uint8Array): Uint8Array | undefined {
  const { BASE, Fn } = groupOf(curve);
  const number = bigintOf(scalar);
  if (scalar.length !== curve.size || number === 0n || number >= Fn.ORDER) return undefined;
  return BASE.multiply(number).toBytes(false);
}
