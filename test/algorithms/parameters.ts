import type { Curve } from "../../src/algorithms/curve.ts";

/** Object identifiers of public keys and named curves. */
export const keyOid = {
  rsa: "1.2.840.113549.1.1.1",
  rsaPss: "1.2.840.113549.1.1.10",
  ec: "1.2.840.10045.2.1",
  ed25519: "1.3.101.112",
  p224: "1.3.132.0.33",
  p256: "1.2.840.10045.3.1.7",
  p384: "1.3.132.0.34",
  p521: "1.3.132.0.35",
} as const;

/** P-224 (SP 800-186 section 3.2.1.2). */
export const p224: Curve = {
  name: "P-224",
  oid: keyOid.p224,
  bits: 224,
  size: 28,
  p: 0xffffffffffffffffffffffffffffffff000000000000000000000001n,
  b: 0xb4050a850c04b3abf54132565044b0b7d7bfd8ba270b39432355ffb4n,
  n: 0xffffffffffffffffffffffffffff16a2e0b8f03e13dd29455c5c2a3dn,
  g: [
    0xb70e0cbd6bb4bf7f321390b94a03c1d356c21122343280d6115c1d21n,
    0xbd376388b5f723fb4c22dfe6cd4375a05a07476444d5819985007e34n,
  ],
};
