import type { Socket } from "node:net";
import { utf8 } from "../../src/base/bytes.ts";
import { type Framing, type Response, headAndBody, responseHead } from "./response.ts";

/**
 * Minimum size (64 KiB) of a body that is written separately instead of being copied after its
 * head.
 */
const largeBody = 64 * 1024;
/**
 * Size of the pieces in which a large body is written, so that a slow client that reads a piece
 * within the time limit is not mistaken for one that does not read.
 */
const pieceBytes = 256 * 1024;

/** Writes the responses on a connection and tracks whether the client reads them. */
export class ResponseWriter {
  readonly #client: Socket;
  #stalledSince = 0;
  #whenDrained: (() => void) | undefined;

  constructor(client: Socket) {
    this.#client = client;
    client.once("close", () => this.drained());
  }

  /**
   * Time (`performance.now()`) at which the client stopped reading a response; 0 while it reads.
   */
  get stalledSince(): number {
    return this.#stalledSince;
  }

  /** Records that the client is reading again. */
  drained(): void {
    this.#stalledSince = 0;
    this.#whenDrained?.();
    this.#whenDrained = undefined;
  }

  /**
   * Writes a response. Resolves when all of it is passed to the system or buffered. A streamed
   * response is produced only as fast as the client reads it. `goesOn` is called between its parts;
   * the rest is aborted if it returns false.
   */
  async write(
    response: Response,
    framing: Omit<Framing, "length">,
    goesOn: () => boolean,
  ): Promise<void> {
    const { body } = response;
    if (body instanceof ReadableStream) {
      const head = responseHead(response, { ...framing, length: undefined });
      this.#send(Buffer.from(head, "latin1"));
      if (framing.bodiless) await body.cancel();
      else await this.#stream(body, !framing.http10, goesOn);
      return;
    }
    const isUnknown = framing.bodiless && body === null;
    const length = isUnknown ? undefined : lengthOf(body);
    const head = responseHead(response, { ...framing, length });
    const sent = framing.bodiless ? "" : (body ?? "");
    if (sent.length < largeBody) this.#send(headAndBody(head, sent));
    else await this.#inPieces(head, typeof sent === "string" ? utf8(sent) : sent, goesOn);
  }

  async #inPieces(head: string, body: Uint8Array, goesOn: () => boolean): Promise<void> {
    this.#client.cork();
    this.#client.write(head, "latin1");
    for (let at = 0; at < body.length && (at === 0 || goesOn()); at += pieceBytes) {
      this.#send(body.subarray(at, at + pieceBytes));
      if (at === 0) this.#client.uncork();
      if (at + pieceBytes < body.length) await this.#untilDrained();
    }
  }

  async #stream(
    body: ReadableStream<Uint8Array>,
    chunked: boolean,
    goesOn: () => boolean,
  ): Promise<void> {
    const reader = body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const { value } = part;
      if (!goesOn()) return void reader.cancel().catch(() => undefined);
      if (value.length === 0) continue;
      this.#client.cork();
      if (chunked) this.#client.write(`${value.length.toString(16)}\r\n`, "latin1");
      this.#send(value);
      if (chunked) this.#client.write("\r\n", "latin1");
      this.#client.uncork();
      await this.#untilDrained();
    }
    if (chunked && goesOn()) this.#client.write("0\r\n\r\n", "latin1");
  }

  async #untilDrained(): Promise<void> {
    if (this.#stalledSince !== 0)
      await new Promise<void>((resolve) => (this.#whenDrained = resolve));
  }

  #send(bytes: Uint8Array): void {
    if (!this.#client.write(bytes) && this.#stalledSince === 0)
      this.#stalledSince = performance.now();
  }
}

const lengthOf = (body: Uint8Array | string | null): number =>
  body === null ? 0 : typeof body === "string" ? Buffer.byteLength(body) : body.length;
