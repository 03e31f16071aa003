import { constants } from "node:crypto";
import type { Socket } from "node:net";
import { createServer, type TlsOptions, type TLSSocket } from "node:tls";
import type { Limits } from "./limits.ts";

/** Certificate chain and key of a server, PEM texts. */
export interface TlsPair {
  readonly cert: string;
  readonly key: string;
}

/** TLS settings of a server. */
export interface TlsSettings extends Pick<TlsOptions, "requestCert"> {
  /** Absent: clients wait for `secure`. */
  readonly cert?: TlsOptions["cert"];
  readonly key?: TlsOptions["key"];
}

/** Performs TLS handshakes with clients. */
interface TlsLayer {
  accept(socket: Socket): void;
  /** Presents this certificate to new clients. Throws if TLS cannot use it. */
  secure(pair: TlsPair): void;
}

/**
 * Disables renegotiation, because it could change the certificate within a connection, and session
 * resumption if certificates are requested, because a ticket keeps the client certificate without
 * its chain.
 */
const securedBy = (requestCert: boolean): number =>
  constants.SSL_OP_NO_RENEGOTIATION | (requestCert ? constants.SSL_OP_NO_TICKET : 0);

/** Performs TLS handshakes, and passes the clients to `agreed` afterwards. */
export function tlsLayer(
  { cert, key, requestCert = false }: TlsSettings,
  limits: Pick<Limits, "headMs">,
  agreed: (socket: Socket) => void,
): TlsLayer {
  // setSecureContext resets all options that are not passed
  const context = { minVersion: "TLSv1.2", secureOptions: securedBy(requestCert) } as const;
  const server = createServer({
    ...context,
    ...(cert === undefined ? {} : { cert, key }),
    requestCert,
    allowHalfOpen: true,
    ALPNProtocols: ["http/1.1"],
    // The engine validates certificates; TLS only proves that the client has the key.
    rejectUnauthorized: false,
    handshakeTimeout: limits.headMs,
  });
  server.on("secureConnection", agreed);
  // Node leaves it to us to close the socket when a handshake fails or times out.
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
