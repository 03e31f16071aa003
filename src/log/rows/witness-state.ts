import type { Mount } from "../../engine/mount.ts";
import { rowReader } from "../../engine/row-reader.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { logConfig, logKeys } from "./records.ts";

/** A witness that did not cosign, and the reason. */
export interface WitnessFailure {
  /** Name of the witness's key. */
  readonly name: string;
  /** The reason in one sentence, without a period and without data from the witness. */
  readonly reason: string;
}
/**
 * Result of the last attempt to have a checkpoint cosigned. There is no row if all witnesses
 * cosigned.
 */
export interface WitnessState {
  /** Time since which too few witnesses cosign (Unix ms), or 0 if enough witnesses cosign. */
  readonly since: number;
  /** Number of attempts since the time `since`. */
  readonly attempts: number;
  /** Time of the next attempt (Unix ms). */
  readonly next: number;
  readonly failures: readonly WitnessFailure[];
}
/** Parses the row of the last attempt. */
export const storedWitnessState = rowReader<WitnessState>({
  since: 0,
  attempts: 0,
  next: 0,
  failures: [],
});

const allCosign = storedWitnessState(undefined);
/**
 * Returns the result of the last attempt to have a checkpoint cosigned. Does not read the store if
 * the log has no witnesses.
 */
export async function witnessState(
  mount: Pick<Mount, "store">,
  config: Snapshot,
): Promise<WitnessState> {
  if (config.get(logConfig).witnesses.length === 0) return allCosign;
  const [row] = await mount.store.get([logKeys.witnesses]);
  return storedWitnessState(row?.value);
}
