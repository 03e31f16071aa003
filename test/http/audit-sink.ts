import type { IncomingMessage } from "node:http";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { certificate } from "../net/tls-fixture.ts";
import type { Api } from "./api.ts";

/** The part of an audit event that tests check. */
export interface AuditEvent {
  readonly id: string;
  readonly endpoint: string;
  readonly store: string;
  readonly number: number;
  readonly fields?: Readonly<Record<string, unknown>>;
}
/** A server that receives audit events. */
export interface Sink {
  /** Its settings for `sys/audit/sink`. */
  readonly settings: { readonly url: string; readonly secret: string; readonly ca_pem: string };
  /** All received lines, in order. */
  readonly lines: Readonly<Record<string, unknown>>[];
  close(): void;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  // HTTP requests yield their body in buffers
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
/** Returns a non-loopback private address of this machine, which a server may contact. */
const own = (): string | undefined =>
  Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses)
    .find(({ address }) => /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|f[cd])/.test(address))
    ?.address;

/** Starts a sink that accepts everything; undefined if this machine has no private address. */
export async function startSink(): Promise<Sink | undefined> {
  const address = own();
  if (address === undefined) return undefined;
  const ca = await certificate({ name: "sink CA", ca: true });
  const leaf = await certificate({ issuer: ca, names: { ip: [address] } });
  const lines: Record<string, unknown>[] = [];
  const server = createServer({ key: leaf.key.pem, cert: leaf.pem }, (request, response) => {
    void bodyOf(request).then(
      (body) => {
        for (const line of body.split("\n").filter(Boolean))
          lines.push(JSON.parse(line) as Record<string, unknown>);
        response.writeHead(204).end();
      },
      // the sender was killed; it will send again
      () => undefined,
    );
  });
  server.listen(0, address);
  await once(server, "listening");
  // a TCP server has a port
  const { port } = server.address() as AddressInfo;
  const host = address.includes(":") ? `[${address}]` : address;
  return {
    settings: {
      url: `https://${host}:${port}/events`,
      secret: "a secret of the sink",
      ca_pem: ca.pem,
    },
    lines,
    close: () => server.close().closeAllConnections(),
  };
}

/** Returns all events of a server, page by page, oldest first. */
export async function eventsOf(api: Api): Promise<readonly AuditEvent[]> {
  const all: AuditEvent[] = [];
  for (let after = ""; ;) {
    const query = `list=true&limit=1000${after && `&after=${after}`}`;
    const page = await api("GET", `sys/audit/events?${query}`);
    if (page.status === 404) return all.reverse();
    // with this limit the listing has details for each key
    const { keys, key_info } = page.json["data"] as {
      readonly keys: readonly string[];
      readonly key_info: Readonly<Record<string, Omit<AuditEvent, "id">>>;
    };
    for (const id of keys) {
      const told = key_info[id];
      if (told) all.push({ id, ...told });
    }
    after = keys.at(-1) ?? "";
    if (keys.length < 1000) return all.reverse();
  }
}
