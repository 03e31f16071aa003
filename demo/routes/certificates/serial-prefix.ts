import { bareHex } from "../../lib/hex-text.ts";

/** A label before a serial number or a SHA-256 fingerprint, for example by openssl. */
const label = /^\s*(?:(?:sha-?256 fingerprint|serial(?: number)?)\s*[=:]\s*)?(?:0x)?/i;

/**
 * Returns the hexadecimal digits of a string that could be a serial number prefix or a fingerprint,
 * in any notation, or an empty string if it could not.
 */
export function digitsIn(q: string): string {
  const digits = bareHex(q.replace(label, "").replace(/…\s*$/, ""));
  return /^[0-9a-f]{4,64}$/.test(digits) ? digits : "";
}

/** Reports whether digits are a SHA-256 fingerprint. Serial numbers have at most forty digits. */
export const isPrint = (digits: string): boolean => digits.length === 64;
