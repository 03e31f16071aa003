import type { PackedDone } from "../store/sql/packed.ts";
import type { Operations } from "./operations.ts";

/** Maximum number of batches per transaction, and maximum total size of their values in bytes. */
const [maxBatches, maxBytes] = [500, 32 * 1024 * 1024];

interface Waiting {
  readonly operations: Operations;
  readonly resolve: (done: PackedDone) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Returns a function that commits batches in groups: batches that arrive while a group is being
 * written form the next group, in order of arrival. `write` writes a group. If it rejects, the
 * results of all batches in the group reject.
 */
export function groupCommit(
  write: (group: readonly Operations[]) => Promise<readonly PackedDone[]>,
): (operations: Operations) => Promise<PackedDone> {
  const waiting: Waiting[] = [];
  let isWriting = false;
  const flush = async (): Promise<void> => {
    isWriting = true;
    // batches that have already arrived join the first batch
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      const group = waiting.splice(0, groupSize(waiting));
      try {
        const done = await write(group.map(({ operations }) => operations));
        group.forEach(({ resolve }, at) => resolve(done[at] ?? null));
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    isWriting = false;
  };
  return (operations) =>
    new Promise((resolve, reject) => {
      waiting.push({ operations, resolve, reject });
      if (!isWriting) void flush();
    });
}

function groupSize(waiting: readonly Waiting[]): number {
  let bytes = 0;
  const end = waiting.findIndex(({ operations: { size } }) => (bytes += size) > maxBytes);
  return Math.min(maxBatches, end < 0 ? waiting.length : Math.max(end, 1));
}
