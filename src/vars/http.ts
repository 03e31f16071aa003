import { CaError } from "../base/errors.ts";
import { networkOf } from "../base/network.ts";
import type { Deployment } from "../engine/deployment.ts";
import type { Identity } from "../engine/ports.ts";
import type { Resealed, SealedSecret } from "../engine/sealing.ts";
import type { Unit } from "../engine/unit.ts";
import { readBody } from "../wire/body.ts";
import { library } from "../wire/dialect.ts";
import { dispatch } from "../wire/dispatch.ts";
import type { Reply } from "../wire/endpoint.ts";
import type { HttpOptions } from "../wire/http.ts";
import { routerOf } from "../wire/route.ts";
import { vars, wellKnown } from "./api.ts";
import { isObject, type VarsCall } from "./jsonapi/document.ts";
import { notFound, tooMany, unauthorized } from "./jsonapi/fault.ts";
import { bodyOf } from "./jsonapi/pieces.ts";
import { bearerOf, installed, lossOf, type Bearer } from "./principal.ts";
import { limiterOf, type Limiter } from "./rate.ts";
import { resealVariables, sealedVariables } from "./variables/reseal.ts";
import { settingsOf } from "./rows/settings.ts";
import { deprecation, refuseDocument } from "./jsonapi/style.ts";

const base = "/api/v2";
const storeName = "vars";
/** 8 MiB (D 3); a value of 256 KiB may be written in escapes of six characters each. */
const largestBody = 8 * 1024 * 1024;
const methods = new Map([
  ["GET", "GET"],
  ["HEAD", "GET"],
  ["POST", "POST"],
  ["PATCH", "PATCH"],
  ["DELETE", "DELETE"],
]);
const apiVersion = { "tfp-api-version": "2.6" } as const;

const router = routerOf(vars);
const wellKnownRouter = routerOf(wellKnown);
const limiters = new WeakMap<Unit, Limiter>();

/** Seals the values of sensitive variables anew under the current sealing key. */
export const resealVars = (deployment: Deployment): Promise<Resealed> =>
  resealVariables(deployment.unit(storeName));
/** The sealed values of sensitive variables. */
export const secretsOfVars = (deployment: Deployment): AsyncIterable<SealedSecret> =>
  sealedVariables(deployment.unit(storeName));
/** What keeps the variables from their work, in one sentence. */
export const faultOfVars = (deployment: Deployment): Promise<string | undefined> =>
  lossOf(deployment.unit(storeName));
/** Says whether a path belongs to the variables API. */
export const isVarsPath = (path: string): boolean =>
  path === base || path.startsWith(`${base}/`) || path === "/.well-known/terraform.json";

/**
 * Answers a request to the variables API, which has its own users and tokens. A call without a
 * token may be made by the owner of this process (`options.identity`), as the first user.
 */
export async function serveVars(
  deployment: Deployment,
  request: Request,
  options: HttpOptions = {},
): Promise<Response> {
  const url = options.url ?? new URL(request.url);
  const cors = corsHeaders(request, options.allowedOrigins ?? []);
  // without an origin nobody asks for leave: then it is a method like any other
  if (request.method === "OPTIONS" && request.headers.has("origin"))
    return new Response(null, {
      status: "access-control-allow-origin" in cors ? 204 : 403,
      headers: cors,
    });
  const reply = await (url.pathname.startsWith(base)
    ? answer(deployment, request, url, options)
    : discover(deployment.unit(storeName), request, url));
  const secure =
    url.protocol === "https:" ? { "strict-transport-security": "max-age=31536000" } : {};
  const headers = { ...reply.headers, "x-content-type-options": "nosniff", ...secure, ...cors };
  // a body is text or bytes of our own, never shared memory
  return new Response(request.method === "HEAD" ? null : (reply.body as BodyInit | null), {
    status: reply.status,
    headers,
  });
}

/** A reply that may be sent while it is made. */
type Sent = Omit<Reply, "body"> & { readonly body: Reply["body"] | ReadableStream<Uint8Array> };

/** What clients look for outside the API. */
async function discover(ca: Unit, request: Request, url: URL): Promise<Reply> {
  const match = await wellKnownRouter(methods.get(request.method) ?? "", url.pathname).catch(
    () => undefined,
  );
  if (!match) return refuseDocument(notFound());
  return dispatch(
    { ca, router: async () => match, path: url.pathname, mount: storeName },
    callOf(ca, request, url),
  );
}

/** 401, 429, then whatever the path names (V 2.1). */
async function answer(
  deployment: Deployment,
  request: Request,
  url: URL,
  options: HttpOptions,
): Promise<Sent> {
  const ca = deployment.unit(storeName);
  const started = ca.ports.now();
  const path = url.pathname.slice(base.length).replace(/(?<=.)\/$/, "");
  const old = /^\/vars(?:\/|$)/.test(path) ? deprecation() : {};
  let limits: Readonly<Record<string, string>> = {};
  let reply: Sent;
  const failed = (error: unknown, status: number) =>
    logRefusal(ca, error, status, ca.ports.now() - started);
  try {
    await deployment.demandKey();
    const bearer = await bearerFrom(ca, request, options);
    // tokens of one user share one rate
    if (bearer !== "owner") {
      const allowance = limiterFor(ca)(bearer?.principal ?? addressFrom(request), started);
      limits = allowance.headers;
      if (!allowance.granted) throw tooMany();
    }
    if (bearer === undefined && path !== "/ping") throw unauthorized();
    const identity =
      bearer &&
      identityOf(
        bearer === "owner" ? { principal: (await installed(ca)).user, expires: null } : bearer,
      );
    const asked = { ...callOf(ca, request, url), ...(identity ? { identity } : {}) };
    if (asked.method === "" || !isDecodable(path)) throw notFound();
    // found here, because a path that leads nowhere is told in this API's own words
    const match = await router(asked.method, path).catch(() => undefined);
    if (!match) throw notFound();
    // nobody fills the memory before it is known who asks: what strangers may ask takes no body
    const call = identity === undefined ? asked : { ...asked, body: await bodyFrom(request) };
    const told = await dispatch({ ca, router: async () => match, path, mount: storeName }, call);
    reply = {
      ...told,
      body:
        request.method === "HEAD"
          ? null
          : await bodyOf(told, (error) => failed(error, refuseDocument(error).status)),
    };
  } catch (error) {
    reply = refuseDocument(error);
    failed(error, reply.status);
  }
  return { ...reply, headers: { ...apiVersion, ...old, ...limits, ...reply.headers } };
}
function limiterFor(ca: Unit): Limiter {
  const known = limiters.get(ca) ?? limiterOf(settingsOf(ca.ports).rateLimit);
  limiters.set(ca, known);
  return known;
}
/**
 * Where a request came from: the local front's word, which no caller can forge, else the header of
 * the deployed platform.
 */
function addressFrom(request: Request): string {
  const about = "cf" in request ? request.cf : undefined;
  const address = isObject(about) ? about["clientAddress"] : undefined;
  return `address ${networkOf(typeof address === "string" ? address : (request.headers.get("cf-connecting-ip") ?? "unknown"))}`;
}

const identityOf = ({ principal, expires }: Bearer): Identity => ({
  id: principal,
  can: () => true,
  ...(expires === null ? {} : { expires }),
});
async function bearerFrom(
  ca: Unit,
  request: Request,
  options: HttpOptions,
): Promise<Bearer | "owner" | undefined> {
  const authorization = request.headers.get("authorization");
  if (authorization === null) return options.identity ? "owner" : undefined;
  const token = /^bearer /i.test(authorization) ? authorization.slice("bearer ".length).trim() : "";
  return token === "" ? undefined : bearerOf(ca, token);
}
const callOf = (ca: Unit, request: Request, url: URL): VarsCall => ({
  method: methods.get(request.method) ?? "",
  path: url.pathname,
  origin: ca.ports.publicUrl ?? url.origin,
  query: url.searchParams,
  header: (name) => request.headers.get(name),
  body: new Uint8Array(0),
  token: undefined,
  dialect: library,
});
function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** The body of a write. Throws `too_large`. */
async function bodyFrom(request: Request): Promise<Uint8Array> {
  if (request.method === "GET" || request.method === "HEAD") return new Uint8Array(0);
  return readBody(request, largestBody, "the body is larger than 8 MiB");
}

/** One event for a call that reached no endpoint. */
function logRefusal(ca: Unit, error: unknown, status: number, ms: number): void {
  try {
    ca.ports.log?.({
      endpoint: "none",
      status,
      ms,
      mount: storeName,
      ...(error instanceof CaError ? { refusal: error.code } : { cause: error }),
    });
  } catch {
    // whoever listens must not take a reply away from its caller
  }
}

/** CORS for the origins that the deployment names, without credentials. */
function corsHeaders(
  request: Request,
  allowed: readonly string[],
): Readonly<Record<string, string>> {
  if (allowed.length === 0) return {};
  const origin = request.headers.get("origin");
  if (origin === null || !allowed.includes(origin)) return { vary: "Origin" };
  return {
    "access-control-allow-origin": origin,
    "access-control-allow-methods": "GET, HEAD, POST, PATCH, DELETE",
    "access-control-allow-headers": "Content-Type, Authorization",
    "access-control-expose-headers":
      "Deprecation, Link, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset",
    "access-control-max-age": "600",
    vary: "Origin",
  };
}
