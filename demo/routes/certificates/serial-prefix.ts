import { bareHex } from "../../lib/hex-text.ts";

/**
 * Returns the hexadecimal digits of a string that could be a serial number prefix (in any
 * notation), or an empty string if it could not.
 */
export function digitsIn(q: string): string {
  const digits = bareHex(q.replace(/…\s*$/, ""));
  return /^[0-9a-f]{4,64}$/.test(digits) ? digits : "";
}

/** Reports whether digits are a SHA-256 fingerprint. Serial numbers have at most forty digits. */
export const isPrint = (digits: string): boolean => digits.length === 64;
