import type { Deployment } from "../engine/deployment.ts";
import { methodOn, methods } from "../engine/methods.ts";
import { deniedStranger } from "../wire/access.ts";
import { addressOf, noRoute } from "../wire/address.ts";
import type { Aliases, Api } from "../wire/api.ts";
import { readToken } from "../wire/dialect.ts";
import type { MountEndpoints, Place, Tables } from "../wire/endpoint.ts";
import { placeOn, rawRestRoutes, routerOf } from "../wire/router.ts";
import { envelope } from "../wire/style.ts";
import { allowed, allows } from "../sys/cors.ts";
import { counts, throttle } from "../quota/throttle.ts";
import { identify } from "../auth/token/identify.ts";
import { beingRestored } from "../sys/snapshot/restoring.ts";

const base = "/v1/";
/** What answers while the sealing key is another one, or missing: they tell of it. */
const describing = new Set(["sys/health", "sys/seal-status", "sys/init", "sys/unseal"]);
const emptyNamespace = Object.freeze({ "x-vault-namespace": "" } as const);

const cors = {
  methods: "GET, HEAD, POST, PUT, PATCH, DELETE",
  headers:
    "Content-Type, X-Service-Token, X-Vault-Token, Authorization, X-Http-Method-Override, X-Vault-Request, X-Service-Wrap-TTL, X-Vault-Wrap-TTL",
  exposed: "ETag, Last-Modified, Link, Location, Replay-Nonce, Retry-After, X-Request-Id",
};
const policyPath = (path: string): string | undefined =>
  path.startsWith(base) ? decodeURIComponent(path.slice(base.length)) : undefined;

const noAliases: Aliases = { answers: () => false, meant: async () => undefined };
/**
 * The API below `/v1`: the system, tokens, and the mounts, each with endpoints of its table.
 * `aliases`: what stands for paths below it elsewhere.
 */
export function engineApi(tables: Tables, aliases: Aliases = noAliases): Api {
  const place = placesOf(tables);
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
    credentials: (header) => ({
      ...readToken(header),
      wrapTtl: header("x-service-wrap-ttl") || header("x-vault-wrap-ttl") || undefined,
    }),
    address: (call) => addressOf(call, heads),
    place: async (deployment, { path }) => {
      if (aliases.answers(path)) return placeMeant({ deployment, place, aliases }, path);
      if (!path.startsWith(base)) throw noRoute(path.slice(1, 257));
      const below = path.slice(base.length);
      if (!describing.has(below)) await deployment.demandKey();
      return place(deployment, below);
    },
    policyPath,
    help: async (at, arrived) => (await import("../sys/specs-run.ts")).helpOn(at, arrived),
    throttle: async (deployment, call, said) => {
      if (!aliases.answers(call.path)) return throttle(deployment, call, said);
      const meant = await aliases.meant(deployment, call.path);
      const path = meant ? base + meant.path : call.path;
      return throttle(deployment, { ...call, path }, said);
    },
    counts,
    allowed,
    allows,
    identify: async (deployment, call) => call.identity ?? identify(deployment, call),
    stranger: ({ token }) => deniedStranger(token),
    refusesStrangers: "forbidden",
    headers: ({ header }) => (header("x-vault-namespace") === "" ? emptyNamespace : undefined),
    style: envelope,
    cors,
  };
}

interface Leading {
  readonly deployment: Deployment;
  readonly place: ReturnType<typeof placesOf>;
  readonly aliases: Aliases;
}
/** Where a path leads that stands for another one. */
async function placeMeant({ deployment, place, aliases }: Leading, path: string): Promise<Place> {
  await deployment.demandKey();
  const meant = await aliases.meant(deployment, path);
  if (!meant) throw noRoute(path.slice(1, 257));
  const at = await place(deployment, meant.path);
  return {
    ...at,
    find: async (method, listable) => {
      const found = await at.find(method, listable, at.path);
      return { ...found, params: { ...found.params, ...meant.params } };
    },
  };
}

/** What each token keeps for itself lies below it. */
const cubbyhole = "cubbyhole";
/** Where paths below `/v1/` lead. */
function placesOf(tables: Tables) {
  const ofMounts = routersOf(tables.mounts);
  const ofMethods = routersOf(tables.methods);
  const ofSys = routerOf(tables.sys);
  const ofAuth = routerOf(tables.auth);
  const ofIdentity = routerOf(tables.identity);
  const ofCubbyhole = routerOf(tables.cubbyhole);
  return async (deployment: Deployment, path: string): Promise<Place> => {
    const under = (router: typeof ofSys, mount: string, type: string): Place => {
      const below = path.slice(mount.length) || "/";
      return placeOn(deployment, router, { tables, type, path: below, mount });
    };
    if (path === "sys" || path.startsWith("sys/")) return under(ofSys, "sys", "system");
    if (path.startsWith("auth/token/")) return under(ofAuth, "auth", "token");
    if (path.startsWith("identity/")) return under(ofIdentity, "identity", "identity");
    if (path === cubbyhole || path.startsWith(`${cubbyhole}/`))
      return under(ofCubbyhole, cubbyhole, cubbyhole);
    if (path.startsWith("auth/")) {
      const below = path.slice(5);
      const method = longest(await methods(deployment.sys), below);
      const router = method && ofMethods.get(method.route.type);
      if (!router) throw noRoute(path.slice(0, 256));
      return placeOn(methodOn(deployment, method.route), router, {
        tables,
        type: method.route.type,
        trims: async () => method.route.config.trim_request_trailing_slashes === true,
        path: below.slice(method.path.length) || "/",
        mount: `auth/${method.path}`,
      });
    }
    const mount = longest(await deployment.mounts(), path);
    const router = mount && ofMounts.get(mount.route.type);
    if (!router) throw noRoute(path.slice(0, 256));
    if (mount.route.restoring) throw beingRestored(mount.path);
    const below = path.slice(mount.path.length) || "/";
    const on = deployment.mount(mount.route.uuid);
    const trims = async () =>
      (await on.config()).mount.config.trim_request_trailing_slashes === true;
    const about = { tables, type: mount.route.type, path: below, mount: mount.path, trims };
    return placeOn(on, router, about);
  };
}

/** The routes of mounts, or of login methods, by their type. */
const routersOf = <On>(types: Readonly<Record<string, MountEndpoints<On>>>) =>
  new Map(Object.entries(types).map(([type, list]) => [type, routerOf(list)]));

function longest<Route>(
  mounts: ReadonlyMap<string, Route>,
  path: string,
): { readonly path: string; readonly route: Route } | undefined {
  let most = 0;
  for (const mount of mounts.keys()) most = Math.max(most, mount.length);
  // no part longer than the longest mount is one: a path of many slashes is not tried at each
  for (
    let end = path.length <= most ? path.length : path.lastIndexOf("/", most);
    end > 0;
    end = path.lastIndexOf("/", end - 1)
  ) {
    const candidate = path.slice(0, end);
    const route = mounts.get(candidate);
    if (route) return { path: candidate, route };
  }
  return undefined;
}
