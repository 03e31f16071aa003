import { weierstrass, type WeierstrassPointCons } from "@noble/curves/abstract/weierstrass.js";
import type { Curve } from "./curve.ts";
import { bigintOf } from "./form.ts";

// The public point of a private scalar, which WebCrypto does not tell everywhere: Firefox does not
// export a key that came without its point. Only ever loaded by `import()` on first use: nothing
// else needs the arithmetic of the package above.

const groups = new Map<string, WeierstrassPointCons<bigint>>();

/**
 * The group of a curve, defined on first use and not while loading: a Worker may draw no randomness
 * then, and the package asks for some.
 */
export function groupOf({ name, p, b, n, g }: Curve): WeierstrassPointCons<bigint> {
  const known = groups.get(name);
  if (known) return known;
  const group = weierstrass({ p, n, h: 1n, a: p - 3n, b, Gx: g[0], Gy: g[1] });
  // A small table: 20 to 30 ms to make instead of 70 to 200.
  group.BASE.precompute(4);
  groups.set(name, group);
  return group;
}

/**
 * The uncompressed public point of a scalar at full length; undefined when the scalar is zero, not
 * below the order, or of another length.
 */
export function publicPoint(curve: Curve, scalar: Uint8Array): Uint8Array | undefined {
  const { BASE, Fn } = groupOf(curve);
  const number = bigintOf(scalar);
  if (scalar.length !== curve.size || number === 0n || number >= Fn.ORDER) return undefined;
  return BASE.multiply(number).toBytes(false);
}
