import { CaError } from "../../base/errors.ts";
import { lastNumberKey, logKey } from "../../base/row-keys.ts";
import type { Store } from "../../engine/ports.ts";
import { rowReader } from "../../engine/row-reader.ts";
import { setting } from "../../engine/snapshot.ts";
import { keys, type KeyRow } from "../../pki/rows/records.ts";

/** The contents of new entries: the DER of what was signed, or only its SHA-256. */
export const entryContents = ["full", "hashes"] as const;
/** A choice of these contents. */
export type EntryContents = (typeof entryContents)[number];

/** A witness: a server that cosigns checkpoints of growing trees (C2SP tlog-witness). */
export interface Witness {
  /** Its verifier key, as text. */
  readonly key: string;
  /** Its submission prefix, without a slash at the end. */
  readonly url: string;
}
/** `config/log`: the settings of the log of a mount. */
export interface LogConfig {
  readonly enabled: boolean;
  /** Name of the log and of its key in checkpoints; "" before the log was first enabled. */
  readonly origin: string;
  /** Whether callers without a token may read it. */
  readonly public: boolean;
  readonly entries: EntryContents;
  readonly witnesses: readonly Witness[];
  /** Number of cosignatures without which no checkpoint is published; absent: all. */
  readonly required?: number;
  /** Trusted CA certificates of the witnesses' servers, DER; empty: the platform's. */
  readonly roots: readonly Uint8Array[];
  /** The key that signs checkpoints; absent before the log was first enabled. */
  readonly key?: KeyRow;
}
/** The settings of the log of a mount. */
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
 * Throws CaError `conflict` for a mount with several partitions: each numbers its own entries, and
 * the tree has one order.
 */
export function refusePartitions({ placement }: Pick<Store, "placement">): void {
  if (placement)
    throw new CaError(
      "conflict",
      `a mount with ${placement.count} partitions cannot have a log: use a mount with one partition`,
    );
}

/** Prefix of the entries, which the store numbers in the order of their commits. */
export const entryPrefix = "tlog/entry/";
/** Keys of the rows of a log. */
export const logKeys = {
  /**
   * Entry with a number that the store assigned, or an array of entries whose last one has this
   * number.
   */
  entry: (number: number) => logKey(entryPrefix, number),
  lastNumber: lastNumberKey(entryPrefix),
  state: "tlog/state",
  witnesses: "tlog/witnesses",
  tile: (level: number, index: number) => `tlog/tile/${level}/${String(index).padStart(12, "0")}`,
  /**
   * Run: the entries that one step added to the tree, by the latest time among them (Unix ms) and
   * the index of the first. Its value has the end of the number of each, see `numberEnd`.
   */
  run: (latest: number, index: number) => `${runsFrom(latest)}/${String(index).padStart(12, "0")}`,
  /** Index of the entry of a structure, by its SHA-256 in hexadecimal; of versions before runs. */
  index: (digest: string) => `tlog/index/${digest.slice(0, 32)}`,
} as const;

/** Prefix of the runs. */
export const runPrefix = "tlog/run/";
/** Returns a key before all runs that may have an entry of a time, and after earlier ones. */
export const runsFrom = (time: number): string =>
  `${runPrefix}${String(Math.max(time, 0)).padStart(15, "0")}`;
/** Returns the index of the first entry of a run, from its key. */
export const firstOfRun = (key: string): number => Number(key.slice(key.lastIndexOf("/") + 1));
/** Octets of a number that a run has. */
export const numberEndLength = 8;
/** Returns the last octets of a number, with zeros before a shorter one. */
export function numberEnd(number: Uint8Array): Uint8Array {
  const end = new Uint8Array(numberEndLength);
  const last = number.subarray(-numberEndLength);
  end.set(last, numberEndLength - last.length);
  return end;
}

/** Entries with consecutive numbers: index of the first one, and its number. */
type Segment = readonly [index: number, number: number];
/** The tree so far, and its checkpoint. */
export interface LogState {
  /** Number of entries in the tree. */
  readonly size: number;
  /** The partial tile of each level. */
  readonly partial: readonly Uint8Array[];
  /** Number of the last entry in the tree; 0: none. */
  readonly last: number;
  /** Where the numbers of entries continue after a gap, as they do after a restore. */
  readonly segments: readonly Segment[];
  /** The signed checkpoint of the tree; "" before the first one with the required cosignatures. */
  readonly checkpoint: string;
}
/** Reads the row of the tree. */
export const storedLogState = rowReader<LogState>({
  size: 0,
  partial: [],
  last: 0,
  segments: [],
  checkpoint: "",
});

/** Returns the number of the entry at an index of the tree. */
export function numberOf({ segments }: Pick<LogState, "segments">, index: number): number {
  const [first, number] = segments.findLast(([start]) => start <= index) ?? [0, 1];
  return number + (index - first);
}
