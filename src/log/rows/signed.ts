import { importOnce } from "../../base/memo.ts";
import { jobRow, type PlannedJob } from "../../engine/jobs.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Batch, LogEntry, Signer } from "../../engine/ports.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { SignedStructure } from "../tree/entry.ts";
import { logConfig, type EntryContents } from "./records.ts";

/** The log that records the uses of a mount's keys. */
export interface SigningLog {
  readonly entries: EntryContents;
  now(): number;
}
/** Returns the log that records the uses of a mount's keys, or undefined if the log is disabled. */
export function signingLog(
  { ports }: Pick<Mount, "ports">,
  config: Snapshot,
): SigningLog | undefined {
  const { enabled, entries } = config.get(logConfig);
  return enabled ? { entries, now: () => ports.now() } : undefined;
}

/** A key of a mount, and the log that records its uses. */
export interface LoggedSigner {
  readonly signer: Signer;
  readonly log: SigningLog | undefined;
}
/** A use of a key. `number` is the serial number of a certificate or the number of a CRL. */
export interface KeyUse {
  readonly type: SignedStructure;
  readonly number?: Uint8Array | number;
}

interface Change {
  readonly reply?: unknown;
  readonly batch?: Batch | undefined;
}
/** A signed structure. Its bytes are only available to a change that also logs the signature. */
export interface Signed {
  /** Creates the change that stores or returns the bytes, and adds the log entry to its batch. */
  inChange<C extends Change>(
    make: (der: Uint8Array) => Promise<C> | C,
  ): Promise<C & { readonly batch?: Batch | undefined }>;
}

const entries = importOnce(() => import("./new-entry.ts"));

/** Returns a structure signed with a mount's key, bound to the entry that logs the signature. */
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
/** Adds log entries to a batch, and the job that will add them to the tree. */
export const withEntries = (
  batch: Batch | undefined,
  added: readonly LogEntry[],
  now: number,
): Batch => ({
  ...batch,
  put: [...(batch?.put ?? []), sequencingJob(now)],
  log: [...(batch?.log ?? []), ...added],
});

/** Kind of the sequencing job, which adds entries to the tree. */
export const sequencingKind = "log-sequence";
/**
 * Interval of the sequencing job in ms. Entries from the same interval share a job run and a
 * checkpoint.
 */
const interval = 1000;
/** Returns the row of the sequencing job, due at the given time. */
export const sequencingJobAt = (planned: PlannedJob): ReturnType<typeof jobRow> =>
  jobRow(planned, sequencingKind, "tree");
/**
 * Returns the row of the sequencing job, due at the end of the current interval. The row stays the
 * same during the interval, so that a store may write it once for several commits.
 */
export function sequencingJob(time: number): ReturnType<typeof jobRow> {
  const now = Math.floor(time / interval) * interval;
  if (current?.now !== now) current = { now, row: sharedJob({ due: now + interval, now }) };
  return current.row;
}
/**
 * Returns the row of the sequencing job with a frozen value, so that stores encode the value only
 * once.
 */
function sharedJob(planned: PlannedJob): ReturnType<typeof jobRow> {
  const [key, value] = sequencingJobAt(planned);
  return [key, Object.freeze(value)];
}
/** The job row of the current interval, which all logs share. */
let current: { readonly now: number; readonly row: ReturnType<typeof jobRow> } | undefined;
