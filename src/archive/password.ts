import type { CHash } from "@noble/hashes/utils.js";
import { asBytes, type Bytes, concat, utf8 } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import { yieldToEventLoop } from "../base/event-loop.ts";
import { alphanumeric, randomText, type RandomBytes } from "../base/random-text.ts";

/** Maximum length of a password in characters. */
const maxPasswordLength = 256;
/** Length of generated passwords in characters. A password of this length has 131 random bits. */
const generatedLength = 22;

/**
 * Returns the password of an archive: the password in the request, or a generated password with 131
 * random bits. `field` is the name of the request member for errors, and `minLength` the minimum
 * length in characters. Throws `CaError` `malformed` if the password is empty, too short or too
 * long, or has characters that PKCS#12 does not support: control characters, and characters outside
 * the Basic Multilingual Plane.
 */
export function archivePassword(
  sent: string | undefined,
  { field, minLength = 1, random }: { field: string; minLength?: number; random: RandomBytes },
): string {
  if (sent === undefined) return randomText(random, alphanumeric, generatedLength);
  if (sent === "")
    throw new CaError("malformed", `${field} is empty: omit it to have a password generated`);
  if (sent.length < minLength)
    throw new CaError("malformed", `${field} has fewer than ${minLength} characters`);
  requireValidPassword(sent, field);
  return sent;
}

/** Throws `CaError` `malformed` if an archive cannot have this password. */
function requireValidPassword(text: string, field: string): void {
  if (text.length > maxPasswordLength)
    throw new CaError("malformed", `${field} has more than ${maxPasswordLength} characters`);
  checkCharacters(text, field);
}
/**
 * Throws `CaError` `malformed` for a string with control characters, or with characters that
 * BMPString does not support.
 */
export function checkCharacters(text: string, field: string): void {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code === 0x7f)
      throw new CaError("malformed", `${field} has control characters`);
    if (code >= 0xd800 && code < 0xe000)
      throw new CaError(
        "malformed",
        `${field} has characters beyond U+FFFF, which archives do not support`,
      );
  }
}

/**
 * Encodes a string in UTF-16 with the high byte first, as in BMPString and in the password hashes
 * of JKS.
 */
export function utf16(text: string): Bytes {
  const bytes = new Uint8Array(2 * text.length);
  for (let i = 0; i < text.length; i++) {
    bytes[2 * i] = text.charCodeAt(i) >> 8;
    bytes[2 * i + 1] = text.charCodeAt(i) & 0xff;
  }
  return asBytes(bytes);
}

/** A synchronous hash function. */
export type Hash = CHash;
/** Salt and iteration count of a key derivation. */
export interface HashRounds {
  readonly salt: Uint8Array;
  readonly rounds: number;
}

/**
 * Derives `length` bytes from the UTF-8 encoding of a password with PBKDF2 (RFC 8018 section 5.2),
 * for PBES2 and PBMAC1 (RFC 9579 section 4).
 */
export async function pbkdf2(
  password: string,
  { salt, rounds, hash }: HashRounds & { readonly hash: string },
  length: number,
): Promise<Bytes> {
  // WebKitGTK rejects an empty password. A NUL has the same result, because HMAC pads short keys
  // with zeros.
  const bytes = utf8(password || "\0");
  const key = await crypto.subtle.importKey("raw", bytes, "PBKDF2", false, ["deriveBits"]);
  const bits = await crypto.subtle.deriveBits(
    { name: "PBKDF2", hash, salt: asBytes(salt), iterations: rounds },
    key,
    8 * length,
  );
  return new Uint8Array(bits);
}

/** Repeats `bytes` to fill whole blocks. Returns no blocks if `bytes` is empty. */
function repeated(bytes: Uint8Array, block: number): Bytes {
  const out = new Uint8Array(block * Math.ceil(bytes.length / block));
  for (let i = 0; i < out.length; i++) out[i] = bytes[i % bytes.length] ?? 0;
  return out;
}

/**
 * The ID byte for deriving bytes from a password (RFC 7292 appendix B.3), and the number of bytes.
 */
interface DerivedBytes {
  readonly purpose: number;
  readonly length: number;
}
/** ID byte for deriving a MAC key. */
export const macPurpose = 3;

/** Number of iterations between two yields to the event loop: a few milliseconds of work. */
const roundsPerTurn = 10_000;

/**
 * Derives bytes from a password as in PKCS#12 (RFC 7292 appendix B.2), and lets other requests
 * proceed in between. `password` is a BMPString with a final NUL, or empty.
 */
export async function deriveKey(
  password: Uint8Array,
  { salt, rounds, hash }: HashRounds & { readonly hash: Hash },
  { purpose, length }: DerivedBytes,
): Promise<Bytes> {
  const { blockLen } = hash;
  const diversifier = new Uint8Array(blockLen).fill(purpose);
  const input = concat([repeated(salt, blockLen), repeated(password, blockLen)]);
  const parts: Uint8Array[] = [];
  for (let derived = 0; derived < length;) {
    let part = hash(concat([diversifier, input]));
    for (let round = 1; round < rounds; round++) {
      part = hash(part);
      if (round % roundsPerTurn === 0) await yieldToEventLoop();
    }
    parts.push(part);
    derived += part.length;
    addToBlocks(input, repeated(part, blockLen).subarray(0, blockLen), blockLen);
  }
  return concat(parts).slice(0, length);
}

/**
 * Adds `summand` plus one to each block. All are big-endian numbers of the same length, and
 * overflow is discarded.
 */
function addToBlocks(blocks: Uint8Array, summand: Uint8Array, length: number): void {
  for (let start = 0; start < blocks.length; start += length) {
    let carry = 1;
    for (let i = length - 1; i >= 0; i--) {
      carry += (blocks[start + i] ?? 0) + (summand[i] ?? 0);
      blocks[start + i] = carry & 0xff;
      carry >>= 8;
    }
  }
}
