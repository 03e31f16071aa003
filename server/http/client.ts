import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { isAmong } from "../../src/net/ranges.ts";
import type { Peer } from "../../src/index.ts";
import { callerBehind } from "./forwarded.ts";

/** A client longer chains of which are refused. */
const MAX_CHAIN = 10;

/** Who is at the other end of a connection. */
export interface Client {
  readonly peer: Peer;
  /**
   * Present for a trusted proxy: who sent a request, by its X-Forwarded-For lines. Throws {@link
   * HttpRefusal}.
   */
  readonly behind?: (forwarded: string) => Peer;
}

/**
 * The client of a connection, or undefined if it has gone. One that is no trusted proxy is who it
 * is, whatever it sends. Of a request without X-Forwarded-For that comes from a proxy nobody knows
 * who sent it: strangers have made proxies leave the header out (CVE-2022-31813), and would have
 * the proxy's own address then. `certificates`: whether clients are asked for theirs.
 */
export function clientOf(
  socket: Socket,
  {
    trusted,
    certificates,
  }: { readonly trusted: readonly string[]; readonly certificates: boolean },
): Client | undefined {
  const address = socket.remoteAddress;
  // a Unix socket has no addresses: whoever may open it is on this machine
  if (address === undefined) return socket.destroyed ? undefined : { peer: {} };
  const tlsChain = certificates && socket instanceof TLSSocket ? { tlsChain: chainOf(socket) } : {};
  if (isAmong(address, trusted))
    return {
      peer: tlsChain,
      behind: (forwarded) => {
        const caller = callerBehind(forwarded, trusted);
        return caller === undefined ? tlsChain : { address: caller, ...tlsChain };
      },
    };
  const plain = address.startsWith("::ffff:") ? address.slice(7) : address;
  return { peer: { address: plain, ...tlsChain } };
}

/** The certificates that a client has shown, DER, its own first; none where it showed none. */
function chainOf(socket: TLSSocket): readonly Uint8Array[] {
  const chain: Uint8Array[] = [];
  let shown = socket.getPeerX509Certificate();
  for (; shown !== undefined && chain.length < MAX_CHAIN; shown = shown.issuerCertificate)
    chain.push(new Uint8Array(shown.raw));
  return chain;
}
