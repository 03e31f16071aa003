import {
  issuersById,
  type CrlSpreadRow,
  type CrlSumRow,
  keys,
  type PageForm,
  rowPrefixes,
} from "../rows/records.ts";
import { concat } from "../../base/bytes.ts";
import { serialKey } from "../../base/ids.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Expect } from "../../engine/ports.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { certificateOf } from "../issuer/issuer.ts";
import {
  includedForm,
  mayBeMissing,
  nextDigest,
  readPreviousBuild,
  type PreviousBuild,
} from "./crl-digest.ts";
import {
  countEntries,
  readEntries,
  pageKeys,
  readPages,
  groupFilter,
  type StoredPage,
  entryTable,
} from "./crl-pages.ts";
import {
  areConfirmed,
  encodeEntry,
  isSameBytes,
  mayBeUnlisted,
  revocations,
} from "./crl-revocations.ts";
import { isInSlots, isSpreadUnknown, seriesOfPage } from "./page-series.ts";
import { groupOfPage, crlIdOf, crlParts } from "./crl-set.ts";

/**
 * The entries of a CRL, verified against the revocation rows, and the rows to store with the CRL.
 */
export interface CrlEntries {
  readonly pages: readonly Uint8Array[];
  readonly count: number;
  readonly put: readonly (readonly [key: string, row: CrlSumRow | CrlSpreadRow])[];
  /**
   * Preconditions for the batch that stores the CRL: no page was rewritten since the entries were
   * read.
   */
  readonly expect: readonly Expect[];
}
/** The group of entries whose pages do not match its revocations. */
export interface EntryMismatch {
  readonly disagrees: string;
}
/** The entries added since the last complete build of a CRL. */
type NewEntries = Omit<CrlEntries, "put">;

/**
 * Reads and verifies the entries of a CRL. Entries that the last build included must be unchanged,
 * and each later entry must belong to a revocation. With `deep`, also verifies that no revocation
 * lacks an entry. If a group does not match, returns that group instead.
 */
export const readCompleteEntries = (
  mount: Mount,
  config: Snapshot,
  crlId: string,
  deep: boolean,
): Promise<CrlEntries | EntryMismatch> =>
  readAgreed(mount, crlId, async (counted) => {
    const isNew = await isSpreadUnknown(mount, crlId);
    const pages = await countedPages(mount, await pageKeys(mount, config, crlId), counted);
    const group =
      findAlteredGroup(pages) ??
      findLostGroup(pages, counted, groupFilter(config, crlId)) ??
      (await findUnconfirmedGroup(mount, config, pages)) ??
      // pages that an earlier version wrote without digests are checked once
      (deep || counted.isOld || isNew
        ? await findIncompleteGroup(mount, config, crlId, pages)
        : undefined);
    if (group !== undefined) return { disagrees: group };
    const sums = await Promise.all(
      pages.map((page) => nextDigest(page, counted.sums?.get(page.key), page.form)),
    );
    return {
      pages: pages.map(({ bytes }) => bytes),
      count: pages.reduce((sum, { bytes }) => sum + countEntries(bytes), 0),
      put: [
        [keys.crlSum(crlId), { pages: sums }],
        ...(isNew ? [[keys.crlSpread(crlId), spreadOfPages(crlId, pages)] as const] : []),
      ],
      expect: [
        [keys.crlSum(crlId), counted.rev],
        ...(isNew ? [[keys.crlSpread(crlId), null] as const] : []),
      ],
    };
  });

/** Returns the row that states where the entries of a shard are, given all of its pages. */
const spreadOfPages = (group: string, pages: readonly StoredPage[]): CrlSpreadRow => ({
  wide: pages.some(({ bytes }) =>
    readEntries(bytes).entries.some(({ serial }) => !isInSlots(group, serial)),
  ),
});

/**
 * Reads and verifies the entries added since the last complete build. Reads only pages that may
 * have new entries. Returns undefined if it is unknown which entries that build included, so that a
 * complete CRL must be built first.
 */
export const readNewEntries = (
  mount: Mount,
  config: Snapshot,
  crlId: string,
): Promise<NewEntries | EntryMismatch | undefined> =>
  readAgreed(mount, crlId, async (counted) => {
    const { sums, rev, mended } = counted;
    if (!sums || mended) return undefined;
    const all = await pageKeys(mount, config, crlId);
    const isIncluded = (key: string): boolean => {
      const sum = sums.get(key);
      return sum !== undefined && !mayBeMissing(sum);
    };
    // entries are only added to the last page of a series; so only pages that are new, or were the
    // last page at the time of the build, can have new entries; a rewrite also stores digests of
    // pages that the build did not include
    const pageKeysToRead = all.filter((key, i) => {
      const next = all[i + 1] ?? "";
      return !isIncluded(key) || seriesOfPage(key) !== seriesOfPage(next) || !isIncluded(next);
    });
    const pages = await countedPages(mount, pageKeysToRead, counted);
    const group = findAlteredGroup(pages) ?? (await findUnconfirmedGroup(mount, config, pages));
    if (group !== undefined) return { disagrees: group };
    const later = pages.map(newBytes).filter((bytes) => bytes.length > 0);
    return {
      pages: later,
      count: later.reduce((sum, bytes) => sum + countEntries(bytes), 0),
      expect: [[keys.crlSum(crlId), rev]],
    };
  });

/** Maximum number of attempts to read entries while their pages are being rewritten. */
const maxReads = 3;
async function readAgreed<T extends object | undefined>(
  mount: Mount,
  crlId: string,
  read: (counted: PreviousBuild) => Promise<T | EntryMismatch>,
): Promise<T | EntryMismatch> {
  for (let left = maxReads; ; left--) {
    const counted = await readPreviousBuild(mount, crlId);
    const result = await read(counted);
    if (!result || !("disagrees" in result) || left <= 1) return result;
    if ((await readPreviousBuild(mount, crlId)).rev === counted.rev) return result;
  }
}

/** A page of a CRL, and the number of its bytes that the last build included. */
interface CountedPage extends StoredPage {
  readonly counted: number;
  /**
   * Length and digest of the bytes that the last build included; undefined if there are none, or if
   * they changed.
   */
  readonly form: PageForm | undefined;
  readonly isAltered: boolean;
}
async function countedPages(
  mount: Mount,
  names: readonly string[],
  { sums, isOld }: PreviousBuild,
): Promise<readonly CountedPage[]> {
  const pages = await readPages(mount, names);
  return Promise.all(
    pages.map(async (page) => {
      const sum = sums?.get(page.key);
      const form = sum && (await includedForm(sum, page.bytes));
      const counted = form?.length ?? (isOld ? page.bytes.length : 0);
      return { ...page, counted, form, isAltered: sum !== undefined && !form };
    }),
  );
}
const newBytes = ({ bytes, counted }: CountedPage): Uint8Array => bytes.subarray(counted);

/** Returns the group of a page that changed within the bytes included in the last build, if any. */
function findAlteredGroup(pages: readonly CountedPage[]): string | undefined {
  const altered = pages.find(({ isAltered }) => isAltered);
  return altered && groupOfPage(altered.key);
}
/** Returns the group of a missing page that the last build included, if any. */
function findLostGroup(
  pages: readonly CountedPage[],
  { sums }: PreviousBuild,
  isIncluded: (group: string) => boolean,
): string | undefined {
  const here = new Set(pages.map(({ key }) => key));
  return [...(sums?.values() ?? [])]
    .filter((sum) => !here.has(sum.key) && !mayBeMissing(sum))
    .map(({ key }) => groupOfPage(key))
    .find(isIncluded);
}
/** Returns the group of a new entry that belongs to no revocation, if any. */
async function findUnconfirmedGroup(
  mount: Mount,
  config: Snapshot,
  pages: readonly CountedPage[],
): Promise<string | undefined> {
  const groups = new Map<string, Uint8Array[]>();
  for (const page of pages) {
    const later = newBytes(page);
    const group = groupOfPage(page.key);
    if (later.length > 0) groups.set(group, [...(groups.get(group) ?? []), later]);
  }
  for (const [group, bytes] of groups) {
    if (!(await areConfirmed(mount, config, group, bytes))) return group;
  }
  return undefined;
}
/**
 * Returns the group of a revocation without an entry, or of a page with malformed entries, if any.
 */
async function findIncompleteGroup(
  mount: Mount,
  config: Snapshot,
  crlId: string,
  pages: readonly CountedPage[],
): Promise<string | undefined> {
  const unsound = pages.find(({ bytes }) => !readEntries(bytes).complete);
  if (unsound) return groupOfPage(unsound.key);
  const listed = entryTable(pages.map(({ bytes }) => bytes));
  // an unsharded CRL includes all groups of its own set and of sets without issuers
  const isComplete = crlParts(crlId).shard === undefined;
  const sets = [crlId, ...pages.map(({ key }) => crlParts(groupOfPage(key)).set)];
  for (const group of isComplete ? new Set(sets) : [crlId])
    for await (const some of revocations(mount, config, group, isComplete))
      for (const { serial, row } of some)
        if (listed.find(serial) === undefined && !mayBeUnlisted(mount, row))
          return crlIdOf(row.crl_set, row.shard);
  return undefined;
}

/**
 * Reads the entries of a delta CRL: those added since the last complete CRL, except those of
 * issuers (B 1.2), which only complete CRLs list. Returns undefined if a complete CRL must be built
 * first.
 */
export async function readDeltaEntries(
  mount: Mount,
  config: Snapshot,
  crlId: string,
): Promise<NewEntries | undefined> {
  const later = await readNewEntries(mount, config, crlId);
  if (!later || "disagrees" in later) return undefined;
  if (later.count === 0) return later;
  const isIssuer = await issuerEntryFilter(mount, config, crlId);
  const pages = later.pages.map((page) =>
    concat(
      readEntries(page)
        .entries.filter(({ serial, der }) => !isIssuer(serial, der))
        .map(({ der }) => der),
    ),
  );
  return { ...later, pages, count: pages.reduce((sum, page) => sum + countEntries(page), 0) };
}

/** Returns a filter that matches the entries of revoked issuers. */
async function issuerEntryFilter(
  mount: Mount,
  config: Snapshot,
  crlId: string,
): Promise<(serial: Uint8Array, der: Uint8Array) => boolean> {
  const isIncluded = groupFilter(config, crlId);
  const rows = await mount.store.list(rowPrefixes.listed, { values: false });
  const noted = new Set(
    rows.flatMap(([key]) => {
      const [, set = "", serial = ""] = key.split("/");
      return isIncluded(set) ? [serial] : [];
    }),
  );
  const here = new Map(
    [...config.get(issuersById).values()].flatMap((row) => {
      const { serial } = certificateOf(row);
      return row.revoked === undefined
        ? []
        : [[serialKey(serial), encodeEntry(serial, { at: row.revoked })] as const];
    }),
  );
  return (serial, der) =>
    noted.has(serialKey(serial)) || isSameBytes(here.get(serialKey(serial)), der);
}
