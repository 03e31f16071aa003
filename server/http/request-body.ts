import { CaError } from "../../src/base/errors.ts";
import type { IncomingBody } from "../../src/index.ts";
import { ChunkReader } from "./chunked.ts";

/** Bytes of a body that are buffered before it is read; then the client must wait. */
const earlyBytes = 64 * 1024;

/** The pending read of a body and its size limit. */
interface Reader {
  readonly limit: number;
  readonly tooLarge: string;
  resolve(bytes: Uint8Array): void;
  reject(error: Error): void;
}

/**
 * One request body, with a length or chunked, as its bytes arrive. It is read after authentication;
 * until then only its beginning is buffered.
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
   * @param length bytes, or -1 for chunked @param onDemand called when a read starts before
   * everything has arrived
   */
  constructor(length: number, onDemand: () => void) {
    this.length = length < 0 ? undefined : length;
    this.#left = length;
    this.#chunks = length < 0 ? new ChunkReader() : undefined;
    this.#wanted = onDemand;
  }

  /** True if the whole body has arrived. */
  get complete(): boolean {
    return this.#chunks?.done ?? this.#left === 0;
  }

  /** True if a part has arrived. */
  get begun(): boolean {
    return this.#size > 0;
  }

  /** True if the client must wait until the body is read. */
  get full(): boolean {
    return this.#reader === undefined && this.#discarded === undefined && this.#size >= earlyBytes;
  }

  /** Bytes that arrived after `discard`. */
  get discarded(): number {
    return this.#discarded ?? 0;
  }

  /**
   * Takes the bytes of this body from `from` on, and returns the offset after them. Throws {@link
   * HttpError} for malformed chunks.
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

  /** Discards the rest of the body. */
  discard(): void {
    this.#discarded ??= 0;
    this.#parts = [];
  }

  /** Fails the read: the connection was closed early. */
  abort(): void {
    this.#failure ??= new CaError("malformed", "the request body ended early");
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
    // `slice` of a Buffer is a view, but the reader may rely on a copy
    this.#reader.resolve(new Uint8Array(whole.buffer, whole.byteOffset, whole.length));
  }
}
