import { identify } from "../auth/token/identify.ts";
import { CaError } from "../base/errors.ts";
import { longestPrefix } from "../engine/mount-table.ts";
import { parseBoolean } from "../base/parse-boolean.ts";
import type { Deployment, Routes } from "../engine/deployment.ts";
import { methodOn, methods } from "../auth/rows/methods.ts";
import { corsSettings, isCorsOpen, mayBeLimited, throttle } from "../quota/rate-limit.ts";
import { beingRestored } from "../sys/backup/restoring.ts";
import { unauthenticatedError } from "../wire/access.ts";
import type { Aliases, Api } from "../wire/api.ts";
import type { Call } from "../wire/call.ts";
import { compat, documented } from "../wire/dialect.ts";
import type { MountEndpoints, RouteTarget, Tables } from "../wire/endpoint.ts";
import { resolveTarget, rawRestRoutes, routerOf } from "../wire/router.ts";
import { envelope } from "../wire/style.ts";

const base = "/v1/";
/**
 * Paths under `/v1/` that work even if the sealing key is wrong or missing, because they report
 * this.
 */
const describing = new Set(["sys/health", "sys/seal-status", "sys/init", "sys/unseal"]);
const emptyNamespace = Object.freeze({ "x-vault-namespace": "" } as const);

const cors = {
  methods: "GET, HEAD, POST, PUT, PATCH, DELETE",
  headers:
    "Content-Type, X-Service-Token, X-Vault-Token, Authorization, X-Http-Method-Override, X-Vault-Request, X-Service-Wrap-TTL, X-Vault-Wrap-TTL",
  exposed:
    "ETag, Last-Modified, Link, Location, Replay-Nonce, Retry-After, X-Error-Code, X-Request-Id",
};
const policyPath = (path: string): string | undefined =>
  path.startsWith(base) ? decodeURIComponent(path.slice(base.length)) : undefined;

const noAliases: Aliases = { answers: () => false, resolve: async () => undefined };
/**
 * Returns the API under `/v1`: the system, tokens, identities, login methods and mounts, with the
 * endpoints in `tables`. `aliases` are other paths that are aliases of paths under `/v1`.
 */
export function engineApi(tables: Tables, aliases: Aliases = noAliases): Api {
  const target = targetsOf(tables);
  const heads = Object.values(tables.mounts).flatMap(({ endpoints }) =>
    rawRestRoutes(endpoints).map(({ head }) => head),
  );
  return {
    answers: (path) => path.startsWith(base) || aliases.answers(path),
    methods: {
      GET: "GET",
      POST: "POST",
      PUT: "POST",
      PATCH: "PATCH",
      DELETE: "DELETE",
      LIST: "LIST",
    },
    credentials: readCredentials,
    address: normalizer(heads),
    resolveTarget: (deployment, { path }) => {
      if (!path.startsWith(base)) {
        if (aliases.answers(path)) return resolveAlias({ deployment, target, aliases }, path);
        throw noRoute(path.slice(1, 257));
      }
      const below = path.slice(base.length);
      return deployment.isKeyKnown || describing.has(below)
        ? target(deployment, below)
        : deployment.requireKey().then(() => target(deployment, below));
    },
    policyPath,
    help: async (at, arrived) => (await import("../sys/specs/specs-run.ts")).helpOn(at, arrived),
    rateLimit: (deployment, call, parameters) =>
      call.path.startsWith(base) || !aliases.answers(call.path)
        ? throttle(deployment, call, parameters)
        : throttleAlias({ deployment, aliases }, call, parameters),
    isRateLimited: mayBeLimited,
    allowed: corsSettings,
    allows: isCorsOpen,
    identify,
    unauthenticated: ({ token }) => unauthenticatedError(token),
    unauthenticatedCode: "forbidden",
    headers: ({ headers }) =>
      headers.get("x-vault-namespace") === "" ? emptyNamespace : undefined,
    style: envelope,
    cors,
  };
}

interface Leading {
  readonly deployment: Deployment;
  readonly target: ReturnType<typeof targetsOf>;
  readonly aliases: Aliases;
}
/** Returns the target of a path that is an alias. */
async function resolveAlias(
  { deployment, target, aliases }: Leading,
  path: string,
): Promise<RouteTarget> {
  await deployment.requireKey();
  const alias = await aliases.resolve(deployment, path);
  if (!alias) throw noRoute(path.slice(1, 257));
  const at = await target(deployment, alias.path);
  return {
    ...at,
    find: async (method, listable) => {
      const match = await at.find(method, listable, at.path);
      return { ...match, params: { ...match.params, ...alias.params } };
    },
  };
}

/** Counts a request for an alias against the limits of the alias's target path. */
async function throttleAlias(
  { deployment, aliases }: Pick<Leading, "deployment" | "aliases">,
  call: Call,
  parameters: Parameters<typeof throttle>[2],
): Promise<Awaited<ReturnType<typeof throttle>>> {
  const alias = await aliases.resolve(deployment, call.path);
  const path = alias ? base + alias.path : call.path;
  return throttle(deployment, { ...call, path }, parameters);
}

/** First path segment of values that are private to a token. */
const cubbyhole = "cubbyhole";
/** Returns a function that finds the target of a path under `/v1/`. */
function targetsOf(tables: Tables) {
  const ofMounts = routersOf(tables.mounts);
  const ofMethods = routersOf(tables.methods);
  const ofSys = routerOf(tables.sys);
  const ofAuth = routerOf(tables.auth);
  const ofIdentity = routerOf(tables.identity);
  const ofCubbyhole = routerOf(tables.cubbyhole);
  const inMount = (deployment: Deployment, routes: Routes, path: string): RouteTarget => {
    const mount = longestPrefix(routes, path);
    const router = mount && ofMounts.get(mount.value.type);
    if (!router) throw noRoute(path.slice(0, 256));
    if (mount.value.restoring) throw beingRestored(mount.path);
    const below = path.slice(mount.path.length) || "/";
    const on = deployment.mount(mount.value.uuid);
    const trims = async () =>
      (await on.config()).mount.config.trim_request_trailing_slashes === true;
    const about = { tables, type: mount.value.type, path: below, mount: mount.path, trims };
    return resolveTarget(on, router, about);
  };
  const inMethod = async (deployment: Deployment, path: string): Promise<RouteTarget> => {
    const below = path.slice(5);
    const method = longestPrefix(await methods(deployment.sys), below);
    const router = method && ofMethods.get(method.value.type);
    if (!router) throw noRoute(path.slice(0, 256));
    return resolveTarget(methodOn(deployment, method.value), router, {
      tables,
      type: method.value.type,
      trims: async () => method.value.config.trim_request_trailing_slashes === true,
      path: below.slice(method.path.length) || "/",
      mount: `auth/${method.path}`,
    });
  };
  return (deployment: Deployment, path: string): Promise<RouteTarget> | RouteTarget => {
    const under = (router: typeof ofSys, mount: string, type: string): RouteTarget => {
      const below = path.slice(mount.length) || "/";
      return resolveTarget(deployment, router, { tables, type, path: below, mount });
    };
    if (path === "sys" || path.startsWith("sys/")) return under(ofSys, "sys", "system");
    if (path.startsWith("auth/token/")) return under(ofAuth, "auth", "token");
    if (path.startsWith("identity/")) return under(ofIdentity, "identity", "identity");
    if (path === cubbyhole || path.startsWith(`${cubbyhole}/`))
      return under(ofCubbyhole, cubbyhole, cubbyhole);
    if (path.startsWith("auth/")) return inMethod(deployment, path);
    const routes = deployment.mounts();
    return routes instanceof Promise
      ? routes.then((read) => inMount(deployment, read, path))
      : inMount(deployment, routes, path);
  };
}

/** Returns the routers of the types of mounts or login methods, by type. */
const routersOf = <On>(types: Readonly<Record<string, MountEndpoints<On>>>) =>
  new Map(Object.entries(types).map(([type, list]) => [type, routerOf(list)]));

/**
 * Returns a function that converts the method and the path of a request (listings, trailing
 * slashes, namespaces) to a canonical form, so that no spelling bypasses a policy rule (P 9.1). The
 * function rejects ambiguous paths. `heads` contains path segments, such as `/name/`, after which
 * an endpoint may use the rest of the path without decoding it.
 */
function normalizer(heads: readonly string[]): Api["address"] {
  return (call) => {
    const { path } = call;
    const doubt = refusalOf(path);
    if (doubt && !heads.some((head) => hasRest(path, head))) throw doubt;
    const namespace =
      call.headers.get("x-vault-namespace") || call.headers.get("x-service-namespace");
    if (namespace) throw noRoute(`${namespace.slice(0, 128)}${path}`);
    const method = isListing(call) ? "LIST" : call.method;
    if (method === "") throw new CaError("unsupported_operation", "");
    if (!path.endsWith("/")) return { method, path, doubt };
    const isWrite = method === "POST" || method === "PATCH";
    const slashed = isWrite
      ? new CaError("malformed", "cannot write to a path ending in '/'")
      : undefined;
    return { method, path: path.slice(0, -1), doubt, slashed };
  };
}

/**
 * Reports whether a path is ambiguous only because of slashes and escapes in base64 data after
 * `head`. Such data contains no dots, so it cannot make the path refer to something else.
 */
function hasRest(path: string, head: string): boolean {
  const at = path.indexOf(head);
  if (at < 0 || refusalOf(path.slice(0, at + head.length - 1))) return false;
  try {
    return /^[\w+/=-]*$/.test(decodeURIComponent(path.slice(at + head.length)));
  } catch {
    return false;
  }
}
/** Returns the error for a path without a route. `path` has no leading slash. */
const noRoute = (path: string): CaError =>
  new CaError("no_route", `no handler for route "${path}". route entry not found.`);

/**
 * Reports whether a request is a listing: LIST, or GET with `?list=true` or the override header (D
 * 3). Throws CaError `malformed` if the value of `list` is invalid.
 */
function isListing(call: Call): boolean {
  if (call.method === "LIST") return true;
  // The last `list` applies, because a proxy that cannot forward the LIST method appends its own.
  const list = call.query.size === 0 ? "" : (call.query.getAll("list").at(-1) ?? "");
  const isListing = list === "" ? false : parseBoolean(list);
  if (isListing === undefined)
    throw new CaError(
      "malformed",
      `invalid query value list=${list.slice(0, 32)}; use true or false`,
    );
  return (
    call.method === "GET" &&
    (isListing || call.headers.get("x-http-method-override")?.toUpperCase() === "LIST")
  );
}

/**
 * Returns the error for a path that policies and the router could interpret differently because of
 * `//`, dot segments, encoded slashes, control characters or invalid escapes. Returns undefined for
 * other paths.
 */
function refusalOf(path: string): CaError | undefined {
  // most paths match this and need no further checks
  if (/^(?:\/[\w-]+)+\/?$/.test(path)) return undefined;
  const why = ambiguityOf(path);
  return why === undefined ? undefined : new CaError("malformed", `invalid path: ${why}`);
}
function ambiguityOf(path: string): string | undefined {
  if (path.includes("//")) return "empty segment";
  if (/%(?![0-9A-Fa-f]{2})/.test(path)) return "malformed percent-encoding";
  if (/%2f|%5c|%00|[\\;]/i.test(path)) return "separator other than /";
  let decoded = "";
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return "percent-encoding that is not UTF-8";
  }
  // oxlint-disable-next-line no-control-regex -- control characters must be rejected
  if (/[\u0000-\u001f\u007f]/.test(decoded)) return "control character";
  return decoded.split("/").some((segment) => segment === "." || segment === "..")
    ? "dot segment"
    : undefined;
}

/**
 * Returns the token of a request, the dialect that the headers select, and the requested wrapping
 * TTL. A token in `X-Service-Token` takes precedence. `X-Vault-Request` selects the compat dialect
 * and its statuses, regardless of which header contains the token, and even if there is none (D 1).
 */
export const readCredentials: Api["credentials"] = (headers) => {
  const wrapTtl = headers.get("x-service-wrap-ttl") || headers.get("x-vault-wrap-ttl") || undefined;
  const isCompat = headers.get("x-vault-request") !== null;
  const service = headers.get("x-service-token");
  if (service !== null && service !== "")
    return { token: service, dialect: isCompat ? compat : documented, wrapTtl };
  const product = headers.get("x-vault-token");
  if (product !== null && product !== "") return { token: product, dialect: compat, wrapTtl };
  const authorization = headers.get("authorization");
  if (authorization?.startsWith("Bearer "))
    return { token: authorization.slice(7).trim(), dialect: compat, wrapTtl };
  return { token: undefined, dialect: { ...compat, compatStatus: isCompat }, wrapTtl };
};
