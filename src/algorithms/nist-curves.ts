import { concat, type Bytes, shortBase64Url } from "../base/bytes.ts";
import { integer, oid, readDer, sequence } from "../base/der.ts";
import type { EcKey, SignatureScheme, Hash, KeyAlgorithm, PlatformSigning } from "./algorithm.ts";
import { CaError } from "../base/errors.ts";
import { pointOnCurve, type Curve } from "./curve.ts";
import { ecIdentifier, ecOlderForm, readEcKey, ecPairs } from "./ec-private-key.ts";
import { retryKeyPair, webCryptoPair } from "./web-crypto.ts";

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
 * Converts the concatenation of r and s, which have the same length, to a DER `Ecdsa-Sig-Value`
 * (RFC 3279 section 2.2.3). Throws `TypeError` if the length is odd or zero.
 */
export function ecdsaToDer(raw: Uint8Array): Bytes {
  const size = raw.length / 2;
  if (!Number.isInteger(size) || size === 0)
    throw new TypeError("a raw ECDSA signature must have an even, non-zero number of bytes");
  return sequence(integer(raw.subarray(0, size)), integer(raw.subarray(size)));
}

/**
 * Converts a DER `Ecdsa-Sig-Value` to the concatenation of r and s, with `size` bytes each. Throws
 * `CaError` `malformed` if it is not strict DER, or if r or s is too long.
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

/** Members of `KeyAlgorithm` that differ between curves. */
type OfCurve = Pick<
  KeyAlgorithm<"ec", "ECDSA">,
  "usualSize" | "signing" | "generate" | "jose" | "tls"
> & {
  /** Default hash function for signatures. */
  readonly hash: Hash;
};

/**
 * Returns the algorithm for ECDSA on a named curve (RFC 5480). Public keys are uncompressed points.
 */
export const ecAlgorithm = (
  curve: Curve,
  { hash, ...own }: OfCurve,
): KeyAlgorithm<"ec", "ECDSA"> => ({
  ...own,
  type: "ec",
  name: curve.name,
  describe: () => `EC ${curve.name}`,
  identifier: ecIdentifier(curve.oid),
  sizes: [curve.bits],
  schemes: ecdsaSchemes,
  choosesScheme: false,
  scheme: () => ({ name: "ECDSA", hash }),
  misuses: [
    {
      section: "RFC 8813 3",
      rule: "an EC key cannot encipher",
      isMisused: (usage) => usage.endsWith("Encipherment"),
    },
  ],
  bits(keyBits) {
    if (keyBits[0] === 2 || keyBits[0] === 3)
      throw new CaError("bad_key", "EC public key: compressed points are not supported");
    if (keyBits[0] !== 4 || keyBits.length !== 1 + 2 * curve.size)
      throw new CaError(
        "bad_key",
        `EC public key: it is not an uncompressed point of ${curve.name}`,
      );
    return curve.bits;
  },
  check(keyBits) {
    if (!pointOnCurve(curve, keyBits))
      throw new CaError("bad_key", `EC key: the point is not on ${curve.name}`);
  },
  read: (key) => readEcKey(curve, key),
  older: ecOlderForm(curve),
});

/**
 * Returns the function that generates key pairs on a curve: synchronously if the platform supports
 * it, and otherwise with WebCrypto.
 */
function generating(curve: Curve): KeyAlgorithm["generate"] {
  const pairOf = ecPairs(curve);
  return (_bits, _random, direct) =>
    retryKeyPair(async () => {
      const key = direct?.ecKey(curve.name) ?? (await webCryptoKey(curve.name));
      const { scalar, point } = key;
      if (scalar.length !== curve.size || point.length !== 1 + 2 * curve.size || point[0] !== 4)
        throw new TypeError("the platform exported an EC key in an unexpected format");
      return pairOf(key);
    });
}

/**
 * Generates a key with WebCrypto and exports it as JWK, whose `d`, `x` and `y` have the full length
 * (RFC 7518 sections 6.2.1 and 6.2.2). In Node, this takes an eighth of the time that exporting
 * PKCS#8 and SubjectPublicKeyInfo takes.
 */
async function webCryptoKey(namedCurve: string): Promise<EcKey> {
  const { privateKey } = await webCryptoPair({ name: "ECDSA", namedCurve });
  const jwk = await crypto.subtle.exportKey("jwk", privateKey);
  const part = (text = ""): Uint8Array => shortBase64Url(text) ?? new Uint8Array();
  return { scalar: part(jwk.d), point: concat([Uint8Array.of(4), part(jwk.x), part(jwk.y)]) };
}

const signing = ({ name, size }: Curve): PlatformSigning => ({
  platform: true,
  importedFor: () => ({ name: "ECDSA", namedCurve: name }),
  form: { write: ecdsaToDer, read: (signature) => ecdsaToRaw(signature, size) },
});

/**
 * The hash function that is used with a curve, and the identifiers of the combination in JWS and
 * TLS.
 */
interface Pairing {
  readonly hash: Hash;
  readonly alg: string;
  readonly tls: number;
}
/** Returns the algorithm for a curve that WebCrypto supports. */
const nistCurve = (curve: Curve, { hash, alg, tls }: Pairing): KeyAlgorithm<"ec", "ECDSA"> =>
  ecAlgorithm(curve, {
    hash,
    signing: signing(curve),
    generate: generating(curve),
    // RFC 7518 sections 3.4 and 6.2.1
    jose: {
      named: { kty: "EC", crv: curve.name },
      members: ["x", "y"].map((name) => ({ name, octets: curve.size })),
      keyBits: (coordinates) => concat([Uint8Array.of(4), ...coordinates]),
      signatures: [{ alg, scheme: { name: "ECDSA", hash } }],
    },
    tls: [{ id: tls, scheme: { name: "ECDSA", hash } }],
  });

/** ECDSA on P-256. */
export const p256: KeyAlgorithm<"ec", "ECDSA"> = {
  ...nistCurve(
    {
      name: "P-256",
      oid: "1.2.840.10045.3.1.7",
      bits: 256,
      size: 32,
      p: 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n,
      b: 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn,
      n: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
      g: [
        0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296n,
        0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5n,
      ],
    },
    { hash: "SHA-256", alg: "ES256", tls: 0x0403 },
  ),
  usualSize: 256,
};

/** ECDSA on P-384. */
export const p384 = nistCurve(
  {
    name: "P-384",
    oid: "1.3.132.0.34",
    bits: 384,
    size: 48,
    p: 2n ** 384n - 2n ** 128n - 2n ** 96n + 2n ** 32n - 1n,
    b: 0xb3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aefn,
    n: 0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
    g: [
      0xaa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7n,
      0x3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5fn,
    ],
  },
  { hash: "SHA-384", alg: "ES384", tls: 0x0503 },
);

/** ECDSA on P-521. */
export const p521 = nistCurve(
  {
    name: "P-521",
    oid: "1.3.132.0.35",
    bits: 521,
    size: 66,
    p: 2n ** 521n - 1n,
    b: 0x51953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00n,
    n: 0x1fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409n,
    g: [
      0xc6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d3dbaa14b5e77efe75928fe1dc127a2ffa8de3348b3c1856a429bf97e7e31c2e5bd66n,
      0x11839296a789a3bc0045c8a5fb42c7d1bd998f54449579b446817afbd17273e662c97ee72995ef42640c550b9013fad0761353c7086a272c24088be94769fd16650n,
    ],
  },
  { hash: "SHA-512", alg: "ES512", tls: 0x0603 },
);
