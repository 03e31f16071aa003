import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { isAmong } from "../../src/net/ranges.ts";
import type { Peer } from "../../src/index.ts";
import { maxChain, certificatesInFields } from "./client-certificate.ts";
import { findCaller } from "./forwarded.ts";

/** The client at the other end of a connection. */
export interface Client {
  readonly peer: Peer;
  /**
   * Returns the client of a request from the header fields that a trusted proxy has set. Present
   * only if the connection is from a trusted proxy. Throws {@link HttpError} for malformed fields.
   */
  readonly behind?: (fields: ReadonlyMap<string, string>) => Peer;
}

/** The trusted proxies, and the ways in which clients may present certificates. */
interface ClientRules {
  /** Address ranges of the trusted proxies. */
  readonly trusted: readonly string[];
  /** Whether TLS requests client certificates. */
  readonly requested: boolean;
  /** Whether trusted proxies forward client certificates. */
  readonly clientCertHeader: boolean;
}

/**
 * Returns the client of a connection, or undefined if it has disconnected. Forwarding headers are
 * accepted only from trusted proxies. A proxied request without X-Forwarded-For has no client
 * address: attackers could make a proxy drop the header (CVE-2022-31813) to pass as the proxy. A
 * proxy's own certificate is never used as its clients' certificate.
 */
export function clientOf(
  socket: Socket,
  { trusted, requested, clientCertHeader }: ClientRules,
): Client | undefined {
  const address = socket.remoteAddress;
  // a Unix socket has no address; its clients are on this machine
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
 * Returns the DER certificates that a client has presented, beginning with its own. Returns an
 * empty list if it presented none.
 */
function chainOf(socket: TLSSocket): readonly Uint8Array[] {
  const chain: Uint8Array[] = [];
  let shown = socket.getPeerX509Certificate();
  // further certificates are ignored
  for (; shown !== undefined && chain.length < maxChain; shown = shown.issuerCertificate)
    chain.push(new Uint8Array(shown.raw));
  return chain;
}
