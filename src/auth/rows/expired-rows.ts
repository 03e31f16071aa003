import type { Job } from "../../engine/deployment.ts";
import { jobRow } from "../../engine/jobs.ts";
import { belowMethods } from "./method-records.ts";

/** Rows of login methods that are treated as missing once they expire, and then deleted. */
interface ExpiringRows {
  /** Kind and ID of the job that deletes the rows. */
  readonly kind: string;
  readonly id: string;
  /** Name of the index on the expiry of the rows (Unix seconds). */
  readonly index: string;
  /** Returns the expiry in the value of a row, or undefined if it never expires. */
  expiresOf(value: unknown): number | undefined;
}
const perStep = 500;
/**
 * Job interval in seconds. Expired rows are deleted at the next full minute, so that one job
 * deletes many of them.
 */
export const expiredRowsInterval = 60;

/** Returns the row of the job for rows that expire at the given Unix time in seconds. */
export const expiredRowsJobRow = (
  { kind, id }: Pick<ExpiringRows, "kind" | "id">,
  expires: number,
  now: number,
): ReturnType<typeof jobRow> =>
  jobRow(
    { due: Math.ceil(expires / expiredRowsInterval) * expiredRowsInterval * 1000, now },
    kind,
    id,
  );

/** Returns the job that deletes expired rows. */
export const expiredRowsJob = ({ expiresOf, index: name, ...job }: ExpiringRows): Job => ({
  kind: job.kind,
  of: "storeContext",
  budget: 20,
  step: async (sys) => {
    const now = sys.ports.now();
    const by = { name, to: Math.floor(now / 1000) };
    const rows = await sys.store.list(belowMethods.data, { by, limit: perStep, values: false });
    if (rows.length > 0) await sys.commit({ del: rows.map(([key]) => key) });
    if (rows.length === perStep) return "more";
    // this run also deletes the job's later rows
    const [next] = await sys.store.list(belowMethods.data, { by: { name }, limit: 1 });
    const expires = next && expiresOf(next[1].value);
    if (expires !== undefined) await sys.commit({ put: [expiredRowsJobRow(job, expires, now)] });
    return undefined;
  },
});
