import { createServer, type Server, type Socket } from "node:net";

/** Address to listen on: host and port (0 for any free port), or the path of a Unix socket. */
export type ListenAddress =
  | { readonly host: string; readonly port: number }
  | { readonly path: string };

/** A listening socket. */
export interface Listener {
  /** 0 for a Unix socket. */
  readonly port: number;
  /** Stops accepting clients. */
  close(): void;
}

/** Options of a listening socket. */
interface ListenOptions {
  /** Accepts sockets paused, for passing them to another process. */
  readonly paused: boolean;
  accept(socket: Socket): void;
}

/** Listens for clients. Rejects with the system's error if it cannot. */
export async function listen(
  place: ListenAddress,
  { paused, accept }: ListenOptions,
): Promise<Listener> {
  // half-open: a client may close its side after the request and still gets the response
  const options = { allowHalfOpen: true, noDelay: true, pauseOnConnect: paused };
  const server = createServer(options, accept);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ ...place, backlog: 1024 }, () => {
      server.off("error", reject);
      // failing to accept one client (no descriptor left) must not stop the listener
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
