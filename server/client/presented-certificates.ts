import { isIP } from "node:net";
import { connect, type DetailedPeerCertificate } from "node:tls";
import { describeNetworkError, UnreachableError } from "./network-error.ts";

/** Timeout of a TLS handshake (ms). */
const handshakeTimeout = 10_000;

/** The host and port of a TLS server. */
interface TlsAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Parses `https://host[:port]` or `host:port`. Returns undefined for anything else, such as a file
 * name.
 */
export function parseTlsAddress(text: string): TlsAddress | undefined {
  const url = text.startsWith("https://")
    ? text
    : /^[\w.-]+:\d{1,5}$/.test(text)
      ? `https://${text}`
      : "";
  if (!URL.canParse(url)) return undefined;
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[(.*)\]$/, "$1"), port: Number(port || 443) };
}

/**
 * Returns the DER certificates that a TLS server presents, beginning with its own, without
 * verifying them. Rejects with {@link UnreachableError} if the connection or the handshake fails.
 */
export function presentedCertificates({ host, port }: TlsAddress): Promise<readonly Uint8Array[]> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void =>
      reject(new UnreachableError(`Cannot reach ${host}:${port}: ${describeNetworkError(error)}.`));
    const socket = connect(
      {
        host,
        port,
        rejectUnauthorized: false,
        timeout: handshakeTimeout,
        ...(isIP(host) === 0 ? { servername: host } : {}),
      },
      () => {
        resolve(chainOf(socket.getPeerCertificate(true)));
        socket.end();
      },
    );
    socket.once("error", fail);
    socket.once("timeout", () => {
      socket.destroy();
      fail(new Error("no response within 10 seconds"));
    });
  });
}

function chainOf(certificate: DetailedPeerCertificate): readonly Uint8Array[] {
  const chain: Uint8Array[] = [];
  const seen = new Set<string>();
  for (
    let one: DetailedPeerCertificate | undefined = certificate;
    one?.raw && !seen.has(one.fingerprint256);
    one = one.issuerCertificate
  ) {
    seen.add(one.fingerprint256);
    chain.push(one.raw);
  }
  return chain;
}
