const polynomial = 0xedb88320;
const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ polynomial : value >>> 1;
  return value;
});

/** CRC-32 of ISO 3309 and ITU-T V.42 (check value of "123456789": cbf43926). Finds every burst of up to 32 bits; proves nothing against intent. */
export function crc32(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (let i = 0; i < bytes.length; i++) value = (value >>> 8) ^ (table[(value ^ (bytes[i] ?? 0)) & 0xff] ?? 0);
  return ~value >>> 0;
}
