import type { Mount } from "../../engine/mount.ts";
import type { Batch } from "../../engine/ports.ts";
import type { TidySettings } from "../../engine/settings.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { TidyCounts } from "./records.ts";
import type { SweepName } from "./fields.ts";

/** What a step of a sweep starts from. */
export interface SweepContext {
  readonly ca: Mount;
  readonly config: Snapshot;
  readonly settings: TidySettings;
  /**
   * Unix milliseconds: the time, or when the run began where that is earlier: a clock that jumps
   * ahead in the middle of a run removes nothing.
   */
  readonly now: number;
  /** What the run had removed before. */
  readonly counts: TidyCounts;
  /** Revision of the row of the run: what was put later has a higher one. */
  readonly rev: number;
  /** Where the last step ended; undefined at the begin of the sweep. */
  readonly at: unknown;
  /** How many rows to take. */
  readonly limit: number;
}
/** What a step gives: a change to be committed with the row of the run. */
export interface SweepResult {
  readonly batch?: Batch;
  /** What it removes, to be added up. */
  readonly counts?: Partial<TidyCounts>;
  /** Where the next step goes on, JSON data; undefined when the sweep is done. */
  readonly at?: unknown;
  /** What is told while the run is under way (B 3.3). */
  readonly message: string;
}
/** One thing that can be tidied, as steps over rows as they are. */
export interface Sweep {
  readonly name: SweepName;
  step(of: SweepContext): Promise<SweepResult>;
}

/**
 * The latest end of certificates that are removed, Unix seconds: longer ago than the buffer (B
 * 3.1).
 */
export const expiredBy = (now: number, buffer: number): number =>
  Math.ceil(now / 1000 - buffer) - 1;

/** Where a walk over keys has come to. */
interface Walk {
  readonly after: string;
  readonly seen: number;
}
const walkOf = ({ at }: Pick<SweepContext, "at">, prefix: string): Walk =>
  // written by `endOfStep` only
  typeof at === "object" && at !== null ? (at as Walk) : { after: prefix, seen: 0 };
/** The keys below a prefix that a step of a walk over all of them takes. */
export async function nextKeys(of: SweepContext, prefix: string): Promise<readonly string[]> {
  const { after } = walkOf(of, prefix);
  const rows = await of.ca.store.list(prefix, { after, limit: of.limit, values: false });
  return rows.map(([key]) => key);
}
/** How such a step ends. `doing`: what is told, before the number of keys seen. */
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
