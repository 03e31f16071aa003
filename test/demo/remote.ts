import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createCa, memoryStore, type Ca, type CaOptions } from "../../src/index.ts";
import { varsApi } from "../../src/vars/index.ts";
import { forward } from "./engine.ts";
import { listen } from "./support.ts";

/** An authority at its own origin, like a Worker. */
export interface Remote {
  readonly base: string;
  readonly token: string;
  readonly ca: Ca;
  /** Handles requests instead of the authority while set; returns false for those it does not handle. */
  instead: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  close(): Promise<void>;
}

/**
 * Starts an authority that allows pages of `origins`. `now`: its clock, Unix milliseconds; `more`:
 * further options.
 */
export async function remote(
  origins: readonly string[],
  now: () => number = Date.now,
  more: Partial<CaOptions> = {},
): Promise<Remote> {
  const token = "s.for-this-test-only";
  const ca: Ca = createCa({
    stores: memoryStore(),
    now,
    authenticate: async (given) =>
      given === token ? { id: "tester", policies: ["root"], can: () => true } : undefined,
    apis: [varsApi],
    vars: { token: "v.for-this-test-only" },
    ...more,
  });
  const server = createServer((request, response) => {
    if (here.instead?.(request, response)) return;
    void forward(request, response, here.base + request.url, (call) =>
      ca.fetch(call, { allowedOrigins: [...origins] }),
    );
  });
  const here: Remote = {
    base: `http://127.0.0.1:${await listen(server)}`,
    token,
    ca,
    instead: undefined,
    close: () => new Promise((done) => server.close(() => done())),
  };
  return here;
}
