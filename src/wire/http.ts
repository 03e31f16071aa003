import { concat, utf8 } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import { type RequestUrl, parseRequestUrl } from "../base/request-url.ts";
import type { Identity } from "../engine/identity.ts";
import type { CorsAllowance, Cors, ServedApi } from "./api.ts";
import type { Call, HeaderFields, IncomingRequest, OutgoingResponse, Peer, Reply } from "./call.ts";
import { dispatch, repeat } from "./dispatch.ts";
import { type CachedReply, cachedReply, maxQuestionLength } from "./reply-cache.ts";

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
  served: ServedApi,
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
  served: ServedApi,
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
    (method === "GET" || question) &&
    url.search === "" &&
    !served.api.isRateLimited?.(served.deployment);
  const kept = isPlain ? cachedReply(served, url.pathname, headers, question) : undefined;
  const reply = await replyTo(served, kept, () => callOf(served, request, options, question));
  return {
    status: reply.status,
    headers: fieldsOf(reply, cors, url.protocol === "https:"),
    body: method === "HEAD" ? null : (reply.stream ?? reply.body),
  };
}

/** A kept reply needs no call, unless somebody listens. */
function replyTo(
  served: ServedApi,
  kept: CachedReply | undefined,
  call: () => Call,
): Reply | Promise<Reply> {
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
  served: ServedApi,
  { headers, url, body }: IncomingRequest,
): Promise<Uint8Array | undefined> {
  const maxLength = maxQuestionLength(served, url.pathname, headers);
  if (maxLength === undefined || body.length === undefined || !(body.length <= maxLength))
    return undefined;
  try {
    return await body.read(maxLength, "");
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
  { api }: ServedApi,
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
const methodOf = ({ methods }: ServedApi["api"], method: string): string =>
  (Object.hasOwn(methods, method) ? methods[method] : undefined) ?? "";

function bodyInit(body: OutgoingResponse["body"], stream: HttpOptions["stream"]): BodyInit | null {
  if (body === null || body instanceof ReadableStream) return body;
  if (stream && body.length >= largeBody)
    return stream(typeof body === "string" ? utf8(body) : body);
  // a body is bytes of our own buffers, never shared memory
  return body as BodyInit;
}

type Named = Readonly<Record<string, string>>;

/** Replies without anything of their own share their headers, over TLS and without. */
const sharedFields = new WeakMap<Named, Map<boolean, Named>>();

/** The header fields of a response; `secure`: it goes over TLS. */
export function fieldsOf({ headers: own }: Reply, cors: Named, secure: boolean): Named {
  const isShared = cors === noCors && Object.isFrozen(own);
  const shared = isShared ? (sharedFields.get(own) ?? new Map<boolean, Named>()) : undefined;
  const known = shared?.get(secure);
  if (known) return known;
  const fields = {
    ...own,
    "x-content-type-options": "nosniff",
    ...(secure ? { "strict-transport-security": "max-age=31536000" } : {}),
    ...cors,
  };
  if (!shared) return fields;
  sharedFields.set(own, shared.set(secure, Object.freeze(fields)));
  return fields;
}

/** By the fields that many responses share. */
const sharedHeaders = new WeakMap<Named, Headers>();
/**
 * The header fields as the platform takes them. Measured in Workers, making four of them costs more
 * than the body.
 */
function platformHeaders(fields: Named): Headers {
  if (!Object.isFrozen(fields)) return new Headers(fields);
  const known = sharedHeaders.get(fields) ?? new Headers(fields);
  sharedHeaders.set(fields, known);
  return known;
}

const noCors: Named = {};
/**
 * CORS for the origins that are allowed, without credentials: also where all are, what a page may
 * call is what its token may. Per request: nothing of one caller may answer another.
 */
function corsHeaders(
  { methods, headers, exposed }: Cors,
  asked: HeaderFields,
  { origins, headers: more, varies }: CorsAllowance & { readonly varies?: boolean },
): Named {
  if (origins.length === 0 && !varies) return noCors;
  const all = origins.includes("*");
  const origin = asked.get("origin");
  // a cache that kept the answer to one origin must not give it to another
  if (origin === null || !(all || origins.includes(origin))) return { vary: "Origin" };
  return {
    "access-control-allow-origin": all ? "*" : origin,
    "access-control-allow-methods": methods,
    "access-control-allow-headers": [headers, ...more].join(", "),
    "access-control-expose-headers": exposed,
    "access-control-max-age": "600",
    vary: "Origin",
  };
}

/** What the host says of requests. */
interface Host {
  readonly allowedOrigins?: readonly string[];
  readonly identity?: Identity | undefined;
}
/**
 * What is allowed to the page that asks: what the host says, and what is stored. Where calls
 * without a token have an identity nothing is stored for others.
 */
async function allowedTo(
  { api, deployment, origins = api }: ServedApi,
  asked: HeaderFields,
  { allowedOrigins = [], identity }: Host,
): Promise<Parameters<typeof corsHeaders>[2]> {
  const given = { origins: allowedOrigins, headers: [] };
  if (!origins.allowed || identity) return given;
  // nobody else needs to wait for it: a cache is told all the same that there may be others
  if (!asked.has("origin")) return { ...given, varies: origins.allows?.(deployment) === true };
  // where it cannot be read nothing is allowed
  const stored = await origins.allowed(deployment).catch(() => undefined);
  if (!stored || stored.origins.length === 0) return given;
  return { origins: [...allowedOrigins, ...stored.origins], headers: stored.headers };
}

/**
 * `null` where a request has no body, `undefined` where the platform does not say: Firefox has no
 * `Request.prototype.body`.
 */
const streamOf = (request: Request): ReadableStream<Uint8Array> | null | undefined => request.body;

/**
 * Length of a request's body as it was announced, 0 where there is none; undefined where only
 * reading it will tell.
 */
function announcedLength(request: Request, headers: Headers): number | undefined {
  const announced = headers.get("content-length");
  if (announced !== null) return Number(announced);
  return streamOf(request) === null ? 0 : undefined;
}

/**
 * The bytes of a request's body, however it is framed. `length`: as it was announced. Throws
 * `too_large` with `told` when there are more than `limit`.
 */
export async function readBody(
  request: Request,
  length: number | undefined,
  limit: number,
  told: string,
): Promise<Uint8Array> {
  const tooLarge = () => new CaError("too_large", told);
  if (length !== undefined && length > limit) throw tooLarge();
  // what is announced is bounded by the server's framing; measured on Workers: asking for the
  // stream costs half as much as the whole of an empty request
  const stream = length === undefined ? streamOf(request) : undefined;
  if (!stream) {
    const bytes = new Uint8Array(await request.arrayBuffer());
    if (bytes.length > limit) throw tooLarge();
    return bytes;
  }
  const parts: Uint8Array[] = [];
  let taken = 0;
  const reader = stream.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    taken += part.value.length;
    if (taken > limit) {
      // the rest is of no use to anyone; whether the sender hears of it does not matter
      reader.cancel().catch(() => undefined);
      throw tooLarge();
    }
    parts.push(part.value);
  }
  return parts.length === 1 && parts[0] ? parts[0] : concat(parts);
}
