import type { DurableObjectStorage } from "@cloudflare/workers-types";
import { CaError } from "../src/base/errors.ts";
import type { PackedBatch, Rows } from "./rows.ts";

interface Waiting {
  readonly batch: PackedBatch;
  readonly resolve: (epoch: number | null) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Commits all batches that wait in one turn in one transaction: each applies or not by its own conditions, in the order of arrival.
 * When storage fails, every batch of the turn fails (CaError `storage`) and none is applied. `committed` is told of those that applied, inside the transaction.
 */
export function groupCommit(
  storage: DurableObjectStorage,
  rows: Rows,
  committed: (batches: readonly PackedBatch[]) => void = () => {},
): (batch: PackedBatch) => Promise<number | null> {
  let waiting: Waiting[] = [];
  const flush = async (): Promise<void> => {
    // longer waits cost more than larger groups win
    await scheduler.wait(0);
    const group = waiting;
    waiting = [];
    let results: (number | null)[];
    try {
      results = storage.transactionSync(() => {
        const epochs = group.map(({ batch }) => rows.apply(batch));
        committed(group.filter((_, at) => epochs[at] !== null).map(({ batch }) => batch));
        return epochs;
      });
    } catch (cause) {
      rows.forget();
      for (const { reject } of group) reject(new CaError("storage", "the storage failed; nothing was changed", { cause }));
      return;
    }
    group.forEach(({ resolve }, at) => resolve(results[at] ?? null));
  };
  return (batch) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ batch, resolve, reject }) === 1) void flush();
    });
}
