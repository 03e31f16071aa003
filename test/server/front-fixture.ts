import { createServer, type Server } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { listen, type Front, type FrontOptions } from "../../server/http/front.ts";
import { temporaryDirectory } from "../support/server.ts";

/** One request as Node's own parser understood it behind the front. */
export interface SeenRequest {
  method: string;
  url: string;
  headers: NodeJS.Dict<string | string[]>;
  /** How many bytes of body. */
  size: number;
}

export interface Fixture {
  front: Front;
  seen: SeenRequest[];
  /** Every byte that reached the upstream. */
  raw: () => string;
  upstream: Server;
  close(): Promise<void>;
}

export const aboutHeader = "about-0123456789abcdef";
export const schemeHeader = "scheme-0123456789abcdef";

/**
 * A front before Node's HTTP server, which is a second, independent reader of what the front passes
 * on.
 */
export async function fixture(options: Partial<FrontOptions> = {}): Promise<Fixture> {
  const path = join(temporaryDirectory(), "up");
  const seen: SeenRequest[] = [];
  const pieces: Buffer[] = [];
  const upstream = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    if (request.url === "/slow") return;
    if (request.url === "/soon") return void response.end("soon");
    if (request.url === "/last") response.setHeader("Connection", "close");
    if (request.url?.startsWith("/undated")) response.sendDate = false;
    if (request.url === "/undated/304") response.statusCode = 304;
    if (request.url === "/refused") response.statusCode = 404;
    if (request.url === "/huge") return void response.end(Buffer.alloc(64 * 2 ** 20));
    if (request.url === "/early")
      return void response
        .writeHead(413, { Connection: "close", "Content-Length": "9" })
        .end("too large");
    let size = 0;
    request.on("data", (chunk: Buffer) => (size += chunk.length));
    request.on("end", () => {
      seen.push({
        method: request.method ?? "",
        url: request.url ?? "",
        headers: request.headers,
        size,
      });
      if (request.url === "/page") return void response.end(Buffer.alloc(48 * 1024));
      if (request.url === "/stream") response.write("first ");
      response.end(`${request.method} ${request.url} ${size}`);
    });
  });
  upstream.on("connection", (socket: Socket) =>
    socket.on("data", (chunk: Buffer) => pieces.push(Buffer.from(chunk))),
  );
  await new Promise<void>((resolve) => void upstream.listen(path, resolve));
  const front = await listen({
    host: "127.0.0.1",
    port: 0,
    upstream: path,
    aboutHeader,
    schemeHeader,
    ...options,
  });
  front.open();
  const close = async (): Promise<void> => {
    await front.close(0);
    upstream.closeAllConnections();
    await new Promise((resolve) => upstream.close(resolve));
  };
  return { front, seen, raw: () => Buffer.concat(pieces).toString("latin1"), upstream, close };
}

/**
 * Sends bytes as they are and resolves with all that came back when the connection ends.
 *
 * @param from one of the many addresses of the loopback
 */
export function exchange(
  port: number,
  bytes: string | Buffer,
  half = false,
  from = "127.0.0.1",
): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", localAddress: from });
    const pieces: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => pieces.push(chunk));
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(Buffer.concat(pieces).toString("latin1")));
    if (half) socket.end(bytes);
    else socket.write(bytes);
  });
}
