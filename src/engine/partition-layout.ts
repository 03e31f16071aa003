import type { Store } from "./ports.ts";
import { rowReader } from "./row-reader.ts";

/**
 * The row of a partition with its number of partitions. Absent: as in the mount's route, because
 * the number never changed.
 */
export interface PartitionLayout {
  /** Number of partitions. In another partition than the first: to which its rows may move. */
  readonly count: number;
  /** In the mount's own store, while rows are moved: the number before. */
  readonly from?: number;
}
/** Prefix of the rows that only the stores of partitions use. No listing or export has them. */
export const partitionRows = "partition-";
/** Keys of these rows. */
export const partitionKeys = {
  layout: `${partitionRows}layout`,
  /** Marker that changes with each deletion of a row in a new partition. */
  deletions: `${partitionRows}deletions`,
  /** Progress of a growth, in the mount's own store. */
  growth: `${partitionRows}growth`,
} as const;
/** Maximum number of such rows in a partition. */
export const maxPartitionRows = 3;
/** Reads the row with the number of partitions. */
export const storedLayout = rowReader<PartitionLayout>({ count: 1 });

/** Progress of a growth. */
export interface GrowthProgress {
  /** The partition whose rows are moved. */
  readonly source: number;
  /** The last key in it that was examined. */
  readonly after: string;
  /** Number of rows moved so far. */
  readonly moved: number;
}
/** The store of a mount that may get more partitions. */
export interface GrowableStore extends Store {
  /**
   * Moves the rows of a page of at most `limit` rows to their new partitions, and returns where to
   * continue; undefined if all rows are in theirs.
   */
  grow(progress: GrowthProgress, limit: number): Promise<GrowthProgress | undefined>;
}
/** Reports whether the mount of a store may get more partitions. */
export const isGrowable = (store: Store): store is GrowableStore => "grow" in store;
