import { lastNumberKey } from "../base/row-keys.ts";
import { commitParameters } from "./commit-sql.ts";
import { toArray, toBytesArray, toTextArray } from "./literals.ts";
import { changedBy, locksOf, type Operations } from "./operations.ts";
import { runsOf } from "./runs.ts";

/** A parameter value of a statement, in a type that the driver can send. */
export type StatementValue = string | boolean | number | Buffer | null;
type Name = (typeof commitParameters)[number][0];
type Values = Readonly<Record<Name, StatementValue>>;

/** The values of all rows, which will be concatenated, and their total size in bytes. */
interface Pieces {
  readonly all: Uint8Array[];
  size: number;
}
function addBytes(
  pieces: Pieces,
  bytes: Uint8Array,
): { readonly start: number; readonly length: number } {
  const start = pieces.size;
  pieces.all.push(bytes);
  pieces.size += bytes.length;
  return { start, length: bytes.length };
}
/**
 * Returns all operations of one kind in a group. Each has the number of its batch, starting at 1.
 */
const numbered = <T>(
  group: readonly Operations[],
  pick: (one: Operations) => readonly T[],
): readonly (readonly [batch: number, one: T])[] =>
  group.flatMap((one, at) => pick(one).map((item) => [at + 1, item] as const));

/** The store that a group changes, and the node that commits the group. */
interface CommitTarget {
  readonly store: string;
  readonly origin: string;
}

/**
 * Returns the parameter values of the statement that commits a group. `exclusive` locks the whole
 * store, because the epoch changes or there are too many keys to lock individually.
 */
export function commitValues(
  { store, origin }: CommitTarget,
  group: readonly Operations[],
  exclusive: boolean,
): readonly StatementValue[] {
  const pieces: Pieces = { all: [], size: 0 };
  // all nodes acquire the locks in the same order
  const locks = exclusive ? [] : [...locksOf(group)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const values: Values = {
    store_name: store,
    exclusive,
    locks: toBytesArray(locks.map(([name]) => name)),
    lock_writes: toArray(locks.map(([, writes]) => writes)),
    runs: toArray(runsOf(group, exclusive)),
    ats: toArray(group.map(({ at }) => at)),
    epochs: toArray(group.map(({ epoch }) => (epoch === "next" ? -1 : epoch))),
    clears: toArray(group.map(({ clear }) => clear)),
    dues: toArray(group.map(({ due }) => due)),
    ...conditionValues(group),
    ...putValues(group, pieces),
    ...appendValues(group, pieces),
    ...logValues(group, pieces),
    ...readValues(group),
    origin,
    changed: changedBy(group),
    bytes: Buffer.concat(pieces.all, pieces.size),
  };
  return commitParameters.map(([name]) => values[name]);
}

function conditionValues(group: readonly Operations[]) {
  const expect = numbered(group, (one) => one.expect);
  const del = numbered(group, (one) => one.del);
  return {
    expect_batch: toArray(expect.map(([batch]) => batch)),
    expect_key: toBytesArray(expect.map(([, [key]]) => key)),
    expect_rev: toArray(expect.map(([, [, rev]]) => rev ?? undefined)),
    del_batch: toArray(del.map(([batch]) => batch)),
    del_key: toBytesArray(del.map(([, key]) => key)),
  };
}

function putValues(group: readonly Operations[], pieces: Pieces) {
  const put = numbered(group, (one) => one.put);
  const slices = put.map(([, { bytes }]) => addBytes(pieces, bytes));
  const indexes = put.flatMap(([, { index }], at) =>
    index.map(([name, value]) => ({ put: at + 1, name, ...addBytes(pieces, value) })),
  );
  const firsts: number[] = [];
  put.reduce((sum, [, { index }]) => (firsts.push(sum), sum + index.length), 0);
  return {
    put_batch: toArray(put.map(([batch]) => batch)),
    put_key: toBytesArray(put.map(([, { key }]) => key)),
    put_fresh: toArray(put.map(([, { fresh }]) => fresh)),
    put_start: toArray(slices.map(({ start }) => start)),
    put_length: toArray(slices.map(({ length }) => length)),
    put_index: toArray(firsts),
    put_indexes: toArray(put.map(([, { index }]) => index.length)),
    index_put: toArray(indexes.map((one) => one.put)),
    index_name: toTextArray(indexes.map(({ name }) => name)),
    index_start: toArray(indexes.map(({ start }) => start)),
    index_length: toArray(indexes.map(({ length }) => length)),
  };
}

function appendValues(group: readonly Operations[], pieces: Pieces) {
  const append = numbered(group, (one) => one.append);
  const slices = append.map(([, [, bytes]]) => addBytes(pieces, bytes));
  return {
    append_batch: toArray(append.map(([batch]) => batch)),
    append_prefix: toBytesArray(append.map(([, [prefix]]) => prefix)),
    append_start: toArray(slices.map(({ start }) => start)),
    append_length: toArray(slices.map(({ length }) => length)),
  };
}

function logValues(group: readonly Operations[], pieces: Pieces) {
  const log = numbered(group, (one) => one.log);
  const slices = log.map(([, [, bytes]]) => addBytes(pieces, bytes));
  return {
    log_batch: toArray(log.map(([batch]) => batch)),
    log_prefix: toBytesArray(log.map(([, [prefix]]) => prefix)),
    log_last: toBytesArray(log.map(([, [prefix]]) => lastNumberKey(prefix))),
    log_start: toArray(slices.map(({ start }) => start)),
    log_length: toArray(slices.map(({ length }) => length)),
    log_keep: toArray(log.map(([, [, , maxEntries]]) => maxEntries)),
  };
}

function readValues(group: readonly Operations[]) {
  const read = group.flatMap((one, at) =>
    one.read.map((key, n) => ({ batch: at + 1, n: n + 1, key })),
  );
  return {
    read_batch: toArray(read.map(({ batch }) => batch)),
    read_n: toArray(read.map(({ n }) => n)),
    read_key: toBytesArray(read.map(({ key }) => key)),
  };
}
