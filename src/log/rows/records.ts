import { CaError } from "../../base/errors.ts";
import { lastNumberKey, logKey } from "../../base/row-keys.ts";
import type { Store } from "../../engine/ports.ts";
import { rowReader } from "../../engine/row-reader.ts";
import { setting, type Snapshot } from "../../engine/snapshot.ts";
import { keys, type KeyRow } from "../../pki/rows/records.ts";

/** Choices for the content of new entries: the DER of the signed structure, or only its SHA-256. */
export const entryContents = ["full", "hashes"] as const;
/** The content of new entries: `full` or `hashes`. */
export type EntryContents = (typeof entryContents)[number];

/** A witness: a server that cosigns checkpoints of growing trees (C2SP tlog-witness). */
export interface Witness {
  /** Encoded verifier key of the witness. */
  readonly key: string;
  /** Submission prefix of the witness, without a trailing slash. */
  readonly url: string;
}
/** The settings of a mount's log, as in `config/log`. */
export interface LogConfig {
  readonly enabled: boolean;
  /** Name of the log and its key in checkpoints; "" until the log is first enabled. */
  readonly origin: string;
  /** Whether callers without a token may read the log. */
  readonly public: boolean;
  readonly entries: EntryContents;
  readonly witnesses: readonly Witness[];
  /**
   * Minimum number of cosignatures for a checkpoint to be published. If absent, all witnesses must
   * cosign.
   */
  readonly required?: number;
  /**
   * Trust anchors (DER) for the witnesses' servers. If empty, the platform's trust anchors are
   * used.
   */
  readonly roots: readonly Uint8Array[];
  /** The key that signs checkpoints; absent until the log is first enabled. */
  readonly key?: KeyRow;
}
/** The log settings of a mount, with their defaults. */
export const logConfig = setting<LogConfig>(keys.config("log"), {
  enabled: false,
  origin: "",
  public: false,
  entries: "full",
  witnesses: [],
  roots: [],
});
/** Returns the number of cosignatures that a checkpoint of a log requires. */
export const requiredCosignatures = ({ required, witnesses }: LogConfig): number =>
  required ?? witnesses.length;

/**
 * Throws CaError `conflict` if a mount has several partitions, because each partition numbers its
 * own entries, but the tree needs a single order.
 */
export function refusePartitions({ placement }: Pick<Store, "placement">): void {
  if (placement)
    throw new CaError(
      "conflict",
      `a mount with ${placement.count} partitions cannot have a log: use a mount with one partition`,
    );
}
/**
 * Throws CaError `conflict` if the log of a mount is enabled, in which case the mount cannot get
 * several partitions.
 */
export function requireNoLog(config: Snapshot): void {
  if (config.get(logConfig).enabled)
    throw new CaError(
      "conflict",
      "a mount with several partitions cannot have a log: disable config/log first; it cannot be enabled again in this mount",
    );
}

/** Prefix of the entries, which the store numbers in the order of their commits. */
export const entryPrefix = "tlog/entry/";
/** The row keys of a log. */
export const logKeys = {
  /**
   * Key of an entry with a number that the store assigned, or of an array of entries, the last of
   * which has this number.
   */
  entry: (number: number) => logKey(entryPrefix, number),
  lastNumber: lastNumberKey(entryPrefix),
  state: "tlog/state",
  witnesses: "tlog/witnesses",
  tile: (level: number, index: number) => `tlog/tile/${level}/${String(index).padStart(12, "0")}`,
  /**
   * Key of a run: the entries that one step added to the tree, by their latest time (Unix ms) and
   * the index of the first entry. The value has the last octets of each entry's number (see
   * `numberEnd`).
   */
  run: (latest: number, index: number) => `${runsFrom(latest)}/${String(index).padStart(12, "0")}`,
  /**
   * Key of the row with the index of a structure's entry, by the structure's hexadecimal SHA-256.
   * Only versions without runs wrote these rows.
   */
  index: (digest: string) => `tlog/index/${digest.slice(0, 32)}`,
} as const;

/** Key prefix of runs. */
export const runPrefix = "tlog/run/";
/**
 * Returns a key that sorts before all runs that may have an entry with this time, and after all
 * earlier runs.
 */
export const runsFrom = (time: number): string =>
  `${runPrefix}${String(Math.max(time, 0)).padStart(15, "0")}`;
/** Returns the index of a run's first entry, given the run's key. */
export const firstOfRun = (key: string): number => Number(key.slice(key.lastIndexOf("/") + 1));
/** Number of octets that a run stores of each entry's number. */
export const numberEndLength = 8;
/** Returns the last octets of a number, padded with leading zeros. */
export function numberEnd(number: Uint8Array): Uint8Array {
  const end = new Uint8Array(numberEndLength);
  const last = number.subarray(-numberEndLength);
  end.set(last, numberEndLength - last.length);
  return end;
}

/** Entries with consecutive numbers: the index and the number of the first entry. */
type Segment = readonly [index: number, number: number];
/** The published tree and its checkpoint. */
export interface LogState {
  /** Number of entries in the tree. */
  readonly size: number;
  /** The partial tile of each level of the tree. */
  readonly partial: readonly Uint8Array[];
  /** Sequence number of the last entry in the tree, or 0 if the tree is empty. */
  readonly last: number;
  /** The entries after each gap in the numbers; a restore, for example, causes a gap. */
  readonly segments: readonly Segment[];
  /** The signed checkpoint of the tree; "" until a checkpoint has the required cosignatures. */
  readonly checkpoint: string;
}
/** Parses the row of the tree. */
export const storedLogState = rowReader<LogState>({
  size: 0,
  partial: [],
  last: 0,
  segments: [],
  checkpoint: "",
});

/** Returns the sequence number of the entry at the given index of the tree. */
export function numberOf({ segments }: Pick<LogState, "segments">, index: number): number {
  const [first, number] = segments.findLast(([start]) => start <= index) ?? [0, 1];
  return number + (index - first);
}
