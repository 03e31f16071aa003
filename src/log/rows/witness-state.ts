import type { Mount } from "../../engine/mount.ts";
import { rowReader } from "../../engine/row-reader.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { logConfig, logKeys } from "./records.ts";

/** Why a witness did not cosign. */
export interface WitnessFailure {
  /** Name of the witness's key. */
  readonly name: string;
  /** One sentence without a period, which quotes nothing from the witness. */
  readonly reason: string;
}
/** Result of the last attempt to have a checkpoint cosigned; no row if all witnesses did. */
export interface WitnessState {
  /** Time since which too few witnesses cosign (Unix ms); 0: enough do. */
  readonly since: number;
  /** Number of attempts since then. */
  readonly attempts: number;
  /** Time of the next attempt (Unix ms). */
  readonly next: number;
  readonly failures: readonly WitnessFailure[];
}
/** Reads the row of the last attempt. */
export const storedWitnessState = rowReader<WitnessState>({
  since: 0,
  attempts: 0,
  next: 0,
  failures: [],
});

const allCosign = storedWitnessState(undefined);
/** Returns the last attempt to have a checkpoint cosigned; reads nothing without witnesses. */
export async function witnessState(
  ca: Pick<Mount, "store">,
  config: Snapshot,
): Promise<WitnessState> {
  if (config.get(logConfig).witnesses.length === 0) return allCosign;
  const [row] = await ca.store.get([logKeys.witnesses]);
  return storedWitnessState(row?.value);
}
