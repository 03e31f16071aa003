import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createCa, memoryStore, type Ca, type CaOptions } from "../../src/index.ts";
import { varsApi } from "../../src/vars/index.ts";
import { listen } from "./support.ts";

/** An authority at an address of its own, as a Worker would be. */
export interface Remote {
  readonly base: string;
  readonly token: string;
  readonly ca: Ca;
  /** Answers instead of the authority while set. */
  instead: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  close(): Promise<void>;
}

/**
 * Starts an authority that lets pages of `origins` in. `now`: its clock, Unix milliseconds; `more`:
 * what else it is given.
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
  const server = createServer((request, response) => void answer(request, response));
  const here: Remote = {
    base: `http://127.0.0.1:${await listen(server)}`,
    token,
    ca,
    instead: undefined,
    close: () => new Promise((done) => server.close(() => done())),
  };
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    if (here.instead?.(request, response)) return;
    const headers = new Headers(
      Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
        typeof value === "string" ? [[name, value]] : [],
      ),
    );
    const body = parts.length > 0 ? Buffer.concat(parts) : null;
    const reply = await ca.fetch(
      new Request(here.base + request.url, { method: request.method ?? "GET", headers, body }),
      { allowedOrigins: [...origins] },
    );
    response.writeHead(reply.status, Object.fromEntries(reply.headers));
    response.end(Buffer.from(await reply.arrayBuffer()));
  }
  return here;
}
