import type { Bytes } from "./bytes.ts";

/** Bytes of a length field. */
export function lengthSize(length: number): number {
  return length < 0x80 ? 1 : length < 0x100 ? 2 : length < 0x10000 ? 3 : length < 0x1000000 ? 4 : 5;
}

/** Returns the encoded size of an element from the size of its content. */
export const elementSize = (length: number): number => 1 + lengthSize(length) + length;

/** Writes elements of known sizes into one buffer, to avoid allocating an array for each. */
export class DerWriter {
  private readonly out: Bytes;
  private at = 0;

  /** `size`: of everything that will be written. */
  constructor(size: number) {
    this.out = new Uint8Array(size);
  }

  /** One byte. */
  byte(value: number): void {
    this.out[this.at++] = value;
  }

  /** Tag and length of an element; its content is written next. */
  header(tag: number, length: number): void {
    this.byte(tag);
    if (length < 0x80) return this.byte(length);
    const size = lengthSize(length) - 1;
    this.byte(0x80 | size);
    for (let shift = 8 * (size - 1); shift >= 0; shift -= 8) this.byte((length >>> shift) & 0xff);
  }

  /** Bytes as they are: content, or whole elements. */
  bytes(part: Uint8Array): void {
    const out = this.out;
    const at = this.at;
    const { length } = part;
    if (at + length > out.length) throw new TypeError("more is written than was announced");
    // Measured: below about 50 bytes a loop is faster than the call of set.
    if (length < 48) for (let k = 0; k < length; k++) out[at + k] = part[k] ?? 0;
    else out.set(part, at);
    this.at = at + length;
  }

  /** Returns everything written. Throws `TypeError` unless it has the announced length. */
  done(): Bytes {
    if (this.at !== this.out.length) throw new TypeError("less is written than was announced");
    return this.out;
  }
}
