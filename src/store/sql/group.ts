import { CaError } from "../../base/errors.ts";
import { findNewerFormatError } from "../../base/newer-format.ts";
import type { PackedBatch, PackedDone } from "./packed.ts";
import type { Rows } from "./rows.ts";
import type { Database } from "./sql.ts";

interface Waiting {
  readonly batch: PackedBatch;
  readonly resolve: (done: PackedDone) => void;
  readonly reject: (error: unknown) => void;
}
/**
 * Callbacks that run inside a transaction: `takenOver` if another process has written since the
 * last transaction of this process, and `applied` with the batches that were applied.
 */
export interface GroupHooks {
  takenOver?(): void;
  applied?(batches: readonly PackedBatch[]): void;
}

/**
 * Returns a function that commits batches. Batches that arrive while earlier writes are flushed
 * form one transaction, in order of arrival; each is applied only if its own conditions hold. If no
 * writes are pending, a batch is committed immediately. If storage fails, all batches of the
 * transaction reject with CaError `storage` and none is applied.
 *
 * In a Durable Object, a batch resolves before it is on disk, but this cannot be observed from
 * outside: the platform holds back responses and requests until all writes are durable. If they
 * fail, it sends a failure instead and restarts the object from disk.
 */
export function groupCommit(
  database: Database,
  rows: Rows,
  attending: GroupHooks = {},
): (batch: PackedBatch) => Promise<PackedDone> {
  let waiting: Waiting[] = [];
  const apply = (group: readonly Waiting[]): readonly PackedDone[] =>
    database.transactionSync(() => {
      if (rows.refresh()) attending.takenOver?.();
      const done = group.map(({ batch }) => doneOf(rows, batch));
      rows.complete();
      const applied = group.filter((_, at) => done[at] !== null).map(({ batch }) => batch);
      if (applied.length > 0) attending.applied?.(applied);
      return done;
    });
  const flush = async (): Promise<void> => {
    // a timer would delay every request by more time than larger groups save; even if no writes are
    // pending, calls that have already arrived can still join
    const written = await database.sync().then(
      () => undefined,
      (cause: unknown) => ({ cause }),
    );
    const group = waiting;
    waiting = [];
    try {
      if (written) throw written.cause;
      const done = apply(group);
      group.forEach(({ resolve }, at) => resolve(done[at] ?? null));
    } catch (cause) {
      rows.forget();
      const failure =
        findNewerFormatError(cause) ??
        new CaError("storage", "the write to storage failed; nothing was changed", { cause });
      for (const { reject } of group) reject(failure);
    }
  };
  return (batch) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ batch, resolve, reject }) === 1) void flush();
    });
}

/** Applies a batch, and reads its `read` rows before another batch changes them. */
function doneOf(rows: Rows, batch: PackedBatch): PackedDone {
  const epoch = rows.apply(batch);
  return epoch === null || !batch.read ? epoch : [epoch, rows.get(batch.read)];
}
