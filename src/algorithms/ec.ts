import { CaError } from "../base/errors.ts";
import type { Hash, KeyAlgorithm } from "./algorithm.ts";
import { pointOnCurve, type Curve } from "./curve.ts";
import { ecIdentifier, ecOlderForm, readEcKey } from "./ec-private-key.ts";
import { ecdsaSchemes } from "./ecdsa.ts";

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
