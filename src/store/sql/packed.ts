import type { Batch, Index } from "../../engine/ports.ts";

/** A row as it travels: its value encoded; without bytes where a listing leaves values out. */
export type PackedRow = readonly [rev: number, bytes?: Uint8Array];
/** Part of a listing: as many rows as fit into one answer, and whether more follow. */
export interface PackedList {
  readonly rows: readonly (readonly [key: string, row: PackedRow, at?: string | number])[];
  readonly more: boolean;
}
/**
 * What came of a batch: the epoch then held, and the rows that it wanted to read where it wanted
 * any; null: nothing, because a condition does not hold.
 */
export type PackedDone =
  | number
  | null
  | readonly [epoch: number, rows: readonly (PackedRow | null)[]];
/** A row to be put. */
export type PackedPut = readonly [key: string, bytes: Uint8Array, index?: Index];
/** A value to be added to a log. */
export type PackedEntry = readonly [prefix: string, bytes: Uint8Array, keep?: number];
/** Part of an export: as many rows as fit into one answer, and whether more follow. */
export interface PackedExport {
  readonly id: string;
  readonly rows: readonly (readonly [key: string, rev: number, bytes: Uint8Array, index?: Index])[];
  readonly more: boolean;
}
/** A batch as it travels: values encoded. */
export interface PackedBatch extends Omit<Batch, "put" | "log" | "onlyAtEpoch"> {
  /** `onlyAtEpoch`, by the name that Workers and objects of every version know. */
  readonly at?: number;
  readonly put?: readonly PackedPut[];
  readonly log?: readonly PackedEntry[];
}
