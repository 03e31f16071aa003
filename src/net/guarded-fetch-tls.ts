import { ipToBytes } from "../x509/address.ts";
import { askOver } from "./guarded-fetch-exchange.ts";
import { hostOf, type Answer, type Asked, type Ways } from "./guarded-fetch-target.ts";
import { connectTls, type TlsTrust } from "./tls.ts";

/** Asks over our own TLS a server that roots or pinned certificates vouch for. */
export async function dialDocument(
  ways: Ways,
  asked: Asked & { readonly trust: Exclude<TlsTrust, "any"> },
  signal: AbortSignal,
): Promise<Answer> {
  const { trust, identity } = asked;
  const host = hostOf(new URL(asked.url));
  return await askOver(ways, asked, signal, (connection) =>
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
