import type { AnyEndpoint } from "./endpoint.ts";
import { spellings } from "./spelling.ts";

/** The endpoint that answers a path, and the path's parameters, decoded. */
export interface Match<On = never> {
  readonly endpoint: AnyEndpoint<On>;
  readonly params: Readonly<Record<string, string>>;
  /** The path as its route spells it. */
  readonly shape: string;
  /** A plain GET that is a listing, because the path has nothing else to read. */
  readonly lists?: true;
  /** The path has other methods only: the endpoint of one of them refuses. */
  readonly refusal?: Error;
}
/**
 * Finds the endpoint of a method and a path below the base. `listable`: a GET of a path that only
 * lists is its listing. `arrived`: the path as it came, where that is not the same. Throws
 * `unsupported_path` or `unsupported_operation`.
 */
export type Router<On> = (
  method: string,
  path: string,
  listable?: boolean,
  arrived?: string,
) => Promise<Match<On>>;

/** A path that ends in a parameter which is given as it arrived. */
interface Rest<On> {
  readonly endpoint: AnyEndpoint<On>;
  readonly method: string;
  /** What comes before it, with the slash. */
  readonly head: string;
  readonly name: string;
}
const isBelow = (path: string, head: string): boolean =>
  path.length > head.length && path.startsWith(head);
/** The paths of endpoints that take their rest as it arrived. */
export function restsOf<On>(endpoints: readonly AnyEndpoint<On>[]): readonly Rest<On>[] {
  return endpoints
    .filter(({ rawRest }) => rawRest)
    .flatMap((endpoint) =>
      spellings(endpoint).map(([method, path]) => {
        const [, head, name] = /^((?:\/[\w-]+)+\/):(\w+)\+$/.exec(path) ?? [];
        // who may call is judged by the path, and this one is not what a policy says
        if (head === undefined || name === undefined || endpoint.access !== "open")
          throw new TypeError(`${method} ${path} cannot take its rest as it arrived`);
        return { endpoint, method, head, name };
      }),
    );
}

/** A router that looks for the endpoints first that take the rest of their path as it arrived. */
export function withRests<On>(
  endpoints: readonly AnyEndpoint<On>[],
  router: Router<On>,
): Router<On> {
  const rests = restsOf(endpoints);
  return async (method, path, listable, arrived = path) => {
    const rest = rests.find((one) => one.method === method && isBelow(arrived, one.head));
    if (!rest) return router(method, path, listable);
    const { endpoint, name, head } = rest;
    return {
      endpoint,
      params: { [name]: arrived.slice(head.length) },
      shape: `${head}:${name}`,
    };
  };
}
