import { createServer, type Server, type Socket } from "node:net";

/**
 * The address to listen on: a host and a port (0 for any free port), or the path of a Unix socket.
 */
export type ListenAddress =
  | { readonly host: string; readonly port: number }
  | { readonly path: string };

/** A listening socket. */
export interface Listener {
  /** The TCP port; 0 for a Unix socket. */
  readonly port: number;
  /** Stops accepting clients. */
  close(): void;
}

/** The options of a listening socket. */
interface ListenOptions {
  /** Whether sockets are accepted in paused mode, so that they can be passed to another process. */
  readonly paused: boolean;
  accept(socket: Socket): void;
}

/** Listens for clients. Rejects with the system error if listening fails. */
export async function listen(
  place: ListenAddress,
  { paused, accept }: ListenOptions,
): Promise<Listener> {
  // half-open connections: a client that closes its side after the request still gets the response
  const options = { allowHalfOpen: true, noDelay: true, pauseOnConnect: paused };
  const server = createServer(options, accept);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ ...place, backlog: 1024 }, () => {
      server.off("error", reject);
      // a failure to accept a client, for example without a free descriptor, must not stop the
      // listener
      server.on("error", () => undefined);
      resolve();
    });
  });
  return { port: portOf(server), close: () => void server.close() };
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
