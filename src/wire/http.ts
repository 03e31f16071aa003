import { parseRequestUrl, type RequestUrl } from "../base/request-url.ts";
import { utf8 } from "../base/bytes.ts";
import type { Served } from "./api.ts";
import { announcedLength, readBody } from "./body.ts";
import type { Call, Peer, Reply } from "./call.ts";
import { dispatch, repeat } from "./dispatch.ts";
import { allowedTo, corsHeaders, fieldsOf, platformHeaders } from "./headers.ts";
import type { HeaderFields, IncomingRequest, OutgoingResponse } from "./incoming.ts";
import { keptReply, longestQuestion, type Kept } from "./kept.ts";

/** Settings of a response that do not depend on how the host reads requests. */
export interface RespondOptions {
  /** Origins that browsers may call from; none by default, and never with credentials. */
  readonly allowedOrigins?: readonly string[];
  /**
   * Calls without a token are made with this identity: the page's own service worker, never a
   * network server.
   */
  readonly identity?: Call["identity"];
  /** Who is at the other end of the connection, as the platform says; no header is believed. */
  readonly peer?: Peer;
}
/** Settings of the HTTP side. */
export interface HttpOptions extends RespondOptions {
  /** The address of the request where it is already taken apart. */
  readonly url?: RequestUrl;
  /** How large bodies are sent where the platform keeps a copy of an array that it is given. */
  readonly stream?: (bytes: Uint8Array) => ReadableStream<Uint8Array>;
}

/** Bodies from this size on are streamed where the platform asks for it: 64 KiB. */
const largeBody = 64 * 1024;
const noBody = new Uint8Array(0);

/** Returns the platform's response to a platform's request to an API. Never rejects. */
export async function serveHttp(
  served: Served,
  request: Request,
  { url = parseRequestUrl(request.url), stream, ...options }: HttpOptions = {},
): Promise<Response> {
  const { status, headers, body } = await respond(served, incomingOf(request, url), options);
  return new Response(bodyInit(body, stream), {
    status,
    headers: platformHeaders(headers),
    // Workers would compress it once more
    ...(headers["content-encoding"] ? { encodeBody: "manual" } : {}),
  });
}

/** Responds to a request to an API, both as plain data. Never rejects. */
export async function respond(
  served: Served,
  request: IncomingRequest,
  options: RespondOptions = {},
): Promise<OutgoingResponse> {
  const { method, headers, url } = request;
  const behind = served.deployment.catchUp();
  if (behind) await behind;
  const cors = corsHeaders(served.api.cors, headers, await allowedTo(served, headers, options));
  // without an origin nobody asks for leave: then it is a method like any other
  if (method === "OPTIONS" && headers.has("origin"))
    return { status: "access-control-allow-origin" in cors ? 204 : 403, headers: cors, body: null };
  const question = method === "POST" ? await questionIn(served, request) : undefined;
  const isPlain =
    (method === "GET" || question) && url.search === "" && !served.api.counts?.(served.deployment);
  const kept = isPlain ? keptReply(served, url.pathname, headers, question) : undefined;
  const reply = await replyTo(served, kept, () => callOf(served, request, options, question));
  return {
    status: reply.status,
    headers: fieldsOf(reply, cors, url.protocol === "https:"),
    body: method === "HEAD" ? null : (reply.stream ?? reply.body),
  };
}

/** A kept reply needs no call, unless somebody listens. */
function replyTo(served: Served, kept: Kept | undefined, call: () => Call): Reply | Promise<Reply> {
  if (!kept) return dispatch(served, call());
  const { log, logFrom = 0, meter } = served.deployment.ports;
  const { reply, endpoint } = kept;
  if (meter) {
    meter.request({ endpoint: endpoint.id, status: reply.status, ms: 0 });
    reply.count?.(meter);
  }
  return log && reply.status >= logFrom ? repeat(served, call(), kept) : reply;
}

/** The body of a request where it asks what was answered before; else it is read later. */
async function questionIn(
  served: Served,
  { headers, url, body }: IncomingRequest,
): Promise<Uint8Array | undefined> {
  const longest = longestQuestion(served, url.pathname, headers);
  if (longest === undefined || body.length === undefined || !(body.length <= longest))
    return undefined;
  try {
    return await body.read(longest, "");
  } catch {
    // whoever reads it again is told why it cannot be read
    return undefined;
  }
}

/** Each look at a platform's request crosses into the platform, so that each is taken once. */
function incomingOf(request: Request, url: RequestUrl): IncomingRequest {
  const { method, headers } = request;
  const length = announcedLength(request, headers);
  return {
    method,
    headers,
    url,
    body: { length, read: (limit, told) => readBody(request, length, limit, told) },
  };
}

function callOf(
  { api }: Served,
  { method, headers, url, body }: IncomingRequest,
  { identity, peer }: RespondOptions,
  question: Uint8Array | undefined,
): Call {
  const head = method === "HEAD";
  const header: HeaderFields["get"] = (name) => headers.get(name);
  const credentials = api.credentials(header);
  return {
    method: methodOf(api, head ? "GET" : method),
    head,
    path: url.pathname,
    origin: url.origin,
    query: url.searchParams,
    header,
    body: question ?? noBody,
    ...credentials,
    ...(identity && credentials.token === undefined ? { identity } : {}),
    ...(peer ? { peer } : {}),
    ...(head || method === "GET" || question ? {} : { unread: body }),
  };
}
const methodOf = ({ methods }: Served["api"], method: string): string =>
  (Object.hasOwn(methods, method) ? methods[method] : undefined) ?? "";

function bodyInit(body: OutgoingResponse["body"], stream: HttpOptions["stream"]): BodyInit | null {
  if (body === null || body instanceof ReadableStream) return body;
  if (stream && body.length >= largeBody)
    return stream(typeof body === "string" ? utf8(body) : body);
  // a body is bytes of our own buffers, never shared memory
  return body as BodyInit;
}
