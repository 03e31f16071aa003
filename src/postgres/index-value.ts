/**
 * Size in bytes of the first part of an encoded index value, by which the B-tree sorts. A B-tree
 * entry may have up to 2,704 bytes, of which the key and the index name take up to 544.
 */
export const headBytes = 1024;

/** First byte of an encoded value. Numbers sort before strings. */
const [numberTag, textTag] = [1, 2];
/** Offset that is added to safe integers so that none is negative. */
const offset = 2n ** 53n;
const surrogate = /[\ud800-\udfff]/;

/**
 * Encodes an index value as bytes with the same sort order as the values: numbers numerically,
 * strings by UTF-16 code units.
 */
export function encodeIndexValue(value: string | number): Buffer {
  if (typeof value === "string") return encodeText(value);
  const bytes = Buffer.alloc(9, numberTag);
  bytes.writeBigUInt64BE(BigInt(value) + offset, 1);
  return bytes;
}

/**
 * Encodes a string. Without surrogates, UTF-8 has the same sort order as UTF-16 code units.
 * Surrogates are encoded as three bytes each (CESU-8), which preserves that order and supports
 * unpaired surrogates.
 */
function encodeText(text: string): Buffer {
  if (!surrogate.test(text)) return Buffer.concat([Buffer.of(textTag), Buffer.from(text)]);
  const bytes: number[] = [textTag];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) bytes.push(unit);
    else if (unit < 0x800) bytes.push(0xc0 | (unit >> 6), 0x80 | (unit & 0x3f));
    else bytes.push(0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f));
  }
  return Buffer.from(bytes);
}

/** Decodes the result of `encodeIndexValue`. */
export function decodeIndexValue(bytes: Buffer): string | number {
  if (bytes[0] === numberTag) return Number(bytes.readBigUInt64BE(1) - offset);
  let text = "";
  let plain = 1;
  // 0xed is the first byte of an encoded surrogate, which is not valid UTF-8
  for (let at = bytes.indexOf(0xed, 1); at >= 0; at = bytes.indexOf(0xed, at + 3)) {
    text += bytes.toString("utf8", plain, at);
    text += String.fromCharCode(
      0xd000 | (((bytes[at + 1] ?? 0) & 0x3f) << 6) | ((bytes[at + 2] ?? 0) & 0x3f),
    );
    plain = at + 3;
  }
  return text + bytes.toString("utf8", plain);
}
