import { ChunkReader } from "./chunked.ts";
import { dateLine } from "./date-line.ts";

/** The runtime behind is ours, so its heads are only bounded, not judged. */
const HEAD_BYTES = 256 * 1024;

type Body =
  | { kind: "length"; left: number }
  | { kind: "chunked"; reader: ChunkReader }
  | { kind: "close" };

/** What arrived of an answer: the bytes to pass on now, and whether the answer ended with them. */
export interface Piece {
  bytes: Buffer | undefined;
  done: boolean;
}

/**
 * Follows one answer of the runtime so that the front knows where it ends. The bytes pass
 * unchanged, except that a head without a date gets one; the runtime itself spares HTTP/1.0 callers
 * its chunks.
 */
export class ResponseFrame {
  readonly #bodiless: boolean;
  readonly #now: () => number;
  #held: Buffer | undefined;
  #body: Body | undefined;
  started = false;
  /** The three digits of the status, once the head is there. */
  status = "";
  /** Whether the runtime told the caller that no request may follow (RFC 9112 section 9.6). */
  closes = false;

  /** @param now the time of the server, Unix milliseconds, for `Date` (RFC 9110 section 6.6.1) */
  constructor(bodiless: boolean, now: () => number) {
    this.#bodiless = bodiless;
    this.#now = now;
  }

  /** Whether the end of the runtime's connection is the proper end of this answer. */
  get endsWithConnection(): boolean {
    return this.#body?.kind === "close";
  }

  /** Throws `RangeError` when the runtime sends more than one answer. */
  read(chunk: Buffer): Piece {
    this.started = true;
    if (this.#body !== undefined) return this.#readBody(this.#body, chunk, 0);
    const bytes = this.#held === undefined ? chunk : Buffer.concat([this.#held, chunk]);
    const end = bytes.indexOf("\r\n\r\n", 0, "latin1");
    if (end < 0) {
      if (bytes.length > HEAD_BYTES) throw new RangeError("the head of an answer is too long");
      this.#held = bytes;
      return { bytes: undefined, done: false };
    }
    this.#held = undefined;
    const head = bytes.toString("latin1", 0, end);
    this.#body = this.#framing(head);
    const piece = this.#readBody(this.#body, bytes, end + 4);
    if (/\r\ndate:/i.test(head) || piece.bytes === undefined) return piece;
    const date = Buffer.from(`\r\n${dateLine(this.#now())}`, "latin1");
    const dated = [piece.bytes.subarray(0, end), date, piece.bytes.subarray(end)];
    return { ...piece, bytes: Buffer.concat(dated) };
  }

  // RFC 9112 section 6.3. The front leaves out Expect and Upgrade, so the runtime sends no 1xx.
  #framing(head: string): Body {
    const status = (this.status = head.slice(9, 12));
    this.closes = /\r\nconnection: *close *(?:\r\n|$)/i.test(head);
    if (status.startsWith("1")) throw new RangeError("an interim answer that nobody asked for");
    if (this.#bodiless || status === "204" || status === "304") return { kind: "length", left: 0 };
    const length = /\r\ncontent-length: *([0-9]+)/i.exec(head);
    if (length !== null) return { kind: "length", left: Number(length[1]) };
    if (/\r\ntransfer-encoding: *chunked/i.test(head))
      return { kind: "chunked", reader: new ChunkReader() };
    return { kind: "close" };
  }

  #readBody(body: Body, bytes: Buffer, from: number): Piece {
    if (body.kind === "close") return { bytes, done: false };
    if (body.kind === "chunked") {
      if (body.reader.read(bytes, from, () => undefined) !== bytes.length)
        throw new RangeError("bytes behind the last chunk");
      return { bytes, done: body.reader.done };
    }
    body.left -= bytes.length - from;
    if (body.left < 0) throw new RangeError("more bytes than the answer announced");
    return { bytes, done: body.left === 0 };
  }
}
