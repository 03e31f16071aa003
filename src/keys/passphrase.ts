import { asBytes, utf8 } from "../base/bytes.ts";
import type { KeyVault } from "../engine/ports.ts";
import { sealedVault } from "./sealed.ts";

/** Number of PBKDF2 iterations: the maximum that all platforms support. */
export const passphraseRounds = 100_000;
/** Minimum length of a passphrase in characters. */
const minPassphrase = 12;

/**
 * Returns a vault whose key is derived from a passphrase with PBKDF2 and HMAC-SHA-256 (RFC 8018).
 * Throws TypeError if the passphrase is too short.
 */
export async function passphraseVault(
  passphrase: string,
  salt: Uint8Array,
  rounds = passphraseRounds,
): Promise<KeyVault> {
  const text = passphrase.normalize("NFKC");
  if (text.length < minPassphrase)
    throw new TypeError(`a passphrase must have at least ${minPassphrase} characters`);
  const material = await crypto.subtle.importKey("raw", utf8(text), "PBKDF2", false, ["deriveKey"]);
  const key = await crypto.subtle.deriveKey(
    { name: "PBKDF2", hash: "SHA-256", salt: asBytes(salt), iterations: rounds },
    material,
    { name: "AES-GCM", length: 256 },
    false,
    ["encrypt", "decrypt", "unwrapKey"],
  );
  return sealedVault({ key });
}
