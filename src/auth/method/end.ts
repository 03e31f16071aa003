import type { Job } from "../../engine/deployment.ts";
import { belowLogin } from "../rows/logins.ts";
import { endTokensOf } from "../token/end.ts";
import { methodEnd, methodOfJob } from "../rows/methods.ts";
import { methodKeys } from "../rows/method-records.ts";

const perStep = 500;

/** The job that revokes the tokens of a disabled login method and deletes its rows. */
export const methodEndJob: Job = {
  kind: methodEnd,
  of: "deployment",
  budget: 20,
  step: async (deployment, id) => {
    const { sys } = deployment;
    const { uuid, accessor } = methodOfJob(id);
    await endTokensOf(deployment, uuid);
    for (const below of [methodKeys.data(uuid, ""), `${belowLogin.groupAliases}${accessor}/`]) {
      const rows = await sys.store.list(below, { limit: perStep, values: false });
      if (rows.length > 0) await sys.commit({ del: rows.map(([key]) => key) });
      if (rows.length === perStep) return "more";
    }
    return undefined;
  },
};
