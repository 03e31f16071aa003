import type { Mount } from "../../engine/mount.ts";
import type { Batch } from "../../engine/ports.ts";
import type { TidySettings } from "./settings.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { TidyCounts } from "./records.ts";
import type { SweepName } from "./fields.ts";

/** The input of a sweep step. */
export interface SweepContext {
  readonly mount: Mount;
  readonly config: Snapshot;
  readonly settings: TidySettings;
  /**
   * The current time (Unix ms), or the start of the run if that is earlier, so that nothing is
   * removed because a clock jumps ahead during a run.
   */
  readonly now: number;
  /** The counts of the run so far. */
  readonly counts: TidyCounts;
  /** Revision of the run's row. Rows that are written later have a higher revision. */
  readonly rev: number;
  /** Progress from the previous step; undefined at the start. */
  readonly at: unknown;
  /** Maximum number of rows per step. */
  readonly limit: number;
}
/** The result of a sweep step: a change to commit together with the row of the run. */
export interface SweepResult {
  readonly batch?: Batch;
  /** Counts to add to those of the run. */
  readonly counts?: Partial<TidyCounts>;
  /** Progress for the next step, as JSON data; undefined when the sweep is done. */
  readonly at?: unknown;
  /** Message for the status of the run (B 3.3). */
  readonly message: string;
}
/** A sweep, which removes one kind of obsolete data in steps. */
export interface Sweep {
  readonly name: SweepName;
  step(of: SweepContext): Promise<SweepResult>;
}

/**
 * Returns the latest expiry (Unix seconds) of certificates to remove: those that expired longer ago
 * than the buffer (B 3.1).
 */
export const expiredBy = (now: number, buffer: number): number =>
  Math.ceil(now / 1000 - buffer) - 1;

/** Progress of a walk over all keys with a prefix. */
interface Walk {
  readonly after: string;
  readonly seen: number;
}
const walkOf = ({ at }: Pick<SweepContext, "at">, prefix: string): Walk =>
  // only `endOfStep` writes this progress
  typeof at === "object" && at !== null ? (at as Walk) : { after: prefix, seen: 0 };
/**
 * Returns the next keys with the given prefix, for a step of a sweep that walks over all of them.
 */
export async function nextKeys(of: SweepContext, prefix: string): Promise<readonly string[]> {
  const { after } = walkOf(of, prefix);
  const rows = await of.mount.store.list(prefix, { after, limit: of.limit, values: false });
  return rows.map(([key]) => key);
}
/**
 * Returns the progress and the message of a step that walks over keys. `doing` is the message
 * without the number of keys seen.
 */
export function endOfStep(
  of: SweepContext,
  names: readonly string[],
  doing: string,
): Pick<SweepResult, "at" | "message"> {
  const seen = walkOf(of, "").seen + names.length;
  const last = names.at(-1);
  return {
    message: `${doing} ${seen}`,
    ...(last === undefined || names.length < of.limit ? {} : { at: { after: last, seen } }),
  };
}
