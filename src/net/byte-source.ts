import { unlessAborted } from "./abort.ts";
import { NetError } from "./failure.ts";

const broke = (cause: unknown): NetError =>
  new NetError("connection", "the connection was lost", { cause });

/** A reader of a byte stream in units such as lines. */
export class ByteSource {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #signal: AbortSignal;
  #buffer = new Uint8Array(4096);
  #start = 0;
  #end = 0;
  #ended = false;

  /** Locks the stream. Once the signal aborts, reads reject with its reason. */
  constructor(readable: ReadableStream<Uint8Array>, signal: AbortSignal) {
    this.#reader = readable.getReader();
    this.#signal = signal;
  }

  /** Waits for more bytes. Returns false at the end of the stream. */
  async #fill(): Promise<boolean> {
    if (this.#ended) return false;
    const read = this.#reader.read().catch((cause: unknown) => {
      // an abort may have closed the connection; its reason takes precedence
      this.#signal.throwIfAborted();
      throw broke(cause);
    });
    const { done, value } = await unlessAborted(read, this.#signal);
    if (done) this.#ended = true;
    else this.#keep(value);
    return !done;
  }

  #keep(bytes: Uint8Array): void {
    const buffered = this.#end - this.#start;
    if (this.#end + bytes.length > this.#buffer.length) {
      const size = Math.max(this.#buffer.length, 2 * (buffered + bytes.length));
      const room = new Uint8Array(size);
      room.set(this.#buffer.subarray(this.#start, this.#end));
      [this.#buffer, this.#start, this.#end] = [room, 0, buffered];
    }
    this.#buffer.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  #take(length: number): Uint8Array {
    const bytes = this.#buffer.slice(this.#start, this.#start + length);
    this.#start += length;
    return bytes;
  }

  /**
   * Returns the bytes up to and including the next line feed. Returns undefined if there is no line
   * feed within `maxBytes` bytes or before the end of the stream.
   */
  async line(maxBytes: number): Promise<Uint8Array | undefined> {
    for (let seen = 0; ;) {
      const buffered = this.#buffer.subarray(this.#start, this.#end);
      const at = buffered.indexOf(0x0a, seen);
      if (at >= 0) return at < maxBytes ? this.#take(at + 1) : undefined;
      seen = buffered.length;
      if (seen >= maxBytes || !(await this.#fill())) return undefined;
    }
  }

  /** Returns exactly `length` bytes, or undefined if the stream ends first. */
  async exactly(length: number): Promise<Uint8Array | undefined> {
    while (this.#end - this.#start < length) if (!(await this.#fill())) return undefined;
    return this.#take(length);
  }

  /** Returns the rest of the stream, or undefined if it is longer than `maxBytes` bytes. */
  async rest(maxBytes: number): Promise<Uint8Array | undefined> {
    while (this.#end - this.#start <= maxBytes)
      if (!(await this.#fill())) return this.#take(this.#end - this.#start);
    return undefined;
  }

  /** Whether the stream ended without a single byte. */
  get silent(): boolean {
    return this.#ended && this.#end === 0;
  }
}
