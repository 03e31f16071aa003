import type { AnyEndpoint } from "./endpoint.ts";
import { loaded, type Routed } from "./later.ts";
import type { Forms } from "./lists.ts";
import { spellings } from "./spelling.ts";

/** The endpoint that answers a path, and the path's parameters, decoded. */
export interface Match<On = never> {
  readonly endpoint: AnyEndpoint<On>;
  readonly params: Readonly<Record<string, string>>;
  /** The path as its route spells it. */
  readonly shape: string;
  /** Parameters of the list of endpoints that have several spellings. */
  readonly forms?: Forms;
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
  readonly routed: Routed<On>;
  readonly method: string;
  /** What comes before it, with the slash. */
  readonly head: string;
  readonly name: string;
}
const isBelow = (path: string, head: string): boolean =>
  path.length > head.length && path.startsWith(head);
/** The paths of endpoints that take their rest as it arrived. */
export function restsOf<On>(endpoints: readonly Routed<On>[]): readonly Rest<On>[] {
  return endpoints
    .filter(({ rawRest }) => rawRest)
    .flatMap((routed) =>
      spellings(routed).map(([method, path]) => {
        const [, head, name] = /^((?:\/[\w-]+)+\/):(\w+)\+$/.exec(path) ?? [];
        // who may call is judged by the path, and this one is not what a policy says
        const isOpen = "load" in routed || routed.access === "open";
        if (head === undefined || name === undefined || !isOpen)
          throw new TypeError(`${method} ${path} cannot take its rest as it arrived`);
        return { routed, method, head, name };
      }),
    );
}

/** A router that looks for the endpoints first that take the rest of their path as it arrived. */
export function withRests<On>(endpoints: readonly Routed<On>[], router: Router<On>): Router<On> {
  const rests = restsOf(endpoints);
  return async (method, path, listable, arrived = path) => {
    const rest = rests.find((one) => one.method === method && isBelow(arrived, one.head));
    if (!rest) return router(method, path, listable);
    const { routed, name, head } = rest;
    return {
      endpoint: await loaded(routed),
      params: { [name]: arrived.slice(head.length) },
      shape: `${head}:${name}`,
    };
  };
}
