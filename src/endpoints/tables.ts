import { methodTypes, mountTypes } from "../endpoints.ts";
import { mountPath } from "../sys/mount-path.ts";
import type { Tables } from "../wire/endpoint.ts";
import { sys } from "./system.ts";

/** All endpoints below `/v1`; what a first certificate does not need is loaded on first use. */
export const tables: Tables = {
  mounts: mountTypes,
  methods: methodTypes,
  sys: { endpoints: sys, parameters: { "path+": mountPath } },
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
