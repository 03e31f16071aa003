import type { Job } from "../engine/deployment.ts";
import type { Mount } from "../engine/mount.ts";
import type { Batch } from "../engine/ports.ts";
import { signCheckpoint } from "./checkpoint.ts";
import { entriesAfter, type NumberedEntry } from "./rows/entries.ts";
import {
  entryPrefix,
  logConfig,
  logKeys,
  numberEnd,
  numberEndLength,
  numberOf,
  requiredCosignatures,
  storedLogState,
  type LogConfig,
  type LogState,
} from "./rows/records.ts";
import { sequencingJobAt, sequencingKind } from "./rows/signed.ts";
import { parseEntryHead } from "./tree/entry.ts";
import { hashLeaf, type Digest } from "./tree/hash.ts";
import { appendLeaves, type Tile } from "./tree/tiles.ts";

/** Number of entries after which a step ends. Each step publishes a checkpoint. */
const entriesPerStep = 1000;
/** Time after which a partition that could not be read is read again (ms). */
const retryDelay = 5000;

/**
 * The job that adds entries to the tree. It waits for witnesses only briefly (see
 * `runInBackground`).
 */
export const logSequencing: Job<true> = {
  kind: sequencingKind,
  of: "mount",
  budget: 50,
  step: async (mount) => {
    const { witnesses } = (await mount.config()).get(logConfig);
    if (witnesses.length === 0) return sequence(mount);
    const { runInBackground } = await import("./background-run.ts");
    return runInBackground(mount, () => sequence(mount));
  },
};

/**
 * Adds the entries since the last run to the tree, in the order of their commits, and signs a
 * checkpoint. Each step is one batch that requires the tree to be unchanged since it was read.
 * Therefore only one of several servers succeeds, and a crash leaves the tree unchanged. If the log
 * requires cosignatures, the tree grows only once they have been collected, so that a checkpoint
 * without the required cosignatures is never served.
 */
async function sequence(mount: Mount): Promise<true | undefined> {
  const config = await mount.config();
  const log = config.get(logConfig);
  if (!log.key) return undefined;
  const [row, waiting] = await mount.store.get([logKeys.state, logKeys.witnesses]);
  const state = storedLogState(row?.value);
  const witnessed = log.witnesses.length > 0 ? await import("./witnessed.ts") : undefined;
  if (await witnessed?.postpone(mount, waiting)) return undefined;
  const addition = await nextEntries(mount, state);
  const { added, failure } = addition;
  if (failure !== undefined) await readAgain(mount, failure);
  // witnesses are not required to accept an empty tree
  const isCurrent = state.size === 0 || !witnessed || (await witnessed.isComplete(log, state));
  if (added.length === 0 && isCurrent) return undefined;
  const { next, full, put } = appendEntries(state, addition, mount.ports.crypto?.sha256);
  const signedNote = await signCheckpoint(mount, { ...log, key: log.key }, next);
  const grown = { state, rev: row?.rev ?? null, next, full, note: signedNote };
  const published = witnessed
    ? await witnessed.publish(mount, log, grown, waiting)
    : { checkpoint: signedNote, batch: {} };
  // run again, because the tree that another server has published may lack entries
  if (published === "outdated") return true;
  if (published === "postponed") return undefined;
  const { checkpoint, batch } = published;
  const done = await mount.storeContext.commit({
    ...batch,
    expect: [[logKeys.state, grown.rev]],
    put: [...put, ...(batch.put ?? []), [logKeys.state, { ...next, checkpoint }]],
  });
  return done && !addition.hasMore ? undefined : true;
}

/** The entries that a step adds to the tree. */
export interface Addition {
  readonly added: readonly NumberedEntry[];
  /** Whether there may be further entries. */
  readonly hasMore: boolean;
  /** The members of the tree's row that locate its entries. */
  readonly position: Pick<LogState, "last" | "segments" | "spread">;
  /** Additional rows that locate the added entries. */
  readonly put: NonNullable<Batch["put"]>;
  /** The reason why entries of a partition could not be read. */
  readonly failure?: unknown;
}
/** Reads the entries that follow those in the tree. */
async function nextEntries({ store }: Mount, state: LogState): Promise<Addition> {
  const rows = { store, prefix: entryPrefix };
  const added = await entriesAfter(rows, state.last, entriesPerStep);
  // lets the store notice all partitions that the mount had before it stored these entries
  await store.get(["epoch"]);
  if (state.spread || store.partitions)
    return (await import("./spread.ts")).spreadAddition(store, state, added, entriesPerStep);
  let segments = state.segments ?? [];
  for (const [at, { number }] of added.entries())
    if (numberOf(segments, state.size + at) !== number)
      segments = [...segments, [state.size + at, number]];
  return {
    added,
    hasMore: added.length >= entriesPerStep,
    position: { segments, last: added.at(-1)?.number ?? state.last },
    put: [],
  };
}
/** Schedules the job again, because a partition could not be read. */
async function readAgain({ ports, storeContext }: Mount, cause: unknown): Promise<void> {
  const now = ports.now();
  await storeContext.commit({ put: [sequencingJobAt({ due: now + retryDelay, now })] });
  ports.log?.({ endpoint: `job ${sequencingKind}`, status: 503, ms: 0, cause });
}

/** A tree after entries were appended. */
export interface Growth {
  readonly next: Omit<LogState, "checkpoint">;
  /** The tiles that became full with these entries. */
  readonly full: readonly Tile[];
}
/** Returns the tree with the entries appended, and the rows to write. */
function appendEntries(
  state: LogState,
  { added, position, put }: Addition,
  digest: Digest | undefined,
): Growth & { readonly put: NonNullable<Batch["put"]> } {
  const leaves = added.map(({ bytes }) => hashLeaf(bytes, digest));
  const { edge, full } = appendLeaves(state, leaves, digest);
  return {
    next: { ...edge, ...position },
    full,
    put: [
      ...full.map(({ level, index, bytes }) => [logKeys.tile(level, index), bytes] as const),
      ...(added.length === 0 ? [] : [runRow(added, state.size)]),
      ...put,
    ],
  };
}
/** Returns the row of a run, with which all entries of a step can be found. */
function runRow(
  added: readonly NumberedEntry[],
  first: number,
): readonly [key: string, value: Uint8Array] {
  const ends = new Uint8Array(added.length * numberEndLength);
  let latest = 0;
  for (const [at, { bytes }] of added.entries()) {
    const { time, number } = parseEntryHead(bytes);
    latest = Math.max(latest, time);
    if (number) ends.set(numberEnd(number), at * numberEndLength);
  }
  return [logKeys.run(latest, first), ends];
}

/**
 * Returns the batch that creates the empty tree of a log. If the log requires cosignatures, a job
 * publishes the first checkpoint.
 */
export async function newTree(
  mount: Mount,
  log: LogConfig & Parameters<typeof signCheckpoint>[1],
): Promise<Required<Pick<Batch, "put" | "expect">>> {
  const empty = storedLogState(undefined);
  const isOpen = requiredCosignatures(log) === 0;
  const checkpoint = isOpen ? await signCheckpoint(mount, log, empty) : "";
  return { expect: [[logKeys.state, null]], put: [[logKeys.state, { ...empty, checkpoint }]] };
}
