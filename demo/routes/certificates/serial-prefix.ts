import { bareHex } from "../../lib/format.ts";

/**
 * Digits that a serial number may begin with, as a row shows them or as it is written elsewhere;
 * empty for any other text.
 */
export function digitsIn(q: string): string {
  const digits = bareHex(q.replace(/…\s*$/, ""));
  return /^[0-9a-f]{4,64}$/.test(digits) ? digits : "";
}

/**
 * Reports whether digits are those of a SHA-256 fingerprint, and no serial number, which has forty
 * at most.
 */
export const isPrint = (digits: string): boolean => digits.length === 64;
