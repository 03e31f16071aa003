import { connect, type Socket } from "node:net";
import type { IncomingRequest, Peer } from "../../src/index.ts";
import {
  httpServer,
  type HttpServer,
  type HttpServerOptions,
} from "../../server/http/http-server.ts";
import { listen } from "../../server/http/listener.ts";
import type { Response } from "../../server/http/response.ts";

/** A request as the handler received it. */
export interface SeenRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly origin: string;
  header(name: string): string | null;
  readonly peer: Peer;
  /** Bytes of the body. */
  readonly size: number;
}

/** A server on its own port, whose responses depend on the path. */
export interface Fixture {
  readonly listener: Serving;
  readonly seen: SeenRequest[];
  /** Resolves when the next request has reached the handler. */
  arrival(): Promise<IncomingRequest>;
  secure: HttpServer["secure"];
  close(): Promise<void>;
}

const text = (status: number, body: Response["body"], headers = {}): Response => ({
  status,
  headers: { "content-type": "text/plain", ...headers },
  body,
});

/** Streams texts, one per chunk. */
const streamed = (parts: readonly string[]): ReadableStream<Uint8Array> => {
  const left = [...parts];
  return new ReadableStream({
    pull(controller) {
      const part = left.shift();
      if (part === undefined) controller.close();
      else controller.enqueue(new TextEncoder().encode(part));
    },
  });
};

/** A running HTTP server, with its port and open connections. */
export interface Serving {
  readonly port: number;
  readonly connections: number;
  secure: HttpServer["secure"];
  close(graceMs: number): Promise<void>;
}

/** Starts a server on its own port. */
export async function serving(options: Omit<HttpServerOptions, "host">): Promise<Serving> {
  const host = "127.0.0.1";
  const server = httpServer({ host, ...options });
  const accept = (socket: Socket): void => server.accept(socket);
  const { port, close } = await listen({ host, port: 0 }, { paused: false, accept });
  server.open();
  return {
    port,
    get connections() {
      return server.connections;
    },
    secure: (pair) => server.secure(pair),
    async close(graceMs) {
      close();
      await server.close(graceMs);
    },
  };
}

/** Starts a server with the handler of this fixture. */
export async function fixture(options: Partial<HttpServerOptions> = {}): Promise<Fixture> {
  const seen: SeenRequest[] = [];
  let arrived: ((request: IncomingRequest) => void) | undefined;
  const respond = async (request: IncomingRequest, peer: Peer): Promise<Response> => {
    const { method, headers, body } = request;
    const url = request.url.pathname + request.url.search;
    arrived?.(request);
    if (url === "/slow") return new Promise(() => undefined);
    if (url === "/soon") return text(200, "soon");
    if (url === "/early") return text(413, "too large");
    if (url === "/huge") return text(200, new Uint8Array(64 * 2 ** 20));
    if (url === "/stuck") return text(200, new ReadableStream({ start: (c) => c.enqueue(first) }));
    const size = (await body.read(Infinity, "too large")).length;
    const { origin } = request.url;
    seen.push({ method, url, origin, header: (name) => headers.get(name), peer, size });
    if (url === "/page") return text(200, new Uint8Array(48 * 1024));
    if (url === "/304") return text(304, null);
    if (url === "/stream") return text(200, streamed(["first ", "", `${method} ${url} ${size}`]));
    return text(200, `${method} ${url} ${size}`);
  };
  const at = await serving({ respond, ...options });
  return {
    listener: at,
    seen,
    secure: at.secure,
    arrival: () => new Promise((resolve) => (arrived = resolve)),
    close: () => at.close(0),
  };
}
const first = new TextEncoder().encode("first");

/**
 * Sends bytes unchanged and resolves with everything received when the connection closes.
 *
 * @param from the client's loopback address
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
