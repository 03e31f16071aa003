import { asBytes } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import type { CryptoKey } from "../base/platform.ts";
import { tryRead } from "../base/try-read.ts";
import { defaultScheme, parsePublicKey } from "../x509/public-key.ts";

/** The hash and padding with which `publicKey` imports an RSA key. */
export interface PublicKeyOptions {
  /**
   * Hash of an RSA key, by default `SHA-256`. It is ignored for EC keys, because each curve has its
   * own hash.
   */
  readonly hash?: "SHA-256" | "SHA-384" | "SHA-512";
  /** Whether to import an RSA key for RSA-PSS instead of RSASSA-PKCS1-v1_5. */
  readonly pss?: boolean;
}

/** The public key of a certificate or CSR. */
export interface ParsedKey {
  /**
   * Type of the key: `rsa`, `ec`, `ed25519` or `ml-dsa-65`, or undefined if the algorithm is not
   * supported.
   */
  readonly keyType: string | undefined;
  /**
   * Size of the modulus or curve in bits, 0 for ML-DSA, or undefined if the algorithm is not
   * supported.
   */
  readonly keyBits: number | undefined;
  /** DER-encoded SubjectPublicKeyInfo. */
  readonly spki: Uint8Array;
  /**
   * Imports the key as an extractable key that verifies signatures. Rejects with `CaError`
   * `bad_key` if this library or WebCrypto does not support the algorithm.
   */
  readonly publicKey: (options?: PublicKeyOptions) => Promise<CryptoKey>;
}

/** Parses a SubjectPublicKeyInfo. Also accepts unsupported algorithms. */
export function parseKey(spki: Uint8Array): ParsedKey {
  const key = tryRead(() => parsePublicKey(spki));
  return {
    keyType: key?.type,
    keyBits: key?.bits,
    spki,
    publicKey: (options) => importPublicKey(spki, options),
  };
}

async function importPublicKey(
  spki: Uint8Array,
  { hash = "SHA-256", pss = false }: PublicKeyOptions = {},
): Promise<CryptoKey> {
  const key = parsePublicKey(spki);
  const { name, signing } = key.algorithm;
  const scheme = defaultScheme(key, Number(hash.slice(4)), pss);
  const parameters = signing.platform ? signing.importedFor(scheme) : signing.webCrypto;
  const refused = () => new CaError("bad_key", `${name} keys cannot be imported into WebCrypto`);
  if (!parameters) throw refused();
  try {
    return await crypto.subtle.importKey("spki", asBytes(spki), parameters, true, ["verify"]);
  } catch (error) {
    if (!signing.platform) throw refused();
    throw error;
  }
}
