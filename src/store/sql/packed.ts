import type { Batch, Index } from "../../engine/ports.ts";

/** A row with its encoded value. `bytes` is absent in a listing that omits values. */
export type PackedRow = readonly [rev: number, bytes?: Uint8Array];
/** Part of a listing, with as many rows as fit into one response. */
export interface PackedList {
  readonly rows: readonly (readonly [key: string, row: PackedRow, at?: string | number])[];
  readonly more: boolean;
}
/** Part of a listing, and a row that was read after it; null if the row does not exist. */
export interface PackedListThenGet extends PackedList {
  readonly row: PackedRow | null;
}
/**
 * The result of a batch: the new epoch and the rows that the batch reads, if any. It is null if a
 * condition does not hold.
 */
export type PackedDone =
  | number
  | null
  | readonly [epoch: number, rows: readonly (PackedRow | null)[]];
/** A row to put, with its encoded value. */
export type PackedPut = readonly [key: string, bytes: Uint8Array, index?: Index];
/** An encoded value to append to a log. */
export type PackedEntry = readonly [
  prefix: string,
  bytes: Uint8Array,
  keep?: number | undefined,
  joins?: boolean,
];
/** A row with its encoded value and its index values. */
export type PackedExportRow = readonly [key: string, rev: number, bytes: Uint8Array, index?: Index];
/** Part of an export, with as many rows as fit into one response. */
export interface PackedExport {
  readonly id: string;
  readonly rows: readonly PackedExportRow[];
  readonly more: boolean;
}
/** A batch with encoded values. */
export interface PackedBatch extends Omit<Batch, "put" | "log" | "onlyAtEpoch"> {
  /**
   * The value of `onlyAtEpoch`, under the name that Workers and Durable Objects of every version
   * understand.
   */
  readonly at?: number;
  readonly put?: readonly PackedPut[];
  readonly log?: readonly PackedEntry[];
}
