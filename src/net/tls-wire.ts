import { concat, type Bytes } from "../base/bytes.ts";
import { violation } from "./tls-error.ts";

/** Encodes a number in `size` bytes, big-endian. */
export function uint(value: number, size: number): Bytes {
  const bytes = new Uint8Array(size);
  for (let at = size - 1, left = value; at >= 0; at--, left = Math.floor(left / 256))
    bytes[at] = left % 256;
  return bytes;
}

/** Encodes a vector with a length prefix of `size` bytes (RFC 8446 section 3.4). */
export function vector(size: number, ...parts: readonly Uint8Array[]): Bytes {
  const body = concat(parts);
  return concat([uint(body.length, size), body]);
}

/** A reader of TLS structures. Methods throw `TlsError` `protocol` if a structure is truncated. */
export class WireReader {
  readonly #bytes: Uint8Array;
  readonly #what: string;
  #at = 0;

  constructor(bytes: Uint8Array, what: string) {
    this.#bytes = bytes;
    this.#what = what;
  }

  /** Whether all bytes were read. */
  get done(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** Number of bytes read. */
  get position(): number {
    return this.#at;
  }

  /** Returns the next bytes as a view. */
  bytes(count: number): Uint8Array {
    if (this.#bytes.length - this.#at < count)
      throw violation("decode_error", `${this.#what} is truncated`);
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  /** Reads a number of `size` bytes. */
  number(size: number): number {
    let value = 0;
    for (const byte of this.bytes(size)) value = value * 256 + byte;
    return value;
  }

  /** Reads a vector with a length prefix of `size` bytes. */
  vector(size: number): Uint8Array {
    return this.bytes(this.number(size));
  }

  /** Reads a vector, and returns a reader of its content. */
  enter(size: number): WireReader {
    return new WireReader(this.vector(size), this.#what);
  }

  /** Requires that no bytes are left. */
  end(): void {
    if (!this.done) throw violation("decode_error", `${this.#what} has trailing bytes`);
  }
}

/**
 * A queue of bytes, which are added and removed in pieces of different sizes. Copies each byte at
 * most once.
 */
export class ByteQueue {
  #pieces: Uint8Array[] = [];
  #first = 0;
  #size = 0;

  /** Number of queued bytes. */
  get size(): number {
    return this.#size;
  }

  /** Appends bytes, which must not change afterwards. */
  push(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#pieces.push(bytes);
    this.#size += bytes.length;
  }

  /** Removes and returns the first `count` bytes. Throws a TypeError if there are fewer. */
  read(count: number): Uint8Array {
    const bytes = this.peek(count);
    this.#size -= count;
    for (let left = count; left > 0;) {
      const piece = this.#pieces[this.#first] ?? bytes;
      if (piece.length > left) {
        this.#pieces[this.#first] = piece.subarray(left);
        break;
      }
      left -= piece.length;
      this.#first++;
    }
    // drops consumed pieces only occasionally, for constant amortized cost
    if (this.#first > this.#pieces.length / 2) {
      this.#pieces = this.#pieces.slice(this.#first);
      this.#first = 0;
    }
    return bytes;
  }

  /**
   * Returns the first `count` bytes without removing them. Throws a TypeError if there are fewer.
   */
  peek(count: number): Uint8Array {
    const first = this.#pieces[this.#first];
    if (first && first.length >= count) return first.subarray(0, count);
    const out = new Uint8Array(count);
    let at = 0;
    for (let i = this.#first; at < count; i++) {
      const piece = this.#pieces[i];
      if (!piece) throw new TypeError("cannot take more bytes than the queue has");
      const part = piece.subarray(0, count - at);
      out.set(part, at);
      at += part.length;
    }
    return out;
  }
}
