import { type GrowthProgress, partitionKeys } from "../../engine/partition-layout.ts";
import type { Store } from "../../engine/ports.ts";
import { rowReader } from "../../engine/row-reader.ts";
import { rowPrefixes } from "../../pki/rows/records.ts";
import { int, text } from "../../wire/field.ts";

/** Kind of the job that moves the rows of a growing mount. */
export const growthKind = "partition-growth";

/** A running or stopped growth, stored in the mount's store. */
export interface GrowthRow extends GrowthProgress {
  readonly to: number;
  readonly from: number;
  readonly isStopped: boolean;
  /** Number of consecutive failed steps; absent if the last step succeeded. */
  readonly failures?: number;
  /** The reason why the last step failed. */
  readonly error?: string;
}
/** Parses the row of a growth. */
export const storedGrowth = rowReader<GrowthRow>({
  to: 1,
  from: 1,
  isStopped: false,
  source: 0,
  after: "",
  moved: 0,
});
/**
 * Returns a mount's growth with the revision of its row, or undefined if no growth is running or
 * stopped.
 */
export async function growthOf({
  store,
}: {
  readonly store: Store;
}): Promise<{ readonly growth: GrowthRow; readonly rev: number } | undefined> {
  // reading the epoch makes the store notice a growth that another process began
  const [row] = await store.get([partitionKeys.growth, "epoch"]);
  return row && { growth: storedGrowth(row.value), rev: row.rev };
}

/** Returns a serial number's position in the range of generated serial numbers, as a fraction. */
const serialFraction = (serial: string): number =>
  Math.min(1, Math.max(Number.parseInt(serial.slice(0, 8).padEnd(8, "0"), 16) / 0x8000_0000, 1e-6));
/**
 * Returns the progress of a growth in percent, estimated from the position of the last moved row.
 */
function growthPercent({ source, after, from }: GrowthRow): number {
  const certs = rowPrefixes.certs;
  const isInCerts = after.startsWith(certs);
  // certificates are moved first, and most rows are certificates
  const within = isInCerts ? 0.9 * serialFraction(after.slice(certs.length)) : after ? 0.9 : 0;
  return Math.min(99, Math.floor(((source + within) / from) * 100));
}

/** Members of responses that describe a growth. */
export const growthFields = {
  state: text.required(
    "State of the growth. It is `stopped` after a DELETE, until the next POST.",
    ["moving", "stopped"],
  ),
  from: int.required("Number of partitions before the growth."),
  to: int.required("Number of partitions after the growth."),
  percent: int.required("Estimated progress in percent."),
  error: text.optional(
    "Reason why the last step failed; absent if it succeeded. Failed steps are retried.",
  ),
} as const;
/** The state of a growth, as shown in responses. */
export interface GrowthState {
  readonly state: "moving" | "stopped";
  readonly from: number;
  readonly to: number;
  readonly percent: number;
  readonly error?: string;
}
/** Returns the state of a growth as shown in responses. */
export function growthState(growth: GrowthRow): GrowthState {
  const { from, to, isStopped, error } = growth;
  return {
    state: isStopped ? "stopped" : "moving",
    from,
    to,
    percent: growthPercent(growth),
    ...(error === undefined ? {} : { error }),
  };
}
