import { constants } from "node:crypto";
import type { Socket } from "node:net";
import { createServer, type TlsOptions, type TLSSocket } from "node:tls";
import type { Limits } from "./limits.ts";

/** The PEM certificate chain and the PEM key of a server. */
export interface TlsPair {
  readonly cert: string;
  readonly key: string;
}

/** The TLS settings of a server. */
export interface TlsSettings extends Pick<TlsOptions, "requestCert"> {
  /** The certificate chain. If absent, clients wait until `secure` is called. */
  readonly cert?: TlsOptions["cert"];
  readonly key?: TlsOptions["key"];
}

/** Performs TLS handshakes with accepted clients. */
interface TlsLayer {
  accept(socket: Socket): void;
  /** Presents a certificate to new clients from now on. Throws if OpenSSL rejects it. */
  secure(pair: TlsPair): void;
}

/**
 * Returns the OpenSSL options of a listener. Disables renegotiation, which could change the
 * certificate within a connection. If client certificates are requested, also disables session
 * tickets, which retain a client certificate without its chain.
 */
const securedBy = (requestCert: boolean): number =>
  constants.SSL_OP_NO_RENEGOTIATION | (requestCert ? constants.SSL_OP_NO_TICKET : 0);

/** Creates a layer that performs TLS handshakes and then passes the clients to `agreed`. */
export function tlsLayer(
  { cert, key, requestCert = false }: TlsSettings,
  limits: Pick<Limits, "headMs">,
  agreed: (socket: Socket) => void,
): TlsLayer {
  // passed again on each change, because setSecureContext resets the options that are not passed
  const context = { minVersion: "TLSv1.2", secureOptions: securedBy(requestCert) } as const;
  const server = createServer({
    ...context,
    ...(cert === undefined ? {} : { cert, key }),
    requestCert,
    allowHalfOpen: true,
    ALPNProtocols: ["http/1.1"],
    // The engine validates client certificates. TLS only proves that the client has the key.
    rejectUnauthorized: false,
    handshakeTimeout: limits.headMs,
  });
  server.on("secureConnection", agreed);
  // Node does not close the socket when a handshake fails or times out.
  server.on("tlsClientError", (_: Error, socket: TLSSocket) => socket.destroy());
  const begin = (socket: Socket): void => void server.emit("connection", socket);
  let waiting: Socket[] | undefined = cert === undefined ? [] : undefined;
  return {
    accept(socket) {
      if (waiting === undefined) return begin(socket);
      waiting.push(socket);
      socket.on("error", () => socket.destroy());
    },
    secure(pair) {
      server.setSecureContext({ ...context, ...pair });
      const early = waiting ?? [];
      waiting = undefined;
      for (const socket of early) if (!socket.destroyed) begin(socket);
    },
  };
}
