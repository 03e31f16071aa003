import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { isAmong } from "../../src/net/ranges.ts";
import type { Peer } from "../../src/index.ts";
import { maxChain, certificatesInFields } from "./client-certificate.ts";
import { findCaller } from "./forwarded.ts";

/**
 * Returns the client of a connection, or undefined if it has disconnected. Forwarding headers count
 * only from trusted proxies. A proxied request without X-Forwarded-For has no known client:
 * attackers have made proxies drop the header (CVE-2022-31813) to get the proxy's address. The
 * proxy's certificate is never that of its clients.
 */
export interface Client {
  readonly peer: Peer;
  /**
   * Present for a trusted proxy: finds the client of a request by the proxy's header fields. Throws
   * {@link HttpError}.
   */
  readonly behind?: (fields: ReadonlyMap<string, string>) => Peer;
}

/** The trusted proxies, and the ways in which clients present certificates. */
interface ClientRules {
  /** Ranges of the trusted proxies. */
  readonly trusted: readonly string[];
  /** TLS requests the certificates of clients. */
  readonly requested: boolean;
  /** Trusted proxies pass the certificates of their clients on. */
  readonly clientCertHeader: boolean;
}

/**
 * The client of a connection, or undefined if it has gone. One that is no trusted proxy is who it
 * is, whatever it sends. Of a request without X-Forwarded-For that comes from a proxy nobody knows
 * who sent it: strangers have made proxies leave the header out (CVE-2022-31813), and would have
 * the proxy's own address then. Nor is the certificate of a proxy ever that of its clients.
 */
export function clientOf(
  socket: Socket,
  { trusted, requested, clientCertHeader }: ClientRules,
): Client | undefined {
  const address = socket.remoteAddress;
  // a Unix socket has no addresses: its clients are on this machine
  if (address === undefined) return socket.destroyed ? undefined : { peer: {} };
  const none = requested || clientCertHeader ? { tlsChain: [] } : {};
  if (isAmong(address, trusted))
    return {
      peer: none,
      behind: (fields) => {
        const caller = findCaller(fields.get("x-forwarded-for") ?? "", trusted);
        const shown = clientCertHeader ? { tlsChain: certificatesInFields(fields) } : none;
        return caller === undefined ? shown : { address: caller, ...shown };
      },
    };
  const plain = address.startsWith("::ffff:") ? address.slice(7) : address;
  const shown = requested && socket instanceof TLSSocket ? { tlsChain: chainOf(socket) } : none;
  return { peer: { address: plain, ...shown } };
}

/** The certificates that a client has shown, DER, its own first; none where it showed none. */
function chainOf(socket: TLSSocket): readonly Uint8Array[] {
  const chain: Uint8Array[] = [];
  let shown = socket.getPeerX509Certificate();
  // of a longer chain the rest is not looked at
  for (; shown !== undefined && chain.length < maxChain; shown = shown.issuerCertificate)
    chain.push(new Uint8Array(shown.raw));
  return chain;
}
