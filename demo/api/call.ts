import { ApiError, mount, ref, refs, request, type Reply, type Verb } from "./transport.ts";

declare const method: unique symbol;
/**
 * Paths of an endpoint as `METHOD path`, separated by `|`, that with the most parameters first. A
 * path without a leading slash lies below the current mount; `:name+` takes slashes. `M` is the
 * method of the typed client, with its input and reply.
 */
export type Endpoint<M extends Method> = string & { readonly [method]?: M };
/** An endpoint whose reply is a token, in `auth`. */
export type AuthEndpoint<M extends Method> = Endpoint<(input: InputOf<M>) => Promise<null>>;

type Method = (input: never) => Promise<unknown>;
/** The input of an endpoint. */
export type InputOf<M extends Method> = NonNullable<Parameters<M>[0]>;
type Arguments<M extends Method> = undefined extends Parameters<M>[0]
  ? [input?: InputOf<M>]
  : [input: InputOf<M>];
type ReplyOf<M extends Method> = Awaited<ReturnType<M>>;

/** Calls an endpoint. Members of the input that its path does not name are its body or query. */
export function call<M extends Method>(
  endpoint: Endpoint<M>,
  ...[input]: Arguments<M>
): Promise<Reply<ReplyOf<M>>> {
  const rest: Record<string, unknown> = Object.assign({}, input);
  const named = endpoint
    .split("|")
    .find((path) =>
      [...path.matchAll(/:(\w+)/g)].every(([, name = ""]) => rest[name] !== undefined),
    );
  const [verb = "", path = ""] = (named ?? "")
    .replace(/:(\w+)(\+?)/g, (_, name: string, many: string) => {
      const value = String(rest[name]);
      delete rest[name];
      return many ? refs(value) : ref(value);
    })
    .split(" ");
  const to = path.startsWith("/") ? path.slice(1) : mount(path);
  if (verb.startsWith("P")) return request(verb as Verb, to, rest);
  const query = String(
    new URLSearchParams(
      // values of a query are texts, numbers and flags
      Object.entries(rest as Record<string, string | number | boolean | undefined>).flatMap(
        ([name, value]) => (value === undefined ? [] : [[name, String(value)]]),
      ),
    ),
  );
  return request(verb as Verb, to + (query && `?${query}`));
}

/** Returns the `data` of a reply. */
export const readData = async <M extends Method>(
  endpoint: Endpoint<M>,
  ...input: Arguments<M>
): Promise<ReplyOf<M>> => (await call(endpoint, ...input)).data;

/** The details of the members of a listing. */
type InfoOf<R> = R extends { readonly key_info?: infer I }
  ? NonNullable<I>
  : Readonly<Record<string, never>>;
type Listing = { readonly keys: readonly string[]; readonly key_info?: unknown };

/** Returns the keys of a listing and the details of each; the API replies 404 to an empty one. */
export async function listing<M extends (input: never) => Promise<Listing>>(
  endpoint: Endpoint<M>,
  ...input: Arguments<M>
): Promise<{ readonly keys: readonly string[]; readonly info: InfoOf<ReplyOf<M>> }> {
  try {
    const { keys, key_info: info = {} } = await readData(endpoint, ...input);
    // the type of the members is that of the reply
    return { keys, info: info as InfoOf<ReplyOf<M>> };
  } catch (error) {
    if (error instanceof ApiError && error.status === 404 && error.bare)
      return { keys: [], info: {} as InfoOf<ReplyOf<M>> };
    throw error;
  }
}
