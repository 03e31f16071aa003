import { approle } from "../types/approle.ts";
import type { Job } from "../../engine/deployment.ts";
import type { Method } from "../rows/methods.ts";
import { secretEnds, storedSecret, type SecretRow } from "./secret-id.ts";
import { expiredRowsInterval, expiredRowsJob, expiredRowsJobRow } from "../rows/expired-rows.ts";
import { methodKeys } from "../rows/method-records.ts";

const perStep = 500;

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

const expiringSecrets = {
  kind: "approle-secret-end",
  id: "secrets",
  index: secretEnds,
  expiresOf: (value: unknown) => storedSecret(value).expires,
} as const;
/** The job that deletes expired secret IDs. */
export const secretEnd: Job = expiredRowsJob(expiringSecrets);
/**
 * Returns the row of the job that deletes a secret ID after it expires, or none if it never
 * expires.
 */
export const secretEndRow = (
  { sys }: Method,
  { expires }: SecretRow,
): readonly ReturnType<typeof expiredRowsJobRow>[] =>
  expires === undefined ? [] : [expiredRowsJobRow(expiringSecrets, expires, sys.ports.now())];
/** Returns the row of the job that deletes expired secret IDs, scheduled to run immediately. */
export function tidyRow({ sys }: Method): ReturnType<typeof expiredRowsJobRow> {
  const now = sys.ports.now();
  // the start of the job's interval, so that concurrent requests write the same row
  const start = Math.floor(now / 1000 / expiredRowsInterval) * expiredRowsInterval;
  return expiredRowsJobRow(expiringSecrets, start, now);
}
