import { jobDueTime, jobPrefix, lastNumberKey } from "../base/row-keys.ts";
import { epochKey } from "../store/batch.ts";
import type { PackedBatch } from "../store/sql/packed.ts";
import { encodeChanged } from "./changes-sql.ts";
import { encodeIndexValue } from "./index-value.ts";

/** A row to put. If `fresh`, the batch expects that no row with this key exists. */
interface PutOperation {
  readonly key: string;
  readonly bytes: Uint8Array;
  readonly fresh: boolean;
  readonly index: readonly (readonly [name: string, value: Buffer])[];
}
/**
 * A batch in the form that the statements need, copied because the caller may change its arrays.
 */
export interface Operations {
  readonly at: number | undefined;
  readonly epoch: number | "next" | undefined;
  readonly clear: boolean;
  /** Due time of the earliest job in the batch (Unix ms). */
  readonly due: number | undefined;
  readonly expect: readonly (readonly [key: string, rev: number | null])[];
  readonly del: readonly string[];
  readonly put: readonly PutOperation[];
  readonly append: readonly (readonly [prefix: string, bytes: Uint8Array])[];
  readonly log: readonly (readonly [prefix: string, bytes: Uint8Array, keep: number | undefined])[];
  readonly read: readonly string[];
  /** Whether the batch has a `read` list, which may be empty. */
  readonly hasRead: boolean;
  /** Total size of the values in bytes. */
  readonly size: number;
}

/** Returns the operations of a batch. Each key is put or deleted at most once, and never both. */
export function operationsOf(batch: PackedBatch): Operations {
  const {
    at,
    epoch,
    clear = false,
    expect = [],
    del = [],
    append = [],
    log = [],
    read = [],
  } = batch;
  const absent = new Set(expect.flatMap(([key, rev]) => (rev === null ? [key] : [])));
  const put = new Map(
    batch.put?.map(([key, bytes, index = {}]) => {
      const values = Object.entries(index).map(
        ([name, value]) => [name, encodeIndexValue(value)] as const,
      );
      return [key, { key, bytes, fresh: absent.has(key), index: values }] as const;
    }),
  );
  const dues = [...put.keys()].flatMap((key) =>
    key.startsWith(jobPrefix) ? [jobDueTime(key)] : [],
  );
  const due = Math.min(...dues);
  const appended = append.map(([prefix, bytes]) => [prefix, bytes.slice()] as const);
  return {
    at,
    epoch,
    clear,
    due: Number.isFinite(due) ? due : undefined,
    expect: expect.map(([key, rev]) => [key, rev] as const),
    del: [...new Set(del)].filter((key) => !put.has(key)),
    put: [...put.values()],
    append: appended,
    log: log.map(([prefix, bytes, maxEntries]) => [prefix, bytes, maxEntries] as const),
    read: [...read],
    hasRead: batch.read !== undefined,
    size:
      sizeOf([...put.values()]) +
      [...appended, ...log].reduce((sum, [, { length }]) => sum + length, 0),
  };
}
const sizeOf = (put: readonly PutOperation[]): number =>
  put.reduce(
    (sum, { bytes, index }) =>
      index.reduce((more, [, value]) => more + value.length, sum + bytes.length),
    0,
  );

/**
 * Returns the name of the lock for a row: the key without trailing digits, so that all pages under
 * a prefix share a lock, as do all entries of a log. The names are part of the layout, because all
 * nodes must agree on them.
 */
export const lockName = (key: string): string => key.replace(/\d+$/, "");

/**
 * Returns the encoded keys of the rows that batches change, or "" if they change no rows. The keys
 * of pages and log entries are not included.
 */
export function changedBy(group: readonly Operations[]): string {
  if (group.some(({ clear }) => clear)) return encodeChanged();
  const keys = group.flatMap(({ put, del, epoch }) => [
    ...put.map(({ key }) => key),
    ...del,
    ...(epoch === undefined ? [] : [epochKey]),
  ]);
  const isAdded = group.some(({ append, log }) => append.length + log.length > 0);
  return keys.length > 0 || isAdded ? encodeChanged([...new Set(keys)]) : "";
}

/** Returns the names of the locks that batches need, and whether each is locked for writing. */
export function locksOf(group: readonly Operations[]): ReadonlyMap<string, boolean> {
  const locks = new Map<string, boolean>();
  for (const { expect, del, put, append, log } of group) {
    for (const [key] of expect) {
      const name = lockName(key);
      locks.set(name, locks.get(name) ?? false);
    }
    for (const key of del) locks.set(lockName(key), true);
    for (const { key } of put) locks.set(lockName(key), true);
    for (const [prefix] of append) locks.set(lockName(prefix), true);
    for (const [prefix] of log) {
      locks.set(lockName(prefix), true);
      locks.set(lockName(lastNumberKey(prefix)), true);
    }
  }
  return locks;
}
