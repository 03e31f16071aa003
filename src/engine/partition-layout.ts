import type { Store } from "./ports.ts";
import { rowReader } from "./row-reader.ts";

/**
 * The row with the number of partitions, in a partition's store. Absent if the number of partitions
 * has never changed; only the mount's route then contains it.
 */
export interface PartitionLayout {
  /**
   * Number of partitions. In partitions other than the first, the number of partitions to which
   * rows may be moved.
   */
  readonly count: number;
  /** Previous number of partitions, present in the mount's own store while rows are being moved. */
  readonly from?: number;
}
/**
 * Key prefix of the rows that only the stores of partitions use. Listings and exports omit them.
 */
export const partitionRows = "partition-";
/** Row keys that only the stores of partitions use. */
export const partitionKeys = {
  layout: `${partitionRows}layout`,
  /** Key of a marker that changes whenever a row in a new partition is deleted. */
  deletions: `${partitionRows}deletions`,
  /** Key of the row with the numbers after which the logs of an added partition begin. */
  logs: `${partitionRows}logs`,
  /** Key of the progress of repartitioning, in the mount's own store. */
  growth: `${partitionRows}growth`,
  /**
   * Key of the number of partitions whose stores may have rows, in the mount's own store. Absent
   * before the first growth. Deletions need the number, because a growth whose preparation was
   * interrupted may have left rows in more stores than the mount has partitions.
   */
  stores: `${partitionRows}stores`,
} as const;
/** Maximum number of rows with the `partition-` prefix in a partition. */
export const maxPartitionRows = 5;
/** Parses the row with the number of partitions. */
export const storedLayout = rowReader<PartitionLayout>({ count: 1 });

/** The row with the numbers after which the logs of an added partition begin. */
interface PartitionLogs {
  /** The last numbers of the mount's logs before the growth, by row key. */
  readonly numbers: Readonly<Record<string, unknown>>;
}
/** Parses the row with the numbers after which the logs of an added partition begin. */
export const storedPartitionLogs = rowReader<PartitionLogs>({ numbers: {} });

/** Progress of repartitioning: moving a mount's rows into additional partitions. */
export interface GrowthProgress {
  /** The partition from which rows are moved. */
  readonly source: number;
  /** The last examined key in the `source` partition. */
  readonly after: string;
  /** Number of rows moved so far. */
  readonly moved: number;
}
/** The store of a mount that may get more partitions. */
export interface GrowableStore extends Store {
  /**
   * Examines up to `limit` rows, moves them to their new partitions, and returns the progress from
   * which to continue. Returns undefined if all rows have been moved.
   */
  grow(progress: GrowthProgress, limit: number): Promise<GrowthProgress | undefined>;
  /**
   * Reads how many partitions have stores that may have rows. That may be more partitions than the
   * mount has, if the preparation of a growth was interrupted.
   */
  storeCount(): Promise<number>;
}
/** Reports whether the mount of a store may get more partitions. */
export const isGrowable = (store: Store): store is GrowableStore => "grow" in store;
