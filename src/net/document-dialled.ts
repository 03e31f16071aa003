import { within } from "../base/within.ts";
import type { Connection } from "../engine/ports.ts";
import { ipToBytes } from "../x509/address.ts";
import { unlessAborted } from "./abort.ts";
import {
  demandStatus,
  documentHeaders,
  hostOf,
  judged,
  type Wanted,
  type Ways,
} from "./document-target.ts";
import { NetError } from "./failure.ts";
import { exchange } from "./http.ts";
import { connectTls } from "./tls.ts";

/** Addresses that are tried, and milliseconds for one of them to accept a connection. */
const [mostTried, dialLimit] = [4, 4000];

/** Reads a document over our own TLS, from a server that has a chain to one of the roots. */
export async function dialDocument(
  ways: Ways,
  { url: text, roots, most, sent }: Wanted,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const url = new URL(text);
  const host = hostOf(url);
  const { permitted } = await judged(ways, host, { privateNetworks: true, signal });
  const connection = await dialled(ways, url, permitted, signal);
  try {
    const tls = await connectTls(connection, {
      ...(ipToBytes(host) ? { address: host } : { serverName: host }),
      alpn: ["http/1.1"],
      trust: { roots },
      random: (bytes) => ways.random(bytes),
      now: Math.floor(ways.now() / 1000),
      signal,
    });
    const target = `${url.pathname}${url.search}`;
    const answer = await exchange(
      tls,
      {
        method: sent ? "POST" : "GET",
        target,
        host: url.host,
        headers: { ...documentHeaders, ...sent?.headers },
        ...(sent ? { body: sent.body } : {}),
      },
      signal,
    );
    demandStatus(answer.status, sent);
    return sent ? new Uint8Array() : await answer.body(most);
  } finally {
    connection.close();
  }
}
async function dialled(
  ways: Ways,
  { port }: URL,
  permitted: readonly string[],
  signal: AbortSignal,
): Promise<Connection> {
  if (!ways.dial) throw new NetError("connection", "nothing here can be connected to");
  for (const address of permitted.slice(0, mostTried)) {
    const late = new AbortController();
    const to = { address, port: port === "" ? 443 : Number(port) };
    const dialling = ways.dial(to, AbortSignal.any([signal, late.signal])).catch(() => undefined);
    const connection = await within(unlessAborted(dialling, signal), dialLimit, () => {
      late.abort();
      return undefined;
    });
    if (connection) return connection;
  }
  throw new NetError("connection", "the server cannot be connected to");
}
