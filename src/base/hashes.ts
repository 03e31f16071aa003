import type { Bytes } from "./bytes.ts";

const rotate = (value: number, by: number): number => (value << by) | (value >>> (32 - by));

// Buffers that all calls share. In Workers, creating an array of more than 64 bytes takes 2
// microseconds or more (measured), and so does each access to its buffer. Sharing is safe because
// hashing never awaits.
const block = new DataView(new ArrayBuffer(64));
const schedule = new Int32Array(80);
const state = new Int32Array(5);
const initial: readonly number[] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];

/**
 * Compresses the block into the state (FIPS 180-4 section 6.1.2), with the functions and constants
 * of sections 4.1.1 and 4.2.1.
 */
function compress(): void {
  for (let t = 0; t < 16; t++) schedule[t] = block.getInt32(4 * t);
  for (let t = 16; t < 80; t++)
    schedule[t] = rotate(
      (schedule[t - 3] ?? 0) ^
        (schedule[t - 8] ?? 0) ^
        (schedule[t - 14] ?? 0) ^
        (schedule[t - 16] ?? 0),
      1,
    );
  let [a, b, c, d, e] = [state[0] ?? 0, state[1] ?? 0, state[2] ?? 0, state[3] ?? 0, state[4] ?? 0];
  for (let t = 0; t < 80; t++) {
    let mixed = (b ^ c ^ d) + (t < 40 ? 0x6ed9eba1 : 0xca62c1d6);
    if (t < 20) mixed = ((b & c) | (~b & d)) + 0x5a827999;
    else if (t >= 40 && t < 60) mixed = ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
    const next = (rotate(a, 5) + e + mixed + (schedule[t] ?? 0)) | 0;
    e = d;
    d = c;
    c = rotate(b, 30);
    b = a;
    a = next;
  }
  state[0] = (state[0] ?? 0) + a;
  state[1] = (state[1] ?? 0) + b;
  state[2] = (state[2] ?? 0) + c;
  state[3] = (state[3] ?? 0) + d;
  state[4] = (state[4] ?? 0) + e;
}

/**
 * Loads block `n` of the padded message. The padding is a one bit, zeros, and the length in bits
 * (FIPS 180-4 section 5.1.1).
 */
function fill(message: Uint8Array, n: number, last: boolean): void {
  for (let i = 0; i < 64; i++) {
    const at = 64 * n + i;
    block.setUint8(i, at < message.length ? (message[at] ?? 0) : at === message.length ? 0x80 : 0);
  }
  if (!last) return;
  block.setUint32(56, Math.floor(message.length / 0x20000000));
  block.setUint32(60, message.length << 3);
}

/**
 * Returns the SHA-1 hash (FIPS 180-4) for key identifiers, which need no collision resistance (RFC
 * 5280 section 4.2.1.2). It is synchronous, because in Node, calling WebCrypto for such a short
 * message was measured to take longer than encoding a certificate.
 */
export function sha1(message: Uint8Array): Bytes {
  state.set(initial);
  const blocks = Math.floor((message.length + 8) / 64) + 1;
  for (let n = 0; n < blocks; n++) {
    fill(message, n, n === blocks - 1);
    compress();
  }
  const out = new Uint8Array(20);
  for (let i = 0; i < 20; i++) out[i] = (state[i >> 2] ?? 0) >>> (24 - 8 * (i & 3));
  return out;
}

const polynomial = 0xedb88320;
/** The CRC remainder of each byte value. */
const first = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ polynomial : value >>> 1;
  return value;
});
const after = (table: Int32Array): Int32Array =>
  table.map((value) => (value >>> 8) ^ (first[value & 0xff] ?? 0));
/**
 * Tables for one, two and three additional bytes, so that a step processes four bytes, which takes
 * a quarter of the time.
 */
const second = after(first);
const third = after(second);
const fourth = after(third);

/**
 * Returns the CRC-32 of ISO 3309 and ITU-T V.42 (check value of "123456789": cbf43926). It detects
 * every burst error of up to 32 bits, but not deliberate changes.
 */
export function crc32(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let value = -1;
  let at = 0;
  for (; at + 4 <= bytes.length; at += 4) {
    value ^= view.getInt32(at, true);
    value =
      (fourth[value & 0xff] ?? 0) ^
      (third[(value >>> 8) & 0xff] ?? 0) ^
      (second[(value >>> 16) & 0xff] ?? 0) ^
      (first[value >>> 24] ?? 0);
  }
  for (; at < bytes.length; at++)
    value = (value >>> 8) ^ (first[(value ^ (bytes[at] ?? 0)) & 0xff] ?? 0);
  return ~value >>> 0;
}
