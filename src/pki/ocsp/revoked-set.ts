import { CaError } from "../../base/errors.ts";
import { memoize } from "../../base/memo.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Row } from "../../engine/ports.ts";
import { rowPrefixes, type PageSum } from "../rows/records.ts";
import { freshFor, kindOf, type StoreContext } from "../../engine/store-context.ts";
import { type ReadableRow, readableRows, unreadable } from "../crl/readable-rows.ts";
import { soundOf, readPage, type RevokedPage } from "./revoked-pages.ts";
import { RevokedTable } from "./revoked-table.ts";
import { mayBeMissing } from "../crl/crl-digest.ts";
import {
  digestKeys,
  digestsIn,
  includedOf,
  isSound,
  longestCounted,
  unknownOf,
  type CheckedPage,
} from "../crl/sound-pages.ts";

/**
 * The cached revocations of a mount: the entries of all CRL pages. Every batch that changes
 * revocation rows also changes the CRL pages.
 */
interface RevokedSet {
  readonly pages: Map<string, { readonly page: RevokedPage; readonly number: number }>;
  table: RevokedTable;
  /** Incremented with each change. */
  version: number;
  /** Whether the set was complete at the last check. */
  complete: boolean;
  checked: number;
  /** The marker of this store context's own writes at the last check. */
  mark: object | undefined;
  /**
   * Whether the last read found a page that did not match a CRL. A concurrent change may explain
   * one such read.
   */
  doubtful: boolean;
  /**
   * Time until which no other call reads the rows (Unix ms): the end of the current read, or of the
   * pause after a failure.
   */
  busy: number;
  /** Number of pages to read with the next request. */
  atOnce: number;
}
/**
 * The revocations at one time. If the table grows while a caller uses it, the table belongs to a
 * later version.
 */
export interface RevokedSnapshot {
  readonly table: RevokedTable;
  readonly version: number;
  /** Time of the last check that found the set complete (Unix ms). */
  readonly checked: number;
}
const unchanged = ({ table, version, checked }: RevokedSet): RevokedSnapshot => ({
  table,
  version,
  checked,
});

/**
 * Maximum size of the set in octets: 4,096 pages, as 64 shards may have with 64 slots, and 200,000
 * serial numbers. If it is larger, the rows are read instead.
 */
const maxOctets = 12 * 1024 * 1024;
/** Octets per page and per serial number, including those of the objects and the hash table. */
const [octetsPerPage, octetsPerSerial] = [1024, 40];
const isTooLarge = ({ table }: RevokedSet, pages: number): boolean =>
  pages * octetsPerPage + table.size * octetsPerSerial > maxOctets;
/**
 * Minimum and maximum number of pages to read per request, so that no request waits long. The
 * number is doubled while pages are short, as those of shards may be.
 */
const [minAtOnce, maxAtOnce] = [8, 64];
/** Maximum number of octets of pages per request after which the number is doubled. */
const shortRead = 131_072;
/** Maximum number of octets to compare with rows per request, which is about 1,800 entries. */
const maxCompared = 65_536;
/** Delay (ms) before the next read of a set that was too large or damaged. */
const restFor = 60_000;

const sets = memoize<StoreContext, readonly [], RevokedSet>(() => ({
  pages: new Map(),
  table: new RevokedTable(),
  version: 0,
  complete: false,
  checked: 0,
  mark: undefined,
  doubtful: false,
  busy: 0,
  atOnce: minAtOnce,
}));
/** A marker that is replaced whenever this store context writes a revocation. */
const mark = kindOf<object>(1, [rowPrefixes.revoked, rowPrefixes.listed]);
const newMark = (): object => ({});

const isCurrent = (set: RevokedSet, mount: Mount, now: number): boolean =>
  set.complete &&
  set.mark === mount.storeContext.cache.lasting(mark, newMark) &&
  now >= set.checked &&
  now - set.checked < freshFor;

/**
 * Returns the time at which a version of the revocations was last confirmed (Unix ms), or undefined
 * if they have changed since.
 */
export function confirmedAt(mount: Mount, version: number): number | undefined {
  const set = sets(mount.storeContext);
  return set.complete && set.version === version ? set.checked : undefined;
}

/**
 * Returns the revocations as of at most a second ago. Returns undefined if there are too many, or
 * if they are not yet completely read. Each call continues the read, unless another call is doing
 * so.
 */
export async function revokedOf(mount: Mount): Promise<RevokedSnapshot | undefined> {
  const set = sets(mount.storeContext);
  const now = mount.ports.now();
  if (isCurrent(set, mount, now)) return unchanged(set);
  // ignores a time that is too far in the future, because the clock was set back
  if (now < set.busy && set.busy - now <= restFor) return undefined;
  set.busy = now + freshFor;
  let rest = now;
  try {
    const before = mount.storeContext.cache.lasting(mark, newMark);
    const done = await readChanges(mount, set);
    if (done === "too many") rest = now + restFor;
    set.complete = done === "all";
    // a mount without a placement may have got more partitions since its configuration was last
    // checked, so its pages are only known to be complete as of that check
    const checked = mount.store.placement ? now : Math.min(now, mount.checked);
    [set.checked, set.mark] = [checked, before];
  } catch (error) {
    // if a partition cannot be reached, the rows of the others can still be read
    if (!mount.store.placement || !(error instanceof CaError)) throw error;
    set.complete = false;
    rest = now + freshFor;
  } finally {
    set.busy = rest;
  }
  return isCurrent(set, mount, mount.ports.now()) ? unchanged(set) : undefined;
}

type Progress = "all" | "some" | "too many";
type ListedPage = readonly (readonly [key: string, row: Row])[];

/**
 * Reads pages that changed, up to the limits per request. Also returns "too many" if a page still
 * does not match a CRL.
 */
async function readChanges(mount: Mount, set: RevokedSet): Promise<Progress> {
  const listed = await mount.store.list(rowPrefixes.crlPages, { values: false });
  if (isTooLarge(set, listed.length)) return tooMany(set);
  const here = new Set(listed.map(([key]) => key));
  const removed = [...set.pages.keys()].filter((key) => !here.has(key));
  const changed = listed.filter(([key, { rev }]) => set.pages.get(key)?.page.rev !== rev);
  if (set.complete && removed.length === 0 && changed.length === 0) return "all";
  for (const key of removed) set.pages.delete(key);
  if (removed.length > 0) rebuild(set);
  const config = await mount.config();
  const some = changed.slice(0, set.atOnce);
  const sums = digestKeys(config, [...some.map(([key]) => key), ...removed]);
  const rows = await rowsInOrder(
    mount,
    sums,
    some.map(([key]) => key),
  );
  const counted = longestCounted(digestsIn(rows.slice(0, sums.length)));
  const isWhole = [...counted.values()].every((sum) => here.has(sum.key) || mayBeMissing(sum));
  const outcome = isWhole
    ? await addPages(mount, set, { some, rows: rows.slice(sums.length), counted })
    : "doubtful";
  if (outcome !== "doubtful") {
    set.doubtful = false;
    return outcome === "all" && some.length < changed.length ? "some" : outcome;
  }
  // if the pages cannot be trusted, the rows are read instead
  if (set.doubtful) return tooMany(set);
  set.doubtful = true;
  return "some";
}

/**
 * Reads digests and pages. In a mount with one partition, reads them together, so that they are
 * consistent. With several partitions, reads the digests first, so that the pages have at least the
 * entries that the digests cover.
 */
async function rowsInOrder(
  mount: Mount,
  sums: readonly string[],
  pages: readonly string[],
): Promise<readonly ReadableRow[]> {
  if (!mount.store.placement) return readableRows(mount, [...sums, ...pages]);
  return [...(await readableRows(mount, sums)), ...(await readableRows(mount, pages))];
}

interface Reading {
  readonly some: ListedPage;
  readonly rows: readonly ReadableRow[];
  readonly counted: ReadonlyMap<string, PageSum>;
}
/** Adds pages to the set, up to the limit per request. Returns "doubtful" if a page was altered. */
async function addPages(
  mount: Mount,
  set: RevokedSet,
  { some, rows, counted }: Reading,
): Promise<Progress | "doubtful"> {
  const config = await mount.config();
  let isAsListed = true;
  let [compared, octets] = [0, 0];
  for (const [i, [key, { rev }]] of some.entries()) {
    const row = rows[i];
    if (row === unreadable) return "doubtful";
    // if a page changed since the listing, entries may have moved between it and another page
    isAsListed &&= row?.rev === rev;
    if (!row || !(row.value instanceof Uint8Array)) continue;
    const bytes = row.value;
    octets += bytes.length;
    const before = soundOf(set.pages.get(key)?.page, bytes);
    const included = await includedOf(counted.get(key), bytes);
    const page: CheckedPage = { key, bytes, before, included };
    if (compared > 0 && compared + unknownOf(page) > maxCompared) return "some";
    compared += unknownOf(page);
    if (!(await isSound(mount, config, page))) return "doubtful";
    if (!addPage(set, key, { bytes, rev: row.rev }) || isTooLarge(set, set.pages.size))
      return tooMany(set);
  }
  set.atOnce = octets < shortRead ? Math.min(set.atOnce * 2, maxAtOnce) : minAtOnce;
  return isAsListed ? "all" : "some";
}

function tooMany(set: RevokedSet): "too many" {
  set.pages.clear();
  set.doubtful = false;
  rebuild(set);
  return "too many";
}
/** Rebuilds the table from the current pages. */
function rebuild(set: RevokedSet): void {
  set.table = new RevokedTable();
  set.version++;
  for (const [key, { page }] of set.pages)
    set.pages.set(key, { page, number: set.table.add(page) });
}

/** Adds or updates a page. Returns false if it is malformed. */
function addPage(
  set: RevokedSet,
  key: string,
  read: { readonly bytes: Uint8Array; readonly rev: number },
): boolean {
  // in the key, the shard, if any, and the page number follow the set
  const group = key.split("/")[1] ?? "";
  const previous = set.pages.get(key);
  const parsed = readPage({ ...read, set: group.split("-")[0] ?? "" }, previous?.page);
  if (!parsed) return false;
  const { page, grew } = parsed;
  set.version++;
  if (!previous) set.pages.set(key, { page, number: set.table.add(page) });
  else if (grew) {
    set.table.addPage(previous.number, page);
    set.pages.set(key, { page, number: previous.number });
  } else {
    set.pages.set(key, { page, number: previous.number });
    rebuild(set);
  }
  return true;
}
