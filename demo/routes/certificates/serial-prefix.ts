import { bareHex } from "../../lib/format.ts";

/**
 * Returns the hexadecimal digits of a text that may begin a serial number, in any notation; empty
 * for other texts.
 */
export function digitsIn(q: string): string {
  const digits = bareHex(q.replace(/…\s*$/, ""));
  return /^[0-9a-f]{4,64}$/.test(digits) ? digits : "";
}

/** Reports whether digits are a SHA-256 fingerprint: serial numbers have at most forty. */
export const isPrint = (digits: string): boolean => digits.length === 64;
