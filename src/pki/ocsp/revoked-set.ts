import { memo } from "../../base/memo.ts";
import { freshFor, kindOf } from "../../engine/cache.ts";
import type { Mount } from "../../engine/mount.ts";
import { below } from "../../engine/records.ts";
import type { Unit } from "../../engine/unit.ts";
import { readPage, type RevokedPage } from "./revoked-pages.ts";
import { RevokedTable } from "./revoked-table.ts";

/**
 * What is revoked in a mount, as far as it was read: the entries of all lists, whose pages change
 * with the rows of revocation in one batch.
 */
interface RevokedSet {
  readonly pages: Map<string, { readonly page: RevokedPage; readonly number: number }>;
  table: RevokedTable;
  /** Grows with each change of it. */
  version: number;
  /** Whether it is all there was when it was checked, Unix milliseconds. */
  complete: boolean;
  checked: number;
  /** What was there of this unit's own writes then. */
  mark: object | undefined;
  /** Until when somebody reads, or nobody need try again, Unix milliseconds. */
  busy: number;
}
/**
 * What is revoked, as it was at a time. The table may learn more while it is used, and is of a
 * later version then.
 */
export interface Revoked {
  readonly table: RevokedTable;
  readonly version: number;
  /** When it was found to be all, Unix milliseconds. */
  readonly checked: number;
}
const asItIs = ({ table, version, checked }: RevokedSet): Revoked => ({ table, version, checked });

/**
 * Most serial numbers that are held: with 29 octets for each and the table of places, less than 8
 * MiB in all. Above that the rows are asked.
 */
export const mostRevoked = 200_000;
/** Shards have pages of their own, most of them short. */
const mostPages = 1024;
/** Pages that one request reads, so that none waits long. */
const atOnce = 8;
/** After how long a set that was too large is looked at again, milliseconds. */
const restFor = 60_000;

const sets = memo<Unit, readonly [], RevokedSet>(() => ({
  pages: new Map(),
  table: new RevokedTable(),
  version: 0,
  complete: false,
  checked: 0,
  mark: undefined,
  busy: 0,
}));
/** Ends with a write of this unit's own. */
const mark = kindOf<object>(1, [below.revoked, below.listed]);
const newMark = (): object => ({});

const isCurrent = (set: RevokedSet, ca: Mount, now: number): boolean =>
  set.complete &&
  set.mark === ca.unit.cache.lasting(mark, newMark) &&
  now >= set.checked &&
  now - set.checked < freshFor;

/** When what is revoked was last confirmed, Unix milliseconds; undefined when it is another now. */
export function confirmedAt(ca: Mount, version: number): number | undefined {
  const set = sets(ca.unit);
  return set.complete && set.version === version ? set.checked : undefined;
}

/**
 * What is revoked, at most a second old. Undefined where it is not all here: it is too much, or
 * still being read. Each call goes on with reading where nobody else does.
 */
export async function revokedOf(ca: Mount): Promise<Revoked | undefined> {
  const set = sets(ca.unit);
  const now = ca.ports.now();
  if (isCurrent(set, ca, now)) return asItIs(set);
  // a clock that went back does not keep it busy for long
  if (now < set.busy && set.busy - now <= restFor) return undefined;
  set.busy = now + freshFor;
  let rest = now;
  try {
    const before = ca.unit.cache.lasting(mark, newMark);
    const done = await readChanges(ca, set);
    if (done === "too many") rest = now + restFor;
    set.complete = done === "all";
    [set.checked, set.mark] = [now, before];
  } finally {
    set.busy = rest;
  }
  return isCurrent(set, ca, ca.ports.now()) ? asItIs(set) : undefined;
}

/** Reads pages that are not as they were; "too many" also where one cannot be read. */
async function readChanges(ca: Mount, set: RevokedSet): Promise<"all" | "some" | "too many"> {
  const listed = await ca.store.list(below.crlPages, { values: false });
  if (listed.length > mostPages) return tooMany(set);
  const here = new Set(listed.map(([key]) => key));
  if ([...set.pages.keys()].some((key) => !here.has(key))) {
    for (const key of set.pages.keys()) if (!here.has(key)) set.pages.delete(key);
    anew(set);
  }
  const changed = listed.filter(([key, { rev }]) => set.pages.get(key)?.page.rev !== rev);
  const some = changed.slice(0, atOnce);
  if (some.length === 0) return "all";
  const rows = await ca.store.get(some.map(([key]) => key));
  let isAsListed = some.length === changed.length;
  for (const [i, [key, { rev }]] of some.entries()) {
    const row = rows[i];
    // one that changed since it was listed may have given entries to another page, or taken them
    isAsListed &&= row?.rev === rev;
    if (!row || !(row.value instanceof Uint8Array)) continue;
    const bytes = row.value;
    const taken = takePage(set, key, { bytes, rev: row.rev });
    // what cannot be read here is told by the rows
    if (!taken || set.table.size > mostRevoked) return tooMany(set);
  }
  return isAsListed ? "all" : "some";
}

function tooMany(set: RevokedSet): "too many" {
  set.pages.clear();
  anew(set);
  return "too many";
}
/** A table of the pages that are there now. */
function anew(set: RevokedSet): void {
  set.table = new RevokedTable();
  set.version++;
  for (const [key, { page }] of set.pages)
    set.pages.set(key, { page, number: set.table.add(page) });
}

/** Takes a page in; false for one that cannot be read. */
function takePage(
  set: RevokedSet,
  key: string,
  read: { readonly bytes: Uint8Array; readonly rev: number },
): boolean {
  // behind the set stand a shard, where there is one, and the number of the page
  const group = key.split("/")[1] ?? "";
  const held = set.pages.get(key);
  const found = readPage({ ...read, set: group.split("-")[0] ?? "" }, held?.page);
  if (!found) return false;
  const { page, grew } = found;
  set.version++;
  if (!held) set.pages.set(key, { page, number: set.table.add(page) });
  else if (grew) {
    set.table.grow(held.number, page);
    set.pages.set(key, { page, number: held.number });
  } else {
    set.pages.set(key, { page, number: held.number });
    anew(set);
  }
  return true;
}
