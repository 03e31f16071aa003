import type { Bytes } from "../base/bytes.ts";
import { explicit, integer, nullValue, oid, readDer, sequence } from "../base/der.ts";
import { CaError } from "../base/errors.ts";
import type { Hash, KeyAlgorithm, ReadKey, SignatureScheme } from "./algorithm.ts";
import { bigintOf, identifierOf } from "./form.ts";
import { modulusWeakness } from "./rsa-modulus.ts";
import { exportedPair, webCryptoPair } from "./web-crypto.ts";

type Name = "RSASSA-PKCS1-v1_5" | "RSA-PSS";

const hashes = [
  ["SHA-256", "2.16.840.1.101.3.4.2.1", 11],
  ["SHA-384", "2.16.840.1.101.3.4.2.2", 12],
  ["SHA-512", "2.16.840.1.101.3.4.2.3", 13],
] as const;
const bitsOfHash = (hash: Hash): number => Number(hash.slice(4));

/**
 * Encodes the AlgorithmIdentifier of RSASSA-PSS with a hash, MGF1 with the same hash, and a salt as
 * long as the hash (RFC 4055 section 3.1). The flags select whether each of the two hash
 * identifiers has NULL parameters.
 */
function pssIdentifier(hash: Hash, hashOid: string, [inHash, inMask]: readonly boolean[]): Bytes {
  const hashed = (withNull = false): Bytes =>
    withNull ? sequence(oid(hashOid), nullValue) : sequence(oid(hashOid));
  const mask = sequence(oid("1.2.840.113549.1.1.8"), hashed(inMask));
  const salt = integer(bitsOfHash(hash) / 8);
  return sequence(
    oid("1.2.840.113549.1.1.10"),
    sequence(explicit(0, hashed(inHash)), explicit(1, mask), explicit(2, salt)),
  );
}

const schemes: readonly SignatureScheme<Name>[] = [
  ...hashes.map(
    ([hash, , arc]) =>
      ({
        scheme: { name: "RSASSA-PKCS1-v1_5", hash },
        name: `SHA${bitsOfHash(hash)}WithRSA`,
        // NULL parameters are written, but absent parameters are also accepted (RFC 4055 section 5)
        der: [
          sequence(oid(`1.2.840.113549.1.1.${arc}`), nullValue),
          sequence(oid(`1.2.840.113549.1.1.${arc}`)),
        ],
        webCrypto: { name: "RSASSA-PKCS1-v1_5" },
      }) as const,
  ),
  ...hashes.map(
    ([hash, hashOid]) =>
      ({
        scheme: { name: "RSA-PSS", hash },
        name: `SHA${bitsOfHash(hash)}WithRSAPSS`,
        der: [
          pssIdentifier(hash, hashOid, [true, true]),
          pssIdentifier(hash, hashOid, [true, false]),
          pssIdentifier(hash, hashOid, [false, true]),
          pssIdentifier(hash, hashOid, [false, false]),
        ],
        webCrypto: { name: "RSA-PSS", saltLength: bitsOfHash(hash) / 8 },
      }) as const,
  ),
];

function schemeOf(signatureBits: number, pss: boolean): SignatureScheme<Name>["scheme"] {
  const bits = signatureBits === 0 ? 256 : signatureBits;
  const hash = hashes.find(([name]) => bitsOfHash(name) === bits)?.[0];
  if (!hash)
    throw new CaError("invalid_field", `unsupported hash signature algorithm: ${signatureBits}`);
  return { name: pss ? "RSA-PSS" : "RSASSA-PKCS1-v1_5", hash };
}

/**
 * Parses an RSAPublicKey (RFC 8017 appendix A.1.1). The modulus is returned without a leading zero.
 */
function publicParts(keyBits: Uint8Array): { readonly modulus: Uint8Array; exponent: number } {
  const key = readDer(keyBits, "RSA public key").enter("RSAPublicKey");
  const signed = key.unsigned("the modulus");
  const exponent = key.number("the exponent");
  key.end();
  return { modulus: signed[0] === 0 ? signed.subarray(1) : signed, exponent };
}
const lengthOf = (modulus: Uint8Array): number =>
  modulus.length === 0 ? 0 : 8 * modulus.length - Math.clz32(modulus[0] ?? 0) + 24;

const [minSize, maxSize] = [2048, 8192];

function check(keyBits: Uint8Array): void {
  const { modulus, exponent } = publicParts(keyBits);
  const bits = lengthOf(modulus);
  if (bits < minSize)
    throw new CaError(
      "bad_key",
      `RSA keys < ${minSize} bits are unsafe and not supported: got ${bits}`,
    );
  if (bits > maxSize || bits % 128 !== 0)
    throw new CaError("bad_key", `unsupported bit length for RSA key: ${bits}`);
  if (exponent !== 65537)
    throw new CaError("bad_key", `RSA key: the exponent must be 65537, got ${exponent}`);
  const why = modulusWeakness(bigintOf(modulus));
  if (why !== undefined) throw new CaError("bad_key", `RSA key: ${why}`);
}

/**
 * Parses an RSAPrivateKey (RFC 8017 appendix A.1.2): n, e, d, p, q, d mod p-1, d mod q-1, 1/q mod
 * p.
 */
function privateParts(der: Uint8Array): readonly Uint8Array[] {
  const key = readDer(der, "RSA private key").enter("RSAPrivateKey");
  if (key.number("the version") !== 0)
    throw new CaError(
      "bad_key",
      "RSA private key: keys with more than two primes are not supported",
    );
  const parts = ["n", "e", "d", "p", "q", "d mod p-1", "d mod q-1", "1/q mod p"].map((part) =>
    key.unsigned(part),
  );
  key.end();
  return parts;
}

async function read(key: Uint8Array): Promise<ReadKey> {
  const [modulus = new Uint8Array(), exponent = modulus] = privateParts(key);
  return { key, keyBits: sequence(integer(modulus), integer(exponent)) };
}

function partsFit(key: Uint8Array): boolean {
  const parts = privateParts(key);
  const limit = parts[0]?.length ?? 0;
  // check lengths before any arithmetic; the modulus, which belongs to a valid public key, limits
  // the length of all parts
  if (parts.some((part) => part.length > limit)) return false;
  const [n = 0n, e = 0n, d = 0n, p = 0n, q = 0n, dp = 0n, dq = 0n, qInverse = 0n] =
    parts.map(bigintOf);
  if (p < 3n || q < 3n || p === q || p * q !== n || d >= n || dp >= p || dq >= q || qInverse >= p)
    return false;
  return (
    (d * e) % (p - 1n) === 1n &&
    (d * e) % (q - 1n) === 1n &&
    d % (p - 1n) === dp &&
    d % (q - 1n) === dq &&
    (qInverse * q) % p === 1n
  );
}

/** Returns a scheme for each hash. `i` is the index of the hash. */
const withHashes = (name: Name) =>
  hashes.map(([hash], i) => ({ i, bits: bitsOfHash(hash), scheme: { name, hash } }));
const [pkcs1, pss] = [withHashes("RSASSA-PKCS1-v1_5"), withHashes("RSA-PSS")];

const identifier = { oid: "1.2.840.113549.1.1.1", parameters: nullValue };

/** RSA with the exponent 65537 (RFC 8017). */
export const rsa: KeyAlgorithm<"rsa", Name> = {
  type: "rsa",
  name: "RSA",
  describe: (bits) => `RSA ${bits}`,
  identifier,
  sizes: [2048, 3072, 4096, 8192],
  usualSize: 2048,
  minSize,
  maxSize,
  slowAbove: 4096,
  schemes,
  choosesScheme: true,
  scheme: schemeOf,
  signing: {
    platform: true,
    importedFor: ({ name, hash = "SHA-256" }) => ({ name, hash }),
  },
  misuses: [
    {
      section: "RFC 3279 2.3.1",
      rule: "an RSA key cannot be used for key agreement",
      isMisused: (usage) => usage === "KeyAgreement",
    },
  ],
  // RFC 7518 sections 3.3, 3.5 and 6.3.1
  jose: {
    named: { kty: "RSA" },
    members: [{ name: "n" }, { name: "e" }],
    keyBits: (numbers) => sequence(...numbers.map((number) => integer(number))),
    signatures: [
      ...pkcs1.map(({ bits, scheme }) => ({ alg: `RS${bits}`, scheme })),
      ...pss.map(({ bits, scheme }) => ({ alg: `PS${bits}`, scheme })),
    ],
  },
  tls: [
    ...pss.map(({ i, scheme }) => ({ id: 0x0804 + i, scheme })),
    ...pkcs1.map(({ i, scheme }) => ({
      id: 0x0401 + 0x0100 * i,
      scheme,
      certificatesOnly: true as const,
    })),
  ],
  bits: (keyBits) => lengthOf(publicParts(keyBits).modulus),
  check,
  async generate(bits) {
    const parameters = {
      name: "RSASSA-PKCS1-v1_5",
      hash: "SHA-256",
      modulusLength: bits,
      publicExponent: Uint8Array.of(1, 0, 1),
    };
    return await exportedPair(await webCryptoPair(parameters));
  },
  read,
  partsFit,
  older: {
    label: "RSA PRIVATE KEY",
    tag: 0x02,
    identifier: () => identifierOf({ identifier }),
    write: (key) => key,
  },
};
