import { IttyRouter, type IttyRouterType } from "itty-router";
import { CaError } from "../base/errors.ts";
import type { Place, Subject } from "./endpoint.ts";
import { loaded, type Routed } from "./later.ts";
import type { Listed, Patterns } from "./lists.ts";
import { withRests, type Match, type Router } from "./raw-rest.ts";
import { spellings } from "./spelling.ts";

export type { Match, Router } from "./raw-rest.ts";

/** In the place of a method: the endpoint of any method that a path has. */
export const anyMethod = "*";

/**
 * Matches that are remembered: callers name things, so they are bounded in number and length.
 */
const [remembered, longestRemembered] = [1000, 128];

/** What a path leads to, before it is loaded. */
interface Leading<On> extends Pick<Match<On>, "params" | "shape"> {
  readonly routed: Routed<On>;
}
/** Routes of endpoints: how each spelling of them is matched, and which methods there are. */
interface Routes<On> {
  readonly methods: readonly string[];
  find(method: string, path: string): Promise<Match<On> | undefined>;
}
function routesOf<On>(endpoints: readonly Routed<On>[], patterns: Patterns): Routes<On> {
  // routes are tried in order, and only those that begin as the path does
  const routers = new Map<string, IttyRouterType>();
  const known = new Set<string>();
  for (const routed of endpoints)
    for (const [method, path] of spellings(routed)) {
      const shape = `${method} ${path.replace(/:\w+/g, ":")}`;
      if (known.has(shape)) throw new TypeError(`two endpoints answer ${shape}`);
      known.add(shape);
      const head = path.startsWith("/:") ? anyHead : headOf(path);
      const router = routers.get(head) ?? IttyRouter();
      routers.set(head, router);
      router[method.toLowerCase()]?.(
        path,
        (request: { url: string; params: Record<string, string | undefined> }) =>
          // the router overlooks slashes at the end, a policy does not
          request.url.endsWith("/") && !path.endsWith("+") && path !== "/"
            ? undefined
            : fitting({ routed, path, patterns }, request.params),
      );
    }
  const heads = [...routers.keys()];
  if (routers.has(anyHead) && heads.some((head) => head !== anyHead && head !== "/"))
    throw new TypeError("a path begins with a parameter, and another one does not");
  return {
    methods: [...new Set([...known].map((shape) => shape.slice(0, shape.indexOf(" "))))],
    find: async (method, path) => {
      const router = routers.get(headOf(path)) ?? routers.get(anyHead);
      // what it finds is what the handlers above return
      const found = (await router?.fetch({ method, url: `http://route${path}` })) as
        | Leading<On>
        | undefined;
      if (!found) return undefined;
      const { params, shape } = found;
      return { endpoint: await loaded(found.routed), params, shape };
    },
  };
}

/**
 * Routes of a list of endpoints. A path whose parameters do not fit their patterns is another path.
 * Two endpoints with one spelling are a mistake of ours: a TypeError.
 */
export function routerOf<On>(
  endpoints: readonly Routed<On>[],
  { parameters = {}, forms }: Pick<Listed<unknown>, "parameters" | "forms"> = {},
): Router<On> {
  const { methods, find: matching } = routesOf(endpoints, parameters);
  const find: typeof matching = async (method, path) => {
    const match = await matching(method, path);
    return match && forms ? { ...match, forms } : match;
  };
  const matches = new Map<string, Match<On>>();
  return withRests(endpoints, async (method, path, listable = false) => {
    const spelled = `${method} ${path}`;
    const held = matches.get(spelled);
    if (held) return held;
    const match = await find(method, path);
    if (match) {
      if (matches.size >= remembered) matches.clear();
      if (path.length <= longestRemembered) matches.set(spelled, match);
      return match;
    }
    // only whoever reads may mean to list; the caller is told that it is a listing
    if (method === "GET" && listable) {
      const listing = await find("LIST", path);
      if (listing) return { ...listing, lists: true };
    }
    for (const other of methods) {
      const otherwise = await find(other, path);
      if (otherwise) return method === anyMethod ? otherwise : withoutMethod(otherwise);
    }
    throw new CaError("unsupported_path", "1 error occurred:\n\t* unsupported path\n\n");
  });
}
/** The refusal of a method that a path does not have, in the style of its endpoint or the API's. */
function withoutMethod<On>(match: Match<On>): Match<On> {
  const told = match.endpoint.style.otherMethods;
  if (told !== undefined) return { ...match, refusal: new CaError("unsupported_operation", told) };
  throw new CaError("unsupported_operation", "1 error occurred:\n\t* unsupported operation\n\n");
}

/** In its place where all paths but the shortest begin with a parameter. */
const anyHead = "/:";
/**
 * The first segment of a path: routes that differ in it answer no path in common. Where it comes
 * percent-encoded it is that of no route.
 */
function headOf(path: string): string {
  const end = path.indexOf("/", 1);
  return end < 0 ? path : path.slice(0, end);
}

interface Route<On> {
  readonly routed: Routed<On>;
  readonly path: string;
  readonly patterns: Patterns;
}
function fitting<On>(
  { routed, path, patterns }: Route<On>,
  found: Readonly<Record<string, string | undefined>>,
): Leading<On> | undefined {
  const params: Record<string, string> = {};
  for (const [name, encoded] of Object.entries(found)) {
    if (encoded === undefined) continue;
    const value = decoded(encoded);
    const wide = path.includes(`:${name}+`);
    const pattern = patterns[wide ? `${name}+` : name];
    if (value === undefined || (pattern && !pattern.test(value))) return undefined;
    // a slash that came encoded would be one segment here and two in a policy
    if (value.includes("/") && !wide) return undefined;
    params[name] = value;
  }
  return { routed, params, shape: path };
}
function decoded(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}

/** The place of a call that works on something by one of its routes. */
export const placeOn = <On extends Subject>(
  on: On,
  router: Router<On>,
  about: Pick<Place, "path" | "mount" | "type" | "tables" | "trims">,
): Place => ({
  ...about,
  on,
  find: (method, listable, arrived) => router(method, about.path, listable, arrived),
});
