import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { isAmong } from "../../src/net/ranges.ts";
import type { Peer } from "../../src/index.ts";
import { maxChain, certificatesInFields } from "./client-certificate.ts";
import { findCaller } from "./forwarded.ts";

/** The client of a connection. */
export interface Client {
  readonly peer: Peer;
  /**
   * Present for a trusted proxy: finds the client of a request by the proxy's header fields. Throws
   * {@link HttpError}.
   */
  readonly behind?: (fields: ReadonlyMap<string, string>) => Peer;
}

/** The trusted proxies, and how clients present certificates. */
interface ClientRules {
  /** Ranges of the trusted proxies. */
  readonly trusted: readonly string[];
  /** True if TLS requests client certificates. */
  readonly requested: boolean;
  /** True if trusted proxies forward client certificates. */
  readonly clientCertHeader: boolean;
}

/**
 * Returns the client of a connection, or undefined if it has disconnected. Forwarding headers count
 * only from trusted proxies. A proxied request without X-Forwarded-For has no known client:
 * attackers have made proxies drop the header (CVE-2022-31813) to get the proxy's address. The
 * proxy's certificate is never that of its clients.
 */
export function clientOf(
  socket: Socket,
  { trusted, requested, clientCertHeader }: ClientRules,
): Client | undefined {
  const address = socket.remoteAddress;
  // a Unix socket has no address: its clients are on this machine
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

/**
 * Returns the certificates that a client has presented, DER, its own first; none if it presented
 * none.
 */
function chainOf(socket: TLSSocket): readonly Uint8Array[] {
  const chain: Uint8Array[] = [];
  let shown = socket.getPeerX509Certificate();
  // the rest of a longer chain is ignored
  for (; shown !== undefined && chain.length < maxChain; shown = shown.issuerCertificate)
    chain.push(new Uint8Array(shown.raw));
  return chain;
}
