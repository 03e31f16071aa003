import { partsOf } from "../client/table.ts";
import type { EndpointList, EndpointTable, LazyEndpoint } from "./endpoint-list.ts";
import type { AnyEndpoint } from "./endpoint.ts";

/** An endpoint in a list, which may not be loaded yet. */
export type EndpointRef<On = never> = AnyEndpoint<On> | LazyEndpoint<AnyEndpoint<On>>;

/** Returns an endpoint. Imports its module if it is not loaded yet. */
export const loadEndpoint = async <On>(ref: EndpointRef<On>): Promise<AnyEndpoint<On>> =>
  "load" in ref ? ref.load() : ref;

/** Returns a table that includes the endpoints that `loadMore` adds. */
export async function completeTable<On>({
  endpoints,
  parameters,
  forms,
  loadMore,
}: EndpointTable<AnyEndpoint<On>>): Promise<EndpointList<AnyEndpoint<On>>> {
  const more = await loadMore?.();
  return {
    endpoints: more ? [...endpoints, ...more.endpoints] : endpoints,
    parameters: { ...parameters, ...more?.parameters },
    forms: { ...forms, ...more?.forms },
  };
}
/** Loads and returns all endpoints of a table. */
export const loadEndpoints = async <On>(
  table: EndpointTable<AnyEndpoint<On>>,
): Promise<readonly AnyEndpoint<On>[]> =>
  Promise.all((await completeTable(table)).endpoints.map(loadEndpoint));

/** Imports a group of endpoints that are loaded together. */
export type PartLoader<On> = () => Promise<readonly AnyEndpoint<On>[]>;
/**
 * Returns lazy endpoints for the lines of a client's table. `ids` contains the IDs of the endpoints
 * in each part. Loading an endpoint that is in no part rejects with a TypeError.
 */
export function lazyEndpoints<On>(
  table: Readonly<Record<string, string>>,
  parts: Readonly<Record<string, PartLoader<On>>>,
  ids: Readonly<Record<string, readonly string[]>>,
): readonly LazyEndpoint<AnyEndpoint<On>>[] {
  const loaders = new Map<string, ReturnType<typeof partLoader<On>>>();
  for (const [name, load] of Object.entries(parts)) {
    const loader = partLoader(load);
    for (const id of ids[name] ?? []) loaders.set(id, loader);
  }
  return Object.entries(table).map(([id, line]) => {
    const { words, at } = partsOf(line);
    return {
      id,
      at,
      ...(words.includes("rest") ? { rawRest: true } : {}),
      load: async () => {
        const load = loaders.get(id);
        if (!load) throw new TypeError(`no module defines the endpoint ${id}`);
        return load(id);
      },
    };
  });
}
function partLoader<On>(load: PartLoader<On>): (id: string) => Promise<AnyEndpoint<On>> {
  const loaded = new Map<string, AnyEndpoint<On>>();
  return async (id) => {
    if (loaded.size === 0) for (const one of await load()) loaded.set(one.id, one);
    const endpoint = loaded.get(id);
    if (!endpoint) throw new TypeError(`the part has no endpoint ${id}`);
    return endpoint;
  };
}
