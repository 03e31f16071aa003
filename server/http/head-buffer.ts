import { HttpError } from "./http-error.ts";
import { parseRequestHead, type RequestHead } from "./request-head.ts";

/** A buffered piece up to this size is parsed again with each chunk that arrives. */
const shortPiece = 256;

const empty = Buffer.alloc(0);

/** A complete head, at the beginning of the bytes that it was parsed from. */
export interface HeadInBytes {
  readonly bytes: Buffer;
  readonly head: RequestHead;
}

/**
 * The buffered bytes of a client: an incomplete head, or requests sent before the previous
 * response.
 */
export class HeadBuffer {
  readonly #limit: number;
  #held: Buffer = empty;
  #skippedEmptyLine = false;

  /** @param limit maximum bytes of a head */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Number of buffered bytes. */
  get length(): number {
    return this.#held.length;
  }

  /** Buffers bytes for later. */
  append(bytes: Buffer): void {
    this.#held = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
  }

  clear(): void {
    this.#held = empty;
  }

  /**
   * Adds received bytes; returns undefined while the head is incomplete. Throws {@link HttpError}.
   */
  received(chunk: Buffer): HeadInBytes | undefined {
    const before = this.#held.length;
    this.append(chunk);
    // A head in many pieces is parsed at its first piece and when it may be complete, not at each
    // piece, which would be quadratic work.
    const isIncomplete =
      before > shortPiece &&
      this.#held.length < this.#limit &&
      !this.#held.includes("\n\r\n", before - 2, "latin1");
    return isIncomplete ? undefined : this.next();
  }

  /** Returns the head at the beginning of the buffer, if it is complete. */
  next(): HeadInBytes | undefined {
    // RFC 9112 section 2.2: one empty line before a request is tolerated.
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
