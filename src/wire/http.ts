import { concat, utf8 } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import { type RequestUrl, parseRequestUrl } from "../base/request-url.ts";
import type { Identity } from "../engine/identity.ts";
import type { CorsAllowance, Cors, ServedApi } from "./api.ts";
import type { Call, HeaderFields, IncomingRequest, OutgoingResponse, Peer, Reply } from "./call.ts";
import { dispatch, repeat } from "./dispatch.ts";
import { type CachedReply, cachedReply, maxQuestionLength } from "./reply-cache.ts";

/** Response options that are the same for every host. */
export interface RespondOptions {
  /** Origins that CORS allows, always without credentials. None by default. */
  readonly allowedOrigins?: readonly string[];
  /**
   * Identity of calls without a token. Only the service worker of a page may set it, never a
   * network server.
   */
  readonly identity?: Call["identity"];
  /** The client side of the connection, as reported by the platform and never by a header. */
  readonly peer?: Peer;
}
/** Options for responding to an HTTP request. */
export interface HttpOptions extends RespondOptions {
  /** The URL of the request, if it has already been parsed. */
  readonly url?: RequestUrl;
  /** Converts a large body to a stream, for platforms that would copy an array. */
  readonly stream?: (bytes: Uint8Array) => ReadableStream<Uint8Array>;
}

/**
 * Minimum size in bytes of a body that is streamed, if the platform has a `stream` option: 64 KiB.
 */
const largeBody = 64 * 1024;
const noBody = new Uint8Array(0);

/** Responds to a `Request` with a `Response`. Never rejects. */
export async function serveHttp(
  served: ServedApi,
  request: Request,
  { url = parseRequestUrl(request.url), stream, ...options }: HttpOptions = {},
): Promise<Response> {
  const { status, headers, body } = await respond(served, incomingOf(request, url), options);
  return new Response(bodyInit(body, stream), {
    status,
    headers: platformHeaders(headers),
    // without this, Workers would compress the body again
    ...(headers["content-encoding"] ? { encodeBody: "manual" } : {}),
  });
}

/** Responds to a request given as plain data. Never rejects. */
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
  // without an Origin header, this is not a preflight request, and OPTIONS has no special meaning
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

/** Counts a call for which a cached response is sent, and logs it if required. */
function repeatReply(served: ServedApi, cached: CachedReply, call: () => Call): Reply {
  const { log, logFrom = 0, meter } = served.deployment.ports;
  const { reply, endpoint } = cached;
  if (meter) {
    meter.request({ endpoint: endpoint.id, status: reply.status, ms: 0 });
    reply.count?.(meter);
  }
  return log && reply.status >= logFrom ? repeat(served, call(), cached) : reply;
}

/** Reads the body if the cache may have a response to it. Returns undefined otherwise. */
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
    // the error is reported when the body is read again
    return undefined;
  }
}

/**
 * Converts a `Request` to plain data. Reads each property only once, because each access is a call
 * into the platform.
 */
function incomingOf(request: Request, url: RequestUrl): IncomingRequest {
  const { method, headers } = request;
  // the bodies of reads are ignored
  const announced = method === "GET" || method === "HEAD" ? 0 : headers.get("content-length");
  const isAbsent = announced === null && request.body === null;
  const length = isAbsent ? 0 : announced === null ? undefined : Number(announced);
  const read: IncomingRequest["body"]["read"] = async (limit, message) => {
    const tooLarge = () => new CaError("too_large", message);
    if (length !== undefined && length > limit) throw tooLarge();
    // the platform enforces a declared length; on Workers, merely accessing the stream costs half
    // as much as a whole request without a body
    const stream: RequestStream = length === undefined ? request.body : undefined;
    if (stream) return readStream(stream, limit, tooLarge);
    const bytes = new Uint8Array(await request.arrayBuffer());
    if (bytes.length > limit) throw tooLarge();
    return bytes;
  };
  return { method, headers, url, body: { length, read } };
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
  // the bytes are in buffers of this library, never in shared memory
  return body as BodyInit;
}

type Named = Readonly<Record<string, string>>;

/**
 * Cached response header fields, by the headers that responses share and by whether the connection
 * uses TLS.
 */
const sharedFields = new WeakMap<Named, Map<boolean, Named>>();

/** Returns the header fields of a response. `secure` is true if the connection uses TLS. */
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

/** Platform headers by the header fields that many responses share. */
const sharedHeaders = new WeakMap<Named, Headers>();
/**
 * Returns header fields as platform headers. Caches them if the fields are shared, because in
 * Workers, creating four headers was measured to cost more than the body.
 */
function platformHeaders(fields: Named): Headers {
  if (!Object.isFrozen(fields)) return new Headers(fields);
  const cached = sharedHeaders.get(fields) ?? new Headers(fields);
  sharedHeaders.set(fields, cached);
  return cached;
}

const noCors: Named = {};
/** The allowed origins and headers. `varies` is true if responses may differ between origins. */
interface AllowedOrigins extends CorsAllowance {
  readonly varies?: boolean;
}
/**
 * Returns the CORS headers of a response. Credentials are never allowed: even if all origins are, a
 * page can only do what its token permits. The headers are computed for each request, so that a
 * response for one origin is never used for another.
 */
function corsHeaders(
  { methods, headers, exposed }: Cors,
  requested: HeaderFields,
  { origins, headers: more }: AllowedOrigins,
): Named {
  const all = origins.includes("*");
  const origin = requested.get("origin");
  // a cache must not use a response for one origin for another
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
 * Returns the CORS settings for a request, which combine those of the host and the stored settings.
 * Stored settings do not apply if calls without a token have an identity.
 */
function allowedTo(
  { api, deployment, origins = api }: ServedApi,
  requested: HeaderFields,
  { allowedOrigins = [], identity }: Host,
): Promise<AllowedOrigins> | AllowedOrigins {
  if (!origins.allowed || identity) return { origins: allowedOrigins, headers: [] };
  // requests without an Origin header need not wait; Vary tells caches that responses may differ
  return requested.has("origin")
    ? withStored(allowedOrigins, origins.allowed(deployment))
    : { origins: allowedOrigins, headers: [], varies: origins.allows?.(deployment) === true };
}
async function withStored(
  configured: readonly string[],
  stored: Promise<CorsAllowance>,
): Promise<AllowedOrigins> {
  // if the stored settings cannot be read, they allow nothing
  const { origins = [], headers = [] } = await stored.catch((): Partial<CorsAllowance> => ({}));
  return { origins: [...configured, ...origins], headers: origins.length === 0 ? [] : headers };
}

/**
 * The body stream of a request. It is null if there is no body, and undefined if the platform does
 * not support request streams, as in Firefox.
 */
type RequestStream = ReadableStream<Uint8Array> | null | undefined;

/** Reads a stream. Throws the error that `tooLarge` creates if it has more than `limit` bytes. */
async function readStream(
  stream: ReadableStream<Uint8Array>,
  limit: number,
  tooLarge: () => CaError,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let total = 0;
  const reader = stream.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    total += part.value.length;
    if (total > limit) {
      // the rest of the body is not needed, and a failure to cancel does not matter
      reader.cancel().catch(() => undefined);
      throw tooLarge();
    }
    parts.push(part.value);
  }
  return parts.length === 1 && parts[0] ? parts[0] : concat(parts);
}
