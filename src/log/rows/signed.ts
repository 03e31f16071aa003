import { importOnce } from "../../base/memo.ts";
import { jobRow, type PlannedJob } from "../../engine/jobs.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Batch, LogEntry, Signer } from "../../engine/ports.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { SignedStructure } from "../tree/entry.ts";
import { logConfig, type EntryContents } from "./records.ts";

/** Where uses of the keys of a mount are logged. */
export interface SigningLog {
  readonly entries: EntryContents;
  now(): number;
}
/** Returns where uses of the keys of a mount are logged; undefined if its log is disabled. */
export function signingLog(
  { ports }: Pick<Mount, "ports">,
  config: Snapshot,
): SigningLog | undefined {
  const { enabled, entries } = config.get(logConfig);
  return enabled ? { entries, now: () => ports.now() } : undefined;
}

/** A key of a mount, and where its uses are logged. */
export interface LoggedSigner {
  readonly signer: Signer;
  readonly log: SigningLog | undefined;
}
/** A use of a key. `number`: serial number of a certificate, number of a CRL. */
export interface KeyUse {
  readonly type: SignedStructure;
  readonly number?: Uint8Array | number;
}

interface Change {
  readonly reply?: unknown;
  readonly batch?: Batch | undefined;
}
/** A signed structure, whose bytes are only available for a change that also logs it. */
export interface Signed {
  /** Makes the change that stores or returns the bytes, and adds the log entry to its batch. */
  inChange<C extends Change>(
    make: (der: Uint8Array) => Promise<C> | C,
  ): Promise<C & { readonly batch?: Batch | undefined }>;
}

const entries = importOnce(() => import("./new-entry.ts"));

/** Returns a structure that the key of a mount signed, with the entry that logs it. */
export async function signed(
  { signer, log }: LoggedSigner,
  use: KeyUse,
  der: Uint8Array,
): Promise<Signed> {
  const logged = log && (await entries()).loggedUse(signer, use, der, log);
  return {
    async inChange<C extends Change>(make: (der: Uint8Array) => Promise<C> | C) {
      const change = await make(der);
      if (!logged) return change;
      const batch = withEntries(logged.locate(change.batch), [logged.entry], log.now());
      return { ...change, batch };
    },
  };
}
/** Adds entries to a batch, and the job that adds them to the tree. */
export const withEntries = (
  batch: Batch | undefined,
  added: readonly LogEntry[],
  now: number,
): Batch => ({
  ...batch,
  put: [...(batch?.put ?? []), sequencingJob(now)],
  log: [...(batch?.log ?? []), ...added],
});

/** Kind of the job that adds entries to the tree. */
export const sequencingKind = "log-sequence";
/** Interval of the job, in milliseconds: entries of an interval share the job and a checkpoint. */
const interval = 1000;
/** Returns the row of the job, due at a time. */
export const sequencingJobAt = (planned: PlannedJob): ReturnType<typeof jobRow> =>
  jobRow(planned, sequencingKind, "tree");
/**
 * Returns the row of the job, due at the end of the current interval. It is the same row during the
 * interval, so that a store may write it once for several commits.
 */
export function sequencingJob(time: number): ReturnType<typeof jobRow> {
  const now = Math.floor(time / interval) * interval;
  if (current.now !== now) current = { now, row: sharedJob({ due: now + interval, now }) };
  return current.row;
}
/** Returns the row of a job with a frozen value, which stores encode once. */
function sharedJob(planned: PlannedJob): ReturnType<typeof jobRow> {
  const [key, value] = sequencingJobAt(planned);
  return [key, Object.freeze(value)];
}
/** The row of the current interval, for all logs. */
let current = { now: -Infinity, row: sharedJob({ due: 0, now: 0 }) };
