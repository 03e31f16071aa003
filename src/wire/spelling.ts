import type { AnyEndpoint } from "./endpoint.ts";

/** "/sign-verbatim(/:name)" gives both paths. */
function* spell(path: string): Generator<string> {
  const match = /^(.*?)\((.*?)\)(.*)$/.exec(path);
  if (!match) return yield path;
  const [, before = "", optional = "", after = ""] = match;
  yield* spell(before + after);
  yield* spell(before + optional + after);
}
/** Every `[method, path]` an endpoint answers to; paths keep their `:parameters`. */
export const spellings = (
  endpoint: Pick<AnyEndpoint, "at">,
): readonly (readonly [method: string, path: string])[] =>
  endpoint.at.flatMap((at) => {
    const [method = "", path = ""] = at.split(" ");
    return [...spell(path)].map((spelled) => [method, spelled] as const);
  });
/** Names of the parameters in a path. */
export const parametersOf = (path: string): readonly string[] =>
  [...path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? "");
