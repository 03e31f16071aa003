import type { Job } from "../../engine/deployment.ts";
import { belowLogin, loginKeys } from "../../engine/login-records.ts";
import { methodEnd, methodOfJob } from "../../engine/methods.ts";

const perStep = 500;

/** Removes what a login method leaves that was disabled. */
export const methodEndJob: Job = {
  kind: methodEnd,
  of: "deployment",
  budget: 20,
  step: async ({ sys }, id) => {
    const { uuid, accessor } = methodOfJob(id);
    for (const below of [loginKeys.data(uuid, ""), `${belowLogin.groupAliases}${accessor}/`]) {
      const rows = await sys.store.list(below, { limit: perStep, values: false });
      if (rows.length > 0) await sys.commit({ del: rows.map(([key]) => key) });
      if (rows.length === perStep) return "more";
    }
    return undefined;
  },
};
