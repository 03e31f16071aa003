import type { ImportParameters } from "../algorithms/algorithm.ts";
import { asBytes, concat, utf8, type Bytes } from "../base/bytes.ts";
import type { CryptoKey } from "../base/platform.ts";
import type { RandomBytes } from "../base/random-text.ts";
import type { DirectCrypto, KeyVault } from "../engine/ports.ts";
import { cannotOpen, openSigner, signerCache } from "./signer.ts";

/**
 * The options for a vault. Keys are AES-256-GCM keys: 32 bytes, or a `CryptoKey` with the usages
 * `encrypt`, `decrypt` and `unwrapKey`.
 */
export interface VaultOptions {
  /** The key that seals secrets. */
  readonly key: CryptoKey | Uint8Array;
  /** The key that was replaced by `key`. It can still open the secrets that it sealed. */
  readonly previous?: CryptoKey | Uint8Array;
  /** Returns secure random bytes. */
  readonly random?: RandomBytes;
  /** Maximum number of cached signers. The default is 64. */
  readonly cacheSize?: number;
  /** The platform's synchronous signing functions. If absent, WebCrypto is used. */
  readonly crypto?: DirectCrypto;
}

/**
 * First byte of a sealed secret. It is followed by a nonce of 12 bytes, and by the ciphertext with
 * a tag of 16 bytes.
 */
const version = 1;
const [nonceLength, tagLength] = [12, 16];
const usages: readonly KeyUsage[] = ["encrypt", "decrypt", "unwrapKey"];

/**
 * Returns a vault that seals secrets with an AES-256-GCM key. Nonces are random, so a key must seal
 * at most 2^32 secrets (SP 800-38D section 8.3). Throws `TypeError` if the key is not suitable.
 */
export function sealedVault(options: VaultOptions): KeyVault {
  const current = masterKey(options.key);
  const keys = options.previous === undefined ? [current] : [current, masterKey(options.previous)];
  const random: RandomBytes =
    options.random ?? ((bytes) => crypto.getRandomValues(new Uint8Array(bytes)));
  const signers = signerCache(options.cacheSize ?? 64, (sealed, binding, spki) =>
    openSigner(
      {
        opened: () => opened(keys, sealed, binding),
        unwrapped: (parameters) => unwrapped(keys, sealed, binding, parameters),
        random,
        direct: options.crypto,
      },
      spki,
    ),
  );

  return {
    async seal(secret, binding) {
      const nonce = random(nonceLength);
      if (nonce.length !== nonceLength)
        throw new TypeError(`random() must return a nonce of ${nonceLength} bytes`);
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

/**
 * A function that returns a key. It imports the key on first use, so that a vault can be created
 * synchronously.
 */
type MasterKey = () => Promise<CryptoKey>;

function masterKey(key: CryptoKey | Uint8Array): MasterKey {
  if (key instanceof Uint8Array) {
    if (key.length !== 32)
      throw new TypeError(`the key of a vault must be 32 bytes long, not ${key.length}`);
    const raw: Bytes = concat([key]);
    let imported: Promise<CryptoKey> | undefined;
    return () =>
      (imported ??= crypto.subtle
        .importKey("raw", raw, "AES-GCM", false, usages)
        .finally(() => raw.fill(0)));
  }
  if (!(key instanceof CryptoKey))
    throw new TypeError("the key of a vault must be 32 bytes or a CryptoKey");
  // keys of algorithms other than AES are rejected because of their name
  const { name, length } = key.algorithm as AesKeyAlgorithm;
  if (
    name !== "AES-GCM" ||
    length !== 256 ||
    !usages.every((usage) => key.usages.includes(usage))
  ) {
    throw new TypeError(
      `the key of a vault must be AES-GCM with 256 bits and the usages ${usages.join(", ")}`,
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

/** Calls `open` with each key in turn until it succeeds. */
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

/** Unwraps a PKCS#8 key for signing. The plaintext stays inside WebCrypto. */
const unwrapped = (
  keys: readonly MasterKey[],
  sealed: Uint8Array,
  binding: string,
  algorithm: ImportParameters,
): Promise<CryptoKey> =>
  withKeys(keys, sealed, binding, (key, parameters, ciphertext) =>
    crypto.subtle.unwrapKey("pkcs8", ciphertext, key, parameters, algorithm, false, ["sign"]),
  );
