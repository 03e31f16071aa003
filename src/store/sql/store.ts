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
  PackedExportRow,
  PackedList,
  PackedListThenGet,
  PackedRow,
} from "./packed.ts";

/** Access to the encoded rows of a store. Methods may return fewer rows than requested. */
export interface PackedStore {
  get(keys: readonly string[]): Promise<readonly (PackedRow | null)[]>;
  getWithIndex?(keys: readonly string[]): Promise<readonly (PackedExportRow | null)[]>;
  list(prefix: string, page: Page): Promise<PackedList>;
  listThenGet?(prefix: string, page: Page, key: string): Promise<PackedListThenGet>;
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
  const { getWithIndex, listThenGet } = packed;
  return {
    get: (keys) => allOf((some) => packed.get(some), keys, unpack),
    ...(getWithIndex ? { getWithIndex: (keys) => allOf(getWithIndex, keys, unpackExported) } : {}),
    ...(packed.epoch ? { epoch: packed.epoch } : {}),
    ...(packed.size ? { size: packed.size } : {}),
    ...(packed.drop ? { drop: packed.drop } : {}),
    ...(packed.exported ? { export: (maxRows) => exported(packed.exported, maxRows) } : {}),
    list: async (prefix, page = {}) =>
      (await listed((next) => packed.list(prefix, next), prefix, page))[0],
    ...(listThenGet
      ? {
          listThenGet: async (prefix, page, key) => {
            checkKeys([key]);
            const part = (next: Page) => listThenGet(prefix, next, key);
            const [rows, { row }] = await listed(part, prefix, page);
            return [rows, row ? unpack(row) : undefined];
          },
        }
      : {}),
    async commit(batch) {
      checkBatch(batch);
      return committed(await packed.commit(pack(batch)), batch);
    },
  };
}

/** Reads rows, and calls `part` again for the rest while it returns fewer than requested. */
async function allOf<Packed, T>(
  part: (keys: readonly string[]) => Promise<readonly (Packed | null)[]>,
  keys: readonly string[],
  unpacked: (row: Packed) => T,
): Promise<readonly (T | undefined)[]> {
  checkKeys(keys);
  const rows: (T | undefined)[] = [];
  while (rows.length < keys.length)
    for (const row of await part(rows.length > 0 ? keys.slice(rows.length) : keys))
      rows.push(row ? unpacked(row) : undefined);
  return rows;
}

/** Reads all parts of a listing, and returns its rows and the last part. */
async function listed<Part extends PackedList>(
  read: (page: Page) => Promise<Part>,
  prefix: string,
  page: Page,
): Promise<readonly [rows: readonly (readonly [string, Row])[], last: Part]> {
  checkPrefix(prefix);
  const matches: [string, Row][] = [];
  for (let next: Page = copyPage(page); ;) {
    const part = await read(next);
    for (const [key, row, indexed] of part.rows)
      matches.push([key, indexed === undefined ? unpack(row) : { ...unpack(row), indexed }]);
    const rest = part.more && !page.by?.anyOrder ? following(next, part) : undefined;
    if (!rest) return [matches, part];
    next = rest;
  }
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
export const unpackExported = ([key, rev, bytes, index]: PackedExportRow): ExportedRow => ({
  key,
  rev,
  value: decode(bytes),
  ...(index ? { index } : {}),
});

/**
 * Decodes a row that was read. The value may share memory with the bytes, because the database has
 * copied them.
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
