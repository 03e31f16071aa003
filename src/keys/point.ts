import { weierstrass, type WeierstrassPointCons } from "@noble/curves/abstract/weierstrass.js";
import {
  bigintOf,
  coordinateSize,
  curves,
  p224,
  type CurveName,
  type Point,
} from "../x509/curve.ts";

// The public point of a private scalar, which WebCrypto does not tell everywhere: Firefox does not
// export a key that came without its point. Only ever loaded by `import()` on first use: nothing
// else needs the arithmetic of the package above.

/** Order and base point of each curve (SP 800-186 section 3.2.1). */
const bases: Readonly<Record<CurveName, { readonly n: bigint; readonly g: Point }>> = {
  "P-224": p224,
  "P-256": {
    n: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
    g: [
      0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296n,
      0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5n,
    ],
  },
  "P-384": {
    n: 0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
    g: [
      0xaa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7n,
      0x3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5fn,
    ],
  },
  "P-521": {
    n: 0x1fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409n,
    g: [
      0xc6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d3dbaa14b5e77efe75928fe1dc127a2ffa8de3348b3c1856a429bf97e7e31c2e5bd66n,
      0x11839296a789a3bc0045c8a5fb42c7d1bd998f54449579b446817afbd17273e662c97ee72995ef42640c550b9013fad0761353c7086a272c24088be94769fd16650n,
    ],
  },
};

const groups = new Map<CurveName, WeierstrassPointCons<bigint>>();

/**
 * The group of a curve, defined on first use and not while loading: a Worker may draw no randomness
 * then, and the package asks for some.
 */
export function groupOf(name: CurveName): WeierstrassPointCons<bigint> {
  const known = groups.get(name);
  if (known) return known;
  const [{ p, b }, { n, g }] = [curves[name], bases[name]];
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
export function publicPoint(curve: CurveName, scalar: Uint8Array): Uint8Array | undefined {
  const { BASE, Fn } = groupOf(curve);
  const number = bigintOf(scalar);
  if (scalar.length !== coordinateSize(curve) || number === 0n || number >= Fn.ORDER)
    return undefined;
  return BASE.multiply(number).toBytes(false);
}
