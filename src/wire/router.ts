import { CaError } from "../base/errors.ts";
import type { EndpointTable, Patterns } from "./endpoint-list.ts";
import type { AnyEndpoint, RouteMatch, RouteTarget, Subject } from "./endpoint.ts";
import { completeTable, type EndpointRef, loadEndpoint } from "./lazy-endpoints.ts";
import { expandPatterns } from "./route-patterns.ts";

/** The method to pass to a lookup that accepts an endpoint of any method. */
export const anyMethod = "*";
/** The order in which methods are tried when looking for any endpoint of a path. */
const methodOrder = ["GET", "LIST", "POST", "PATCH", "DELETE"] as const;
/**
 * Maximum number of cached matches and maximum length of their keys, because callers choose the
 * keys.
 */
const [maxMatches, maxMatchLength] = [1000, 128];

/**
 * Finds the endpoint for a method and a path under the base. If `listable`, a GET of a path that
 * can only be listed is a listing. `arrived` is the path before normalization, if different.
 * Rejects with `unsupported_path` if no endpoint has the path, and with `unsupported_operation` if
 * none has the method.
 */
export type Router<On> = (
  method: string,
  path: string,
  listable?: boolean,
  arrived?: string,
) => Promise<RouteMatch<On>> | RouteMatch<On>;

/** A segment of a route: a literal or a parameter. */
interface Segment {
  readonly literal?: string;
  readonly name: string;
  /** Whether the parameter may contain slashes. */
  readonly isRest: boolean;
  readonly pattern: RegExp | undefined;
}
interface Route<On> {
  readonly ref: EndpointRef<On>;
  readonly method: string;
  readonly path: string;
  readonly segments: readonly Segment[];
}
const parseSegment = (text: string, patterns: Patterns): Segment =>
  text.startsWith(":")
    ? {
        name: text.slice(1).replace("+", ""),
        isRest: text.endsWith("+"),
        pattern: patterns[text.slice(1)],
      }
    : { literal: text, name: "", isRest: false, pattern: undefined };

/**
 * Returns the precedence of a segment: literals first, then parameters, then parameters that may
 * contain slashes.
 */
const rank = (segment: Segment | undefined): number =>
  segment === undefined ? 3 : segment.literal !== undefined ? 0 : segment.isRest ? 2 : 1;
function bySpecificity<On>({ segments: a }: Route<On>, { segments: b }: Route<On>): number {
  const at = a.findIndex((segment, i) => rank(segment) !== rank(b[i]));
  return at < 0 ? b.length - a.length : rank(a[at]) - rank(b[at]);
}

/** Returns the decoded parameters of a path, or undefined if the route does not match the path. */
function matchSegments(
  segments: readonly Segment[],
  parts: readonly string[],
): Record<string, string> | undefined {
  const surplus = parts.length - segments.length;
  if (surplus < 0) return undefined;
  const params: Record<string, string> = {};
  let at = 0;
  for (const { literal, name, isRest, pattern } of segments) {
    const end = at + 1 + (isRest ? surplus : 0);
    const encoded = isRest ? parts.slice(at, end).join("/") : parts[at];
    at = end;
    if (literal !== undefined && literal === encoded) continue;
    // after a trailing slash, the rest of a path is empty
    const isEmpty = encoded === "" && !(isRest && parts.length > 1);
    if (literal !== undefined || encoded === undefined || isEmpty) return undefined;
    const value = decode(encoded);
    if (value === undefined || (pattern && !pattern.test(value))) return undefined;
    // an encoded slash would be part of a segment here, but would separate two segments in a policy
    if (!isRest && value.includes("/")) return undefined;
    params[name] = value;
  }
  return at === parts.length ? params : undefined;
}
function decode(text: string): string | undefined {
  try {
    return text.includes("%") ? decodeURIComponent(text) : text;
  } catch {
    return undefined;
  }
}

/** The routes by method and first segment, most specific first. */
type RouteIndex<On> = ReadonlyMap<string, readonly Route<On>[]>;
const indexKey = (method: string, { literal = ":" }: Pick<Segment, "literal">): string =>
  `${method} ${literal}`;
function indexRoutes<On>(endpoints: readonly EndpointRef<On>[], patterns: Patterns) {
  const routes = endpoints.flatMap((ref) =>
    expandPatterns(ref).map(([method, path]): Route<On> => ({
      ref,
      method,
      path,
      segments: path
        .slice(1)
        .split("/")
        .map((text) => parseSegment(text, patterns)),
    })),
  );
  const shapes = new Set<string>();
  const index = new Map<string, Route<On>[]>();
  for (const route of routes.sort(bySpecificity)) {
    const shape = `${route.method} ${route.path.replace(/:\w+/g, ":")}`;
    if (shapes.has(shape)) throw new TypeError(`two endpoints have the route ${shape}`);
    shapes.add(shape);
    const key = indexKey(route.method, route.segments[0] ?? {});
    const sameKey = index.get(key);
    if (sameKey) sameKey.push(route);
    else index.set(key, [route]);
  }
  return index;
}
async function findRoute<On>(
  index: RouteIndex<On>,
  method: string,
  path: string,
): Promise<RouteMatch<On> | undefined> {
  const parts = path.slice(1).split("/");
  for (const key of [indexKey(method, { literal: parts[0] ?? "" }), indexKey(method, {})])
    for (const { ref, segments, path: shape } of index.get(key) ?? []) {
      const params = matchSegments(segments, parts);
      if (params) return { endpoint: await loadEndpoint(ref), params, shape };
    }
  return undefined;
}

/** Routers by table of endpoints, shared by all authorities of a process. */
const routers = new WeakMap<object, unknown>();
/**
 * Returns the router for a table of endpoints. It loads the rest of the table when a call matches
 * none of the endpoints. A path whose parameters do not match their patterns does not match the
 * route. Throws a TypeError if two endpoints have the same route.
 */
export function routerOf<On>(table: EndpointTable<AnyEndpoint<On>>): Router<On> {
  // a router has the type of the table under which it is stored
  const router = (routers.get(table) as Router<On> | undefined) ?? newRouter(table);
  routers.set(table, router);
  return router;
}
function newRouter<On>(table: EndpointTable<AnyEndpoint<On>>): Router<On> {
  const router = completeRouter(table);
  if (!table.loadMore) return router;
  let complete: Router<On> | undefined;
  const search = async (
    pending: ReturnType<Router<On>>,
    request: Parameters<Router<On>>,
  ): Promise<RouteMatch<On>> => {
    const match = await matchOrUndefined(pending);
    if (match) return match;
    complete ??= completeRouter(await completeTable(table));
    return complete(...request);
  };
  return (...request) => {
    if (complete) return complete(...request);
    const match = router(...request);
    return match instanceof Promise || match.refusal ? search(match, request) : match;
  };
}
async function matchOrUndefined<On>(
  pending: ReturnType<Router<On>>,
): Promise<RouteMatch<On> | undefined> {
  try {
    const match = await pending;
    return match.refusal ? undefined : match;
  } catch (error) {
    if (error instanceof CaError) return undefined;
    throw error;
  }
}
function completeRouter<On>({
  endpoints,
  parameters = {},
  forms,
}: EndpointTable<AnyEndpoint<On>>): Router<On> {
  const index = indexRoutes(endpoints, parameters);
  const methods = methodOrder.filter((one) =>
    [...index.keys()].some((key) => key.startsWith(`${one} `)),
  );
  const rests = rawRestRoutes(endpoints);
  const find = async (method: string, path: string): Promise<RouteMatch<On> | undefined> => {
    const match = await findRoute(index, method, path);
    return match && forms ? { ...match, forms } : match;
  };
  const matches = new Map<string, RouteMatch<On>>();
  const search: Router<On> = async (method, path, listable = false) => {
    const match = await find(method, path);
    if (match) {
      if (matches.size >= maxMatches) matches.clear();
      if (path.length <= maxMatchLength) matches.set(`${method} ${path}`, match);
      return match;
    }
    // a listing may only stand in for a read; `lists` marks the match as a listing
    const listing = method === "GET" && listable ? await find("LIST", path) : undefined;
    if (listing) return { ...listing, lists: true };
    for (const other of methods) {
      const otherwise = await find(other, path);
      if (otherwise) return method === anyMethod ? otherwise : refuseMethod(otherwise);
    }
    throw new CaError("unsupported_path", "1 error occurred:\n\t* unsupported path\n\n");
  };
  return (method, path, listable = false, arrived = path) => {
    for (const rest of rests)
      if (
        rest.method === method &&
        arrived.length > rest.head.length &&
        arrived.startsWith(rest.head)
      )
        return restMatch(rest, arrived);
    return matches.get(`${method} ${path}`) ?? search(method, path, listable);
  };
}
async function restMatch<On>(
  { ref, head, name }: RawRestRoute<On>,
  arrived: string,
): Promise<RouteMatch<On>> {
  const params = { [name]: arrived.slice(head.length) };
  return { endpoint: await loadEndpoint(ref), params, shape: `${head}:${name}` };
}
/**
 * Returns a match with the error for an unsupported method as `refusal` if the style of the path's
 * endpoint has a message for it. Throws the error otherwise.
 */
function refuseMethod<On>(match: RouteMatch<On>): RouteMatch<On> {
  const message = match.endpoint.style.otherMethods;
  if (message !== undefined)
    return { ...match, refusal: new CaError("unsupported_operation", message) };
  throw new CaError("unsupported_operation", "1 error occurred:\n\t* unsupported operation\n\n");
}

/** A route whose last parameter receives the undecoded rest of the path. */
interface RawRestRoute<On> {
  readonly ref: EndpointRef<On>;
  readonly method: string;
  /** The path up to the parameter, including the slash. */
  readonly head: string;
  readonly name: string;
}
/** Returns the routes to endpoints that take the rest of their path undecoded. */
export const rawRestRoutes = <On>(
  endpoints: readonly EndpointRef<On>[],
): readonly RawRestRoute<On>[] =>
  endpoints
    .filter(({ rawRest }) => rawRest)
    .flatMap((ref) =>
      expandPatterns(ref).map(([method, path]) => {
        const [, head, name] = /^((?:\/[\w-]+)+\/):(\w+)\+$/.exec(path) ?? [];
        // the endpoint must be open, because policies evaluate decoded paths
        const isOpen = "load" in ref || ref.access === "open";
        if (head === undefined || name === undefined || !isOpen)
          throw new TypeError(`${method} ${path} cannot take the rest of its path undecoded`);
        return { ref, method, head, name };
      }),
    );

/** Returns the target of a path whose endpoints have the subject `on`. */
export const resolveTarget = <On extends Subject>(
  on: On,
  router: Router<On>,
  about: Pick<RouteTarget, "path" | "mount" | "type" | "tables" | "trims">,
): RouteTarget => ({
  ...about,
  on,
  find: (method, listable, arrived) => router(method, about.path, listable, arrived),
});
