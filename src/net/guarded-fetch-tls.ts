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
 * Sends a request with the TLS client of this library to a server that roots or pinned certificates
 * authenticate.
 */
export async function fetchOverOwnTls(
  network: NetworkPorts,
  request: FetchRequest & { readonly trust: Exclude<TlsTrust, "any"> },
  signal: AbortSignal,
): Promise<FetchResponse> {
  const { trust, identity } = request;
  const host = hostOf(new URL(request.url));
  return await exchangeOver(network, request, signal, (connection) =>
    connectTls(connection, {
      ...(ipToBytes(host) ? { address: host } : { serverName: host }),
      alpn: ["http/1.1"],
      trust,
      ...(identity ? { identity } : {}),
      random: (bytes) => network.random(bytes),
      now: Math.floor(network.now() / 1000),
      signal,
    }),
  );
}
