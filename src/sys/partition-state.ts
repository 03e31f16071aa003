import { withTimeout } from "../base/with-timeout.ts";
import type { Store } from "../engine/ports.ts";

/** States of a partition. */
export const partitionStates = ["ready", "empty", "unreachable"] as const;
type PartitionState = (typeof partitionStates)[number];

/**
 * Returns the state of a partition. A partition without an epoch has lost its rows, and rejects
 * changes. A partition that does not respond within `timeout` milliseconds is unreachable.
 */
export function partitionState(store: Store, timeout: number): Promise<PartitionState> {
  const read = store
    .get(["epoch"])
    .then(([epoch]): PartitionState => (epoch === undefined ? "empty" : "ready"));
  return withTimeout(read, timeout, (): PartitionState => "unreachable").catch(() => "unreachable");
}
