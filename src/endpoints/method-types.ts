import { byLoginType } from "../auth/types/table.ts";
import type { Method } from "../auth/rows/methods.ts";
import type { MountEndpoints } from "../wire/endpoint.ts";

/** The types of login methods, whose endpoints are loaded on first use. */
export const methodTypes = byLoginType((type): MountEndpoints<Method> => ({
  endpoints: [],
  loadMore: async () => (await import("./lazy-lists.ts")).loginTypes[type],
}));
