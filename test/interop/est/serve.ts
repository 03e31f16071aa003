import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo, Server as TcpServer } from "node:net";
import type { DetailedPeerCertificate, TLSSocket } from "node:tls";
import { certificate } from "../../net/tls-fixture.ts";

/** Handles a request, given the DER certificates whose keys the client has proved to hold. */
export type Answering = (
  request: Request,
  tlsChain: readonly Uint8Array[],
) => Promise<Response> | Response;
/** A TLS server that requests client certificates. */
export interface TlsServer {
  /** Host and port, such as `127.0.0.1:4433`. */
  readonly host: string;
  /** PEM of the CA that issued the server certificate. */
  readonly ca: string;
  close(): void;
}

/** Returns the client's certificate and the chain it sent. */
function chainOf(socket: TLSSocket): readonly Uint8Array[] {
  const chain: Uint8Array[] = [];
  // without a certificate it is an object without members
  let one: Partial<DetailedPeerCertificate> | undefined = socket.getPeerCertificate(true);
  const seen = new Set<unknown>();
  while (one?.raw && !seen.has(one.fingerprint256)) {
    seen.add(one.fingerprint256);
    chain.push(new Uint8Array(one.raw));
    one = one.issuerCertificate;
  }
  return chain;
}
async function asked(incoming: IncomingMessage): Promise<Request> {
  const parts: Uint8Array[] = [];
  // the body of a request is a stream of buffers
  for await (const part of incoming) parts.push(part as Buffer);
  const { method = "GET", url = "/", headers } = incoming;
  const fields = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as [string, string]] : [],
  );
  const body = method === "GET" || method === "HEAD" ? {} : { body: Buffer.concat(parts) };
  return new Request(`https://${headers.host ?? "localhost"}${url}`, {
    method,
    headers: fields,
    ...body,
  });
}
async function answer(
  answering: Answering,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  // sockets of an HTTPS server are TLS sockets
  const request = await asked(incoming);
  const response = await answering(request, chainOf(incoming.socket as TLSSocket));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(new Uint8Array(await response.arrayBuffer()));
}

/** Serves on 127.0.0.1 and requests a certificate of any issuer from every client. */
export async function serveTls(answering: Answering): Promise<TlsServer> {
  const { ca, options } = await certified();
  const server: Server = createServer(
    options,
    (incoming, outgoing) =>
      void answer(answering, incoming, outgoing).catch((error: unknown) =>
        outgoing.destroy(error instanceof Error ? error : undefined),
      ),
  );
  return listening(server, ca, () => server.closeAllConnections());
}

async function certified() {
  const ca = await certificate({ name: "server CA", ca: true });
  const { key, pem } = await certificate({
    issuer: ca,
    names: { ip: ["127.0.0.1"], dns: ["localhost"] },
  });
  const asking = { requestCert: true, rejectUnauthorized: false };
  return { ca: ca.pem, options: { key: key.pem, cert: pem, ...asking } };
}
async function listening(server: TcpServer, ca: string, closeAll: () => void): Promise<TlsServer> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // the address of a TCP server has a port
  const { port } = server.address() as AddressInfo;
  return {
    host: `127.0.0.1:${port}`,
    ca,
    close: () => {
      server.close();
      closeAll();
    },
  };
}
