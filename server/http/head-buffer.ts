import { FrontRefusal } from "./refusal.ts";
import { readRequestHead, type RequestHead } from "./request-head.ts";

/** A held piece of a head up to this size is read again with each byte that arrives. */
const HELD_PIECE = 256;

const empty = Buffer.alloc(0);

/** A whole head, at the begin of the bytes that it was read from. */
export interface HeadRead {
  readonly bytes: Buffer;
  readonly head: RequestHead;
}

/** Bytes of one caller that wait: for the rest of their head, or for the answer before them. */
export class HeadBuffer {
  readonly #limit: number;
  readonly #secrets: readonly string[];
  #held: Buffer = empty;
  #skippedEmptyLine = false;

  /**
   * @param limit bytes of a head at most
   * @param secrets lower-case names of the headers that only the front may set
   */
  constructor(limit: number, secrets: readonly string[]) {
    this.#limit = limit;
    this.#secrets = secrets;
  }

  /** How many bytes are held. */
  get length(): number {
    return this.#held.length;
  }

  /** Holds bytes whose turn has not come. */
  hold(bytes: Buffer): void {
    this.#held = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
  }

  clear(): void {
    this.#held = empty;
  }

  /**
   * Takes in what has arrived; answers undefined while the head is not complete. Throws {@link
   * FrontRefusal}.
   */
  arrived(chunk: Buffer): HeadRead | undefined {
    const before = this.#held.length;
    this.hold(chunk);
    // A head in many pieces is read at its first piece and when it can be complete, not at each:
    // that would be quadratic work.
    const waits =
      before > HELD_PIECE &&
      this.#held.length < this.#limit &&
      !this.#held.includes("\n\r\n", before - 2, "latin1");
    return waits ? undefined : this.next();
  }

  /** The head at the begin of what is held, if it is complete. */
  next(): HeadRead | undefined {
    // RFC 9112 section 2.2: one empty line before a request is tolerated; it is not passed on.
    if (!this.#skippedEmptyLine && this.#held[0] === 13 && this.#held[1] === 10) {
      this.#skippedEmptyLine = true;
      this.#held = this.#held.subarray(2);
    }
    const bytes = this.#held;
    if (bytes.length === 0 || (bytes.length === 1 && bytes[0] === 13)) return undefined;
    const head = readRequestHead(
      bytes.length > this.#limit ? bytes.subarray(0, this.#limit) : bytes,
      this.#secrets,
    );
    if (head === undefined && bytes.length >= this.#limit)
      throw new FrontRefusal(431, `the request head is longer than ${this.#limit} bytes`);
    if (head === undefined) return undefined;
    this.#held = empty;
    this.#skippedEmptyLine = false;
    return { bytes, head };
  }
}
