import type { ImportParameters, OwnSigning, PlatformSigning } from "../algorithms/algorithm.ts";
import { asBytes, equalBytes, utf8 } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import type { DirectCrypto, KeyVault, Scheme, Signer } from "../engine/ports.ts";
import {
  defaultScheme,
  supportsScheme,
  schemeName,
  webCryptoParameters,
  algorithmIdentifier,
  importVerifyKey,
  verifySignature,
  parsePublicKey,
  type PublicKey,
} from "../x509/public-key.ts";
import type { RandomBytes } from "../base/random-text.ts";
import { algorithmOf, type KeyType, type KnownAlgorithm } from "../algorithms/table.ts";
import { readDer, type Reader } from "../base/der.ts";
import { encodePem } from "../base/pem.ts";

/**
 * Returns the error for a secret that cannot be opened. It is the same error for a wrong key, a
 * wrong binding and modified bytes.
 */
export const cannotOpen = (): CaError =>
  new CaError(
    "storage",
    "a sealed secret cannot be opened: it was sealed with a different key, or changed",
  );

/** A sealed PKCS#8 key. Methods reject with `cannotOpen` if it cannot be opened. */
interface SealedKey {
  /** Returns the plaintext, which the caller must erase. */
  opened(): Promise<Uint8Array>;
  unwrapped(parameters: ImportParameters): Promise<CryptoKey>;
  readonly random: RandomBytes;
  /** The platform's synchronous signing functions. If absent, WebCrypto is used. */
  readonly direct?: DirectCrypto | undefined;
}

/**
 * Returns a function that opens signers and caches those that were used most recently. A signer is
 * only used for exactly the bytes from which it was opened. Failures are not cached.
 */
export function signerCache(size: number, openNew: KeyVault["signer"]): KeyVault["signer"] {
  const cache = new Map<
    string,
    { readonly sealed: Uint8Array; readonly spki: Uint8Array; readonly signer: Promise<Signer> }
  >();
  return (sealed, binding, spki) => {
    const cached = cache.get(binding);
    const isCurrent = cached && equalBytes(cached.sealed, sealed) && equalBytes(cached.spki, spki);
    const entry = isCurrent
      ? cached
      : {
          sealed: sealed.slice(),
          spki: spki.slice(),
          signer: openNew(sealed.slice(), binding, spki.slice()),
        };
    // move the entry to the end: a Map preserves the order of insertion, so that its first entry is
    // the least recently used
    cache.delete(binding);
    cache.set(binding, entry);
    for (const oldest of cache.keys()) {
      if (cache.size <= size) break;
      cache.delete(oldest);
    }
    if (!isCurrent) entry.signer.catch(() => cache.get(binding) === entry && cache.delete(binding));
    return entry.signer;
  };
}

/**
 * Opens a key for signing. Throws `CaError` `storage` if it cannot be opened or does not match the
 * public key.
 */
export async function openSigner(sealed: SealedKey, spki: Uint8Array): Promise<Signer> {
  const key = parsePublicKey(spki);
  const { signing } = key.algorithm;
  const sign = signing.platform
    ? ((await directSigner(sealed, key)) ?? (await platformSigner(sealed, key, signing)))
    : await ownSigner(sealed, key, signing);
  return {
    spki,
    platform: signing.platform,
    async sign(scheme, data) {
      if (!supportsScheme(scheme, key))
        throw new TypeError(`a key of type ${key.type} cannot sign with ${schemeName(scheme)}`);
      return await sign(scheme, data);
    },
  };
}

/** Opens a key for synchronous signing. Returns undefined if the platform does not support this. */
async function directSigner(
  { opened, direct }: SealedKey,
  key: PublicKey,
): Promise<Signer["sign"] | undefined> {
  if (!direct) return undefined;
  const pkcs8 = await opened();
  try {
    const sign = direct.signer(key.algorithm.name, pkcs8);
    if (!sign) return undefined;
    if (!(await verifiesFor(key, sign))) throw cannotOpen();
    return async (scheme, data) => sign(scheme, data);
  } catch {
    // the platform's error may quote the key
    throw cannotOpen();
  } finally {
    pkcs8.fill(0);
  }
}

async function platformSigner(
  sealed: SealedKey,
  key: PublicKey,
  { importedFor, form }: PlatformSigning,
): Promise<Signer["sign"]> {
  const unwrapped = new Map<string, Promise<CryptoKey>>();
  const keyFor = (scheme: Scheme): Promise<CryptoKey> => {
    // an RSA key is imported for one scheme and hash, an EC key for every hash
    const parameters = importedFor(scheme);
    const id = JSON.stringify(parameters);
    const cached = unwrapped.get(id);
    if (cached) return cached;
    const open = sealed.unwrapped(parameters);
    unwrapped.set(id, open);
    // do not cache a failure, so that the next signature tries again
    open.catch(() => unwrapped.delete(id));
    return open;
  };
  // open the key for the default scheme now, so that errors occur here and not at the first
  // signature
  if (!(await signsFor(key, await keyFor(defaultScheme(key))))) throw cannotOpen();
  return async (scheme, data) => {
    const signature = new Uint8Array(
      await crypto.subtle.sign(webCryptoParameters(scheme), await keyFor(scheme), asBytes(data)),
    );
    return form?.write(signature) ?? signature;
  };
}

/**
 * Returns a signer that opens the key for each signature and erases it afterwards. `random`
 * generates or hedges the nonces of signatures.
 */
async function ownSigner(
  { opened, random }: SealedKey,
  { algorithm, keyBits }: PublicKey,
  signing: OwnSigning,
): Promise<Signer["sign"]> {
  const using = async <T>(use: (key: Uint8Array) => Promise<T>): Promise<T> => {
    const pkcs8 = await opened();
    try {
      const { algorithm: keyAlgorithm, key } = openPkcs8(pkcs8);
      if (keyAlgorithm !== algorithm) throw cannotOpen();
      return await use(key);
    } catch (error) {
      // if something other than a key was sealed, the message must not quote its bytes
      throw error instanceof CaError ? cannotOpen() : error;
    } finally {
      pkcs8.fill(0);
    }
  };
  const publicBits = await using((key) => signing.publicBits(key));
  if (!publicBits || !equalBytes(publicBits, keyBits)) throw cannotOpen();
  return (scheme, data) => using((key) => signing.sign(key, { scheme, data, random }));
}

const probe = utf8("does this private key sign for that public one?");

/**
 * Reports whether a signature with a private key verifies with the public key, using
 * `defaultScheme`. This reveals defects that arithmetic does not detect (composite primes), or that
 * some platforms do not detect when they import the key (a wrong curve).
 */
export async function signsFor(publicKey: PublicKey, key: CryptoKey): Promise<boolean> {
  const scheme = defaultScheme(publicKey);
  const parameters = webCryptoParameters(scheme);
  try {
    const signature = await crypto.subtle.sign(parameters, key, probe);
    return await crypto.subtle.verify(
      parameters,
      await importVerifyKey(publicKey.spki, scheme),
      signature,
      probe,
    );
  } catch (error) {
    if (error instanceof DOMException) return false;
    throw error;
  }
}

/** Reports whether a test signature, in the format of certificates, verifies with a public key. */
async function verifiesFor(
  publicKey: PublicKey,
  sign: (scheme: Scheme, data: Uint8Array) => Uint8Array,
): Promise<boolean> {
  const scheme = defaultScheme(publicKey);
  const signature = sign(scheme, probe);
  return verifySignature(publicKey.spki, algorithmIdentifier(scheme), probe, signature);
}

/** The parsed parts of a PKCS#8 key. */
interface OpenedPkcs8 {
  readonly version: number;
  readonly algorithm: KnownAlgorithm;
  /** Content of the OCTET STRING `privateKey`. */
  readonly key: Uint8Array;
  /**
   * Reader for the elements after the OCTET STRING, which are the attributes and the public key.
   */
  readonly rest: Reader;
}

/**
 * Parses a PKCS#8 key. Throws `CaError`: `malformed` if it is not valid DER, `bad_key` if its
 * algorithm is not supported.
 */
export function openPkcs8(pkcs8: Uint8Array): OpenedPkcs8 {
  const rest = readDer(pkcs8, "private key").enter("PrivateKeyInfo");
  const version = rest.number("the version");
  const identifier = rest.raw("the algorithm", 0x30);
  const key = rest.octets("the key");
  return { version, algorithm: algorithmOf(identifier, "private key"), key, rest };
}

/** A private key in its traditional format. */
export interface TraditionalKey {
  readonly type: KeyType;
  /** PEM label: `RSA PRIVATE KEY`, `EC PRIVATE KEY` or `PRIVATE KEY`. */
  readonly label: string;
  readonly der: Uint8Array;
}
/**
 * Converts a PKCS#8 key to RSAPrivateKey (RFC 8017) or to ECPrivateKey with its curve (RFC 5915).
 * Other keys are returned unchanged.
 */
export function traditionalKey(pkcs8: Uint8Array): TraditionalKey {
  const { algorithm, key } = openPkcs8(pkcs8);
  const { type, older } = algorithm;
  return older
    ? { type, label: older.label, der: older.write(key) }
    : { type, label: "PRIVATE KEY", der: pkcs8 };
}
/** Returns `traditionalKey` as PEM, without a final newline. */
export function traditionalPem(pkcs8: Uint8Array): string {
  const { label, der } = traditionalKey(pkcs8);
  return encodePem(label, der);
}
