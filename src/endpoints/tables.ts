import { sys } from "../client/sys.ts";
import { mountPath } from "../sys/mount-path.ts";
import type { Tables } from "../wire/endpoint.ts";
import { laterEndpoints } from "../wire/later.ts";
import { methodTypes } from "./method-types.ts";
import { mountTypes } from "./mount-types.ts";
import { sysParts } from "./parts.ts";

/** All endpoints below `/v1`; what a first certificate does not need is loaded on first use. */
export const tables: Tables = {
  mounts: mountTypes,
  methods: methodTypes,
  sys: { endpoints: laterEndpoints(sys, sysParts), parameters: { "path+": mountPath } },
  auth: { endpoints: [], later: async () => ({ endpoints: (await import("./rest.ts")).auth }) },
  identity: {
    endpoints: [],
    later: async () => {
      const { identity, idPattern } = await import("./rest.ts");
      return { endpoints: identity, parameters: { id: idPattern } };
    },
  },
  cubbyhole: {
    endpoints: [],
    later: async () => ({ endpoints: (await import("./rest.ts")).cubbyhole }),
  },
};
