import { CaError } from "../../src/base/errors.ts";
import type { IncomingBody } from "../../src/index.ts";
import { ChunkReader } from "./chunked.ts";

/**
 * Maximum number of body bytes that are buffered before the body is read; then the client must
 * wait.
 */
const earlyBytes = 64 * 1024;

/** A pending read of a body, and the size limit of the read. */
interface Reader {
  readonly limit: number;
  readonly tooLarge: string;
  resolve(bytes: Uint8Array): void;
  reject(error: Error): void;
}

/**
 * A request body with a Content-Length or in chunks, as it arrives. It is read after
 * authentication; until then only its beginning is buffered.
 */
export class RequestBody implements IncomingBody {
  readonly length: number | undefined;
  readonly #chunks: ChunkReader | undefined;
  readonly #wanted: () => void;
  #left: number;
  #parts: Buffer[] = [];
  #size = 0;
  #reader: Reader | undefined;
  #discarded: number | undefined;
  #failure: Error | undefined;

  /**
   * @param length size in bytes, or -1 for a chunked body
   * @param onDemand called when a read starts before the whole body has arrived
   */
  constructor(length: number, onDemand: () => void) {
    this.length = length < 0 ? undefined : length;
    this.#left = length;
    this.#chunks = length < 0 ? new ChunkReader() : undefined;
    this.#wanted = onDemand;
  }

  /** Whether the whole body has arrived. */
  get complete(): boolean {
    return this.#chunks?.done ?? this.#left === 0;
  }

  /** Whether a part of the body has arrived. */
  get begun(): boolean {
    return this.#size > 0;
  }

  /** Whether the client must wait until the body is read. */
  get full(): boolean {
    return this.#reader === undefined && this.#discarded === undefined && this.#size >= earlyBytes;
  }

  /** Number of bytes that arrived after `discard`. */
  get discarded(): number {
    return this.#discarded ?? 0;
  }

  /**
   * Adds the bytes that belong to this body, beginning at `from`, and returns the offset after
   * them. Throws {@link HttpError} for malformed chunks.
   */
  receive(bytes: Buffer, from: number): number {
    let stop: number;
    if (this.#chunks) stop = this.#chunks.read(bytes, from, (a, b) => this.#add(bytes, a, b));
    else {
      stop = Math.min(bytes.length, from + this.#left);
      this.#left -= stop - from;
      if (stop > from) this.#add(bytes, from, stop);
    }
    if (this.complete) this.#settle();
    return stop;
  }

  read(limit: number, tooLarge: string): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      if (this.#failure) return reject(this.#failure);
      this.#reader = { limit, tooLarge, resolve, reject };
      if ((this.length ?? this.#size) > limit) this.#refuse();
      else if (this.complete) this.#settle();
      else this.#wanted();
    });
  }

  /** Discards the buffered bytes and the rest of the body. */
  discard(): void {
    this.#discarded ??= 0;
    this.#parts = [];
  }

  /** Makes the read fail because the connection was closed before the body was complete. */
  abort(): void {
    this.#failure ??= new CaError("malformed", "the request body is incomplete");
    this.discard();
    this.#reader?.reject(this.#failure);
  }

  #add(bytes: Buffer, from: number, stop: number): void {
    if (this.#discarded !== undefined) return void (this.#discarded += stop - from);
    this.#size += stop - from;
    this.#parts.push(bytes.subarray(from, stop));
    if (this.#reader !== undefined && this.#size > this.#reader.limit) this.#refuse();
  }

  #refuse(): void {
    this.discard();
    this.#reader?.reject(new CaError("too_large", this.#reader.tooLarge));
  }

  #settle(): void {
    if (this.#reader === undefined || this.#discarded !== undefined) return;
    const [only] = this.#parts;
    const whole =
      only !== undefined && this.#parts.length === 1 ? only : Buffer.concat(this.#parts);
    // a plain Uint8Array: `slice` of a Buffer returns a view, but the reader may rely on a copy
    this.#reader.resolve(new Uint8Array(whole.buffer, whole.byteOffset, whole.length));
  }
}
