import { concat, utf8 } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import { type RequestUrl, parseRequestUrl } from "../base/request-url.ts";
import type { Identity } from "../engine/identity.ts";
import type { CorsAllowance, Cors, ServedApi } from "./api.ts";
import type { Call, HeaderFields, IncomingRequest, OutgoingResponse, Peer, Reply } from "./call.ts";
import { dispatch, repeat } from "./dispatch.ts";
import { type CachedReply, cachedReply, maxQuestionLength } from "./reply-cache.ts";

/** Options of a response that do not depend on how the host reads requests. */
export interface RespondOptions {
  /** Origins allowed by CORS; none by default, and never with credentials. */
  readonly allowedOrigins?: readonly string[];
  /**
   * Identity of calls without a token; for a page's own service worker, never for a network server.
   */
  readonly identity?: Call["identity"];
  /** The client end of the connection as reported by the platform; headers are not trusted. */
  readonly peer?: Peer;
}
/** Options of HTTP requests. */
export interface HttpOptions extends RespondOptions {
  /** The parsed URL of the request, if available. */
  readonly url?: RequestUrl;
  /** Streams large bodies, for platforms that would copy an array. */
  readonly stream?: (bytes: Uint8Array) => ReadableStream<Uint8Array>;
}

/** Size in bytes from which bodies are streamed, if the platform requests it: 64 KiB. */
const largeBody = 64 * 1024;
const noBody = new Uint8Array(0);

/** Responds to a platform request. Never rejects. */
export async function serveHttp(
  served: ServedApi,
  request: Request,
  { url = parseRequestUrl(request.url), stream, ...options }: HttpOptions = {},
): Promise<Response> {
  const { status, headers, body } = await respond(served, incomingOf(request, url), options);
  return new Response(bodyInit(body, stream), {
    status,
    headers: platformHeaders(headers),
    // otherwise Workers would compress it again
    ...(headers["content-encoding"] ? { encodeBody: "manual" } : {}),
  });
}

/** Responds to a request as plain data. Never rejects. */
export async function respond(
  served: ServedApi,
  request: IncomingRequest,
  options: RespondOptions = {},
): Promise<OutgoingResponse> {
  const { method, headers, url } = request;
  const behind = served.deployment.catchUp();
  if (behind) await behind;
  const pending = allowedTo(served, headers, options);
  const allowed = pending instanceof Promise ? await pending : pending;
  const cors =
    allowed.origins.length > 0 || allowed.varies
      ? corsHeaders(served.api.cors, headers, allowed)
      : noCors;
  // without an origin this is not a preflight request, and OPTIONS is a method like any other
  if (method === "OPTIONS" && headers.has("origin"))
    return { status: "access-control-allow-origin" in cors ? 204 : 403, headers: cors, body: null };
  const question = method === "POST" ? await questionIn(served, request) : undefined;
  const isPlain =
    (method === "GET" || question) &&
    url.search === "" &&
    !served.api.isRateLimited?.(served.deployment);
  const cached = isPlain ? cachedReply(served, url.pathname, headers, question) : undefined;
  const reply = cached
    ? repeatReply(served, cached, () => callOf(served, request, options, question))
    : await dispatch(served, callOf(served, request, options, question));
  return {
    status: reply.status,
    headers: fieldsOf(reply, cors, url.protocol === "https:"),
    body: method === "HEAD" ? null : (reply.stream ?? reply.body),
  };
}

/** Counts and logs a call that is answered from the cache. */
function repeatReply(served: ServedApi, cached: CachedReply, call: () => Call): Reply {
  const { log, logFrom = 0, meter } = served.deployment.ports;
  const { reply, endpoint } = cached;
  if (meter) {
    meter.request({ endpoint: endpoint.id, status: reply.status, ms: 0 });
    reply.count?.(meter);
  }
  return log && reply.status >= logFrom ? repeat(served, call(), cached) : reply;
}

/** Reads the body if the cache may have a reply for it; otherwise returns undefined. */
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
    // reading it again reports the error
    return undefined;
  }
}

/**
 * Converts a platform request, reading each property once, because each access crosses into the
 * platform.
 */
function incomingOf(request: Request, url: RequestUrl): IncomingRequest {
  const { method, headers } = request;
  // the body of a read is ignored
  const length = method === "GET" || method === "HEAD" ? 0 : announcedLength(request, headers);
  return {
    method,
    headers,
    url,
    body: { length, read: (limit, message) => readBody(request, length, limit, message) },
  };
}

function callOf(
  { api }: ServedApi,
  { method, headers, url, body }: IncomingRequest,
  { identity, peer }: RespondOptions,
  question: Uint8Array | undefined,
): Call {
  const head = method === "HEAD";
  const { methods } = api;
  const verb = head ? "GET" : method;
  const credentials = api.credentials(headers);
  return {
    method: (Object.hasOwn(methods, verb) ? methods[verb] : undefined) ?? "",
    head,
    path: url.pathname,
    origin: url.origin,
    query: url.searchParams,
    headers,
    body: question ?? noBody,
    ...credentials,
    ...(identity && credentials.token === undefined ? { identity } : {}),
    ...(peer ? { peer } : {}),
    ...(head || method === "GET" || question ? {} : { unread: body }),
  };
}

function bodyInit(body: OutgoingResponse["body"], stream: HttpOptions["stream"]): BodyInit | null {
  if (body === null || body instanceof ReadableStream) return body;
  if (stream && body.length >= largeBody)
    return stream(typeof body === "string" ? utf8(body) : body);
  // a body consists of bytes in our own buffers, never in shared memory
  return body as BodyInit;
}

type Named = Readonly<Record<string, string>>;

/** Header fields of replies that share their headers, with TLS and without. */
const sharedFields = new WeakMap<Named, Map<boolean, Named>>();

/** Returns the header fields of a response; `secure`: over TLS. */
function fieldsOf({ headers: own }: Reply, cors: Named, secure: boolean): Named {
  const isShared = cors === noCors && Object.isFrozen(own);
  const shared = isShared ? (sharedFields.get(own) ?? new Map<boolean, Named>()) : undefined;
  const cached = shared?.get(secure);
  if (cached) return cached;
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

/** Cached by header fields, which many responses share. */
const sharedHeaders = new WeakMap<Named, Headers>();
/**
 * Returns the header fields as platform headers, because, as measured in Workers, creating four
 * headers costs more than the body.
 */
function platformHeaders(fields: Named): Headers {
  if (!Object.isFrozen(fields)) return new Headers(fields);
  const cached = sharedHeaders.get(fields) ?? new Headers(fields);
  sharedHeaders.set(fields, cached);
  return cached;
}

const noCors: Named = {};
/** `varies`: whether other origins may be allowed. */
interface AllowedOrigins extends CorsAllowance {
  readonly varies?: boolean;
}
/**
 * Returns CORS headers for allowed origins, without credentials: even if all origins are allowed, a
 * page can only do what its token permits. Computed per request, so that a reply for one origin is
 * never used for another.
 */
function corsHeaders(
  { methods, headers, exposed }: Cors,
  requested: HeaderFields,
  { origins, headers: more }: AllowedOrigins,
): Named {
  const all = origins.includes("*");
  const origin = requested.get("origin");
  // a cache must not use a reply for one origin for another
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

/** The CORS settings of the host. */
interface Host {
  readonly allowedOrigins?: readonly string[];
  readonly identity?: Identity | undefined;
}
/**
 * Returns the CORS settings for a request: those of the host, and stored ones. If anonymous calls
 * have an identity, stored settings do not apply.
 */
function allowedTo(
  { api, deployment, origins = api }: ServedApi,
  requested: HeaderFields,
  { allowedOrigins = [], identity }: Host,
): Promise<AllowedOrigins> | AllowedOrigins {
  if (!origins.allowed || identity) return { origins: allowedOrigins, headers: [] };
  // other requests need not wait; Vary tells caches that replies may differ
  return requested.has("origin")
    ? withStored(allowedOrigins, origins.allowed(deployment))
    : { origins: allowedOrigins, headers: [], varies: origins.allows?.(deployment) === true };
}
async function withStored(
  configured: readonly string[],
  stored: Promise<CorsAllowance>,
): Promise<AllowedOrigins> {
  // if the settings cannot be read, nothing is allowed
  const { origins = [], headers = [] } = await stored.catch((): Partial<CorsAllowance> => ({}));
  return { origins: [...configured, ...origins], headers: origins.length === 0 ? [] : headers };
}

/** A request's stream: `null` without a body, `undefined` if unsupported (Firefox has none). */
type RequestStream = ReadableStream<Uint8Array> | null | undefined;

/** Returns the declared length of a body, 0 without one; undefined if unknown. */
function announcedLength(request: Request, headers: Headers): number | undefined {
  const announced = headers.get("content-length");
  if (announced !== null) return Number(announced);
  return request.body === null ? 0 : undefined;
}

/**
 * Reads the body of a request, however it is framed. `length`: as declared. Throws `too_large` with
 * the message `message` above `limit` bytes.
 */
async function readBody(
  request: Request,
  length: number | undefined,
  limit: number,
  message: string,
): Promise<Uint8Array> {
  const tooLarge = () => new CaError("too_large", message);
  if (length !== undefined && length > limit) throw tooLarge();
  // the server's framing enforces the declared length; on Workers, accessing the stream costs half
  // as much as a whole empty request
  const stream: RequestStream = length === undefined ? request.body : undefined;
  if (!stream) {
    const bytes = new Uint8Array(await request.arrayBuffer());
    if (bytes.length > limit) throw tooLarge();
    return bytes;
  }
  const parts: Uint8Array[] = [];
  let total = 0;
  const reader = stream.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    total += part.value.length;
    if (total > limit) {
      // the rest is not needed, and it does not matter whether the sender notices
      reader.cancel().catch(() => undefined);
      throw tooLarge();
    }
    parts.push(part.value);
  }
  return parts.length === 1 && parts[0] ? parts[0] : concat(parts);
}
