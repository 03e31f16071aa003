import { utf8 } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import { isBodiless, readBody } from "./body.ts";
import { readToken } from "./dialect.ts";
import { refuseOutside } from "./dispatch.ts";
import type { Call, Reply } from "./endpoint.ts";
import type { Served } from "./serve.ts";
import { takesLists } from "./json.ts";

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
  /** How large bodies are sent where the platform keeps a copy of an array that it is given. */
  readonly stream?: (bytes: Uint8Array) => ReadableStream<Uint8Array>;
}

/** Bodies from this size on are streamed where the platform asks for it: 64 KiB. */
const largeBody = 64 * 1024;

/** 8 MiB of JSON, and more where whole lists come in (D 3). */
const maxBody = 8 * 1024 * 1024;
const maxListBody = 32 * 1024 * 1024;
/**
 * Of a caller who is not known yet: what open endpoints take is small, and nobody may fill the
 * memory before a token was looked at.
 */
const maxUnknownBody = 64 * 1024;
const methods = new Map([
  ["GET", "GET"],
  ["HEAD", "GET"],
  ["POST", "POST"],
  ["PUT", "POST"],
  ["PATCH", "PATCH"],
  ["DELETE", "DELETE"],
  ["LIST", "LIST"],
]);
/** What these send means nothing and is not read. */
const withoutBody = new Set(["GET", "HEAD", "DELETE"]);
const truths: Readonly<Record<string, boolean>> = {
  "1": true,
  t: true,
  T: true,
  true: true,
  TRUE: true,
  True: true,
  "0": false,
  f: false,
  F: false,
  false: false,
  FALSE: false,
  False: false,
};

/** Shared, because nothing that reads a query changes it. */
const noQuery = new URLSearchParams();

/**
 * Answers a request below `/v1`: normalises method and path once, so that no spelling meets a
 * different rule (P 9.1).
 */
export async function serveHttp(
  served: Served,
  request: Request,
  options: HttpOptions = {},
): Promise<Response> {
  const url = options.url ?? new URL(request.url);
  const cors = corsHeaders(request, options.allowedOrigins ?? []);
  if (request.method === "OPTIONS")
    return new Response(null, {
      status: "access-control-allow-origin" in cors ? 204 : 403,
      headers: cors,
    });
  const header = (name: string) => request.headers.get(name);
  const { token, dialect } = readToken(header);
  const call = {
    method: methods.get(request.method) ?? "",
    path: url.pathname,
    query: url.search === "" ? noQuery : url.searchParams,
    header,
    body: new Uint8Array(0),
    token,
    dialect,
    wrapTtl: wrapTtlOf(request),
  };
  let reply: Reply;
  try {
    const body = withoutBody.has(request.method)
      ? new Uint8Array(0)
      : await bodyOf(served, request, url.pathname, token, options);
    const identity = options.identity && token === undefined ? { identity: options.identity } : {};
    reply = await served.call({ ...call, ...addressOf(call), body, ...identity });
  } catch (error) {
    reply = refuseOutside(error, call, served.ports);
  }
  return toResponse(reply, request, cors, url, options);
}

async function bodyOf(
  served: Served,
  request: Request,
  path: string,
  token: string | undefined,
  options: HttpOptions,
): Promise<Uint8Array> {
  const limit = await limitOf(served, request, path, token, options);
  return readBody(
    request,
    limit,
    `http: request body too large${limit === maxUnknownBody ? ": bodies above 64 KiB need a valid token" : ""}`,
  );
}

/** How long the body may be. Short ones are read before it is known whose they are. */
async function limitOf(
  served: Served,
  request: Request,
  path: string,
  token: string | undefined,
  { identity }: HttpOptions,
): Promise<number> {
  const most = takesLists(path) ? maxListBody : maxBody;
  const announced = request.headers.get("content-length");
  if (announced === null ? isBodiless(request) : Number(announced) <= maxUnknownBody) return most;
  const caller = token ? await served.ports.authenticate(token) : identity;
  return caller ? most : maxUnknownBody;
}

/** The header for response wrapping; a reply without a body has nothing to wrap. */
function wrapTtlOf({ headers, method }: Request): string | undefined {
  const text = headers.get("x-service-wrap-ttl") || headers.get("x-vault-wrap-ttl");
  return text && method !== "HEAD" ? text : undefined;
}

function toResponse(
  reply: Reply,
  request: Request,
  cors: Readonly<Record<string, string>>,
  url: URL,
  { stream }: HttpOptions,
): Response {
  const headers = headersOf(
    reply,
    cors,
    request.headers.get("x-vault-namespace") === "",
    url.protocol === "https:",
  );
  const { body } = reply;
  if (stream && body !== null && body.length >= largeBody && request.method !== "HEAD")
    return new Response(stream(typeof body === "string" ? utf8(body) : body), {
      status: reply.status,
      headers,
    });
  // a body is bytes of our own buffers, never shared memory
  return new Response(request.method === "HEAD" ? null : (body as BodyInit | null), {
    status: reply.status,
    headers,
  });
}

/**
 * Replies without anything of their own share their headers: measured in Workers, making four of
 * them costs more than the body.
 */
const sharedHeaders = new WeakMap<Reply["headers"], Map<boolean, Headers>>();
function headersOf(
  reply: Reply,
  cors: Readonly<Record<string, string>>,
  echo: boolean,
  secure: boolean,
): Headers {
  const own = echo || cors !== noCors;
  const shared = own ? undefined : sharedHeaders.get(reply.headers);
  const known = shared?.get(secure);
  if (known) return known;
  const headers = new Headers({ ...reply.headers, "x-content-type-options": "nosniff", ...cors });
  if (echo) headers.set("x-vault-namespace", "");
  if (secure) headers.set("strict-transport-security", "max-age=31536000");
  if (shared) shared.set(secure, headers);
  else if (!own) sharedHeaders.set(reply.headers, new Map([[secure, headers]]));
  return headers;
}

/** What follows is base64, in which slashes come as they like (RFC 6960 appendix A.1). */
const beforeBase64 = /^.*?\/(?:unified-)?ocsp\//;

/** Method and path as dispatch wants them, or a refusal: listing, path and namespace. */
function addressOf(call: Call): Pick<Call, "method" | "path"> {
  const path = checkPath(call.path);
  const namespace = call.header("x-vault-namespace") || call.header("x-service-namespace");
  if (namespace)
    throw new CaError(
      "no_route",
      `no handler for route "${namespace.slice(0, 128)}${path}". route entry not found.`,
    );
  const listing = isListing(call);
  const method = listing ? "LIST" : call.method;
  if (method === "") throw new CaError("unsupported_operation", "");
  if ((method === "POST" || method === "PATCH") && path.endsWith("/"))
    throw new CaError("malformed", "cannot write to a path ending in '/'");
  return {
    method,
    path: path.endsWith("/") && !beforeBase64.test(path) ? path.slice(0, -1) : path,
  };
}

/** LIST itself, `?list=true` or the override header on GET (D 3). */
function isListing(call: Call): boolean {
  if (call.method === "LIST") return true;
  // the last one counts: a front that cannot pass the verb on adds its own
  const list = call.query.size === 0 ? "" : (call.query.getAll("list").at(-1) ?? "");
  const wanted = list === "" ? false : Object.hasOwn(truths, list) ? truths[list] : undefined;
  if (wanted === undefined)
    throw new CaError(
      "malformed",
      `invalid query value list=${list.slice(0, 32)}: use true or false`,
    );
  return (
    call.method === "GET" &&
    (wanted || call.header("x-http-method-override")?.toUpperCase() === "LIST")
  );
}

/**
 * Refuses paths that a policy and a router could read differently: `//`, dot segments, encoded
 * slashes, control characters, bad escapes.
 */
function checkPath(whole: string): string {
  // most paths have nothing in them that could be refused
  if (/^(?:\/[\w-]+)+\/?$/.test(whole)) return whole;
  const path = beforeBase64.exec(whole)?.[0] ?? whole;
  const refuse = (why: string): never => {
    throw new CaError("malformed", `invalid path: ${why}`);
  };
  if (path.includes("//")) refuse("empty segment");
  if (/%(?![0-9A-Fa-f]{2})/.test(path)) refuse("malformed percent-encoding");
  if (/%2f|%5c|%00|[\\;]/i.test(path)) refuse("separator other than /");
  let decoded = "";
  try {
    decoded = decodeURIComponent(path);
  } catch {
    refuse("percent-encoding that is not UTF-8");
  }
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(decoded)) refuse("control character");
  if (decoded.split("/").some((segment) => segment === "." || segment === ".."))
    refuse("dot segment");
  return whole;
}

const noCors: Readonly<Record<string, string>> = {};
/**
 * CORS for the origins that the deployment names, without credentials. Per request: nothing of one
 * caller may answer another.
 */
function corsHeaders(
  request: Request,
  allowed: readonly string[],
): Readonly<Record<string, string>> {
  if (allowed.length === 0) return noCors;
  const origin = request.headers.get("origin");
  // a cache that kept the answer to one origin must not give it to another
  if (origin === null || !allowed.includes(origin)) return { vary: "Origin" };
  return {
    "access-control-allow-origin": origin,
    "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
    "access-control-allow-headers":
      "Content-Type, X-Service-Token, X-Vault-Token, Authorization, X-Http-Method-Override, X-Vault-Request, X-Service-Wrap-TTL, X-Vault-Wrap-TTL",
    "access-control-expose-headers":
      "ETag, Last-Modified, Link, Location, Replay-Nonce, Retry-After",
    "access-control-max-age": "600",
    vary: "Origin",
  };
}
