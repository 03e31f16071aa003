import { asBytes, utf8 } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import type { RandomBytes } from "../../base/random-text.ts";

/** The stored hash of a password: PBKDF2 with HMAC-SHA-256 (RFC 8018 section 5.2). */
export interface PasswordHash {
  readonly salt: Uint8Array;
  /** Number of iterations when the password was set. */
  readonly iterations: number;
  readonly hash: Uint8Array;
}
/** Number of iterations for new passwords: the maximum that Workers allow (security row 93). */
const iterations = 100_000;
const [saltLength, hashLength] = [16, 32];
/** Maximum length of a password in characters. */
const maxLength = 1024;

/** Hashes a new password. Throws `malformed` if it is too long. */
export async function hashPassword(password: string, random: RandomBytes): Promise<PasswordHash> {
  if (password.length > maxLength)
    throw new CaError("malformed", `the password must have at most ${maxLength} characters`);
  const salt = random(saltLength);
  return { salt, iterations, hash: await derive(password, { salt, iterations }) };
}
/**
 * The hash against which passwords of unknown users are verified, so that logins with unknown names
 * take as long as others.
 */
export const placeholderHash: PasswordHash = {
  salt: new Uint8Array(saltLength),
  iterations,
  hash: new Uint8Array(hashLength),
};
/** Verifies a password. Compares the hashes in constant time. */
export async function isPassword(password: string, stored: PasswordHash): Promise<boolean> {
  const hash = await derive(password.slice(0, maxLength), stored);
  return equalInTime(hash, stored.hash) && password.length <= maxLength;
}
/** Compares two hashes in time that depends only on their lengths. */
export function equalInTime(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (let at = 0; at < a.length; at++) difference |= (a[at] ?? 0) ^ (b[at] ?? 0);
  return difference === 0;
}

async function derive(
  password: string,
  { salt, iterations: count }: Omit<PasswordHash, "hash">,
): Promise<Uint8Array> {
  const { subtle } = crypto;
  const key = await subtle.importKey("raw", utf8(password), "PBKDF2", false, ["deriveBits"]);
  const parameters = { name: "PBKDF2", hash: "SHA-256", salt: asBytes(salt), iterations: count };
  try {
    return new Uint8Array(await subtle.deriveBits(parameters, key, 8 * hashLength));
  } catch (error) {
    if (count <= iterations) throw error;
    throw new CaError(
      "storage",
      `this platform cannot verify a password that was hashed with more than ${iterations} iterations: set the password again`,
      { cause: error },
    );
  }
}
