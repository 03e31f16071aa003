import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import { isAmong } from "../../src/net/ranges.ts";
import { aboutCaller, type Telling } from "./about-caller.ts";
import { Connection } from "./connection.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import { Places } from "./places.ts";

/**
 * Where the front listens, what is behind it, and the headers by which it alone speaks to the
 * runtime.
 */
export interface FrontOptions extends Telling {
  host: string;
  /** 0 takes any free port. */
  port: number;
  /** PEM texts; present: the front ends TLS. */
  tls?: { cert: string; key: string };
  /** Path of the runtime's Unix socket. */
  upstream: string;
  limits?: Partial<Limits>;
  /** The time that answers are dated by, Unix milliseconds; absent: that of the system. */
  now?: () => number;
}

/** A listening front. Callers wait until it is opened. */
export interface Front {
  port: number;
  open(): void;
  /**
   * Takes no more callers, lets requests under way end within `graceMs`, then closes everything.
   */
  close(graceMs: number): Promise<void>;
}

/**
 * Listens for callers in front of the runtime. Rejects with the error of the system when it cannot
 * listen.
 */
export async function listen(options: FrontOptions): Promise<Front> {
  const limits = { ...defaultLimits, ...options.limits };
  const { trusted = [], now = Date.now } = options;
  const places = new Places(limits, (address) => isAmong(address, trusted));
  const upstream = { path: options.upstream, limits, closing: new Set<Socket>() };
  const secrets = [options.aboutHeader.toLowerCase(), options.schemeHeader.toLowerCase()];
  let waiting: Socket[] | undefined = [];
  const accept = (socket: Socket): void => {
    const place = places.of(socket);
    const about = aboutCaller(socket, options);
    if (place === undefined || about === undefined) return void socket.destroy();
    const host = hostOf(options, portOf(server));
    place.connection = new Connection(socket, { limits, upstream, secrets, about, host, now });
  };
  const take = (socket: Socket): boolean =>
    upstream.closing.size < limits.closing && places.take(socket) !== undefined;
  const server = serverFor(options, limits, take, (socket) => {
    if (waiting === undefined) return accept(socket);
    waiting.push(socket);
    socket.on("error", () => socket.destroy());
  });
  await listening(server, options);
  const sweeper = setInterval(() => {
    const now = performance.now();
    for (const { connection } of places) connection?.sweep(now);
  }, sweepInterval(limits)).unref();
  return {
    port: portOf(server),
    open() {
      const early = waiting ?? [];
      waiting = undefined;
      for (const socket of early) if (!socket.destroyed) accept(socket);
    },
    async close(graceMs) {
      const stopped = new Promise<void>((resolve) => void server.close(() => resolve()));
      // those without a connection wait for the front to open, or are within their TLS handshake
      for (const { connection, socket } of places) {
        if (connection === undefined) socket.destroy();
        else connection.finish();
      }
      const end = setTimeout(() => {
        for (const { connection } of places) connection?.destroy();
      }, graceMs);
      await stopped;
      for (const socket of upstream.closing) socket.destroy();
      clearTimeout(end);
      clearInterval(sweeper);
    },
  };
}

function serverFor(
  options: FrontOptions,
  limits: Limits,
  take: (socket: Socket) => boolean,
  accept: (socket: Socket) => void,
): Server {
  // Half-open: a caller may end its side after the request and still gets the answer.
  const server =
    options.tls === undefined
      ? createServer({ allowHalfOpen: true, noDelay: true })
      : createTlsServer({
          ...options.tls,
          allowHalfOpen: true,
          minVersion: "TLSv1.2",
          ALPNProtocols: ["http/1.1"],
          requestCert: true,
          // Whose certificate is good is for the engine to judge; TLS proves only that the caller
          // has its key.
          rejectUnauthorized: false,
          handshakeTimeout: limits.headMs,
        });
  server.on("connection", (socket: Socket) => {
    if (!take(socket)) socket.destroy();
    else if (options.tls === undefined) accept(socket);
  });
  server.on("secureConnection", accept);
  // Node leaves it to the server to let go of callers whose handshake failed or took too long.
  server.on("tlsClientError", (_: Error, socket: TLSSocket) => socket.destroy());
  return server;
}

function listening(server: Server, options: FrontOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: options.host, port: options.port, backlog: 1024 }, () => {
      server.off("error", reject);
      // Failing to accept one caller (no file descriptor left) must not end the others.
      server.on("error", () => undefined);
      resolve();
    });
  });
}

const hostOf = ({ host }: FrontOptions, port: number): string =>
  `${host.includes(":") ? `[${host}]` : host}:${port}`;

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

function sweepInterval(limits: Limits): number {
  const shortest = Math.min(
    limits.headMs,
    limits.idleMs,
    limits.bodyMs,
    limits.bodyTotalMs,
    limits.answerMs,
    limits.takeMs,
    limits.lingerMs,
  );
  return Math.max(5, Math.min(1000, shortest / 4));
}
