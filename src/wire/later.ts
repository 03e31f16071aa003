import { partsOf } from "../client/table.ts";
import type { AnyEndpoint } from "./endpoint.ts";
import type { Later } from "./lists.ts";

/** An endpoint as routes find it. */
export type Routed<On = never> = AnyEndpoint<On> | Later<AnyEndpoint<On>>;

/** The endpoint itself. A part that was loaded once costs nothing more. */
export const loaded = async <On>(one: Routed<On>): Promise<AnyEndpoint<On>> =>
  "load" in one ? one.load() : one;

/** How each part of a list is loaded, by the id of the endpoint that it begins with. */
export type Parts<On> = Readonly<Record<string, () => Promise<readonly AnyEndpoint<On>[]>>>;

/**
 * Endpoints of which nothing is loaded but the row of a client's table: a part of them is loaded
 * when one of it is first called. What a part has not that the table says is a mistake of ours: a
 * TypeError.
 */
export function laterEndpoints<On>(
  table: Readonly<Record<string, string>>,
  parts: Parts<On>,
): readonly Later<AnyEndpoint<On>>[] {
  let partOf = (id: string): Promise<AnyEndpoint<On>> =>
    Promise.reject(new TypeError(`no part begins with ${id}`));
  return Object.entries(table).map(([id, line]) => {
    const begun = parts[id];
    if (begun) partOf = held(begun);
    const load = partOf;
    const { words, at } = partsOf(line);
    return {
      id,
      at,
      ...(words.includes("rest") ? { rawRest: true } : {}),
      load: () => load(id),
    };
  });
}

/** Finds the endpoints of a part by their ids. */
function held<On>(part: Parts<On>[string]): (id: string) => Promise<AnyEndpoint<On>> {
  const all = new Map<string, AnyEndpoint<On>>();
  return async (id) => {
    if (all.size === 0) for (const one of await part()) all.set(one.id, one);
    const found = all.get(id);
    if (!found) throw new TypeError(`the part has no endpoint ${id}`);
    return found;
  };
}
