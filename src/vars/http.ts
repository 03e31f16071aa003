import { CaError } from "../base/errors.ts";
import { memoize } from "../base/memo.ts";
import { subscriberNetwork } from "../base/network.ts";
import type { Deployment } from "../engine/deployment.ts";
import type { StoreContext } from "../engine/store-context.ts";
import type { Identity } from "../engine/ports.ts";
import type { Api } from "../wire/api.ts";
import type { Call } from "../wire/call.ts";
import { vars } from "../client/vars.ts";
import { library } from "../wire/dialect.ts";
import type { RouteTarget } from "../wire/endpoint.ts";
import { lazyEndpoints, type PartLoader } from "../wire/lazy-endpoints.ts";
import { resolveTarget, routerOf, type Router } from "../wire/router.ts";
import { notFound, tooMany, unauthorized } from "./jsonapi/fault.ts";
import { deprecation } from "./jsonapi/deprecated.ts";
import { jsonapi } from "./jsonapi/style.ts";
import { findBearer } from "./bearer.ts";
import { readFirstUserId } from "./installation.ts";
import { limiterOf } from "./rate.ts";
import { settingsOf } from "./rows/settings.ts";

const base = "/api/v2";
/** Name of the store that contains variables, users and tokens. */
export const storeName = "vars";

/**
 * The HTTP interface of the variables API. This API has its own users and tokens. The program that
 * runs the library can call it without a token, as the initial user.
 */
export const varsHttp: Api = {
  answers: (path) =>
    path === base || path.startsWith(`${base}/`) || path === "/.well-known/terraform.json",
  methods: { GET: "GET", POST: "POST", PATCH: "PATCH", DELETE: "DELETE" },
  credentials: (headers) => ({ token: bearerIn(headers.get("authorization")), dialect: library }),
  address: ({ method, path }) => ({ method, path: path.replace(/(?<=.)\/$/, "") }),
  resolveTarget: (deployment, { path }) => targetOf(deployment.storeContext(storeName), path),
  identify,
  unauthenticated: unauthorized,
  unauthenticatedCode: "unauthorized",
  authenticatesFirst: isInside,
  hidesPath: (path) => !/^\/api\/v2\/ping\/?$/.test(path),
  rateLimitCaller: (deployment, call, caller) => {
    if (call.identity) return undefined;
    const storeContext = deployment.storeContext(storeName);
    // all tokens of a user share a rate limit
    const counted = caller?.id ?? `address ${subscriberNetwork(call.peer?.address ?? "unknown")}`;
    const { granted, headers } = limiterFor(storeContext)(counted, storeContext.ports.now());
    return granted ? { headers } : { headers, refusal: tooMany() };
  },
  headers: ({ path }, requestId) => ({
    "x-request-id": requestId,
    ...(isInside(path) ? { "tfp-api-version": "2.6" } : {}),
    ...(/^\/api\/v2\/vars(?:\/|$)/.test(path) ? deprecation() : {}),
  }),
  described: async () => (await import("./described.ts")).varsGroups(),
  style: jsonapi,
  mount: storeName,
  cors: {
    methods: "GET, HEAD, POST, PATCH, DELETE",
    headers: "Content-Type, Authorization",
    exposed:
      "Deprecation, Link, Location, Retry-After, X-Error-Code, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id",
  },
};

function isInside(path: string): boolean {
  return path.startsWith(base);
}

/** Wraps a router so that unknown paths cause an error in the format of this API. */
const orNotFound =
  (router: Router<StoreContext>): Router<StoreContext> =>
  async (method, path) => {
    try {
      return await router(method, path);
    } catch (error) {
      throw error instanceof CaError ? notFound() : error;
    }
  };
const all = () => import("./api.ts");
const lazyRouter = (table: Readonly<Record<string, string>>, load: PartLoader<StoreContext>) =>
  orNotFound(
    routerOf({
      endpoints: lazyEndpoints(table, { all: load }, { all: Object.keys(table) }),
    }),
  );
const router = lazyRouter(vars, async () => (await all()).vars);
const wellKnownRouter = lazyRouter(
  { discovery: "GET /.well-known/terraform.json" },
  async () => (await all()).wellKnown,
);
function targetOf(storeContext: StoreContext, path: string): RouteTarget {
  if (!isDecodable(path)) throw notFound();
  const about = { mount: storeName, type: storeName } as const;
  return isInside(path)
    ? resolveTarget(storeContext, router, { ...about, path: path.slice(base.length) })
    : resolveTarget(storeContext, wellKnownRouter, { ...about, path });
}
function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the bearer token of a request, or "" if the header is malformed, or undefined if it is
 * missing.
 */
function bearerIn(authorization: string | null): string | undefined {
  if (authorization === null) return undefined;
  return /^bearer /i.test(authorization) ? authorization.slice("bearer ".length).trim() : "";
}
/**
 * Denies every policy check, because in this API a caller's rights depend on the resource in the
 * URL path.
 */
const can = (): boolean => false;
async function identify(
  deployment: Deployment,
  { identity, token }: Call,
): Promise<Identity | undefined> {
  await deployment.requireKey();
  const storeContext = deployment.storeContext(storeName);
  if (identity) return { id: await readFirstUserId(storeContext), can };
  const bearer = token ? await findBearer(storeContext, token) : undefined;
  if (!bearer) return undefined;
  const { principal: id, expires } = bearer;
  return expires === null ? { id, can } : { id, can, expires };
}

const limiterFor = memoize((storeContext: StoreContext) =>
  limiterOf(settingsOf(storeContext).rateLimit),
);
