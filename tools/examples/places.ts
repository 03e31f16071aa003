import * as declared from "../../src/endpoints/all.ts";
import type { AnyEndpoint } from "../../src/wire/endpoint.ts";
import { parameterNames, expandPatterns } from "../../src/wire/route-patterns.ts";

type Members = Readonly<Record<string, unknown>>;
/** A group of endpoints, and the path under which they are usually mounted. */
export interface EndpointGroup {
  readonly base: string;
  readonly endpoints: readonly AnyEndpoint[];
}
/** Base path of the variables API. */
export const variables = "/api/v2";
/** All endpoints, grouped by their usual base path. */
export const endpointGroups: readonly EndpointGroup[] = [
  { base: "/v1/pki", endpoints: [...declared.pki, ...declared.acme, ...declared.est] },
  { base: "/v1/sys", endpoints: declared.sys },
  { base: "/v1/auth", endpoints: declared.auth },
  { base: "/v1/identity", endpoints: declared.identity },
  { base: "/v1/cubbyhole", endpoints: declared.cubbyhole },
  ...Object.entries(declared.logins).map(([type, endpoints]) => ({
    base: `/v1/auth/${type}`,
    endpoints,
  })),
  { base: variables, endpoints: declared.vars },
  { base: "", endpoints: declared.wellKnown },
];

/** Returns the endpoint with an ID and its usual base path. Throws if there is no such endpoint. */
export function findEndpoint(id: string): {
  readonly base: string;
  readonly endpoint: AnyEndpoint;
} {
  for (const { base, endpoints } of endpointGroups) {
    const endpoint = endpoints.find((one) => one.id === id);
    if (endpoint) return { base, endpoint };
  }
  throw new Error(`unknown endpoint ${id}`);
}

/**
 * Returns the path pattern with the most parameters among the patterns whose parameters are all
 * given. If there are several, returns the first.
 */
export function patternFor(endpoint: AnyEndpoint, input: Members) {
  const [best] = expandPatterns(endpoint)
    .map(([method, path]) => ({ method, path, names: parameterNames(path) }))
    .filter(({ names }) => names.every((name) => input[name] !== undefined))
    .sort((a, b) => b.names.length - a.names.length);
  if (!best) throw new Error(`${endpoint.id}: a path parameter is missing`);
  return best;
}
