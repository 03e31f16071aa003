import { asBytes } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import { encodePem } from "../base/pem.ts";
import type { CryptoKey } from "../base/platform.ts";
import { assembleSigned } from "./certificate.ts";
import { encodeCsrInfo } from "./csr.ts";
import { encodeName } from "./name.ts";
import { nameOid } from "./oid.ts";
import {
  algorithmIdentifier,
  defaultScheme,
  parsePublicKey,
  webCryptoParameters,
} from "./public-key.ts";
import { noNames, subjectAltName } from "./san.ts";

/** A WebCrypto key pair. */
export interface CsrKeys {
  /** The private key, which signs the CSR. It need not be extractable. */
  readonly privateKey: CryptoKey;
  /** The key to certify. */
  readonly publicKey: CryptoKey;
}
/** The names that a CSR requests. */
export interface CsrNames {
  /** Common name of the subject. */
  readonly common_name?: string;
  /** DNS names, such as `www.example.com`. */
  readonly dns?: readonly string[];
  /** IPv4 and IPv6 addresses, such as `192.0.2.1`. */
  readonly ip?: readonly string[];
  /** Email addresses, such as `user@example.com`. */
  readonly email?: readonly string[];
  /** URIs, such as `spiffe://example.com/web`. */
  readonly uri?: readonly string[];
}

/**
 * Creates a CSR for a key pair, signs it with the private key, and returns it as PEM. Accepts
 * ECDSA, Ed25519, RSASSA-PKCS1-v1_5, RSA-PSS and ML-DSA key pairs whose private key has the usage
 * `sign`. Throws `CaError` for an unsuitable key or an invalid name.
 */
export async function makeCsr(keys: CsrKeys, names: CsrNames): Promise<string> {
  const spki = new Uint8Array(await crypto.subtle.exportKey("spki", keys.publicKey));
  const publicKey = parsePublicKey(spki);
  const { signing } = publicKey.algorithm;
  if (!signing.platform && !signing.webCrypto)
    throw new CaError("bad_key", "WebCrypto cannot sign with this key");
  const scheme = defaultScheme(publicKey, hashBits(keys.privateKey), isPss(keys.privateKey));
  const { common_name, dns = [], ip = [], email = [], uri = [] } = names;
  const subject =
    common_name === undefined ? [] : [[{ oid: nameOid.commonName, value: common_name }]];
  const alternative = subjectAltName({ ...noNames, dns, ip, email, uri }, subject.length === 0);
  const info = encodeCsrInfo({
    subject: encodeName(subject),
    spki,
    extensions: alternative ? [alternative] : [],
  });
  const signed = await crypto.subtle.sign(
    webCryptoParameters(scheme),
    keys.privateKey,
    asBytes(info),
  );
  const raw = new Uint8Array(signed);
  const signature = (signing.platform && signing.form?.write(raw)) || raw;
  return encodePem(
    "CERTIFICATE REQUEST",
    assembleSigned(info, algorithmIdentifier(scheme), signature),
  );
}

const isPss = ({ algorithm }: CryptoKey): boolean => algorithm.name === "RSA-PSS";
/** Returns the size in bits of the hash to which an RSA key is bound, or 0 for other keys. */
function hashBits({ algorithm }: CryptoKey): number {
  const hash: unknown = "hash" in algorithm ? algorithm.hash : undefined;
  const name = typeof hash === "object" && hash !== null && "name" in hash ? String(hash.name) : "";
  return Number(/^SHA-(\d+)$/.exec(name)?.[1] ?? 0);
}
