import { sys } from "../client/sys.ts";
import { forms, parameters } from "../sys/path-parameters.ts";
import type { Tables } from "../wire/endpoint.ts";
import { lazyEndpoints } from "../wire/lazy-endpoints.ts";
import { methodTypes } from "./method-types.ts";
import { mountTypes } from "./mount-types.ts";
import { sysIds } from "./part-ids.ts";
import { sysParts } from "./parts.ts";

/**
 * All endpoints under `/v1`. Endpoints that are not needed to issue a first certificate are loaded
 * on first use.
 */
export const tables: Tables = {
  mounts: mountTypes,
  methods: methodTypes,
  sys: { endpoints: lazyEndpoints(sys, sysParts, sysIds), parameters, forms },
  auth: {
    endpoints: [],
    loadMore: async () => ({ endpoints: (await import("./lazy-lists.ts")).auth }),
  },
  identity: {
    endpoints: [],
    loadMore: async () => {
      const { identity, idPattern, identityForms } = await import("./lazy-lists.ts");
      return { endpoints: identity, parameters: { id: idPattern }, forms: identityForms };
    },
  },
  cubbyhole: {
    endpoints: [],
    loadMore: async () => ({ endpoints: (await import("./lazy-lists.ts")).cubbyhole }),
  },
};
