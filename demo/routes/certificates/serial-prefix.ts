import { bareHex } from "../../lib/format.ts";

/**
 * Returns the hexadecimal digits in a text that may be the beginning of a serial number in any
 * notation. Returns an empty string for other texts.
 */
export function digitsIn(q: string): string {
  const digits = bareHex(q.replace(/…\s*$/, ""));
  return /^[0-9a-f]{4,64}$/.test(digits) ? digits : "";
}

/** Reports whether digits are a SHA-256 fingerprint. Serial numbers have at most forty digits. */
export const isPrint = (digits: string): boolean => digits.length === 64;
