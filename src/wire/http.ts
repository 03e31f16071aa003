import { CaError } from "../base/errors.ts";
import type { System } from "../system.ts";
import { readToken } from "./dialect.ts";
import { refuseOutside } from "./dispatch.ts";
import type { Call, Reply } from "./endpoint.ts";

/** Settings of the HTTP side. */
export interface HttpOptions {
  /** Origins that browsers may call from; none by default, and never with credentials. */
  readonly allowedOrigins?: readonly string[];
  /** Calls without a token are made with this identity: the page's own service worker, never a network server. */
  readonly identity?: Call["identity"];
}

/** 8 MiB of JSON (decisions.md section 3). */
const maxBody = 8 * 1024 * 1024;
const methods: Readonly<Record<string, string>> = { GET: "GET", HEAD: "GET", POST: "POST", PUT: "POST", PATCH: "PATCH", DELETE: "DELETE", LIST: "LIST" };
const truths: Readonly<Record<string, boolean>> = {
  "1": true, t: true, T: true, true: true, TRUE: true, True: true, "0": false, f: false, F: false, false: false, FALSE: false, False: false,
};

/** Answers a request below `/v1`: normalises method and path once, so that no spelling meets a different rule (platform details 9.1). */
export async function serveHttp(system: System, request: Request, options: HttpOptions = {}): Promise<Response> {
  const url = new URL(request.url);
  const cors = corsHeaders(request, options.allowedOrigins ?? []);
  if (request.method === "OPTIONS") return new Response(null, { status: cors ? 204 : 403, headers: cors ?? {} });
  const header = (name: string) => request.headers.get(name);
  const { token, dialect } = readToken(header);
  const call = { method: methods[request.method] ?? request.method, path: url.pathname, query: url.searchParams, header, body: new Uint8Array(0), token, dialect };
  let reply: Reply;
  try {
    const body = await readBody(request);
    reply = await system.call(normalise({ ...call, body, ...(options.identity && token === undefined ? { identity: options.identity } : {}) }));
  } catch (error) {
    reply = refuseOutside(error, call);
  }
  return toResponse(reply, request, cors, url);
}

function toResponse(reply: Reply, request: Request, cors: Readonly<Record<string, string>> | undefined, url: URL): Response {
  const headers: Record<string, string> = { ...reply.headers, "x-content-type-options": "nosniff", ...cors };
  const namespace = request.headers.get("x-vault-namespace");
  if (namespace === "") headers["x-vault-namespace"] = "";
  if (url.protocol === "https:") headers["strict-transport-security"] = "max-age=31536000; includeSubDomains";
  // a body is bytes of our own buffers, never shared memory
  return new Response(request.method === "HEAD" ? null : (reply.body as BodyInit | null), { status: reply.status, headers });
}

/** The call as dispatch wants it, or a refusal: method, listing, path and namespace. */
function normalise(call: Call): Call {
  const path = checkPath(call.path);
  const namespace = call.header("x-vault-namespace") || call.header("x-service-namespace");
  if (namespace) throw new CaError("no_route", `no handler for route "${namespace.slice(0, 128)}${path}". route entry not found.`);
  const listing = isListing(call);
  const method = listing ? "LIST" : call.method;
  if (!Object.values(methods).includes(method)) throw new CaError("unsupported_operation", "");
  if ((method === "POST" || method === "PATCH") && path.endsWith("/")) throw new CaError("malformed", "cannot write to a path ending in '/'");
  return { ...call, method, path: path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path };
}

/** LIST itself, `?list=true` or the override header on GET (decisions.md section 3). */
function isListing(call: Call): boolean {
  if (call.method === "LIST") return true;
  const list = call.query.get("list");
  const wanted = list === null ? false : Object.hasOwn(truths, list) ? truths[list] : undefined;
  if (wanted === undefined) throw new CaError("malformed", `the query value list=${list?.slice(0, 32)} is not a boolean`);
  return call.method === "GET" && (wanted || call.header("x-http-method-override")?.toUpperCase() === "LIST");
}

/** Refuses paths that a policy and a router could read differently: `//`, dot segments, encoded slashes, control characters, bad escapes. OCSP GET is exempt. */
function checkPath(path: string): string {
  if (/\/(?:unified-)?ocsp\//.test(path)) return path;
  const refuse = (why: string): never => {
    throw new CaError("malformed", `the path is refused: ${why}`);
  };
  if (path.includes("//")) refuse("it has an empty segment");
  if (/%(?![0-9A-Fa-f]{2})/.test(path)) refuse("it has a malformed escape");
  if (/%2f|%5c|%00|[\\;]/i.test(path)) refuse("it has a character that separates segments");
  let decoded = "";
  try {
    decoded = decodeURIComponent(path);
  } catch {
    refuse("its escapes are not UTF-8");
  }
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(decoded)) refuse("it has a control character");
  if (decoded.split("/").some((segment) => segment === "." || segment === "..")) refuse("it has a dot segment");
  return path;
}

async function readBody(request: Request): Promise<Uint8Array> {
  if (request.method === "GET" || request.method === "HEAD" || request.method === "DELETE" || !request.body) return new Uint8Array(0);
  const tooLarge = () => new CaError("too_large", "http: request body too large");
  const announced = Number(request.headers.get("content-length") ?? "0");
  if (announced > maxBody) throw tooLarge();
  if (request.headers.has("content-length")) return new Uint8Array(await request.arrayBuffer());
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of request.body) {
    length += part.length;
    if (length > maxBody) throw tooLarge();
    parts.push(part);
  }
  return new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
}

/** CORS for the origins that the deployment names, without credentials. Per request: nothing of one caller may answer another. */
function corsHeaders(request: Request, allowed: readonly string[]): Readonly<Record<string, string>> | undefined {
  const origin = request.headers.get("origin");
  if (origin === null || !allowed.includes(origin)) return undefined;
  return {
    "access-control-allow-origin": origin,
    "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
    "access-control-allow-headers": "Content-Type, X-Service-Token, X-Vault-Token, Authorization, X-Http-Method-Override, X-Vault-Request",
    "access-control-max-age": "600",
    vary: "Origin",
  };
}
