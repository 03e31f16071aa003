import { ipToBytes } from "../x509/address.ts";
import { exchangeOver } from "./guarded-fetch-exchange.ts";
import {
  hostOf,
  type FetchResponse,
  type FetchRequest,
  type NetworkPorts,
} from "./guarded-fetch-target.ts";
import { connectTls, type TlsTrust } from "./tls.ts";

/**
 * Sends a request over this TLS client to a server that is trusted through roots or pinned
 * certificates.
 */
export async function fetchOverOwnTls(
  ways: NetworkPorts,
  asked: FetchRequest & { readonly trust: Exclude<TlsTrust, "any"> },
  signal: AbortSignal,
): Promise<FetchResponse> {
  const { trust, identity } = asked;
  const host = hostOf(new URL(asked.url));
  return await exchangeOver(ways, asked, signal, (connection) =>
    connectTls(connection, {
      ...(ipToBytes(host) ? { address: host } : { serverName: host }),
      alpn: ["http/1.1"],
      trust,
      ...(identity ? { identity } : {}),
      random: (bytes) => ways.random(bytes),
      now: Math.floor(ways.now() / 1000),
      signal,
    }),
  );
}
