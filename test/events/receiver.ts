import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { afterAll } from "vitest";
import type { CaEvent, CaOptions } from "../../src/index.ts";
import { authority, clockAt, type AuthorityOptions } from "../support/authority.ts";
import { certificate, dial, listening, now } from "../net/tls-fixture.ts";

const ca = await certificate({ name: "private CA", ca: true });
const own = await certificate({ issuer: ca, names: { dns: ["sink.example"] } });
const servers: Server[] = [];
afterAll(() => servers.forEach((server) => server.close().closeAllConnections()));

/** A secret of a sink, and its octets. */
export const secretBytes = Buffer.alloc(32, 3);
export const secret = `whsec_${secretBytes.toString("base64")}`;
/** Settings of a sink at the receiver. */
export const sink = { url: "https://sink.example/events", secret, ca_pem: ca.pem };

/** A request that the receiver got. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  readonly event: CaEvent;
}
/** Answer of the receiver; it may leave the response open. */
export type Answer = (response: ServerResponse, got: Received) => void;

/** Starts a receiver, and returns the ports through which an authority reaches it. */
export async function receiver() {
  const received: Received[] = [];
  const answer: { respond: Answer } = { respond: (response) => response.writeHead(204).end() };
  const server = createServer({ key: own.key.pem, cert: own.pem }, (request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const body = Buffer.concat(parts).toString();
      const { headers, url: path = "" } = request;
      // the sender sends only events
      const got = { path, headers, body, event: JSON.parse(body) as CaEvent };
      received.push(got);
      answer.respond(response, got);
    });
  });
  servers.push(server);
  const port = await listening(server);
  const at = { address: "10.1.2.3" };
  const dialled: string[] = [];
  const ports: Pick<CaOptions, "dial" | "resolve"> = {
    dial: async ({ address }) => {
      dialled.push(address);
      return dial(port);
    },
    resolve: async ({ type }) => (type === "A" ? [at.address] : []),
  };
  return { received, answer, at, dialled, ports };
}

/** Starts a receiver, and an authority with a role that reaches it at any address. */
export async function receiving(options: AuthorityOptions = {}) {
  const { ports, ...rest } = await receiver();
  const a = authority({ clock: clockAt(now * 1000), ...ports, ...options });
  await a.root();
  await a.role("web");
  return { a, ...rest };
}
