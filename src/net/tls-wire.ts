import { concat, type Bytes } from "../base/bytes.ts";
import { violation } from "./tls-error.ts";

/** A number in so many bytes, the highest first. */
export function uint(value: number, size: number): Bytes {
  const bytes = new Uint8Array(size);
  for (let at = size - 1, left = value; at >= 0; at--, left = Math.floor(left / 256))
    bytes[at] = left % 256;
  return bytes;
}

/** A vector whose length stands before it in so many bytes (RFC 8446 section 3.4). */
export function vector(size: number, ...parts: readonly Uint8Array[]): Bytes {
  const body = concat(parts);
  return concat([uint(body.length, size), body]);
}

/** Reads the structures of TLS in order; throws `TlsError` `protocol` where one ends early. */
export class WireReader {
  readonly #bytes: Uint8Array;
  readonly #what: string;
  #at = 0;

  constructor(bytes: Uint8Array, what: string) {
    this.#bytes = bytes;
    this.#what = what;
  }

  /** Whether nothing is left. */
  get done(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** How many bytes were read. */
  get position(): number {
    return this.#at;
  }

  /** The next bytes, a view. */
  bytes(count: number): Uint8Array {
    if (this.#bytes.length - this.#at < count)
      throw violation("decode_error", `${this.#what} ends early`);
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  /** A number of so many bytes. */
  number(size: number): number {
    let value = 0;
    for (const byte of this.bytes(size)) value = value * 256 + byte;
    return value;
  }

  /** A vector with a length of so many bytes. */
  vector(size: number): Uint8Array {
    return this.bytes(this.number(size));
  }

  /** The same, to be read on. */
  enter(size: number): WireReader {
    return new WireReader(this.vector(size), this.#what);
  }

  /** Demands that nothing is left. */
  end(): void {
    if (!this.done) throw violation("decode_error", `${this.#what} has bytes too many`);
  }
}

/** Bytes that arrive in pieces and are taken in others; each byte is copied at most once. */
export class ByteQueue {
  #pieces: Uint8Array[] = [];
  #first = 0;
  #size = 0;

  /** How many bytes wait. */
  get size(): number {
    return this.#size;
  }

  /** Adds bytes at the end, which must not change any more. */
  push(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#pieces.push(bytes);
    this.#size += bytes.length;
  }

  /** The first bytes, no more than there are. */
  take(count: number): Uint8Array {
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
    // pieces that are gone are let go now and then, so that each costs the same
    if (this.#first > this.#pieces.length / 2) {
      this.#pieces = this.#pieces.slice(this.#first);
      this.#first = 0;
    }
    return bytes;
  }

  /** The first bytes, which are not taken. */
  peek(count: number): Uint8Array {
    const first = this.#pieces[this.#first];
    if (first && first.length >= count) return first.subarray(0, count);
    const out = new Uint8Array(count);
    let at = 0;
    for (let i = this.#first; at < count; i++) {
      const piece = this.#pieces[i];
      if (!piece) throw new TypeError("more bytes were taken than there are");
      const part = piece.subarray(0, count - at);
      out.set(part, at);
      at += part.length;
    }
    return out;
  }
}
