import { concat, type Bytes } from "../base/bytes.ts";
import { integer, oid, readDer, sequence } from "../base/der.ts";
import type { SignatureScheme, Hash, KeyAlgorithm } from "./algorithm.ts";
import { CaError } from "../base/errors.ts";
import { pointOnCurve, type Curve } from "./curve.ts";
import { ecIdentifier, ecOlderForm, readEcKey } from "./ec-private-key.ts";

const hashes = [
  ["SHA-256", 2],
  ["SHA-384", 3],
  ["SHA-512", 4],
] as const;

/** ECDSA with each hash (RFC 5758 section 3.2). */
const ecdsaSchemes: readonly SignatureScheme<"ECDSA">[] = hashes.map(
  ([hash, arc]) =>
    ({
      scheme: { name: "ECDSA", hash },
      name: `ECDSAWithSHA${hash.slice(4)}`,
      der: [sequence(oid(`1.2.840.10045.4.3.${arc}`))],
      webCrypto: { name: "ECDSA", hash },
    }) as const,
);

/**
 * DER `Ecdsa-Sig-Value` of r and s joined at equal length (RFC 3279 section 2.2.3). Throws
 * `TypeError` on an odd length.
 */
export function ecdsaToDer(raw: Uint8Array): Bytes {
  const size = raw.length / 2;
  if (!Number.isInteger(size) || size === 0)
    throw new TypeError("r and s do not have the same length");
  return sequence(integer(raw.subarray(0, size)), integer(raw.subarray(size)));
}

/**
 * Converts a DER `Ecdsa-Sig-Value` to r and s of `size` bytes each. Throws `CaError` `malformed`
 * unless it is the unique DER form with both in range.
 */
export function ecdsaToRaw(der: Uint8Array, size: number): Bytes {
  const value = readDer(der, "ECDSA signature").enter("Ecdsa-Sig-Value");
  const halves = ["r", "s"].map((name) => {
    const signed = value.unsigned(name);
    const bytes = signed[0] === 0 ? signed.subarray(1) : signed;
    if (bytes.length === 0 || bytes.length > size) throw value.refuse(`${name} is out of range`);
    return concat([new Uint8Array(size - bytes.length), bytes]);
  });
  value.end();
  return concat(halves);
}

/** The parts of an entry in which curves differ. */
type OfCurve = Pick<
  KeyAlgorithm<"ec", "ECDSA">,
  "usualSize" | "signing" | "generate" | "jose" | "tls"
> & {
  /** Default hash of its signatures. */
  readonly hash: Hash;
};

/** ECDSA on a named curve (RFC 5480); keys are uncompressed points. */
export const ecAlgorithm = (
  curve: Curve,
  { hash, ...own }: OfCurve,
): KeyAlgorithm<"ec", "ECDSA"> => ({
  ...own,
  type: "ec",
  name: curve.name,
  words: () => `EC ${curve.name}`,
  identifier: ecIdentifier(curve.oid),
  sizes: [curve.bits],
  schemes: ecdsaSchemes,
  choosesScheme: false,
  scheme: () => ({ name: "ECDSA", hash }),
  misuses: [
    {
      section: "RFC 5480 3",
      rule: "an EC key enciphers no keys",
      isMisused: (usage) => usage === "KeyEncipherment",
    },
  ],
  bits(keyBits) {
    if (keyBits[0] === 2 || keyBits[0] === 3)
      throw new CaError("bad_key", "EC public key: compressed points are not supported");
    if (keyBits[0] !== 4 || keyBits.length !== 1 + 2 * curve.size)
      throw new CaError("bad_key", `EC public key: not an uncompressed point of ${curve.name}`);
    return curve.bits;
  },
  check(keyBits) {
    if (!pointOnCurve(curve, keyBits))
      throw new CaError("bad_key", `EC key: the point is not on ${curve.name}`);
  },
  read: (key) => readEcKey(curve, key),
  older: ecOlderForm(curve),
});
