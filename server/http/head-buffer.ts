import { HttpError } from "./http-error.ts";
import { parseRequestHead, type RequestHead } from "./request-head.ts";

/** Maximum number of buffered bytes that are parsed again whenever data arrives. */
const shortPiece = 256;

const empty = Buffer.alloc(0);

/** A complete request head, and the bytes that begin with it. */
export interface HeadInBytes {
  readonly bytes: Buffer;
  readonly head: RequestHead;
}

/**
 * The buffered bytes from a client: an incomplete head, or requests that were sent before the
 * previous response.
 */
export class HeadBuffer {
  readonly #limit: number;
  #held: Buffer = empty;
  #skippedEmptyLine = false;

  /** @param limit maximum size of a head in bytes */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Number of buffered bytes. */
  get length(): number {
    return this.#held.length;
  }

  /** Buffers bytes without parsing them. */
  append(bytes: Buffer): void {
    this.#held = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
  }

  clear(): void {
    this.#held = empty;
  }

  /**
   * Adds received bytes and returns the head, or undefined while it is incomplete. Throws {@link
   * HttpError} if the head is malformed or too long.
   */
  received(chunk: Buffer): HeadInBytes | undefined {
    const before = this.#held.length;
    this.append(chunk);
    // if a head arrives in many pieces, parse only its beginning, and again when it may be
    // complete; parsing it for each piece would take quadratic time
    const isIncomplete =
      before > shortPiece &&
      this.#held.length < this.#limit &&
      !this.#held.includes("\n\r\n", before - 2, "latin1");
    return isIncomplete ? undefined : this.next();
  }

  /** Returns the head at the beginning of the buffer, if it is complete. */
  next(): HeadInBytes | undefined {
    // Ignore one empty line before a request (RFC 9112 section 2.2).
    if (!this.#skippedEmptyLine && this.#held[0] === 13 && this.#held[1] === 10) {
      this.#skippedEmptyLine = true;
      this.#held = this.#held.subarray(2);
    }
    const bytes = this.#held;
    if (bytes.length === 0 || (bytes.length === 1 && bytes[0] === 13)) return undefined;
    const head = parseRequestHead(
      bytes.length > this.#limit ? bytes.subarray(0, this.#limit) : bytes,
    );
    if (head === undefined && bytes.length >= this.#limit)
      throw new HttpError(431, `the request head is longer than ${this.#limit} bytes`);
    if (head === undefined) return undefined;
    this.#held = empty;
    this.#skippedEmptyLine = false;
    return { bytes, head };
  }
}
