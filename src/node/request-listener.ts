import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline, Readable } from "node:stream";
import { TLSSocket } from "node:tls";
import type { ReadableStream as NodeStream } from "node:stream/web";
import { concat } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import type { IncomingRequest, OutgoingResponse, Peer } from "../wire/call.ts";
import type { RespondOptions } from "../wire/http.ts";

/** The members of an authority that a listener calls. */
export interface ListeningCa {
  /** Reports whether a path belongs to the authority. */
  answers(pathname: string): boolean;
  /** Responds to a request. */
  respond(request: IncomingRequest, options?: RespondOptions): Promise<OutgoingResponse>;
}
/** Settings of a listener. */
export interface ListenerOptions {
  /**
   * URL path prefix of the API, such as `/ca`, without a trailing slash. By default there is none.
   */
  readonly prefix?: string;
  /** Origins whose pages may call the API. There are none by default. */
  readonly allowedOrigins?: readonly string[];
  /**
   * Returns the IP address of the client, for example from a header that only your own proxy can
   * set. By default, it is the remote address of the connection.
   */
  readonly address?: (request: IncomingMessage) => string | undefined;
}
/**
 * A request listener for `http` and `https` servers, which can also be used as middleware of
 * Express and Connect.
 */
export type RequestListener = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: () => void,
) => void;

/** Maximum number of certificates in a client's chain. */
const maxChain = 10;

/**
 * Returns a listener that serves an authority: `createServer(requestListener(ca))`. Each endpoint
 * limits the size of request bodies. To accept client certificates, create the `https` server with
 * `requestCert: true`, with `rejectUnauthorized: false`, because the authority verifies the
 * certificates, and with `SSL_OP_NO_TICKET` in `secureOptions`, because a resumed session lacks the
 * chain. For paths that do not belong to the authority, the listener calls `next`, or responds with
 * 404 if there is no `next`. Middleware that reads bodies must come after the listener.
 */
export function requestListener(ca: ListeningCa, options: ListenerOptions = {}): RequestListener {
  return (request, response, next) => {
    const url = urlOf(request, options.prefix ?? "");
    if (!url || !ca.answers(url.pathname)) {
      if (next) next();
      else response.writeHead(404).end();
      return;
    }
    respond(ca, { request, response, url }, options).catch((error: unknown) =>
      // the client has disconnected, or its connection is unusable
      response.destroy(error instanceof Error ? error : undefined),
    );
  };
}

/**
 * Returns the URL of a request without the prefix. Returns undefined if the URL is invalid or does
 * not have the prefix.
 */
function urlOf({ url = "", headers, socket }: IncomingMessage, prefix: string): URL | undefined {
  if (!url.startsWith(`${prefix}/`)) return undefined;
  const scheme = socket instanceof TLSSocket ? "https" : "http";
  const { host = "localhost" } = headers;
  // a slash, question mark or at sign in the host would change the meaning of the URL
  if (!/^[\w.~:[\]-]+$/.test(host)) return undefined;
  const whole = `${scheme}://${host}${url.slice(prefix.length)}`;
  return URL.canParse(whole) ? new URL(whole) : undefined;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
}

async function respond(
  ca: ListeningCa,
  { request, response, url }: Exchange,
  { allowedOrigins = [], address }: ListenerOptions,
): Promise<void> {
  const peer: Peer = {
    address: address ? address(request) : request.socket.remoteAddress,
    ...(request.socket instanceof TLSSocket ? { tlsChain: chainOf(request.socket) } : {}),
  };
  const { method = "GET", headersDistinct } = request;
  const valuesOf = (name: string): readonly string[] | undefined => headersDistinct[name];
  const reply = await ca.respond(
    {
      method,
      url,
      headers: {
        get: (name) => valuesOf(name)?.join(", ") ?? null,
        has: (name) => valuesOf(name) !== undefined,
      },
      body: {
        length: lengthOf(request),
        read: (limit, text) => readBody(request, limit, text),
      },
    },
    { allowedOrigins, peer },
  );
  send(reply, request, response);
}

/** Returns the declared length of a request body, or undefined if there is none. */
function lengthOf({ headers }: IncomingMessage): number | undefined {
  if (headers["transfer-encoding"] !== undefined) return undefined;
  return Number(headers["content-length"] ?? 0);
}

async function readBody(
  request: IncomingMessage,
  limit: number,
  text: string,
): Promise<Uint8Array> {
  const tooLarge = () => new CaError("too_large", text);
  if ((lengthOf(request) ?? 0) > limit) throw tooLarge();
  const parts: Uint8Array[] = [];
  let length = 0;
  // the response must still be sent if the rest of the body is not read
  const chunks: AsyncIterable<Uint8Array> = request.iterator({ destroyOnReturn: false });
  for await (const part of chunks) {
    length += part.length;
    if (length > limit) throw tooLarge();
    parts.push(part);
  }
  return concat(parts);
}

function send(
  { status, headers, body }: OutgoingResponse,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  // the connection cannot be reused, because the rest of the request body is not read
  if (!request.complete) response.setHeader("connection", "close");
  if (!(body instanceof ReadableStream)) return void response.end(body ?? undefined);
  // both types declare the same class
  const stream = Readable.fromWeb(body as NodeStream);
  // ends both streams when either ends, so that the source is released
  pipeline(stream, response, () => undefined);
}

/** Returns the DER certificates that a client presented, leaf first. */
function chainOf(socket: TLSSocket): readonly Uint8Array[] {
  const chain: Uint8Array[] = [];
  let certificate = socket.getPeerX509Certificate();
  for (; certificate && chain.length < maxChain; certificate = certificate.issuerCertificate)
    chain.push(new Uint8Array(certificate.raw));
  return chain;
}
