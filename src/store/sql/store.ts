import type {
  Batch,
  Committed,
  ExportedRow,
  LogEntry,
  Page,
  Row,
  Store,
  StoreSize,
} from "../../engine/ports.ts";
import { decode, decodeView, encode, encodeUnchanging } from "../../base/encoding.ts";
import { memoize } from "../../base/memo.ts";
import { jobPrefix } from "../../base/row-keys.ts";
import {
  checkBatch,
  checkKeys,
  checkPrefix,
  copyPage,
  exportedAtOnce,
  exportLost,
} from "../batch.ts";
import type {
  PackedBatch,
  PackedDone,
  PackedEntry,
  PackedExport,
  PackedList,
  PackedRow,
} from "./packed.ts";

/** Access to the encoded rows of a store. Methods may return fewer rows than requested. */
export interface PackedStore {
  get(keys: readonly string[]): Promise<readonly (PackedRow | null)[]>;
  list(prefix: string, page: Page): Promise<PackedList>;
  commit(batch: PackedBatch): Promise<PackedDone>;
  epoch?(): Promise<number>;
  size?(): Promise<StoreSize | undefined>;
  drop?(): Promise<void>;
  /**
   * Returns the next part of an export, or the first part of a new export if `id` is null. Returns
   * null if the export was lost.
   */
  exported?(id: string | null, maxRows: number): Promise<PackedExport | null>;
}
/**
 * Returns a store over encoded rows. A long listing is read in several parts, which together are
 * not a snapshot.
 */
export function storeOf(packed: PackedStore): Store {
  return {
    async get(keys) {
      checkKeys(keys);
      const rows: (Row | undefined)[] = [];
      while (rows.length < keys.length) {
        const part = await packed.get(rows.length > 0 ? keys.slice(rows.length) : keys);
        for (const row of part) rows.push(row ? unpack(row) : undefined);
      }
      return rows;
    },
    ...(packed.epoch ? { epoch: packed.epoch } : {}),
    ...(packed.size ? { size: packed.size } : {}),
    ...(packed.drop ? { drop: packed.drop } : {}),
    ...(packed.exported ? { export: (maxRows) => exported(packed.exported, maxRows) } : {}),
    async list(prefix, page = {}) {
      checkPrefix(prefix);
      const matches: [string, Row][] = [];
      for (let next: Page | undefined = copyPage(page); next;) {
        const part: PackedList = await packed.list(prefix, next);
        for (const [key, row, indexed] of part.rows)
          matches.push([key, indexed === undefined ? unpack(row) : { ...unpack(row), indexed }]);
        next = part.more && !page.by?.anyOrder ? following(next, part) : undefined;
      }
      return matches;
    },
    async commit(batch) {
      checkBatch(batch);
      return committed(await packed.commit(pack(batch)), batch);
    },
  };
}

/**
 * Reads rows with their index values, and calls `part` again for the rest while it returns fewer
 * rows than requested.
 */
export async function rowsWithIndex(
  part: (keys: readonly string[]) => Promise<readonly (PackedExport["rows"][number] | null)[]>,
  keys: readonly string[],
): Promise<readonly (ExportedRow | undefined)[]> {
  checkKeys(keys);
  const rows: (ExportedRow | undefined)[] = [];
  while (rows.length < keys.length)
    for (const row of await part(keys.slice(rows.length)))
      rows.push(row ? unpackExported(row) : undefined);
  return rows;
}

/**
 * Returns the result of a commit. Omits the rows if they were truncated; the caller then reads them
 * separately.
 */
function committed(done: PackedDone, { read }: Batch): Committed | undefined {
  if (done === null) return undefined;
  if (typeof done === "number") return { epoch: done };
  const [epoch, rows] = done;
  return rows.length === read?.length
    ? { epoch, rows: rows.map((row) => (row ? unpackSent(row) : undefined)) }
    : { epoch };
}

async function* exported(
  part: PackedStore["exported"],
  maxRows = exportedAtOnce,
): AsyncIterable<readonly ExportedRow[]> {
  let id: string | null = null;
  do {
    const next: PackedExport | null | undefined = await part?.(id, maxRows);
    if (!next) throw exportLost();
    yield next.rows.map(unpackExported);
    id = next.more ? next.id : null;
  } while (id !== null);
}

/** Decodes a row of an export. */
export const unpackExported = ([
  key,
  rev,
  bytes,
  index,
]: PackedExport["rows"][number]): ExportedRow => ({
  key,
  rev,
  value: decode(bytes),
  ...(index ? { index } : {}),
});

/**
 * Decodes a row that was read. The value may share memory with the bytes, which the database has
 * copied.
 */
function unpack([rev, bytes]: PackedRow): Row {
  return { value: bytes && decodeView(bytes), rev };
}
/**
 * Decodes a row that a commit has read. Copies the bytes, which may be part of a larger message.
 */
const unpackSent = ([rev, bytes]: PackedRow): Row => ({ value: bytes && decode(bytes), rev });

function pack({ put, log, onlyAtEpoch, ...batch }: Batch): PackedBatch {
  const rest: PackedBatch = {
    ...batch,
    ...(onlyAtEpoch === undefined ? {} : { at: onlyAtEpoch }),
    ...(log ? { log: log.map(packedEntry) } : {}),
  };
  if (!put) return rest;
  // copied, because a transferred object must have an ordinary prototype
  return {
    ...rest,
    put: put.map(([key, value, index]) =>
      index
        ? [key, encode(value), { ...index }]
        : [key, key.startsWith(jobPrefix) ? encodeJob(value) : encode(value)],
    ),
  };
}
/**
 * Encodes a job's row. The encoding of a frozen value is cached, because several batches put it.
 */
const encodeJob = (value: unknown): Uint8Array =>
  typeof value === "object" && value !== null && Object.isFrozen(value)
    ? encodeFrozen(value)
    : encode(value);
const encodeFrozen = memoize(encode);

const packedEntry = ([prefix, value, maxEntries, joins]: LogEntry): PackedEntry =>
  joins && value instanceof Uint8Array
    ? [prefix, encodeUnchanging(value), maxEntries, joins]
    : maxEntries === undefined
      ? [prefix, encode(value)]
      : [prefix, encode(value), maxEntries];

/**
 * Returns the page request that continues after the rows of a partial result. Returns undefined if
 * the result has no rows.
 */
function following(page: Page, { rows }: PackedList): Page | undefined {
  const last = rows.at(-1);
  if (!last) return undefined;
  const [key, , at] = last;
  const rest = page.limit === undefined ? page : { ...page, limit: page.limit - rows.length };
  return page.by && at !== undefined
    ? { ...rest, by: { ...page.by, after: [at, key] } }
    : { ...rest, after: key };
}
