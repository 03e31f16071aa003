import { asBytes, type Bytes } from "../base/bytes.ts";
import { alphanumeric, randomText, type RandomBytes } from "../base/random-text.ts";
import { CaError } from "../base/errors.ts";

/** A password has at most so many characters. */
const longest = 256;
/** 131 bits. */
const drawnLength = 22;

/**
 * The password of an archive: the one that was sent, or a drawn one of 131 bits. `field`: its
 * member, for refusals; `least`: its fewest characters. Throws `CaError` `malformed` for a password
 * that is empty, too short or too long, or has characters that PKCS#12 has no code for: outside the
 * Basic Multilingual Plane, or control characters.
 */
export function archivePassword(
  sent: string | undefined,
  { field, least = 1, random }: { field: string; least?: number; random: RandomBytes },
): string {
  if (sent === undefined) return randomText(random, alphanumeric, drawnLength);
  if (sent === "")
    throw new CaError("malformed", `${field} is empty: leave it out, and a password is drawn`);
  if (sent.length < least)
    throw new CaError("malformed", `${field} has fewer than ${least} characters`);
  checkPassword(sent, field);
  return sent;
}

/** Throws `CaError` `malformed` for a password that an archive cannot have. */
export function checkPassword(text: string, field: string): void {
  if (text.length > longest)
    throw new CaError("malformed", `${field} has more than ${longest} characters`);
  checkCharacters(text, field);
}
/**
 * Throws `CaError` `malformed` for a text with control characters or with some that BMPString has
 * no code for.
 */
export function checkCharacters(text: string, field: string): void {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code === 0x7f)
      throw new CaError("malformed", `${field} has control characters`);
    if (code >= 0xd800 && code < 0xe000)
      throw new CaError(
        "malformed",
        `${field} has characters beyond U+FFFF, which archives cannot hold`,
      );
  }
}

/** UTF-16, high byte first: BMPString without its NUL, and what JKS hashes. */
export function utf16(text: string): Bytes {
  const bytes = new Uint8Array(2 * text.length);
  for (let i = 0; i < text.length; i++) {
    bytes[2 * i] = text.charCodeAt(i) >> 8;
    bytes[2 * i + 1] = text.charCodeAt(i) & 0xff;
  }
  return asBytes(bytes);
}
