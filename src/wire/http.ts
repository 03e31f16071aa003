import { utf8 } from "../base/bytes.ts";
import type { Served } from "./api.ts";
import { announcedLength, readBody } from "./body.ts";
import type { Call, Peer, Reply } from "./call.ts";
import { corsHeaders, headersOf } from "./headers.ts";
import { dispatch } from "./dispatch.ts";

/** Settings of the HTTP side. */
export interface HttpOptions {
  /** Origins that browsers may call from; none by default, and never with credentials. */
  readonly allowedOrigins?: readonly string[];
  /**
   * Calls without a token are made with this identity: the page's own service worker, never a
   * network server.
   */
  readonly identity?: Call["identity"];
  /** The address of the request where it is already taken apart. */
  readonly url?: URL;
  /** Who is at the other end of the connection, as the platform says; no header is believed. */
  readonly peer?: Peer;
  /** How large bodies are sent where the platform keeps a copy of an array that it is given. */
  readonly stream?: (bytes: Uint8Array) => ReadableStream<Uint8Array>;
}

/** Bodies from this size on are streamed where the platform asks for it: 64 KiB. */
const largeBody = 64 * 1024;
const noBody = new Uint8Array(0);
/** Shared, because nothing that reads a query changes it. */
const noQuery = new URLSearchParams();

/** Answers a request to an API. Never throws. */
export async function serveHttp(
  served: Served,
  request: Request,
  options: HttpOptions = {},
): Promise<Response> {
  const url = options.url ?? new URL(request.url);
  const cors = corsHeaders(served.api.cors, request, options.allowedOrigins ?? []);
  // without an origin nobody asks for leave: then it is a method like any other
  if (request.method === "OPTIONS" && request.headers.has("origin"))
    return new Response(null, {
      status: "access-control-allow-origin" in cors ? 204 : 403,
      headers: cors,
    });
  const reply = await dispatch(served, callOf(served, request, url, options));
  const headers = headersOf(reply, cors, url.protocol === "https:");
  const body = request.method === "HEAD" ? null : bodyOf(reply, options);
  return new Response(body, { status: reply.status, headers });
}

function callOf(
  { api }: Served,
  request: Request,
  url: URL,
  { identity, peer }: HttpOptions,
): Call {
  const { method } = request;
  const head = method === "HEAD";
  const header = (name: string) => request.headers.get(name);
  const credentials = api.credentials(header);
  return {
    method: methodOf(api, head ? "GET" : method),
    head,
    path: url.pathname,
    origin: url.origin,
    query: url.search === "" ? noQuery : url.searchParams,
    header,
    body: noBody,
    ...credentials,
    ...(identity && credentials.token === undefined ? { identity } : {}),
    ...(peer ? { peer } : {}),
    ...(head || method === "GET" ? {} : { unread: unreadOf(request) }),
  };
}
const methodOf = ({ methods }: Served["api"], method: string): string =>
  (Object.hasOwn(methods, method) ? methods[method] : undefined) ?? "";
const unreadOf = (request: Request): NonNullable<Call["unread"]> => ({
  length: announcedLength(request),
  read: (limit, told) => readBody(request, limit, told),
});

function bodyOf({ body, stream: own }: Reply, { stream }: HttpOptions): BodyInit | null {
  if (own) return own;
  if (stream && body !== null && body.length >= largeBody)
    return stream(typeof body === "string" ? utf8(body) : body);
  // a body is bytes of our own buffers, never shared memory
  return body as BodyInit | null;
}
