import { withTimeout } from "../base/with-timeout.ts";
import type { Connection } from "../engine/ports.ts";
import { unlessAborted } from "./abort.ts";
import {
  documentHeaders,
  hostOf,
  permittedAddresses,
  type FetchResponse,
  type FetchRequest,
  type NetworkPorts,
} from "./guarded-fetch-target.ts";
import { NetError } from "./failure.ts";
import { exchange } from "./http.ts";

/**
 * Maximum number of addresses to try, and time in ms within which each must accept a connection.
 */
const [maxAddresses, dialLimit] = [4, 4000];

/** A request without its trust settings. */
export type PlainRequest = Omit<FetchRequest, "trust" | "identity">;

/**
 * Sends a request over a connection to a permitted address. `secured` wraps the connection, for
 * example in TLS.
 */
export async function exchangeOver(
  network: NetworkPorts,
  request: PlainRequest,
  signal: AbortSignal,
  secured: (connection: Connection) => Promise<Pick<Connection, "readable" | "writable">>,
): Promise<FetchResponse> {
  const { scope, maxBytes, headers, sent } = request;
  const url = new URL(request.url);
  const { permitted } = await permittedAddresses(network, hostOf(url), { scope, signal });
  const connection = await dialled(network, url, permitted, signal);
  try {
    const answer = await exchange(
      await secured(connection),
      {
        method: sent ? "POST" : "GET",
        target: `${url.pathname}${url.search}`,
        host: url.host,
        headers: { ...documentHeaders, ...headers },
        ...(sent ? { body: sent } : {}),
      },
      signal,
    );
    request.checkStatus?.(answer.status);
    return {
      status: answer.status,
      body: maxBytes > 0 ? await answer.body(maxBytes) : new Uint8Array(),
    };
  } finally {
    connection.close();
  }
}
async function dialled(
  network: NetworkPorts,
  { port, protocol }: URL,
  permitted: readonly string[],
  signal: AbortSignal,
): Promise<Connection> {
  if (!network.dial) throw new NetError("connection", "this runtime cannot open connections");
  const usual = protocol === "http:" ? 80 : 443;
  for (const address of permitted.slice(0, maxAddresses)) {
    const late = new AbortController();
    const to = { address, port: port === "" ? usual : Number(port) };
    const dialling = network
      .dial(to, AbortSignal.any([signal, late.signal]))
      .catch(() => undefined);
    const connection = await withTimeout(unlessAborted(dialling, signal), dialLimit, () => {
      late.abort();
      return undefined;
    });
    if (connection) return connection;
  }
  throw new NetError("connection", "cannot connect to the server");
}
