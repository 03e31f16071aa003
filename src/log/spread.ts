import { partitionLogPrefix } from "../base/row-keys.ts";
import type { Store } from "../engine/ports.ts";
import { entriesAfter, missingEntry, type EntryRows, type NumberedEntry } from "./rows/entries.ts";
import {
  entryPrefix,
  logKeys,
  numberOf,
  entrySpreadOf,
  stepPrefix,
  type LogState,
  type SpreadEntries,
} from "./rows/records.ts";
import type { Addition } from "./sequence.ts";
import { isMarkEntry } from "./tree/entry.ts";

// In a partitioned mount, each partition numbers its own entries. The tree contains the entries in
// the order in which steps read them. For each step, a row locates the entries that it added.

/** A row of a step: its entries in the order of the tree, as runs of consecutive numbers. */
type StepRow = readonly (readonly [partition: number, number: number, count: number])[];
/** An entry, and the partition that numbered it. */
interface PlacedEntry extends NumberedEntry {
  readonly partition: number;
}

/** Returns the rows with the entries of a partition after a number, in order. */
function rowsAfter(
  store: Store,
  { former }: SpreadEntries,
  partition: number,
  after: number,
): readonly EntryRows[] {
  const own = partition === 0 ? store : store.partitions?.[partition];
  const isFormer = former.some((one) => one.partition === partition && after < one.last);
  return [
    ...(isFormer ? [{ store, prefix: partitionLogPrefix(entryPrefix, partition) }] : []),
    ...(own ? [{ store: own, prefix: entryPrefix }] : []),
  ];
}
/** Returns entries from several series of rows as `entriesAfter` does. */
async function entriesIn(
  rows: readonly EntryRows[],
  after: number,
  count: number,
): Promise<readonly NumberedEntry[]> {
  const entries: NumberedEntry[] = [];
  for (const one of rows) {
    const { number: last = after } = entries.at(-1) ?? {};
    if (entries.length < count)
      entries.push(...(await entriesAfter(one, last, count - entries.length)));
  }
  return entries;
}

/** Minimum number of entries to read from a partition in a step. */
const minQuota = 16;
/**
 * Reads the next entries of the other partitions, about `count` in total, and returns them before
 * those of the mount's own store, `home`. If a partition cannot be read, returns those of the
 * others.
 *
 * An entry that records a restore or a change of settings is in the mount's own store. In the tree,
 * it must follow all entries that other partitions committed before it. Therefore the other
 * partitions are read after the mount's own store, and if one of them cannot be read completely,
 * this entry waits for a later step.
 */
export async function spreadAddition(
  store: Store,
  state: LogState,
  home: readonly NumberedEntry[],
  count: number,
): Promise<Addition> {
  const spread = entrySpreadOf(state);
  const { length } = store.partitions ?? [store];
  const last = Math.max(length - 1, ...spread.former.map(({ partition }) => partition));
  const others = Array.from({ length: last }, (_, at) => at + 1);
  const quota = Math.max(Math.ceil(count / others.length), minQuota);
  const reads = await Promise.allSettled(
    others.map((partition) => {
      const after = spread.others[partition - 1] ?? 0;
      return entriesIn(rowsAfter(store, spread, partition, after), after, quota);
    }),
  );
  const entries = reads.map((one) => (one.status === "fulfilled" ? one.value : []));
  const failed = reads.find((one) => one.status === "rejected");
  const isFull = entries.some(({ length }) => length >= quota);
  const mark = isFull || failed ? home.findIndex(({ bytes }) => isMarkEntry(bytes)) : -1;
  const added = [...entries, mark < 0 ? home : home.slice(0, mark)].flatMap((some, at) =>
    some.map((entry) => ({ ...entry, partition: at < last ? at + 1 : 0 })),
  );
  return {
    added,
    hasMore: isFull || (mark < 0 && home.length >= count),
    ...placed(state, spread, added),
    ...(failed ? { failure: failed.reason } : {}),
  };
}
/**
 * Returns the row that locates the added entries, and the members of the tree's row that change.
 */
function placed(
  state: LogState,
  spread: SpreadEntries,
  added: readonly PlacedEntry[],
): Pick<Addition, "put" | "position"> {
  const others = [...spread.others];
  let { last } = state;
  const step: [partition: number, number: number, count: number][] = [];
  for (const { partition, number } of added) {
    if (partition === 0) last = number;
    else {
      while (others.length < partition) others.push(0);
      others[partition - 1] = number;
    }
    const before = step.at(-1);
    if (before && before[0] === partition && before[1] + before[2] === number) before[2] += 1;
    else step.push([partition, number, 1]);
  }
  const row: StepRow = step;
  return {
    position: { last, segments: null, spread: { ...spread, others } },
    put: added.length === 0 ? [] : [[logKeys.step(state.size + added.length), row]],
  };
}

type Place = Omit<PlacedEntry, "bytes">;
/** Returns `count` entries of a tree, starting at an index. */
export async function spreadEntries(
  store: Store,
  spread: SpreadEntries,
  start: number,
  count: number,
): Promise<readonly Uint8Array[]> {
  const places = await placesOf(store, spread, start, count);
  const found = new Map<string, Uint8Array>();
  await Promise.all(
    [...new Set(places.map(({ partition }) => partition))].map(async (partition) => {
      const numbers = places.flatMap((one) => (one.partition === partition ? one.number : []));
      // a partition's entries are in the tree in the order of their numbers
      const after = (numbers[0] ?? 1) - 1;
      const rows = rowsAfter(store, spread, partition, after);
      for (const { number, bytes } of await entriesIn(rows, after, numbers.length))
        found.set(`${partition}/${number}`, bytes);
    }),
  );
  return places.map(
    ({ partition, number }, at) => found.get(`${partition}/${number}`) ?? missingEntry(start + at),
  );
}
/** Returns where `count` entries of a tree are, starting at an index. */
async function placesOf(
  store: Store,
  { from, segments }: SpreadEntries,
  start: number,
  count: number,
): Promise<readonly Place[]> {
  const end = start + count;
  const places: Place[] = [];
  for (let at = start; at < Math.min(end, from); at++)
    places.push({ partition: 0, number: numberOf(segments, at) });
  while (places.length < count) {
    const next = start + places.length;
    // the first row has this entry, and each row has at least one
    const rows = await store.list(stepPrefix, { after: logKeys.step(next), limit: end - next });
    if (rows.length === 0) missingEntry(next);
    for (const [key, { value }] of rows) {
      // only `placed` writes rows with this prefix
      const all = placesIn(value as StepRow);
      const first = Number(key.slice(stepPrefix.length)) - all.length;
      const at = start + places.length;
      if (first > at) missingEntry(at);
      places.push(...all.slice(at - first, end - first));
    }
  }
  return places;
}
const placesIn = (row: StepRow): readonly Place[] =>
  row.flatMap(([partition, number, count]) =>
    Array.from({ length: count }, (_, at) => ({ partition, number: number + at })),
  );
