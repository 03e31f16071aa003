import { lastNumberKey, logKey } from "../../base/row-keys.ts";
import { rowReader } from "../../engine/row-reader.ts";
import { setting } from "../../engine/snapshot.ts";
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

/** Name of the log with the entries, among the logs of a store. */
export const entryLog = "entry";
/** Prefix of the entries, which the store numbers in the order of their commits. */
export const entryPrefix = `tlog/${entryLog}/`;
/** Key prefix of the rows that locate the entries added by each step. */
export const stepPrefix = "tlog/step/";
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
   * Key of the row that locates the entries that a step added to the tree of a partitioned mount.
   * `size` is the size of the tree after the step.
   */
  step: (size: number) => logKey(stepPrefix, size),
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
/** Entries of a partition that the mount no longer has, stored in the mount's own store. */
export interface FormerEntries {
  readonly partition: number;
  /** Sequence number of the last of these entries. */
  readonly last: number;
}
/** The entries of a tree in a mount that has, or had, several partitions. */
export interface SpreadEntries {
  /**
   * Size of the tree when the mount got several partitions. Earlier entries are in the mount's own
   * store, and `segments` are their gaps.
   */
  readonly from: number;
  readonly segments: readonly Segment[];
  /**
   * Sequence number of the last entry in the tree for each partition other than the first. Later
   * partitions may be missing.
   */
  readonly others: readonly number[];
  readonly former: readonly FormerEntries[];
}
/** The published tree and its checkpoint. */
export interface LogState {
  /** Number of entries in the tree. */
  readonly size: number;
  /** The partial tile of each level of the tree. */
  readonly partial: readonly Uint8Array[];
  /** Sequence number of the last entry in the tree, or 0 if the tree is empty. */
  readonly last: number;
  /**
   * The entries after each gap in the numbers; a restore, for example, causes a gap. Null if the
   * tree has entries of several partitions, so that versions without `spread` reject the tree.
   */
  readonly segments: readonly Segment[] | null;
  /** Absent unless the tree may have entries of several partitions. */
  readonly spread?: SpreadEntries;
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

/**
 * Returns the sequence number of the entry at the given index of a tree. If the mount has had
 * several partitions, the entry must be from before that.
 */
export function numberOf(segments: readonly Segment[], index: number): number {
  const [first, number] = segments.findLast(([start]) => start <= index) ?? [0, 1];
  return number + (index - first);
}
/** Returns the locations of a tree's entries in a mount that has, or had, several partitions. */
export const entrySpreadOf = ({ spread, size, segments }: LogState): SpreadEntries =>
  spread ?? { from: size, segments: segments ?? [], others: [], former: [] };
