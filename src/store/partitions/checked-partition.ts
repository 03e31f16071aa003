import { CaError } from "../../base/errors.ts";
import {
  maxPartitionRows,
  partitionKeys,
  partitionRows,
  storedLayout,
} from "../../engine/partition-layout.ts";
import { type PlacementRules, spreadPrefixes } from "../../engine/placement.ts";
import type { Batch, ExportedRow, ListingAndRow, Page, Row, Store } from "../../engine/ports.ts";
import { epochIn, epochKey } from "../batch.ts";

// A process may not know yet that a mount is getting more partitions. Even then, it must neither
// miss a row nor write one where no reader looks for it. See docs/partitions.md#growing.

const outdatedErrors = new WeakSet<Error>();
/**
 * Reports whether an error means that a call did nothing because the mount's partitions changed.
 */
export const isOutdated = (error: unknown): boolean =>
  error instanceof Error && outdatedErrors.has(error);
function outdatedError(): CaError {
  const error = new CaError("busy", "the partitions of the mount changed; try again");
  outdatedErrors.add(error);
  return error;
}

/** The row with the number of partitions in one partition, as this process last read it. */
interface KnownLayout {
  /** The row; null if there is none, undefined if it has not been read yet. */
  readonly row: Row | null | undefined;
  /** Returns the row, reading it first if necessary. Throws as `check` does. */
  load(): Promise<Row | null>;
  /**
   * Compares the row with the stored one, or records the stored one if it is the first. Throws an
   * error for which `isOutdated` holds if the mount's partitions changed.
   */
  check(stored: Row | undefined): void;
}

/**
 * Returns the layout of a partition, as this process knows it, in a mount with `count` partitions.
 * The row is read when it is first needed, so that calls do not depend on partitions that they do
 * not use. `known` is the row, if it was read already.
 */
export function layoutIn(store: Store, count: number, known?: Row | null): KnownLayout {
  const layout: Pick<KnownLayout, "load" | "check"> & { row: KnownLayout["row"] } = {
    row: known,
    check(stored) {
      const { row } = layout;
      const isSame =
        row === undefined
          ? !stored || storedLayout(stored.value).count <= count
          : (stored?.rev ?? null) === (row?.rev ?? null);
      if (!isSame) throw outdatedError();
      layout.row ??= stored ?? null;
    },
    async load() {
      if (layout.row === undefined) layout.check((await store.get([partitionKeys.layout]))[0]);
      return layout.row ?? null;
    },
  };
  return layout;
}

interface Checks {
  readonly rules: PlacementRules;
  /** The row with the number of partitions, which must not have changed. */
  readonly layout: KnownLayout;
  /** Whether the partition is the mount's own store. */
  readonly isHome: boolean;
  /** Whether the mount has no other partition. */
  readonly isOnly: boolean;
}

/**
 * Wraps the store of a partition: rejects access to rows with a placement rule, and changes of the
 * epoch, if the row that stores the number of partitions has changed. Hides the rows that only
 * partitions use.
 */
export function checkedPartition(store: Store, { rules, layout, isHome, isOnly }: Checks): Store {
  const spread = spreadPrefixes(rules);
  // If there is only one partition, `slot` rows have no slot and never move. Listings of these rows
  // do not check whether partitions were added: callers check the epoch, which a growth changes.
  const listed = spreadPrefixes(isOnly ? rules.filter(([, place]) => place !== "slot") : rules);
  const ruled = rules.map(([prefix]) => prefix);
  const isChecked = (key: string): boolean => (isHome && key === epochKey) || isBelow(ruled, key);
  const readLayout = async (): Promise<void> =>
    layout.check((await store.get([partitionKeys.layout]))[0]);
  const get: Store["get"] = async (keys) => {
    if (!keys.some(isChecked)) return store.get(keys);
    const rows = [...(await store.get([...keys, partitionKeys.layout]))];
    layout.check(rows.pop());
    return rows;
  };
  const list = async (prefix: string, page: Page): ReturnType<Store["list"]> => {
    if (!isBelow(listed, prefix) && !listed.some((rule) => rule.startsWith(prefix)))
      return store.list(prefix, page);
    const [rows, row] = await listThenLayout(store, prefix, page);
    // if the number is still the same after the listing, no row was moved before it
    layout.check(row);
    return rows;
  };
  return {
    ...store,
    get,
    ...(store.epoch ? { epoch: async () => epochIn((await get([epochKey]))[0]) } : {}),
    list: (prefix, page = {}) => listShown(list, prefix, page),
    async commit(batch) {
      const isChecked = (isHome && batch.epoch !== undefined) || hasRowsBelow(spread, batch);
      if (!isChecked) return store.commit(batch);
      const { row = await layout.load() } = layout;
      const rev = row?.rev ?? null;
      // the mount's own store gets its first layout row together with a new epoch, so `onlyAtEpoch`
      // suffices
      const isFenced = isHome && rev === null && batch.onlyAtEpoch !== undefined;
      const expect = [...(batch.expect ?? []), [partitionKeys.layout, rev] as const];
      const done = await store.commit(isFenced ? batch : { ...batch, expect });
      if (!done) await readLayout();
      return done;
    },
    ...(store.export
      ? { export: (maxRows?: number) => shownExport(store, maxRows, readLayout) }
      : {}),
  };
}

/** Lists rows, and then reads the row with the number of partitions. */
async function listThenLayout(store: Store, prefix: string, page: Page): Promise<ListingAndRow> {
  if (store.listThenGet) return store.listThenGet(prefix, page, partitionKeys.layout);
  const rows = await store.list(prefix, page);
  const [row] = await store.get([partitionKeys.layout]);
  return [rows, row];
}
/** Reports whether a key has one of the given prefixes. */
function isBelow(prefixes: readonly string[], key: string): boolean {
  for (const prefix of prefixes) if (key.startsWith(prefix)) return true;
  return false;
}
/** Reports whether a batch has rows with one of the given prefixes. */
function hasRowsBelow(
  prefixes: readonly string[],
  { expect = [], put = [], append = [], del = [] }: Batch,
): boolean {
  for (const [key] of [...expect, ...put, ...append]) if (isBelow(prefixes, key)) return true;
  for (const key of del) if (isBelow(prefixes, key)) return true;
  return false;
}

/** Lists rows, except those that only partitions use. */
async function listShown(
  list: (prefix: string, page: Page) => ReturnType<Store["list"]>,
  prefix: string,
  page: Page,
): ReturnType<Store["list"]> {
  // the hidden rows have no index values
  if (page.by || !(partitionRows.startsWith(prefix) || prefix.startsWith(partitionRows)))
    return list(prefix, page);
  const { limit } = page;
  const more =
    limit === undefined ? page : { ...page, limit: Math.max(limit, 0) + maxPartitionRows };
  const rows = (await list(prefix, more)).filter(([key]) => !key.startsWith(partitionRows));
  return limit === undefined ? rows : rows.slice(0, Math.max(limit, 0));
}

async function* shownExport(
  store: Store,
  maxRows: number | undefined,
  check: () => Promise<void>,
): AsyncIterable<readonly ExportedRow[]> {
  let isFirst = true;
  for await (const rows of store.export?.(maxRows) ?? []) {
    // the snapshot is taken when the first part is requested
    if (isFirst) await check();
    isFirst = false;
    yield rows.filter(({ key }) => !key.startsWith(partitionRows));
  }
}
