/** An HTTP method of the API, including LIST. */
export type Verb = "GET" | "POST" | "PATCH" | "DELETE" | "LIST";

declare const method: unique symbol;
/**
 * The paths of an endpoint as `METHOD path`, separated by `|`; the path with the most parameters is
 * first. A path without a leading slash is relative to a mount; `:name+` matches slashes. An
 * optional third word is `open` if anyone may call the endpoint, or `sudo` if callers also need the
 * `sudo` capability. `M` is the method of the typed client, whose parameter and result are the
 * input and the response.
 */
export type Endpoint<M extends Method> = string & { readonly [method]?: M };

/** A method of the typed client. */
export type Method = (input: never) => Promise<unknown>;
/** The input of an endpoint. */
export type InputOf<M extends Method> = NonNullable<Parameters<M>[0]>;
/** The response of an endpoint. */
export type ReplyOf<M extends Method> = Awaited<ReturnType<M>>;

/**
 * A request to an endpoint. `path` includes the query of a read or a deletion; `body` contains the
 * input members of a write that are not in the path.
 */
export interface EndpointRequest {
  readonly verb: Verb;
  readonly path: string;
  readonly body: object | undefined;
  readonly access: "" | "open" | "sudo";
}

/** A parsed path of an endpoint. */
interface EndpointPath {
  readonly verb: Verb;
  readonly pattern: string;
  readonly access: EndpointRequest["access"];
}
/** Parses the paths of an endpoint. */
export const pathsOf = (endpoint: string): readonly EndpointPath[] =>
  endpoint.split("|").map((path) => {
    const [verb = "", pattern = "", access = ""] = path.split(" ");
    // endpoints contain no other words
    return { verb: verb as Verb, pattern, access: access as EndpointRequest["access"] };
  });

/** Encodes a path of several segments for a URL. */
const encodePath = (path: string): string =>
  path.split("/").filter(Boolean).map(encodeURIComponent).join("/");

/**
 * Returns the request for an endpoint. Uses the first of its paths whose parameters are all in the
 * input. Relative paths are appended to `at`, a path under `/v1/`.
 */
export function requestOf<M extends Method>(
  endpoint: Endpoint<M>,
  input: Partial<InputOf<M>> = {},
  at = "",
): EndpointRequest {
  const rest: Record<string, unknown> = { ...input };
  const named = pathsOf(endpoint).find(({ pattern }) =>
    [...pattern.matchAll(/:(\w+)/g)].every(([, name = ""]) => rest[name] !== undefined),
  );
  const { pattern, ...method } = named ?? {
    verb: "GET" as const,
    pattern: "",
    access: "" as const,
  };
  const below = pattern.replace(/:(\w+)(\+?)/g, (_, name: string, many: string) => {
    const value = String(rest[name]);
    delete rest[name];
    return many ? encodePath(value) : encodeURIComponent(value);
  });
  const path = below.startsWith("/") ? below.slice(1) : `${encodePath(at)}/${below}`;
  if (method.verb.startsWith("P")) return { ...method, path, body: rest };
  return { ...method, path: path + queryOf(rest), body: undefined };
}

/**
 * Returns the members of an input as a query, including the question mark, or an empty string if
 * there are none.
 */
export const queryOf = (members: object): string => {
  const query = String(
    new URLSearchParams(
      // query values are strings, numbers and booleans
      Object.entries(members as Record<string, string | number | boolean | undefined>).flatMap(
        ([name, value]) => (value === undefined ? [] : [[name, String(value)]]),
      ),
    ),
  );
  return query && `?${query}`;
};
