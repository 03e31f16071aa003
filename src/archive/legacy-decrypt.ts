import { sha1 } from "@noble/hashes/legacy.js";
import { concat, type Bytes } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import { tripleDes, type DecryptBlock } from "./des.ts";
import { deriveKey, utf16, type HashRounds } from "./password.ts";
import { rc2 } from "./rc2.ts";

/** A cipher that PKCS#12 used before PBES2. */
interface LegacyCipher {
  readonly keyLength: number;
  readonly open: (key: Uint8Array) => DecryptBlock;
}

/** Ciphers by object identifier (RFC 7292 appendix C). */
const ciphers: ReadonlyMap<string, LegacyCipher> = new Map([
  ["1.2.840.113549.1.12.1.3", { keyLength: 24, open: tripleDes }],
  ["1.2.840.113549.1.12.1.4", { keyLength: 16, open: tripleDes }],
  ["1.2.840.113549.1.12.1.5", { keyLength: 16, open: rc2 }],
  ["1.2.840.113549.1.12.1.6", { keyLength: 5, open: rc2 }],
]);

const blockLength = 8;
/** ID bytes for deriving a key and an IV (RFC 7292 appendix B.3). */
const [keyPurpose, ivPurpose] = [1, 2];

/** Number of bytes per derivation, which is the length of a SHA-1 hash. */
const derivedLength = 20;

/**
 * Returns the number of derivations from the password that a cipher needs for its key and IV, or 0
 * if the cipher is unknown.
 */
export function legacyDerivations(oid: string): number {
  const cipher = ciphers.get(oid);
  return cipher ? Math.ceil(cipher.keyLength / derivedLength) + 1 : 0;
}

/**
 * Decrypts data in an archive from Windows, NSS, Java or OpenSSL 1: triple DES or RC2 in CBC mode,
 * with a key derived by SHA-1 (RFC 7292 appendix B). Rejects with `CaError` `malformed` if the data
 * does not consist of whole blocks, or its padding shows that the password is wrong.
 */
export async function decryptLegacy(
  oid: string,
  encrypted: Uint8Array,
  { password, salt, rounds }: HashRounds & { readonly password: string },
): Promise<Bytes> {
  const cipher = ciphers.get(oid);
  if (!cipher || encrypted.length === 0 || encrypted.length % blockLength !== 0)
    throw new CaError("malformed", "PKCS#12: the encrypted data does not consist of whole blocks");
  const secret = concat([utf16(password), new Uint8Array(2)]);
  const derive = (purpose: number, length: number) =>
    deriveKey(secret, { salt, rounds, hash: sha1 }, { purpose, length });
  const key = await derive(keyPurpose, cipher.keyLength);
  return withoutPadding(
    decryptCbc(cipher.open(key), await derive(ivPurpose, blockLength), encrypted),
  );
}

/** Decrypts triple DES in CBC mode with a key, for PBES2. */
export const decryptTripleDes = (key: Uint8Array, iv: Uint8Array, encrypted: Uint8Array): Bytes =>
  withoutPadding(decryptCbc(tripleDes(key), iv, encrypted));

function decryptCbc(decrypt: DecryptBlock, iv: Uint8Array, encrypted: Uint8Array): Bytes {
  const plain = new Uint8Array(encrypted);
  const view = new DataView(plain.buffer);
  for (let at = 0; at < plain.length; at += blockLength) decrypt(view, at);
  for (let i = 0; i < plain.length; i++)
    plain[i] = (plain[i] ?? 0) ^ ((i < blockLength ? iv[i] : encrypted[i - blockLength]) ?? 0);
  return plain;
}

/** Removes PKCS#7 padding (RFC 8018 section 6.1.1). */
function withoutPadding(plain: Bytes): Bytes {
  const count = plain.at(-1) ?? 0;
  const padding = plain.subarray(plain.length - count);
  if (count < 1 || count > blockLength || padding.some((byte) => byte !== count))
    throw new CaError(
      "malformed",
      "PKCS#12: a part of the archive cannot be decrypted with the password",
    );
  return plain.slice(0, plain.length - count);
}
