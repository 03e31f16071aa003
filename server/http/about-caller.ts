import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { isAmong } from "../../src/net/ranges.ts";
import { callerBehind } from "./forwarded.ts";

/** A certificate longer than this would not fit into a head that the runtime accepts. */
const CERTIFICATE_BYTES = 32 * 1024;

/** How a front tells of its callers. */
export interface Telling {
  /** Name of the header that becomes `request.cf`. */
  readonly aboutHeader: string;
  /** Name of the header that sets the scheme of `request.url`. */
  readonly schemeHeader: string;
  /** Present: the front ends TLS. */
  readonly tls?: object;
  /** Ranges of the proxies whose X-Forwarded-For is read; none unless said. */
  readonly trusted?: readonly string[];
}

/** Gives the header lines about who sent a request, by its lines of X-Forwarded-For. */
export type AboutCaller = (forwarded: string) => Buffer;

/**
 * What is told of a caller, or undefined if it has gone or its certificate is too long. A caller
 * that is no trusted proxy is who it is, whatever it sends. Of a request without X-Forwarded-For
 * that comes from a proxy nobody knows who sent it: strangers have made proxies leave the header
 * out (CVE-2022-31813), and would have the proxy's own address then.
 */
export function aboutCaller(socket: Socket, telling: Telling): AboutCaller | undefined {
  const { trusted = [] } = telling;
  const address = socket.remoteAddress;
  if (address === undefined) return undefined;
  const certificate =
    socket instanceof TLSSocket ? socket.getPeerX509Certificate()?.raw : undefined;
  if (certificate !== undefined && certificate.length > CERTIFICATE_BYTES) return undefined;
  const linesOf = (clientAddress: string | undefined): Buffer => {
    const about = {
      ...(clientAddress === undefined ? {} : { clientAddress }),
      ...(certificate === undefined ? {} : { clientCertificate: certificate.toString("base64") }),
    };
    const scheme = telling.tls === undefined ? "http" : "https";
    return Buffer.from(
      `${telling.aboutHeader}: ${JSON.stringify(about)}\r\n${telling.schemeHeader}: ${scheme}\r\n`,
      "latin1",
    );
  };
  if (isAmong(address, trusted)) return (forwarded) => linesOf(callerBehind(forwarded, trusted));
  const lines = linesOf(address.startsWith("::ffff:") ? address.slice(7) : address);
  return () => lines;
}
