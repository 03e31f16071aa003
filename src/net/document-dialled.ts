import { within } from "../base/within.ts";
import type { Connection } from "../engine/ports.ts";
import { ipToBytes } from "../x509/address.ts";
import { unlessAborted } from "./abort.ts";
import {
  documentHeaders,
  hostOf,
  judged,
  type Answer,
  type Asked,
  type Ways,
} from "./document-target.ts";
import { NetError } from "./failure.ts";
import { exchange } from "./http.ts";
import { connectTls, type TlsTrust } from "./tls.ts";

/** Addresses that are tried, and milliseconds for one of them to accept a connection. */
const [mostTried, dialLimit] = [4, 4000];

/** Asks over our own TLS a server that roots or pinned certificates vouch for. */
export async function dialDocument(
  ways: Ways,
  asked: Asked & { readonly trust: Exclude<TlsTrust, "any"> },
  signal: AbortSignal,
): Promise<Answer> {
  const { trust, identity, reach, most, headers, sent } = asked;
  const url = new URL(asked.url);
  const host = hostOf(url);
  const { permitted } = await judged(ways, host, { reach, signal });
  const connection = await dialled(ways, url, permitted, signal);
  try {
    const tls = await connectTls(connection, {
      ...(ipToBytes(host) ? { address: host } : { serverName: host }),
      alpn: ["http/1.1"],
      trust,
      ...(identity ? { identity } : {}),
      random: (bytes) => ways.random(bytes),
      now: Math.floor(ways.now() / 1000),
      signal,
    });
    const answer = await exchange(
      tls,
      {
        method: sent ? "POST" : "GET",
        target: `${url.pathname}${url.search}`,
        host: url.host,
        headers: { ...documentHeaders, ...headers },
        ...(sent ? { body: sent } : {}),
      },
      signal,
    );
    asked.demand?.(answer.status);
    return {
      status: answer.status,
      body: most > 0 ? await answer.body(most) : new Uint8Array(),
    };
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
