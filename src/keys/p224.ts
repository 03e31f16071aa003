import { ecdsa, type ECDSA } from "@noble/curves/abstract/weierstrass.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { equalBytes, asBytes } from "../base/bytes.ts";
import { readDer } from "../base/der.ts";
import { CaError } from "../base/errors.ts";
import type { Signer } from "../engine/ports.ts";
import { ecdsaToDer, schemeFits, schemeName, webCryptoParameters } from "../x509/algorithm.ts";
import { keyOid } from "../x509/oid.ts";
import type { PublicKey } from "../x509/spki.ts";
import { openPkcs8 } from "./form.ts";
import { groupOf, publicPoint } from "./point.ts";

// P-224, which WebCrypto lacks. Only ever loaded by `import()` on first use: nothing else needs the
// arithmetic of the packages above.

let defined: ECDSA | undefined;

const curve = (): ECDSA => (defined ??= ecdsa(groupOf("P-224"), sha256, { lowS: false }));

/**
 * A new scalar of 28 bytes and its point. Takes 64 bits of `random` more than the order has, so
 * that no scalar is likelier (FIPS 186-5 appendix A.2.1).
 */
export function newPair(random: (bytes: number) => Uint8Array): {
  readonly scalar: Uint8Array;
  readonly point: Uint8Array;
} {
  const { utils, lengths, getPublicKey } = curve();
  const size = lengths.seed ?? 42;
  const seed = random(size);
  if (seed.length !== size)
    throw new TypeError(`the source of randomness gave ${seed.length} bytes instead of ${size}`);
  const scalar = utils.randomSecretKey(seed);
  seed.fill(0);
  return { scalar, point: getPublicKey(scalar, false) };
}

/**
 * ECDSA over a digest: r and s of 28 bytes each. The nonce is that of RFC 6979 with HMAC-SHA-256,
 * `extra` mixed in as its section 3.6 says.
 */
export const signDigest = (
  scalar: Uint8Array,
  digest: Uint8Array,
  extra?: Uint8Array,
): Uint8Array =>
  curve().sign(digest, scalar, { prehash: false, ...(extra && { extraEntropy: extra }) });

/**
 * The scalar of a PKCS#8 key in our own encoding, as a view of it; undefined for keys of other
 * kinds.
 */
function scalarOf(pkcs8: Uint8Array): Uint8Array | undefined {
  const { type, parameters, key } = openPkcs8(pkcs8);
  if (type !== "ec" || parameters.oid("the curve") !== keyOid.p224) return undefined;
  const inner = readDer(key, "EC private key").enter("ECPrivateKey");
  inner.number("the version");
  return inner.octets("the key");
}

/**
 * Signs with a P-224 key that `open` brings as PKCS#8 in the clear, once for each signature; its
 * bytes are wiped after it. Nonces are hedged with `random`: safe where the randomness is weak, and
 * where a fault is provoked. Undefined when the key does not belong to the public one.
 */
export async function p224Signer(
  publicKey: PublicKey,
  random: (bytes: number) => Uint8Array,
  open: () => Promise<Uint8Array>,
): Promise<Signer | undefined> {
  const using = async <T>(use: (scalar: Uint8Array) => T): Promise<T | undefined> => {
    const pkcs8 = await open();
    try {
      const scalar = scalarOf(pkcs8);
      return scalar && use(scalar);
    } catch (error) {
      // Whatever else was sealed in the place of the key: its bytes do not show in a message.
      if (error instanceof CaError) return undefined;
      throw error;
    } finally {
      pkcs8.fill(0);
    }
  };
  const point = await using((scalar) => publicPoint("P-224", scalar));
  if (!point || !equalBytes(point, publicKey.keyBits)) return undefined;
  return {
    spki: publicKey.spki,
    platform: false,
    async sign(scheme, data) {
      if (!schemeFits(scheme, publicKey))
        throw new TypeError(
          `a key of type ${publicKey.type} does not sign with ${schemeName(scheme)}`,
        );
      const digest = new Uint8Array(
        await crypto.subtle.digest(webCryptoParameters(scheme).hash ?? "SHA-256", asBytes(data)),
      );
      const signature = await using((scalar) => signDigest(scalar, digest, random(32)));
      if (!signature)
        throw new CaError(
          "storage",
          "a sealed secret cannot be opened: it was sealed under another key, or changed",
        );
      return ecdsaToDer(signature);
    },
  };
}
