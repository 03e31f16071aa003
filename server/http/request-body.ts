import { ChunkReader } from "./chunked.ts";

const crlf = Buffer.from("\r\n", "latin1");
const lastChunk = Buffer.from("0\r\n\r\n", "latin1");

/**
 * What of some bytes belongs to a body: what to pass on, where the rest begins, whether the body
 * ended.
 */
export interface BodyPiece {
  bytes: Buffer;
  stop: number;
  done: boolean;
}

/** Follows one request body, counted or chunked, and gives it as the runtime gets it. */
export class RequestBody {
  #left: number;
  readonly #chunks: ChunkReader | undefined;

  /** @param length bytes, or -1 for chunked */
  constructor(length: number) {
    this.#left = length;
    this.#chunks = length < 0 ? new ChunkReader() : undefined;
  }

  /** Reads from `from` on. Throws `FrontRefusal` for malformed chunks. */
  read(bytes: Buffer, from: number): BodyPiece {
    if (this.#chunks !== undefined) return this.#readChunks(this.#chunks, bytes, from);
    const stop = Math.min(bytes.length, from + this.#left);
    this.#left -= stop - from;
    return { bytes: bytes.subarray(from, stop), stop, done: this.#left === 0 };
  }

  // Chunks are written anew from their data alone: no extension, trailer or odd spelling of a size
  // reaches the runtime.
  #readChunks(chunks: ChunkReader, bytes: Buffer, from: number): BodyPiece {
    const runs: Buffer[] = [];
    const stop = chunks.read(
      bytes,
      from,
      (start, end) => void runs.push(bytes.subarray(start, end)),
    );
    const size = runs.reduce((sum, run) => sum + run.length, 0);
    const parts =
      size === 0 ? [] : [Buffer.from(`${size.toString(16)}\r\n`, "latin1"), ...runs, crlf];
    if (chunks.done) parts.push(lastChunk);
    return { bytes: Buffer.concat(parts), stop, done: chunks.done };
  }
}
