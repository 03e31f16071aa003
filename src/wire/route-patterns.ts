/** A method that an endpoint may declare. */
export type Method = "GET" | "POST" | "PATCH" | "DELETE" | "LIST";

type Params<P extends string> = P extends `${infer A}(/:${infer O})${infer B}`
  ? Params<A> & { [K in Bare<O>]?: string } & Params<B>
  : P extends `${string}:${infer N}/${infer Rest}`
    ? { [K in Bare<N>]: string } & Params<`/${Rest}`>
    : P extends `${string}:${infer N}`
      ? { [K in Bare<N>]: string }
      : object;
type Bare<N extends string> = N extends `${infer B}+` ? B : N;
type Keys<U> = U extends unknown ? keyof U : never;
/**
 * The path parameters of an endpoint. Parameters that every path contains are required; the others
 * are optional.
 */
export type AllParams<P extends string> = { readonly [K in keyof Params<P>]: string } & {
  readonly [K in Exclude<Keys<Params<P>>, keyof Params<P>>]?: string;
};

/** Expands optional parts: `/sign-verbatim(/:name)` becomes two paths. */
function* expand(path: string): Generator<string> {
  const match = /^(.*?)\((.*?)\)(.*)$/.exec(path);
  if (!match) return yield path;
  const [, before = "", optional = "", after = ""] = match;
  yield* expand(before + after);
  yield* expand(before + optional + after);
}
/** Returns each method and path of an endpoint and its aliases. Paths contain `:parameters`. */
export const expandPatterns = ({
  at: all,
}: {
  readonly at: readonly string[];
}): readonly (readonly [method: string, path: string])[] =>
  all.flatMap((at) => {
    const [method = "", path = ""] = at.split(" ");
    return [...expand(path)].map((expanded) => [method, expanded] as const);
  });
/** Returns the names of the parameters in a path. */
export const parameterNames = (path: string): readonly string[] =>
  [...path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? "");
