import { withTimeout } from "../base/with-timeout.ts";
import type { Connection } from "../engine/ports.ts";
import { TlsError } from "./tls-error.ts";
import { ByteQueue } from "./tls-wire.ts";

/** Time limit (ms) for sending the last record. */
const farewell = 1000;
const ignored = (): undefined => undefined;
/** Runs `work`, and ignores its failure. */
async function quietly(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch {
    // the connection is already closed
  }
}

/** The transport below TLS, which reads any number of bytes, writes in order, and closes once. */
export class Transport {
  readonly #connection: Connection;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #signal: AbortSignal;
  readonly #held = new ByteQueue();
  #written: Promise<void> = Promise.resolve();
  #ended: TlsError | undefined;

  constructor(connection: Connection, signal: AbortSignal) {
    this.#connection = connection;
    this.#signal = signal;
    this.#reader = connection.readable.getReader();
    this.#writer = connection.writable.getWriter();
    signal.addEventListener("abort", this.#abort, { once: true });
    if (signal.aborted) this.#abort();
  }

  /** The reason why the transport was closed; undefined while it is open. */
  get ended(): TlsError | undefined {
    return this.#ended;
  }

  /** Returns the next `count` bytes. Throws `TlsError` `closed` if the peer closes earlier. */
  async read(count: number): Promise<Uint8Array> {
    while (this.#held.size < count) {
      if (this.#ended) throw this.#ended;
      this.#held.push(await this.#more());
    }
    if (this.#ended) throw this.#ended;
    return this.#held.read(count);
  }

  async #more(): Promise<Uint8Array> {
    try {
      const { value, done } = await this.#reader.read();
      if (!done) return value;
    } catch (error) {
      throw this.#ended ?? lost(error);
    }
    throw this.#ended ?? lost();
  }

  /**
   * Writes bytes after all bytes that were queued before. Rejects with a `TlsError` that `read`
   * also reports.
   */
  write(bytes: Promise<Uint8Array>): Promise<void> {
    const { ended } = this;
    const written = this.#written.then(async () => {
      // bytes that were queued before the connection ended are still written, before its last
      // record
      if (ended) throw ended;
      try {
        await this.#writer.write(await bytes);
      } catch (error) {
        // does not close the transport, because received bytes can still be read
        throw this.#ended ?? lost(error);
      }
    });
    written.catch(ignored);
    this.#written = written;
    return written;
  }

  /**
   * Closes the connection with the given reason, unless it is already closed. Writes `last` first,
   * for at most a second.
   */
  end(why: TlsError, last?: Promise<Uint8Array>): void {
    if (this.#ended) return;
    this.#ended = why;
    if (!last) return this.#drop();
    const sent = this.#written.catch(ignored).then(async () => this.#writer.write(await last));
    void withTimeout(sent.catch(ignored), farewell, ignored).then(() => this.#drop());
  }

  readonly #abort = (): void => {
    this.#ended ??= new TlsError("aborted", "TLS: the connection was aborted", {
      cause: this.#signal.reason,
    });
    this.#drop();
  };

  #drop(): void {
    this.#signal.removeEventListener("abort", this.#abort);
    // a stream may throw instead of rejecting; the connection must be closed in any case
    void quietly(() => this.#reader.cancel());
    void quietly(() => this.#writer.close());
    this.#connection.close();
  }
}

const lost = (cause?: unknown): TlsError =>
  new TlsError("closed", "TLS: the connection was closed", { cause });
