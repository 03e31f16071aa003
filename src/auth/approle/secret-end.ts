import type { Job } from "../../engine/deployment.ts";
import { belowMethod, loginKeys } from "../../engine/login-records.ts";

const perStep = 500;
/** Removes the secret ids of a role that was deleted. */
export const roleEnd: Job = {
  kind: "approle-role-end",
  of: "unit",
  budget: 20,
  step: async (sys, id) => {
    const [method = "", role = ""] = id.split(".");
    const below = loginKeys.data(method, `${belowMethod.secretIds}${role}/`);
    const rows = await sys.store.list(below, { limit: perStep, values: false });
    if (rows.length > 0) await sys.commit({ del: rows.map(([key]) => key) });
    return rows.length === perStep ? "more" : undefined;
  },
};
