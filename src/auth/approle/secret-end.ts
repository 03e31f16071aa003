import { approle } from "../types/approle.ts";
import type { Job } from "../../engine/deployment.ts";
import { jobRow } from "../../engine/jobs.ts";
import type { Method } from "../rows/methods.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import { secretEnds, type SecretRow } from "./secret-id.ts";
import { belowMethods, methodKeys } from "../rows/method-records.ts";

const perStep = 500;
/**
 * Job interval in ms. Expired secret IDs are deleted at the next full minute, so that one job
 * deletes many of them.
 */
const jobEvery = 60_000;

/** The job that deletes the secret IDs of a deleted role. */
export const roleEnd: Job = {
  kind: "approle-role-end",
  of: "storeContext",
  budget: 20,
  step: async (sys, id) => {
    const [method = "", role = ""] = id.split(".");
    const below = methodKeys.data(method, `${approle.rows.secretIds}${role}/`);
    const rows = await sys.store.list(below, { limit: perStep, values: false });
    if (rows.length > 0) await sys.commit({ del: rows.map(([key]) => key) });
    return rows.length === perStep ? "more" : undefined;
  },
};

/** The job that deletes expired secret IDs, which are already treated as missing. */
export const secretEnd: Job = {
  kind: "approle-secret-end",
  of: "storeContext",
  budget: 20,
  step: async (sys) => {
    const by = { name: secretEnds, to: Math.floor(sys.ports.now() / 1000) };
    const rows = await sys.store.list(belowMethods.data, { by, limit: perStep, values: false });
    if (rows.length > 0) await sys.commit({ del: rows.map(([key]) => key) });
    return rows.length === perStep ? "more" : undefined;
  },
};
/**
 * Returns the row of the job that deletes a secret ID after it expires, or none if it never
 * expires.
 */
export const secretEndRow = (
  { sys }: Method,
  { expires }: SecretRow,
): readonly ReturnType<typeof jobRow>[] =>
  expires === undefined ? [] : [endRow(sys, expires * 1000)];
const endRow = ({ ports }: StoreContext, end: number) =>
  jobRow(
    { due: Math.ceil(end / jobEvery) * jobEvery, now: ports.now() },
    secretEnd.kind,
    "secrets",
  );
/** Returns the row of the job that deletes expired secret IDs, scheduled to run immediately. */
export const tidyRow = ({ sys }: Method): ReturnType<typeof jobRow> =>
  endRow(sys, Math.floor(sys.ports.now() / jobEvery) * jobEvery);
