import { concat, fromBase64Url } from "../base/bytes.ts";
import { absentPart, octets, oid, readDer, sequence } from "../base/der.ts";
import { CaError } from "../base/errors.ts";
import type { KeyAlgorithm, ReadKey, SignatureScheme } from "./algorithm.ts";
import { bigintOf, pkcs8Of } from "./form.ts";
import { importPrivateKey, exportedPair, retryKeyPair, webCryptoPair } from "./web-crypto.ts";

const scheme: SignatureScheme<"Ed25519"> = {
  scheme: { name: "Ed25519" },
  name: "Ed25519",
  alias: "PureEd25519",
  der: [sequence(oid("1.3.101.112"))],
  webCrypto: { name: "Ed25519" },
};

const prime = 2n ** 255n - 19n;
const lowOrder8 = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n;
/**
 * The y coordinates of the points whose order divides eight. If a public key is one of these
 * points, anyone can forge its signatures.
 */
const lowOrder: ReadonlySet<bigint> = new Set([0n, 1n, prime - 1n, lowOrder8, prime - lowOrder8]);

/**
 * Checks a public key: y in little-endian order, with the sign of x in the last bit (RFC 8032
 * section 5.1.2). Throws `bad_key` if its encoding is not canonical or the point has small order.
 */
function check(keyBits: Uint8Array): void {
  const y = bigintOf(keyBits.toReversed()) & (2n ** 255n - 1n);
  if (y >= prime) throw new CaError("bad_key", "Ed25519 key: the encoding is not canonical");
  if (lowOrder.has(y)) throw new CaError("bad_key", "Ed25519 key: the point has small order");
}

const identifier = { oid: "1.3.101.112", parameters: absentPart };
const keyOctets = 32;

/** Parses a CurvePrivateKey (RFC 8410 section 7). */
async function read(key: Uint8Array): Promise<ReadKey> {
  const reader = readDer(key, "Ed25519 private key");
  const seed = reader.octets("the key");
  reader.end();
  if (seed.length !== 32)
    throw new CaError("bad_key", "Ed25519 private key: it does not have 32 bytes");
  const own = octets(seed);
  const imported = await importPrivateKey(pkcs8Of({ identifier }, own), scheme.webCrypto, true);
  const { x = "" } = await crypto.subtle.exportKey("jwk", imported);
  return { key: own, keyBits: fromBase64Url(x) ?? new Uint8Array() };
}

/** Ed25519 (RFC 8410). */
export const ed25519: KeyAlgorithm<"ed25519", "Ed25519"> = {
  type: "ed25519",
  name: "Ed25519",
  describe: () => "Ed25519",
  identifier,
  keyOctets,
  sizes: [],
  schemes: [scheme],
  choosesScheme: false,
  scheme: () => scheme.scheme,
  signing: { platform: true, importedFor: () => ({ name: "Ed25519" }) },
  misuses: [
    {
      section: "RFC 8410 5",
      rule: "an Ed25519 key can only sign",
      isMisused: (usage) => /Encipherment|KeyAgreement|Only/.test(usage),
    },
  ],
  rareInOcsp: true,
  // RFC 8037, RFC 9864 section 2.2
  jose: {
    named: { kty: "OKP", crv: "Ed25519" },
    members: [{ name: "x", octets: keyOctets }],
    keyBits: concat,
    signatures: ["EdDSA", "Ed25519"].map((alg) => ({ alg, scheme: scheme.scheme })),
  },
  tls: [{ id: 0x0807, scheme: scheme.scheme }],
  bits(keyBits) {
    if (keyBits.length !== keyOctets)
      throw new CaError("bad_key", `Ed25519 public key: it does not have ${keyOctets} bytes`);
    return 256;
  },
  check,
  // retried because WebKitGTK fails for keys with a leading zero, which are one in 128
  generate: () => retryKeyPair(async () => exportedPair(await webCryptoPair({ name: "Ed25519" }))),
  read,
};
