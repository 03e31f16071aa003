import type { Mount } from "../engine/mount.ts";
import type { Batch, Row } from "../engine/ports.ts";
import { logKeys, requiredCosignatures, type LogConfig, type LogState } from "./rows/records.ts";
import { sequencingJobAt } from "./rows/signed.ts";
import { storedWitnessState, type WitnessState } from "./rows/witness-state.ts";
import type { Growth } from "./sequence.ts";
import { tileReader } from "./tiles-read.ts";
import { countCosignatures, parseWitnessKey } from "./tree/cosignature.ts";
import { hashLength } from "./tree/hash.ts";
import { parseNote } from "./tree/note.ts";
import type { ReadTile } from "./tree/tiles.ts";
import { collectCosignatures } from "./witnesses.ts";

/**
 * Delay after the first failed attempt and maximum delay (ms). Each further failure doubles the
 * delay.
 */
const [firstDelay, maxDelay] = [5000, 60_000];

/**
 * Reports whether the next attempt after a failure is not due yet. If so, reschedules the job for
 * the time of that attempt, because every new entry makes the job due.
 */
export async function postpone(mount: Mount, waiting: Row | undefined): Promise<boolean> {
  const { since, next } = storedWitnessState(waiting?.value);
  const now = mount.ports.now();
  // if the clock was ahead and has been corrected, the log must not stop
  if (since === 0 || now >= next || next - now > maxDelay) return false;
  await mount.storeContext.commit({ put: [sequencingJobAt({ due: next, now })] });
  return true;
}

/**
 * Reports whether the published checkpoint has the cosignatures that the log currently requires.
 */
export async function isComplete(log: LogConfig, { checkpoint }: LogState): Promise<boolean> {
  const note = parseNote(checkpoint);
  const keys = log.witnesses.flatMap(({ key }) => parseWitnessKey(key) ?? []);
  return note !== undefined && (await countCosignatures(note, keys)) >= requiredCosignatures(log);
}

/** A tree to publish. */
interface Unpublished extends Growth {
  /** The published tree, and the revision of its row, if any. */
  readonly state: LogState;
  readonly rev: number | null;
  /** The signed checkpoint of the next tree. */
  readonly note: string;
}
/** A checkpoint to publish, and the batch that records which witnesses failed. */
interface Publication {
  readonly checkpoint: string;
  readonly batch: Pick<Batch, "put" | "del">;
}
/**
 * Returns the cosigned checkpoint. If there are too few cosignatures, schedules the next attempt
 * and returns "postponed", or returns "outdated" if another server has published a tree in the
 * meantime.
 */
export async function publish(
  mount: Mount,
  log: LogConfig,
  { state, rev, next, full, note }: Unpublished,
  waiting: Row | undefined,
): Promise<Publication | "postponed" | "outdated"> {
  const tiles = new Map(full.map(({ level, index, bytes }) => [`${level}/${index}`, bytes]));
  const stored = tileReader(mount, { ...next, checkpoint: "" });
  const read: ReadTile = async (level, index, width) =>
    tiles.get(`${level}/${index}`)?.subarray(0, width * hashLength) ??
    (await stored(level, index, width));
  const cosigned = await collectCosignatures(mount, log, {
    note,
    text: note.slice(0, note.lastIndexOf("\n\n") + 1),
    size: next.size,
    published: state.size,
    read,
  });
  const { failures } = cosigned;
  const before = storedWitnessState(waiting?.value);
  if (cosigned.isComplete) {
    const row: WitnessState = { since: 0, attempts: 0, next: 0, failures };
    // always written, because an attempt of another server may have failed in the meantime
    return {
      checkpoint: cosigned.note,
      batch:
        failures.length > 0 ? { put: [[logKeys.witnesses, row]] } : { del: [logKeys.witnesses] },
    };
  }
  const now = mount.ports.now();
  const due = now + Math.min(firstDelay * 2 ** before.attempts, maxDelay);
  const row: WitnessState = {
    since: before.since || now,
    attempts: before.attempts + 1,
    next: due,
    failures,
  };
  const noted = await mount.storeContext.commit({
    expect: [[logKeys.state, rev]],
    put: [[logKeys.witnesses, row], sequencingJobAt({ due, now })],
  });
  if (!noted) return "outdated";
  mount.ports.log?.({ endpoint: "log witnesses", status: 503, ms: 0, cause: failureOf(row) });
  return "postponed";
}
const failureOf = ({ failures }: WitnessState): Error =>
  new Error(failures.map(({ name, reason }) => `${name}: ${reason}`).join("; "));
