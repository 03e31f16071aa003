import type { Bytes } from "./bytes.ts";

const rotate = (value: number, by: number): number => (value << by) | (value >>> (32 - by));

/** The message with its padding: a one bit, zeros, its length in bits (FIPS 180-4 section 5.1.1). */
function padded(message: Uint8Array): DataView {
  const bytes = new Uint8Array((Math.floor((message.length + 8) / 64) + 1) * 64);
  bytes.set(message);
  bytes[message.length] = 0x80;
  const view = new DataView(bytes.buffer);
  view.setUint32(bytes.length - 8, Math.floor(message.length / 0x20000000));
  view.setUint32(bytes.length - 4, message.length << 3);
  return view;
}

/** The function and the constant of a round (FIPS 180-4 sections 4.1.1 and 4.2.1). */
function mixed(round: number, b: number, c: number, d: number): number {
  if (round < 20) return (((b & c) | (~b & d)) + 0x5a827999) | 0;
  if (round < 40) return ((b ^ c ^ d) + 0x6ed9eba1) | 0;
  if (round < 60) return (((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc) | 0;
  return ((b ^ c ^ d) + 0xca62c1d6) | 0;
}

/** One block into the state (FIPS 180-4 section 6.1.2). */
function compress(state: Int32Array, schedule: Int32Array, block: DataView, at: number): void {
  for (let t = 0; t < 16; t++) schedule[t] = block.getInt32(at + 4 * t);
  for (let t = 16; t < 80; t++) schedule[t] = rotate((schedule[t - 3] ?? 0) ^ (schedule[t - 8] ?? 0) ^ (schedule[t - 14] ?? 0) ^ (schedule[t - 16] ?? 0), 1);
  let [a = 0, b = 0, c = 0, d = 0, e = 0] = state;
  for (let t = 0; t < 80; t++) {
    const next = (((rotate(a, 5) + e) | 0) + ((mixed(t, b, c, d) + (schedule[t] ?? 0)) | 0)) | 0;
    e = d;
    d = c;
    c = rotate(b, 30);
    b = a;
    a = next;
  }
  [a, b, c, d, e].forEach((word, i) => (state[i] = (state[i] ?? 0) + word));
}

/**
 * SHA-1 (FIPS 180-4), 20 bytes, for key identifiers, which are names and prove nothing (RFC 5280 section 4.2.1.2). At once, without a promise:
 * measured in Node, asking WebCrypto for so short a message takes longer than all of the certificate's encoding.
 */
export function sha1(message: Uint8Array): Bytes {
  const state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0);
  const schedule = new Int32Array(80);
  const blocks = padded(message);
  for (let at = 0; at < blocks.byteLength; at += 64) compress(state, schedule, blocks, at);
  const out = new Uint8Array(20);
  const view = new DataView(out.buffer);
  state.forEach((word, i) => view.setInt32(4 * i, word));
  return out;
}
