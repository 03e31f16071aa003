import { concat, equalBytes, asBytes, utf8, type Bytes } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import type { KeyVault, Scheme, Signer } from "../engine/ports.ts";
import {
  defaultScheme,
  ecdsaToDer,
  schemeFits,
  schemeName,
  webCryptoParameters,
} from "../x509/algorithm.ts";
import { parsePublicKey, type PublicKey } from "../x509/spki.ts";
import { signsFor } from "./proof.ts";

type Random = (bytes: number) => Uint8Array;

/**
 * What a vault is made of. Keys are AES-256-GCM: 32 bytes, or a `CryptoKey` that may encrypt,
 * decrypt and unwrap.
 */
export interface VaultOptions {
  readonly key: CryptoKey | Uint8Array;
  /** Still opens what was sealed before `key` took its place. */
  readonly previous?: CryptoKey | Uint8Array;
  readonly random?: Random;
  /** How many signers are kept open, 64 unless said. */
  readonly cacheSize?: number;
}

/** An envelope is this byte, a nonce of 12 bytes, and the ciphertext with its tag of 16 bytes. */
const version = 1;
const [nonceLength, tagLength] = [12, 16];
const usages: readonly KeyUsage[] = ["encrypt", "decrypt", "unwrapKey"];

/**
 * A vault over one AES-256-GCM key. Nonces are random: one key seals at most 2^32 secrets (SP
 * 800-38D section 8.3). Throws `TypeError` for an unfit key.
 */
export function sealedVault(options: VaultOptions): KeyVault {
  const current = masterKey(options.key);
  const keys = options.previous === undefined ? [current] : [current, masterKey(options.previous)];
  const random: Random =
    options.random ?? ((bytes) => crypto.getRandomValues(new Uint8Array(bytes)));
  const signers = signerCache(options.cacheSize ?? 64, (sealed, binding, spki) =>
    openSigner(keys, random, sealed, binding, spki),
  );

  return {
    async seal(secret, binding) {
      const nonce = random(nonceLength);
      if (nonce.length !== nonceLength) throw new TypeError(`a nonce is ${nonceLength} bytes long`);
      const ciphertext = await crypto.subtle.encrypt(
        gcm(nonce, binding),
        await current(),
        asBytes(secret),
      );
      return concat([Uint8Array.of(version), nonce, new Uint8Array(ciphertext)]);
    },
    async unseal(sealed, binding) {
      return await opened(keys, sealed, binding);
    },
    async signer(sealed, binding, spki) {
      return await signers(sealed, binding, spki);
    },
  };
}

/** Tells the key, imported on first use so that making a vault waits for nothing. */
type MasterKey = () => Promise<CryptoKey>;

function masterKey(key: CryptoKey | Uint8Array): MasterKey {
  if (key instanceof Uint8Array) {
    if (key.length !== 32)
      throw new TypeError(`the key of a vault is 32 bytes long, not ${key.length}`);
    const raw: Bytes = concat([key]);
    let imported: Promise<CryptoKey> | undefined;
    return () =>
      (imported ??= crypto.subtle
        .importKey("raw", raw, "AES-GCM", false, usages)
        .finally(() => raw.fill(0)));
  }
  if (!(key instanceof CryptoKey))
    throw new TypeError("the key of a vault is 32 bytes, or a CryptoKey");
  // Only AES keys have a length; others fail the test of the name.
  const { name, length } = key.algorithm as AesKeyAlgorithm;
  if (
    name !== "AES-GCM" ||
    length !== 256 ||
    !usages.every((usage) => key.usages.includes(usage))
  ) {
    throw new TypeError(
      `the key of a vault is AES-GCM with 256 bits and the usages ${usages.join(", ")}`,
    );
  }
  return async () => key;
}

function gcm(nonce: Uint8Array, binding: string): AesGcmParams {
  return {
    name: "AES-GCM",
    iv: asBytes(nonce),
    additionalData: concat([Uint8Array.of(version), utf8(binding)]),
    tagLength: 8 * tagLength,
  };
}

/** The same words whatever was wrong: a wrong key, a wrong binding and changed bytes look alike. */
function cannotOpen(): CaError {
  return new CaError(
    "storage",
    "a sealed secret cannot be opened: it was sealed under another key, or changed",
  );
}

/** Runs `open` with each key in turn until one fits. */
async function withKeys<T>(
  keys: readonly MasterKey[],
  sealed: Uint8Array,
  binding: string,
  open: (key: CryptoKey, parameters: AesGcmParams, ciphertext: Bytes) => Promise<T>,
): Promise<T> {
  if (sealed[0] !== version || sealed.length < 1 + nonceLength + tagLength) throw cannotOpen();
  const parameters = gcm(sealed.subarray(1, 1 + nonceLength), binding);
  const ciphertext = asBytes(sealed.subarray(1 + nonceLength));
  for (const key of keys) {
    try {
      return await open(await key(), parameters, ciphertext);
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
    }
  }
  throw cannotOpen();
}

async function opened(
  keys: readonly MasterKey[],
  sealed: Uint8Array,
  binding: string,
): Promise<Uint8Array> {
  return new Uint8Array(
    await withKeys(keys, sealed, binding, (key, parameters, ciphertext) =>
      crypto.subtle.decrypt(parameters, key, ciphertext),
    ),
  );
}

/**
 * Keeps the signers used last, each for exactly the bytes it was opened from. A signer that cannot
 * be opened is not kept.
 */
function signerCache(size: number, openNew: KeyVault["signer"]): KeyVault["signer"] {
  const kept = new Map<
    string,
    { readonly sealed: Uint8Array; readonly spki: Uint8Array; readonly signer: Promise<Signer> }
  >();
  return (sealed, binding, spki) => {
    const found = kept.get(binding);
    const fits = found && equalBytes(found.sealed, sealed) && equalBytes(found.spki, spki);
    const entry = fits
      ? found
      : {
          sealed: sealed.slice(),
          spki: spki.slice(),
          signer: openNew(sealed.slice(), binding, spki.slice()),
        };
    // Taken out and put back: a Map keeps the order of insertion, so the first is the one not used
    // for longest.
    kept.delete(binding);
    kept.set(binding, entry);
    for (const oldest of kept.keys()) {
      if (kept.size <= size) break;
      kept.delete(oldest);
    }
    if (!fits) entry.signer.catch(() => kept.get(binding) === entry && kept.delete(binding));
    return entry.signer;
  };
}

async function openSigner(
  keys: readonly MasterKey[],
  random: Random,
  sealed: Uint8Array,
  binding: string,
  spki: Uint8Array,
): Promise<Signer> {
  const publicKey = parsePublicKey(spki);
  if (publicKey.curve === "P-224") {
    const { p224Signer } = await import("./p224.ts");
    const signer = await p224Signer(publicKey, random, () => opened(keys, sealed, binding));
    if (!signer) throw cannotOpen();
    return signer;
  }
  const unwrapped = new Map<string, Promise<CryptoKey>>();
  const keyFor = (scheme: Scheme): Promise<CryptoKey> => {
    // An RSA key is bound to its scheme and hash, an EC key serves every hash.
    const id = publicKey.type === "rsa" ? schemeName(scheme) : "";
    const known = unwrapped.get(id);
    if (known) return known;
    const open = unwrap(keys, sealed, binding, importParameters(publicKey, scheme));
    unwrapped.set(id, open);
    // A failure is not kept: the next signature tries again.
    open.catch(() => unwrapped.delete(id));
    return open;
  };
  // Opened at once under the scheme used most, so that whatever is wrong shows here and not at the
  // first signature.
  if (!(await signsFor(publicKey, await keyFor(defaultScheme(publicKey))))) throw cannotOpen();
  return {
    spki,
    platform: true,
    async sign(scheme, data) {
      if (!schemeFits(scheme, publicKey))
        throw new TypeError(
          `a key of type ${publicKey.type} does not sign with ${schemeName(scheme)}`,
        );
      const signature = new Uint8Array(
        await crypto.subtle.sign(webCryptoParameters(scheme), await keyFor(scheme), asBytes(data)),
      );
      return scheme.name === "ECDSA" ? ecdsaToDer(signature) : signature;
    },
  };
}

type ImportParameters = RsaHashedImportParams | EcKeyImportParams | Algorithm;

function importParameters(key: PublicKey, scheme: Scheme): ImportParameters {
  if (key.curve) return { name: "ECDSA", namedCurve: key.curve };
  return scheme.hash ? { name: scheme.name, hash: scheme.hash } : { name: scheme.name };
}

async function unwrap(
  keys: readonly MasterKey[],
  sealed: Uint8Array,
  binding: string,
  algorithm: ImportParameters,
): Promise<CryptoKey> {
  const open = (key: CryptoKey, parameters: AesGcmParams, ciphertext: Bytes): Promise<CryptoKey> =>
    crypto.subtle.unwrapKey("pkcs8", ciphertext, key, parameters, algorithm, false, ["sign"]);
  return withKeys(keys, sealed, binding, open);
}
