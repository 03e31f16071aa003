import { addressOf, type Address } from "../base/address.ts";
import { utf8 } from "../base/bytes.ts";
import type { Served } from "./api.ts";
import { announcedLength, readBody } from "./body.ts";
import type { Call, Peer, Reply } from "./call.ts";
import { allowedTo, corsHeaders, headersOf } from "./headers.ts";
import { dispatch, repeat } from "./dispatch.ts";
import { keptReply, longestQuestion, type Kept } from "./kept.ts";

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
  readonly url?: Address;
  /** Who is at the other end of the connection, as the platform says; no header is believed. */
  readonly peer?: Peer;
  /** How large bodies are sent where the platform keeps a copy of an array that it is given. */
  readonly stream?: (bytes: Uint8Array) => ReadableStream<Uint8Array>;
}

/** Bodies from this size on are streamed where the platform asks for it: 64 KiB. */
const largeBody = 64 * 1024;
const noBody = new Uint8Array(0);

/** Answers a request to an API. Never throws. */
export async function serveHttp(
  served: Served,
  request: Request,
  options: HttpOptions = {},
): Promise<Response> {
  const asked = readRequest(request, options);
  const { method, headers, url } = asked;
  const cors = corsHeaders(served.api.cors, headers, await allowedTo(served, headers, options));
  // without an origin nobody asks for leave: then it is a method like any other
  if (method === "OPTIONS" && headers.has("origin"))
    return new Response(null, {
      status: "access-control-allow-origin" in cors ? 204 : 403,
      headers: cors,
    });
  const question = method === "POST" ? await questionIn(served, asked) : undefined;
  const isPlain =
    (method === "GET" || question) && url.search === "" && !served.api.counts?.(served.deployment);
  const kept = isPlain ? keptReply(served, url.pathname, headers, question) : undefined;
  const reply = await replyTo(served, kept, () => callOf(served, asked, options, question));
  const body = method === "HEAD" ? null : bodyOf(reply, options);
  return new Response(body, {
    status: reply.status,
    headers: headersOf(reply, cors, url.protocol === "https:"),
    // Workers would compress it once more
    ...(reply.headers["content-encoding"] ? { encodeBody: "manual" } : {}),
  });
}

/** A kept reply needs no call, unless somebody listens. */
function replyTo(served: Served, kept: Kept | undefined, call: () => Call): Reply | Promise<Reply> {
  if (!kept) return dispatch(served, call());
  return served.deployment.ports.log ? repeat(served, call(), kept) : kept.reply;
}

/** The body of a request where it asks what was answered before; else it is read later. */
async function questionIn(
  served: Served,
  { request, headers, url }: Asked,
): Promise<Uint8Array | undefined> {
  const longest = longestQuestion(served, url.pathname, headers);
  const length = longest === undefined ? undefined : announcedLength(request, headers);
  if (longest === undefined || length === undefined || !(length <= longest)) return undefined;
  try {
    return await readBody(request, length, longest, "");
  } catch {
    // whoever reads it again is told why it cannot be read
    return undefined;
  }
}

/** What is read of a request, once: each look at one crosses into the platform. */
interface Asked {
  readonly request: Request;
  readonly method: string;
  readonly headers: Headers;
  readonly url: Address;
}
function readRequest(request: Request, { url }: HttpOptions): Asked {
  const { method, headers } = request;
  return { request, method, headers, url: url ?? addressOf(request.url) };
}

function callOf(
  { api }: Served,
  { request, method, headers, url }: Asked,
  { identity, peer }: HttpOptions,
  question: Uint8Array | undefined,
): Call {
  const head = method === "HEAD";
  const header = (name: string) => headers.get(name);
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
    ...(head || method === "GET" || question ? {} : { unread: unreadOf(request, headers) }),
  };
}
const methodOf = ({ methods }: Served["api"], method: string): string =>
  (Object.hasOwn(methods, method) ? methods[method] : undefined) ?? "";
function unreadOf(request: Request, headers: Headers): NonNullable<Call["unread"]> {
  const length = announcedLength(request, headers);
  return { length, read: (limit, told) => readBody(request, length, limit, told) };
}

function bodyOf({ body, stream: own }: Reply, { stream }: HttpOptions): BodyInit | null {
  if (own) return own;
  if (stream && body !== null && body.length >= largeBody)
    return stream(typeof body === "string" ? utf8(body) : body);
  // a body is bytes of our own buffers, never shared memory
  return body as BodyInit | null;
}
