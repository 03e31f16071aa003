import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import { temporaryDirectory } from "../support/server.ts";

/** What the runtime does with one request. */
export interface Told {
  readonly id: number;
  /** Bytes of its answer's body. */
  readonly size: number;
  readonly framed: "length" | "chunked";
  /** Whether it answers before it has the body, and whether it then closes. */
  readonly early: "no" | "yes" | "closes";
  /** Turns of the event loop that it waits before it reads or answers. */
  readonly turns: number;
  readonly status: number;
}

/** One request as bytes, and what is known of it. */
export interface Sent extends Told {
  readonly method: string;
  readonly http10: boolean;
  readonly close: boolean;
  readonly body: Buffer;
  readonly head: Buffer;
  /** The body as it is framed. */
  readonly framedBody: Buffer;
}

export const digestOf = (bytes: Buffer): string =>
  createHash("sha256").update(bytes).digest("hex").slice(0, 16);

const pattern = (id: number, size: number): Buffer => Buffer.alloc(size, `answer ${id};`);

/** What the answer to a request must be. */
export function answerOf({ id, method, size, early, body }: Sent): string {
  const said = early === "no" ? digestOf(body) : "early";
  return `${method} ${id} ${said} ${digestOf(pattern(id, size))}`;
}

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

async function told(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { early, framed, id, size, status, turns } = JSON.parse(
    decodeURIComponent(request.url?.slice(1) ?? ""),
  ) as Told;
  for (let n = 0; n < turns; n++) await turn();
  let said = "early";
  if (early === "no") {
    const pieces: Buffer[] = [];
    for await (const piece of request) {
      pieces.push(piece as Buffer);
      if (turns > 0) await turn();
    }
    said = digestOf(Buffer.concat(pieces));
  }
  const bytes = pattern(id, size);
  response.writeHead(status, {
    "x-said": `${request.method} ${id} ${said}`,
    ...(early === "closes" ? { connection: "close" } : {}),
    ...(framed === "length" ? { "content-length": String(size) } : {}),
  });
  if (turns > 0 && size > 1) {
    response.write(bytes.subarray(0, size >> 1));
    await turn();
    response.end(bytes.subarray(size >> 1));
  } else response.end(bytes);
}

/** A runtime that does with each request what its path says. */
export async function obedient(): Promise<{ readonly path: string; readonly server: Server }> {
  const path = join(temporaryDirectory(), "up");
  const server = createServer(
    { keepAliveTimeout: 600_000, requestTimeout: 0 },
    (request, response) => {
      request.on("error", () => undefined);
      told(request, response).catch(() => response.destroy());
    },
  );
  await new Promise<void>((resolve) => void server.listen(path, resolve));
  return { path, server };
}

/** An answer as a caller reads it. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

/**
 * Reads answers one after the other, strictly, and `most` at most. `methods`: those of the requests,
 * in turn.
 */
export function answersIn(
  bytes: Buffer,
  methods: readonly string[],
  most = Infinity,
): readonly Answer[] {
  const found: Answer[] = [];
  let at = 0;
  while (at < bytes.length && found.length < most) {
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
