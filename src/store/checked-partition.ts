import { CaError } from "../base/errors.ts";
import { maxPartitionRows, partitionKeys, partitionRows } from "../engine/partition-layout.ts";
import { type PlacementRules, spreadPrefixes } from "../engine/placement.ts";
import type { Batch, ExportedRow, Page, Row, Store } from "../engine/ports.ts";
import { epochIn, epochKey } from "./batch.ts";

// A process that does not yet know that a mount is getting more partitions must neither miss a row
// nor write one where no reader looks for it. See "Growing" in docs/architecture.md.

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

interface Checks {
  readonly rules: PlacementRules;
  /**
   * Expected revision of the row that stores the number of partitions; null if there is no such
   * row.
   */
  readonly rev: number | null;
  /** Whether the partition is the mount's own store. */
  readonly isHome: boolean;
}

/**
 * Wraps the store of a partition: rejects access to rows with a placement rule, and changes of the
 * epoch, if the row that stores the number of partitions no longer has the expected revision. Hides
 * the rows that only partitions use.
 */
export function checkedPartition(store: Store, { rules, rev, isHome }: Checks): Store {
  const spread = spreadPrefixes(rules);
  const isChecked = (key: string): boolean =>
    (isHome && key === epochKey) || rules.some(([prefix]) => key.startsWith(prefix));
  const isSpread = (key: string): boolean => spread.some((prefix) => key.startsWith(prefix));
  const requireKnown = (row: Row | undefined): void => {
    if ((row?.rev ?? null) !== rev) throw outdatedError();
  };
  const readLayout = async (): Promise<void> => {
    const [row] = await store.get([partitionKeys.layout]);
    requireKnown(row);
  };
  const get: Store["get"] = async (keys) => {
    if (!keys.some(isChecked)) return store.get(keys);
    const rows = [...(await store.get([...keys, partitionKeys.layout]))];
    requireKnown(rows.pop());
    return rows;
  };
  const isCheckedBatch = ({ epoch, expect = [], put = [], del = [] }: Batch): boolean =>
    (isHome && epoch !== undefined) ||
    expect.some(([key]) => isSpread(key)) ||
    put.some(([key]) => isSpread(key)) ||
    del.some(isSpread);
  return {
    ...store,
    get,
    ...(store.epoch ? { epoch: async () => epochIn((await get([epochKey]))[0]) } : {}),
    async list(prefix, page = {}) {
      const rows = await listShown(store, prefix, page);
      // if the number is still the same after the listing, no row was moved before it
      if (spread.some((rule) => rule.startsWith(prefix) || prefix.startsWith(rule)))
        await readLayout();
      return rows;
    },
    async commit(batch) {
      if (!isCheckedBatch(batch)) return store.commit(batch);
      // the mount's own store gets its first layout row together with a new epoch
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

/** Lists rows, except those that only partitions use. */
async function listShown(store: Store, prefix: string, page: Page): ReturnType<Store["list"]> {
  // the hidden rows have no index
  if (page.by || !(partitionRows.startsWith(prefix) || prefix.startsWith(partitionRows)))
    return store.list(prefix, page);
  const { limit } = page;
  const more =
    limit === undefined ? page : { ...page, limit: Math.max(limit, 0) + maxPartitionRows };
  const rows = (await store.list(prefix, more)).filter(([key]) => !key.startsWith(partitionRows));
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
