import type { Page } from "../engine/ports.ts";
import { afterPrefix } from "../store/batch.ts";
import type { PackedList } from "../store/sql/packed.ts";
import type { AnswerRow } from "./connections.ts";
import { decodeIndexValue, encodeIndexValue, headBytes } from "./index-value.ts";
import { fromBytes, fromKey, toBytes } from "./literals.ts";
import { read, type Database } from "./read.ts";

/** Maximum number of rows in a response without values, and in a response with values. */
const [maxKeys, maxRows] = [2000, 1000];
/** Byte that sorts after all encoded index values and all keys. */
const last = Buffer.of(0xff);
const first = Buffer.alloc(0);

/** A listing. `max` is the maximum number of rows in the next response. */
interface Listing {
  readonly store: string;
  readonly prefix: string;
  readonly limit: number;
  readonly max: number;
  readonly valued: boolean;
}
type By = NonNullable<Page["by"]>;

/** Lists the first rows of a page, as many as fit into one response. */
export async function list(
  database: Database,
  store: string,
  prefix: string,
  page: Page,
): Promise<PackedList> {
  const valued = page.values !== false;
  const limit = Number.isFinite(page.limit) ? Math.max(page.limit ?? 0, 0) : Infinity;
  const max = Math.min(limit, valued ? maxRows : maxKeys);
  const listing = { store, prefix, limit, max, valued };
  if (page.by) return listIndex(database, listing, page.by);
  const { after } = page;
  const low = after !== undefined && after >= prefix ? `${after}\0` : prefix;
  const values = [store, toBytes(low), toBytes(afterPrefix(prefix)), max, valued];
  return answer(listing, await read(database, "list", values), () => undefined);
}

function answer(
  { limit, max, valued }: Listing,
  rows: readonly AnswerRow[],
  at: (row: AnswerRow) => string | number | undefined,
): PackedList {
  const total = Number(rows[0]?.[3] ?? 0);
  return {
    rows: rows.map((row) => {
      const [key, rev, value] = row;
      const packed = valued
        ? ([Number(rev), fromBytes(value ?? "")] as const)
        : ([Number(rev)] as const);
      const position = at(row);
      return position === undefined
        ? [fromKey(key ?? ""), packed]
        : [fromKey(key ?? ""), packed, position];
    }),
    more: rows.length < total || (total === max && max < limit),
  };
}

/** A position in the B-tree of an index. */
interface Place {
  readonly value: Buffer;
  readonly key: Buffer;
}
const isLong = ({ value }: Place): boolean => value.length > headBytes;

async function listIndex(database: Database, listing: Listing, by: By): Promise<PackedList> {
  const { store, prefix, max, valued } = listing;
  const [low, high] = bounds(prefix, by);
  if (isLong(low) || isLong(high)) return listLong(database, listing, by);
  const from = [low.value, false, low.key];
  const until = [high.value, by.to === undefined, high.key];
  const keys = [toBytes(prefix), toBytes(afterPrefix(prefix))];
  const values = [store, by.name, ...from, ...until, ...keys, max, valued];
  const rows = await read(database, "list_index", values);
  if (rows.some(([, , , , , long]) => long === "t")) return listLong(database, listing, by);
  return answer(listing, rows, placeIn);
}
const placeIn = ([, , , , value]: AnswerRow): string | number =>
  decodeIndexValue(fromBytes(value ?? ""));

/** Returns the start of a listing (inclusive) and its end (exclusive). */
function bounds(prefix: string, { from, to, after }: By): readonly [low: Place, high: Place] {
  const start = from === undefined ? first : encodeIndexValue(from);
  const seen = after && encodeIndexValue(after[0]);
  const low =
    after && seen && seen.compare(start) >= 0
      ? { value: seen, key: toBytes(`${after[1]}\0`) }
      : { value: start, key: first };
  const end = to === undefined ? last : encodeIndexValue(to);
  if (!end.equals(low.value)) return [low, { value: end, key: last }];
  // the range has a single index value, so the keys with the prefix are adjacent
  const begin = toBytes(prefix);
  return [
    { value: low.value, key: low.key.compare(begin) > 0 ? low.key : begin },
    { value: end, key: toBytes(afterPrefix(prefix)) },
  ];
}

/**
 * Lists rows whose index values are longer than the part by which the B-tree sorts. This is rare,
 * and slower.
 */
async function listLong(
  database: Database,
  listing: Listing,
  { name, from, to, after }: By,
): Promise<PackedList> {
  const { store, prefix, max, valued } = listing;
  const low = from === undefined ? first : encodeIndexValue(from);
  const high = to === undefined ? last : encodeIndexValue(to);
  const seen = after ? [encodeIndexValue(after[0]), toBytes(after[1])] : [first, first];
  const keys = [toBytes(prefix), toBytes(afterPrefix(prefix))];
  const values = [store, name, low, high, ...seen, ...keys, max, valued];
  return answer(listing, await read(database, "list_long", values), placeIn);
}
