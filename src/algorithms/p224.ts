import { asBytes } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import type { RandomBytes } from "../base/random-text.ts";
import type { KeyPair, OwnSigning, SignatureScheme } from "./algorithm.ts";
import type { Curve } from "./curve.ts";
import { ecPairs, scalarOf } from "./ec-private-key.ts";
import { ecdsaToDer, ecdsaToRaw, ecAlgorithm } from "./nist-curves.ts";
import { verifyEcdsa } from "./ecdsa-verify.ts";

const curve: Curve = {
  name: "P-224",
  oid: "1.3.132.0.33",
  bits: 224,
  size: 28,
  p: 2n ** 224n - 2n ** 96n + 1n,
  b: 0xb4050a850c04b3abf54132565044b0b7d7bfd8ba270b39432355ffb4n,
  n: 0xffffffffffffffffffffffffffff16a2e0b8f03e13dd29455c5c2a3dn,
  g: [
    0xb70e0cbd6bb4bf7f321390b94a03c1d356c21122343280d6115c1d21n,
    0xbd376388b5f723fb4c22dfe6cd4375a05a07476444d5819985007e34n,
  ],
};

const digested = async (
  { hash = "SHA-256" }: SignatureScheme["scheme"],
  data: Uint8Array,
): Promise<Uint8Array> => new Uint8Array(await crypto.subtle.digest(hash, asBytes(data)));

/** Signs with a package that is loaded on first use, and verifies with `verifyEcdsa`. */
const signing: OwnSigning = {
  platform: false,
  async publicBits(key) {
    try {
      const { publicPoint } = await import("./point.ts");
      return publicPoint(curve, scalarOf(key));
    } catch (error) {
      if (error instanceof CaError) return undefined;
      throw error;
    }
  },
  /** Signs with a hedged nonce, which resists weak randomness and fault attacks. */
  async sign(key, { scheme, data, random }) {
    const [{ signDigest }, digest] = [
      await import("./ecdsa-sign.ts"),
      await digested(scheme, data),
    ];
    return ecdsaToDer(signDigest(curve, scalarOf(key), digest, random(32)));
  },
  async verify(keyBits, { scheme, data, signature }) {
    const raw = ecdsaToRaw(signature, curve.size);
    return verifyEcdsa(curve, keyBits, await digested(scheme, data), raw);
  },
};

const pairOf = ecPairs(curve);
async function generate(_: number, random: RandomBytes): Promise<KeyPair> {
  const { newScalar } = await import("./ecdsa-sign.ts");
  const key = newScalar(curve, random);
  const pair = pairOf(key);
  key.scalar.fill(0);
  return pair;
}

/** ECDSA on P-224. */
export const p224 = ecAlgorithm(curve, { hash: "SHA-256", signing, generate });
