import type { Mount } from "../../engine/mount.ts";
import type { Expect } from "../../engine/ports.ts";
import { type CrlSumRow, keys } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { groupOf, listId, partsOf } from "./crl-list.ts";
import { countEntries, readEntries } from "./crl-entry.ts";
import { pageKeys, readPages, takes, type StoredPage } from "./crl-pages.ts";
import { areConfirmed, revocations } from "./crl-revocations.ts";
import { entryTable } from "./crl-serials.ts";
import { countedBy, isSame, pageSum, type Counted } from "./crl-sum.ts";

/**
 * The entries of a list, agreed with the rows of revocation, and what is to be stored with the list
 * for the next build.
 */
export interface ListEntries {
  readonly pages: readonly Uint8Array[];
  readonly count: number;
  readonly sums: readonly (readonly [key: string, sum: CrlSumRow])[];
  /** Of the batch that stores the list: nobody wrote a page anew meanwhile. */
  readonly expect: readonly Expect[];
}
/** A group whose pages are not what its revocations say. */
export interface Disagreement {
  readonly disagrees: string;
}
/** The entries that came after those that the last complete build of a list counted. */
export type LaterEntries = Omit<ListEntries, "sums">;

/**
 * The entries of a list. What an earlier build of it has counted must be as it was then, and each
 * later entry must be that of a revocation. `deep`: no revocation may be missing either.
 */
export const listEntries = (
  ca: Mount,
  config: Snapshot,
  list: string,
  deep: boolean,
): Promise<ListEntries | Disagreement> =>
  agreed(ca, list, async (counted) => {
    const pages = await heldPages(ca, await pageKeys(ca, config, list), counted);
    const group =
      (await broken(pages)) ??
      lost(pages, counted, takes(config, list)) ??
      (await unconfirmed(ca, config, pages)) ??
      // pages of before that nobody counted are looked through once
      (deep || counted.isOld ? await lacking(ca, config, list, pages) : undefined);
    if (group !== undefined) return { disagrees: group };
    const sums = await Promise.all(pages.map((page) => pageSum(page, counted.sums?.get(page.key))));
    return {
      pages: pages.map(({ bytes }) => bytes),
      count: pages.reduce((sum, { bytes }) => sum + countEntries(bytes), 0),
      sums: [[keys.crlSum(list), { pages: sums }]],
      expect: [[keys.crlSum(list), counted.rev]],
    };
  });

/**
 * The entries behind those that the last complete build of a list counted: that list and these are
 * the next complete list. Only pages that may hold such entries are read. Undefined where it is not
 * known what that build counted: a complete list is to be built first.
 */
export const laterEntries = (
  ca: Mount,
  config: Snapshot,
  list: string,
): Promise<LaterEntries | Disagreement | undefined> =>
  agreed(ca, list, async (counted) => {
    const { sums, rev, mended } = counted;
    if (!sums || mended) return undefined;
    const all = await pageKeys(ca, config, list);
    // entries are added to the last page of a group only: at most that which was the last one then
    // has more than was counted
    const wanted = all.filter((key, i) => {
      const next = all[i + 1] ?? "";
      return !sums.has(key) || groupOf(key) !== groupOf(next) || !sums.has(next);
    });
    const pages = await heldPages(ca, wanted, counted);
    const group = (await broken(pages)) ?? (await unconfirmed(ca, config, pages));
    if (group !== undefined) return { disagrees: group };
    const later = pages.map(laterOf).filter((bytes) => bytes.length > 0);
    return {
      pages: later,
      count: later.reduce((sum, bytes) => sum + countEntries(bytes), 0),
      expect: [[keys.crlSum(list), rev]],
    };
  });

/** How often entries are read again because somebody wrote pages anew while they were read. */
const tries = 3;
async function agreed<T extends object | undefined>(
  ca: Mount,
  list: string,
  read: (counted: Counted) => Promise<T | Disagreement>,
): Promise<T | Disagreement> {
  for (let left = tries; ; left--) {
    const counted = await countedBy(ca, list);
    const found = await read(counted);
    if (!found || !("disagrees" in found) || left <= 1) return found;
    if ((await countedBy(ca, list)).rev === counted.rev) return found;
  }
}

/** A page of a list, with what of it was counted. */
interface HeldPage extends StoredPage {
  readonly counted: number;
  readonly intact: () => Promise<boolean>;
}
async function heldPages(
  ca: Mount,
  wanted: readonly string[],
  { sums, isOld }: Counted,
): Promise<readonly HeldPage[]> {
  return (await readPages(ca, wanted)).map((page) => {
    const sum = sums?.get(page.key);
    return {
      ...page,
      counted: sum ? Math.min(sum.length, page.bytes.length) : isOld ? page.bytes.length : 0,
      intact: async () => !sum || isSame(sum, page.bytes),
    };
  });
}
const laterOf = ({ bytes, counted }: HeldPage): Uint8Array => bytes.subarray(counted);

/** The group of a page that does not begin with what was counted. */
async function broken(pages: readonly HeldPage[]): Promise<string | undefined> {
  const same = await Promise.all(pages.map(({ intact }) => intact()));
  const found = pages.find((_, i) => !same[i]);
  return found && groupOf(found.key);
}
/** The group of a page that was counted and is gone. */
function lost(
  pages: readonly HeldPage[],
  { sums }: Counted,
  isTaken: (group: string) => boolean,
): string | undefined {
  const here = new Set(pages.map(({ key }) => key));
  return [...(sums?.keys() ?? [])]
    .filter((key) => !here.has(key))
    .map(groupOf)
    .find(isTaken);
}
/** The group of an entry that was not counted and is that of no revocation. */
async function unconfirmed(
  ca: Mount,
  config: Snapshot,
  pages: readonly HeldPage[],
): Promise<string | undefined> {
  const groups = new Map<string, Uint8Array[]>();
  for (const page of pages) {
    const later = laterOf(page);
    const group = groupOf(page.key);
    if (later.length > 0) groups.set(group, [...(groups.get(group) ?? []), later]);
  }
  for (const [group, bytes] of groups) {
    if (!(await areConfirmed(ca, config, group, bytes))) return group;
  }
  return undefined;
}
/** The group of a revocation that has no entry on a list, or of entries that cannot be read. */
async function lacking(
  ca: Mount,
  config: Snapshot,
  list: string,
  pages: readonly HeldPage[],
): Promise<string | undefined> {
  const unsound = pages.find(({ bytes }) => !readEntries(bytes).complete);
  if (unsound) return groupOf(unsound.key);
  const listed = entryTable(pages.map(({ bytes }) => bytes));
  // a complete list has the groups of whole sets: its own, and those without issuers
  const isComplete = partsOf(list).shard === undefined;
  const sets = [list, ...pages.map(({ key }) => partsOf(groupOf(key)).set)];
  for (const group of isComplete ? new Set(sets) : [list])
    for await (const some of revocations(ca, config, group, isComplete))
      for (const { serial, row } of some)
        if (listed.find(serial) === undefined) return listId(row.crl_set, row.shard);
  return undefined;
}
