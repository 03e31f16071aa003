import { CaError } from "../base/errors.ts";
import type { AnyEndpoint, MountEndpoints } from "./endpoint.ts";
import { loaded } from "./later.ts";
import type { Listed } from "./lists.ts";
import type { Match, Router } from "./raw-rest.ts";
import { routerOf } from "./route.ts";

/** All endpoints of a list, with those that are loaded on first use. */
export async function allListed<On>(list: MountEndpoints<On>): Promise<readonly AnyEndpoint<On>[]> {
  return Promise.all((await whole(list)).endpoints.map(loaded));
}
async function whole<On>({
  endpoints,
  parameters,
  forms,
  later,
}: MountEndpoints<On>): Promise<Listed<AnyEndpoint<On>>> {
  const more = await later?.();
  return {
    endpoints: more ? [...endpoints, ...more.endpoints] : endpoints,
    parameters: { ...parameters, ...more?.parameters },
    forms: { ...forms, ...more?.forms },
  };
}

/** Routes of a list of endpoints; what it loads on first use is loaded for a call of no other. */
export function routerOfListed<On>(list: MountEndpoints<On>): Router<On> {
  let router = routerOf(list.endpoints, list);
  if (!list.later) return router;
  let loaded = false;
  return async (...asked) => {
    if (loaded) return router(...asked);
    const found = await foundBy(router, asked);
    if (found) return found;
    const all = await whole(list);
    router = routerOf(all.endpoints, all);
    loaded = true;
    return router(...asked);
  };
}
/** What a router finds; undefined where it refuses. */
async function foundBy<On>(
  router: Router<On>,
  asked: Parameters<Router<On>>,
): Promise<Match<On> | undefined> {
  try {
    const found = await router(...asked);
    return found.refusal ? undefined : found;
  } catch (error) {
    if (error instanceof CaError) return undefined;
    throw error;
  }
}
