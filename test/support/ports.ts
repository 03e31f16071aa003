import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Reports whether a port is free. */
const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });

/**
 * Returns a free port, for a program that needs a fixed one or for testing a refused connection. It
 * is below the range of ephemeral ports, so that it stays free until it is used.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    if (await isFree(port)) return port;
  }
}
