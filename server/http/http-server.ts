import type { Socket } from "node:net";
import { isAmong } from "../../src/net/ranges.ts";
import { requestUrlOf } from "../../src/base/request-url.ts";
import type { HeaderFields, IncomingRequest, Peer } from "../../src/index.ts";
import { Connection, type Handler } from "./connection.ts";
import { ConnectionTable } from "./connection-table.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import { clientOf, type Client } from "./client.ts";
import type { RequestHead } from "./request-head.ts";
import type { Response } from "./response.ts";
import { tlsLayer, type TlsPair, type TlsSettings } from "./tls-layer.ts";

/** The settings of a server, and its handler. */
export interface HttpServerOptions {
  /** Host and port in the URLs of requests that do not specify a host. */
  readonly host: string;
  /** The TLS settings; absent for plain HTTP. */
  readonly tls?: TlsSettings;
  /** Address ranges of proxies whose X-Forwarded-For header is trusted; by default none. */
  readonly trusted?: readonly string[];
  /** Whether these proxies forward client certificates (RFC 9440). */
  readonly clientCertHeader?: boolean;
  readonly limits?: Partial<Limits>;
  /** Returns the time for Date headers, in Unix ms. By default, the system time is used. */
  now?(): number;
  /** Responds to a request. Never rejects. */
  respond(request: IncomingRequest, peer: Peer): Promise<Response>;
}

/** An HTTP server for connections that are passed to it. Clients wait until it is opened. */
export interface HttpServer {
  /** The number of connected clients. */
  readonly connections: number;
  /** Serves a client whose connection was accepted elsewhere. */
  accept(socket: Socket): void;
  /** Presents a certificate on new TLS connections from now on. */
  secure(pair: TlsPair): void;
  open(): void;
  /** Waits up to `graceMs` for requests in progress, then closes everything. */
  close(graceMs: number): Promise<void>;
}

/** Creates a server that does not listen itself; accepted connections are passed to it. */
export function httpServer(options: HttpServerOptions): HttpServer {
  const limits = { ...defaultLimits, ...options.limits };
  const { trusted = [], clientCertHeader = false, now = Date.now, tls, host, respond } = options;
  const rules = { trusted, clientCertHeader, requested: tls?.requestCert === true };
  const table = new ConnectionTable(limits, (address) => isAmong(address, trusted));
  let waiting: Socket[] | undefined = [];
  const protocol = tls === undefined ? "http:" : "https:";
  const serve = (socket: Socket): void => {
    const connection = table.of(socket);
    const client = clientOf(socket, rules);
    if (connection === undefined || client === undefined) return void socket.destroy();
    const handler = handlerFor(client, { protocol, host, respond });
    connection.connection = new Connection(socket, { limits, now }, handler);
  };
  const serveOnceOpen = (socket: Socket): void => {
    if (waiting === undefined) return serve(socket);
    waiting.push(socket);
    socket.on("error", () => socket.destroy());
  };
  const layer = tls && tlsLayer(tls, limits, serveOnceOpen);
  const sweeper = setInterval(() => {
    const at = performance.now();
    for (const { connection } of table) connection?.sweep(at);
  }, sweepInterval(limits)).unref();
  return {
    get connections() {
      return table.size;
    },
    accept(socket) {
      if (!table.admit(socket)) return void socket.destroy();
      if (layer) layer.accept(socket);
      else serveOnceOpen(socket);
    },
    secure: (pair) => layer?.secure(pair),
    open() {
      const early = waiting ?? [];
      waiting = undefined;
      for (const socket of early) if (!socket.destroyed) serve(socket);
    },
    async close(graceMs) {
      await finishAll(table, graceMs);
      clearInterval(sweeper);
    },
  };
}

/** Closes all connections. Waits up to `graceMs` for requests in progress. */
async function finishAll(table: ConnectionTable, graceMs: number): Promise<void> {
  // sockets without a `connection` are still in the TLS handshake or wait for the server to open,
  // so no request is in progress on them
  for (const { connection, socket } of table) {
    if (connection === undefined) socket.destroy();
    else connection.finish();
  }
  const end = setTimeout(() => {
    for (const { connection } of table) connection?.destroy();
  }, graceMs);
  await table.emptied();
  clearTimeout(end);
}

interface Answering extends Pick<HttpServerOptions, "respond"> {
  readonly protocol: string;
  readonly host: string;
}

/** Returns the handler for the requests of a client. */
function handlerFor({ peer, behind }: Client, { protocol, host, respond }: Answering): Handler {
  let current = peer;
  return {
    request({ method, target, authority, fields }, body) {
      // find the client first, because a proxy's header may be rejected
      current = behind?.(fields) ?? peer;
      const url = requestUrlOf(protocol, authority ?? fields.get("host") ?? host, target);
      return { method, url, headers: headerFields(fields), body };
    },
    respond: (request) => respond(request, current),
  };
}

const headerFields = (fields: RequestHead["fields"]): HeaderFields => ({
  get: (name) => fields.get(name) ?? null,
  has: (name) => fields.has(name),
});

function sweepInterval(limits: Limits): number {
  const minDelay = Math.min(
    limits.headMs,
    limits.idleMs,
    limits.bodyMs,
    limits.bodyTotalMs,
    limits.answerMs,
    limits.takeMs,
    limits.lingerMs,
  );
  return Math.max(5, Math.min(1000, minDelay / 4));
}
