import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Reports whether somebody can listen there now. */
const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });

/**
 * A port of this machine for a program that has to be told one, or at which nobody is to listen. It
 * stands below those that systems give to whoever asks for any and to callers, so that it is still
 * free when it is used.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    if (await isFree(port)) return port;
  }
}
