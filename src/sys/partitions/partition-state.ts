import { withTimeout } from "../../base/with-timeout.ts";
import type { Store } from "../../engine/ports.ts";

/** Timeout of a store's probe in milliseconds. */
export const probeTimeout = 2000;

/** The states of a partition. */
export const partitionStates = ["ready", "empty", "unreachable"] as const;
type PartitionState = (typeof partitionStates)[number];

/**
 * Returns the state of a partition. A partition without an epoch has lost its rows, rejects
 * changes, and is reported as `empty`. A partition that cannot be read within `timeout` ms is
 * `unreachable`.
 */
export function partitionState(store: Store, timeout: number): Promise<PartitionState> {
  const read = store
    .get(["epoch"])
    .then(([epoch]): PartitionState => (epoch === undefined ? "empty" : "ready"));
  return withTimeout(read, timeout, (): PartitionState => "unreachable").catch(() => "unreachable");
}
