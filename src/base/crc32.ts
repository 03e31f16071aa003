const polynomial = 0xedb88320;
/** Table of the remainders of each byte. */
const first = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ polynomial : value >>> 1;
  return value;
});
const after = (table: Int32Array): Int32Array =>
  table.map((value) => (value >>> 8) ^ (first[value & 0xff] ?? 0));
/** Tables for one, two and three more bytes: four bytes per step take a quarter of the time. */
const second = after(first);
const third = after(second);
const fourth = after(third);

/**
 * CRC-32 of ISO 3309 and ITU-T V.42 (check value of "123456789": cbf43926). Finds every burst of up
 * to 32 bits; proves nothing against intent.
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
