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
 * What an object does inside a transaction: when another process may have written before it, and
 * once it is known which batches applied.
 */
export interface GroupHooks {
  takenOver?(): void;
  applied?(batches: readonly PackedBatch[]): void;
}

/**
 * Commits batches: those that wait when what was written before is on the disk are one transaction,
 * in the order of arrival, and each applies or not by its own conditions. While nothing is being
 * written that is at once. When storage fails, every batch of the transaction fails (CaError
 * `storage`) and none is applied.
 *
 * A batch is answered before it is on the disk, and still nobody is told so: the platform holds
 * back whatever an object sends (answers to calls, requests to others) until all it has written is
 * durable, and if that fails, sends a failure instead and starts the object anew from what the disk
 * holds.
 */
export function groupCommit(
  database: Database,
  rows: Rows,
  attending: GroupHooks = {},
): (batch: PackedBatch) => Promise<PackedDone> {
  let waiting: Waiting[] = [];
  const apply = (group: readonly Waiting[]): readonly PackedDone[] =>
    database.transactionSync(() => {
      if (rows.look()) attending.takenOver?.();
      const done = group.map(({ batch }) => doneOf(rows, batch));
      const applied = group.filter((_, at) => done[at] !== null).map(({ batch }) => batch);
      if (applied.length > 0) attending.applied?.(applied);
      return done;
    });
  const flush = async (): Promise<void> => {
    // no timer, which costs every request more than larger groups win; where nothing is being
    // written this lets calls join that have arrived already
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
        new CaError("storage", "the storage failed; nothing was changed", { cause });
      for (const { reject } of group) reject(failure);
    }
  };
  return (batch) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ batch, resolve, reject }) === 1) void flush();
    });
}

/** Applies a batch, and reads what it wants read before another one changes it. */
function doneOf(rows: Rows, batch: PackedBatch): PackedDone {
  const epoch = rows.apply(batch);
  return epoch === null || !batch.read ? epoch : [epoch, rows.get(batch.read)];
}
