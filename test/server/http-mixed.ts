import { createHash } from "node:crypto";
import type { IncomingRequest } from "../../src/index.ts";
import type { Response } from "../../server/http/response.ts";

/** Handling of one request. */
export interface Told {
  readonly id: number;
  /** Bytes of the response body. */
  readonly size: number;
  readonly framed: "length" | "chunked";
  /** True if the response is sent before the request body is read. */
  readonly early: boolean;
  /** Event loop turns before the body is read and before the response. */
  readonly turns: number;
  readonly status: number;
}

/** A request as bytes, and its expected handling. */
export interface Sent extends Told {
  readonly method: string;
  readonly http10: boolean;
  readonly close: boolean;
  readonly body: Buffer;
  readonly head: Buffer;
  /** The body with its framing. */
  readonly framedBody: Buffer;
}

export const digestOf = (bytes: Buffer): string =>
  createHash("sha256").update(bytes).digest("hex").slice(0, 16);

const pattern = (id: number, size: number): Buffer => Buffer.alloc(size, `answer ${id};`);

/** Returns the expected response to a request. */
export function answerOf({ id, method, size, early, body }: Sent): string {
  const said = early ? "early" : digestOf(body);
  return `${method} ${id} ${said} ${digestOf(pattern(id, size))}`;
}

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Handles a request as its path specifies. */
export async function obedient({ url, method, body }: IncomingRequest): Promise<Response> {
  const { early, framed, id, size, status, turns } = JSON.parse(
    decodeURIComponent(url.pathname.slice(1)),
  ) as Told;
  for (let n = 0; n < turns; n++) await turn();
  let said = "early";
  if (!early) {
    said = digestOf(Buffer.from(await body.read(Infinity, "")));
    if (turns > 0) await turn();
  }
  const bytes = pattern(id, size);
  const headers = { "x-said": `${method} ${id} ${said}` };
  if (framed === "length") return { status, headers, body: new Uint8Array(bytes) };
  return { status, headers, body: halves(bytes, turns > 0) };
}

/** Streams bytes in two chunks, optionally with an event loop turn between them. */
const halves = (bytes: Buffer, slow: boolean): ReadableStream<Uint8Array> => {
  const parts = [bytes.subarray(0, bytes.length >> 1), bytes.subarray(bytes.length >> 1)];
  return new ReadableStream({
    async pull(controller) {
      if (slow) await turn();
      const part = parts.shift();
      if (part === undefined) controller.close();
      else controller.enqueue(new Uint8Array(part));
    },
  });
};

/** A response as a client parses it. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Parses up to `max` responses strictly. `methods`: those of the requests, in order. */
export function answersIn(
  bytes: Buffer,
  methods: readonly string[],
  max = Infinity,
): readonly Answer[] {
  const found: Answer[] = [];
  let at = 0;
  while (at < bytes.length && found.length < max) {
    const end = bytes.indexOf("\r\n\r\n", at);
    if (end < 0) throw new Error(`half a head: ${bytes.toString("latin1", at)}`);
    const head = bytes.toString("latin1", at, end);
    const status = Number(/^HTTP\/1\.1 ([0-9]{3}) /.exec(head)?.[1] ?? Number.NaN);
    at = end + 4;
    if (status === 100) continue;
    if (Number.isNaN(status)) throw new Error(`no head: ${head.slice(0, 200)}`);
    const header = (name: string) => new RegExp(`\r\n${name}: (.*)`, "i").exec(head)?.[1];
    const method = methods[found.length] ?? "GET";
    const isBare = method === "HEAD" && header("x-said") !== undefined;
    const read = isBare ? undefined : bodyAt(bytes, at, header);
    at = read?.stop ?? at;
    const said = header("x-said");
    const text =
      said === undefined
        ? (read?.body.toString() ?? "")
        : `${said} ${read ? digestOf(read.body) : "-"}`;
    found.push({ status, text });
  }
  return found;
}

function bodyAt(bytes: Buffer, from: number, header: (name: string) => string | undefined) {
  const length = header("content-length");
  if (length !== undefined) {
    const stop = from + Number(length);
    if (stop > bytes.length) throw new Error("half a body");
    return { body: bytes.subarray(from, stop), stop };
  }
  if (header("transfer-encoding") === undefined)
    return { body: bytes.subarray(from), stop: bytes.length };
  const pieces: Buffer[] = [];
  for (let at = from; ;) {
    const line = bytes.indexOf("\r\n", at);
    if (line < 0) throw new Error("half a chunked body");
    const size = parseInt(bytes.toString("latin1", at, line), 16);
    at = line + 2;
    if (at + size + 2 > bytes.length) throw new Error("half a chunk");
    pieces.push(bytes.subarray(at, at + size));
    at += size + 2;
    if (size === 0) return { body: Buffer.concat(pieces), stop: at };
  }
}
