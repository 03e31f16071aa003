/** Bytes in an unshared buffer, as WebCrypto requires. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** Methods that ES2023 does not declare and only the newest JavaScript engines have. */
interface Native {
  toHex?(this: Uint8Array): string;
  toBase64?(
    this: Uint8Array,
    options?: { alphabet?: "base64" | "base64url"; omitPadding?: boolean },
  ): string;
}
interface NativeStatic {
  fromHex?(text: string): Bytes;
  fromBase64?(
    text: string,
    options?: { alphabet?: "base64" | "base64url"; lastChunkHandling?: "strict" },
  ): Bytes;
}
// the cast only declares the methods; each use first tests whether the method exists
const native = Uint8Array.prototype as Native;
const nativeStatic = Uint8Array as unknown as NativeStatic;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Narrows the type of bytes to the type that WebCrypto accepts. This library never stores bytes in
 * shared memory.
 */
export const asBytes = (bytes: Uint8Array): Bytes => bytes as Bytes;

/** Concatenates byte strings. */
export function concat(parts: readonly Uint8Array[]): Bytes {
  let length = 0;
  for (const part of parts) length += part.length;
  const out = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** Reports whether two byte strings are equal. Not constant-time. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/**
 * Compares byte strings lexicographically; a prefix sorts before longer strings. Returns a negative
 * number, 0 or a positive number.
 */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

const hexPairs: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, "0"),
);
const colonPairs: readonly string[] = hexPairs.map((pair) => `:${pair}`);

function joinHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += hexPairs[byte];
  return text;
}

/** Encodes bytes as lower-case hexadecimal. */
export const toHex = (bytes: Uint8Array): string =>
  native.toHex ? native.toHex.call(bytes) : joinHex(bytes);

/** Parses hexadecimal digits in upper or lower case. Throws `TypeError` for any other string. */
export function fromHex(text: string): Bytes {
  if (text.length % 2 !== 0 || /[^0-9a-fA-F]/.test(text))
    throw new TypeError("not an even number of hexadecimal digits");
  if (nativeStatic.fromHex) return nativeStatic.fromHex(text);
  return Uint8Array.from({ length: text.length / 2 }, (_, i) =>
    Number.parseInt(text.slice(2 * i, 2 * i + 2), 16),
  );
}

/**
 * Encodes bytes as lower-case hexadecimal octets separated by colons, as serial numbers are
 * written.
 */
export function colonHex(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i++)
    text += (i === 0 ? hexPairs : colonPairs)[bytes[i] ?? 0] ?? "";
  return text;
}

/** Encodes bytes as standard base64 with padding (RFC 4648 section 4). */
export function toBase64(bytes: Uint8Array): string {
  if (native.toBase64) return native.toBase64.call(bytes);
  let binary = "";
  // JavaScript engines limit the number of arguments, but all of them allow more than 32,768
  for (let at = 0; at < bytes.length; at += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary);
}

function valuesOf(alphabet: string): Uint8Array {
  const table = new Uint8Array(128).fill(255);
  for (let i = 0; i < alphabet.length; i++) table[alphabet.charCodeAt(i)] = i;
  return table;
}
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const base64Values = valuesOf(`${letters}+/`);
const base64UrlValues = valuesOf(`${letters}-_`);

function decodeBase64(text: string, values = base64Values): Bytes | undefined {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const digits = text.length - padding;
  const out = new Uint8Array((digits * 6) >> 3);
  let bits = 0;
  let bitCount = 0;
  let at = 0;
  for (let i = 0; i < digits; i++) {
    const value = values[text.charCodeAt(i)] ?? 255;
    if (value === 255) return undefined;
    bits = ((bits << 6) | value) & 0xffff;
    bitCount += 6;
    if (bitCount >= 8) out[at++] = bits >> (bitCount -= 8);
  }
  // unused bits must be zero, because otherwise two strings would decode to the same bytes
  return (bits & ((1 << bitCount) - 1)) === 0 ? out : undefined;
}

/**
 * Decodes padded standard base64. Returns undefined if the string contains white space, characters
 * outside the alphabet, or unused bits that are not zero.
 */
export function fromBase64(text: string): Bytes | undefined {
  if (text.length % 4 !== 0) return undefined;
  if (!nativeStatic.fromBase64) return decodeBase64(text);
  // the native decoder skips white space even in its strict mode
  if (/\s/.test(text)) return undefined;
  try {
    return nativeStatic.fromBase64(text, { lastChunkHandling: "strict" });
  } catch {
    return undefined;
  }
}

/** Encodes bytes as base64url without padding (RFC 4648 section 5). */
export function toBase64Url(bytes: Uint8Array): string {
  if (native.toBase64)
    return native.toBase64.call(bytes, { alphabet: "base64url", omitPadding: true });
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Returns the value of a base64url digit, from 0 to 63. Returns undefined for other characters. */
export function base64UrlDigit(character: string): number | undefined {
  const value = base64UrlValues[character.charCodeAt(0)];
  return value === 255 ? undefined : value;
}

/**
 * Decodes unpadded base64url. Returns undefined if the string contains padding, white space,
 * characters outside the alphabet, or unused bits that are not zero.
 */
export function fromBase64Url(text: string): Bytes | undefined {
  if (/[^A-Za-z0-9_-]/.test(text) || text.length % 4 === 1) return undefined;
  const whole = text + "===".slice(0, (4 - (text.length % 4)) % 4);
  if (!nativeStatic.fromBase64) return decodeBase64(whole, base64UrlValues);
  try {
    return nativeStatic.fromBase64(whole, { alphabet: "base64url", lastChunkHandling: "strict" });
  } catch {
    return undefined;
  }
}

/**
 * Decodes a short base64url string, such as a member of a JWK. Returns undefined if it is
 * malformed. Up to 64 bytes, a loop in JavaScript is faster than the native decoder.
 */
export function shortBase64Url(text: string): Bytes | undefined {
  if (text.length > 86) return fromBase64Url(text);
  // rejects padding, as `fromBase64Url` does
  if (text.endsWith("=") || text.length % 4 === 1) return undefined;
  return decodeBase64(text, base64UrlValues);
}

/** Encodes a string in UTF-8. */
export const utf8 = (text: string): Bytes => asBytes(encoder.encode(text));

/** Decodes UTF-8. Keeps a byte order mark. Throws `TypeError` on malformed input. */
export const fromUtf8 = (bytes: Uint8Array): string => decoder.decode(bytes);
