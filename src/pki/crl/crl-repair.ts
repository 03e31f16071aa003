import { mountKey } from "../../engine/mount-records.ts";
import { fromHex } from "../../base/bytes.ts";
import { serialKey } from "../../base/ids.ts";
import { jobRow } from "../../engine/jobs.ts";
import type { Mount } from "../../engine/mount.ts";
import { isAtHome } from "../../engine/placement.ts";
import type { Batch } from "../../engine/ports.ts";
import { keys, type CrlSumRow, type PageSum } from "../rows/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { groupOfPage, crlParts } from "./crl-set.ts";
import {
  joinToPages,
  readEntries,
  type CrlEntry,
  pageKeys,
  readPages,
  type StoredPage,
} from "./crl-pages.ts";
import {
  readDigestRows,
  type DigestRow,
  readPreviousBuild,
  includedForm,
  mayBeMissing,
  pageDigest,
  replacedBy,
  type PreviousBuild,
} from "./crl-digest.ts";
import {
  confirmEntries,
  encodeEntry,
  isSameBytes,
  mayBeUnlisted,
  revocations,
} from "./crl-revocations.ts";
import { pagesFor, seriesBeside, seriesOfPage } from "./page-series.ts";

type Pages = readonly StoredPage[];
/** The CRL entry that is expected for a revocation. */
interface ExpectedEntry {
  readonly der: Uint8Array;
  /** Whether tidy may have removed the entry before its revocation. */
  readonly mayBeUnlisted: boolean;
}
/** The state of a repair that rewrites one group of pages. */
interface Repair {
  readonly group: string;
  /** The CRL whose build found the mismatch, and the pages that its last build included. */
  readonly crlId: string;
  readonly counted: PreviousBuild;
  readonly expected: ReadonlyMap<string, ExpectedEntry>;
  readonly rows: Pages;
  readonly sums: readonly DigestRow[];
}

/**
 * Rewrites the pages of a group so that they match the revocation rows. Drops entries that belong
 * to no revocation, and adds missing ones. `crlId` is the CRL whose build found the mismatch.
 */
export async function repairEntries(mount: Mount, group: string, crlId: string): Promise<void> {
  const config = await mount.config();
  const expected = await expectedEntries(mount, config, group);
  // the pages are read last, because reading the revocations is slow, and the commit fails if a
  // revocation is added after the pages were read
  const it: Repair = {
    group,
    crlId,
    expected,
    counted: await readPreviousBuild(mount, crlId),
    sums: await readDigestRows(mount, group),
    rows: await storedPages(mount, group),
  };
  const { series, altered, dropped } = await repairedEntries(mount, config, it);
  const names = [...series].flatMap(([prefix, entries]) =>
    isAtHome(mount.store, prefix) || altered.has(prefix)
      ? numberPages(prefix, it.rows, joinToPages([...entries.values()]))
      : [],
  );
  const home = pageChange(
    it.rows,
    names.filter(([key]) => isAtHome(mount.store, key)),
  );
  const done = await mount.storeContext.commit({
    expect: [
      [mountKey, config.mountRev],
      [keys.crlSum(crlId), it.counted.rev],
      ...it.sums.filter((one) => one.crlId !== crlId).map(({ key, rev }) => [key, rev] as const),
      ...home.expect,
    ],
    del: home.del,
    put: [...home.put, ...(await repairedDigests(mount, config, it, names))],
  });
  if (!done) return;
  // if one of these commits fails, the next build detects the mismatch again
  for (const prefix of altered) {
    const own = names.filter(([key]) => seriesOfPage(key) === prefix);
    if (!isAtHome(mount.store, prefix)) await mount.storeContext.commit(pageChange(it.rows, own));
  }
  const entries = [...series.values()].reduce((sum, { size }) => sum + size, 0);
  logRepair(mount, config, { crl_set: crlParts(group).set, dropped, entries });
}
function logRepair(
  { ports }: Mount,
  config: Snapshot,
  fields: Readonly<Record<string, string | number>>,
): void {
  const cause = new Error(
    "the entries of a CRL did not match the revocations, so the entries were rebuilt",
  );
  const { path: mount } = config.mount;
  ports.log?.({ endpoint: "crl entries", status: 500, ms: 0, mount, cause, fields });
}

const storedPages = async (mount: Mount, group: string): Promise<Pages> =>
  (await mount.store.list(keys.crlPages(group), { beside: await seriesBeside(mount, group) })).map(
    // pages only contain bytes
    ([key, { rev, value }]) => ({ key, rev, bytes: value as Uint8Array }),
  );
async function expectedEntries(
  mount: Mount,
  config: Snapshot,
  group: string,
): Promise<Repair["expected"]> {
  const expected = new Map<string, ExpectedEntry>();
  for await (const some of revocations(mount, config, group))
    for (const { serial, row } of some)
      expected.set(serialKey(serial), {
        der: encodeEntry(serial, row),
        mayBeUnlisted: mayBeUnlisted(mount, row),
      });
  return expected;
}

/** The entries of a series of pages, by hexadecimal serial number. */
type SeriesEntries = ReadonlyMap<string, Uint8Array>;
/** The repaired entries of a group. */
interface RepairedEntries {
  readonly series: ReadonlyMap<string, SeriesEntries>;
  /** Prefixes of the series that do not match digests or revocations. */
  readonly altered: ReadonlySet<string>;
  /** Number of entries that were dropped. */
  readonly dropped: number;
}
async function repairedEntries(
  mount: Mount,
  config: Snapshot,
  { group, expected, rows, sums, counted: { isOld } }: Repair,
): Promise<RepairedEntries> {
  const [old, later]: [SeriesEntry[], SeriesEntry[]] = [[], []];
  const altered = lostSeries(group, rows, sums);
  for (const { key, bytes } of rows) {
    // the part of the page that each build included, if it is unchanged
    const forms = await Promise.all(
      sums
        .flatMap(({ pages }) => pages.filter((sum) => sum.key === key))
        .map((sum) => includedForm(sum, bytes)),
    );
    const prefix = seriesOfPage(key);
    if (forms.includes(undefined) || !readEntries(bytes).complete) altered.add(prefix);
    const sound = isOld ? bytes.length : Math.max(0, ...forms.map((form) => form?.length ?? 0));
    for (const entry of readEntries(bytes.subarray(0, sound)).entries)
      old.push({ ...entry, prefix });
    for (const entry of readEntries(bytes.subarray(sound)).entries)
      later.push({ ...entry, prefix });
  }
  const unknown = later.filter(
    ({ serial, der }) => !isSameBytes(expected.get(serialKey(serial))?.der, der),
  );
  const confirmed = await confirmEntries(mount, config, group, unknown);
  const strange = new Set(unknown.filter((_, i) => !confirmed[i]));
  const entries = [...old, ...later.filter((entry) => !strange.has(entry))];
  const here = new Set(entries.map(({ serial }) => serialKey(serial)));
  const missing = [...expected].flatMap(([key, entry]) => {
    const serial = fromHex(key);
    const prefix = pagesFor(mount.store, group, serial);
    return here.has(key) ? [] : [{ serial, ...entry, prefix }];
  });
  for (const { prefix } of [...strange, ...missing.filter((entry) => !entry.mayBeUnlisted)])
    altered.add(prefix);
  // an entry that tidy may have removed is restored only if a series that may have contained it was
  // altered
  const restored = missing.filter(
    ({ mayBeUnlisted, prefix }) =>
      !mayBeUnlisted || altered.has(prefix) || altered.has(keys.crlPages(group)),
  );
  for (const { prefix } of restored) altered.add(prefix);
  // includes series without entries, because their pages must be deleted
  const known = [keys.crlPages(group), ...rows.map(({ key }) => seriesOfPage(key)), ...altered];
  const series = entriesBySeries(known, [...entries, ...restored]);
  return { series, altered, dropped: strange.size };
}
/** Returns the prefixes of a group's series that lack a page that a build included. */
function lostSeries(group: string, rows: Pages, sums: readonly DigestRow[]): Set<string> {
  const stored = new Set(rows.map(({ key }) => key));
  const lost = sums
    .flatMap(({ pages }) => pages)
    .filter((sum) => groupOfPage(sum.key) === group && !stored.has(sum.key) && !mayBeMissing(sum));
  return new Set(lost.map(({ key }) => seriesOfPage(key)));
}
function entriesBySeries(
  prefixes: readonly string[],
  entries: readonly SeriesEntry[],
): ReadonlyMap<string, SeriesEntries> {
  const series = new Map<string, Map<string, Uint8Array>>();
  const of = (prefix: string): Map<string, Uint8Array> => {
    const own = series.get(prefix) ?? new Map<string, Uint8Array>();
    series.set(prefix, own);
    return own;
  };
  for (const prefix of prefixes) of(prefix);
  for (const { prefix, serial, der } of entries) of(prefix).set(serialKey(serial), der);
  return series;
}
interface SeriesEntry extends CrlEntry {
  /** Prefix of the series that has the entry. */
  readonly prefix: string;
}

type NumberedPage = readonly [key: string, page: Uint8Array | undefined];
/**
 * Assigns keys to the new pages of a series. Also returns keys without a page: those of the
 * existing pages to delete, and that of the page that a concurrent revocation might add.
 */
function numberPages(
  prefix: string,
  rows: Pages,
  pages: readonly Uint8Array[],
): readonly NumberedPage[] {
  const own = rows.filter(({ key }) => seriesOfPage(key) === prefix);
  const last = Number(own.at(-1)?.key.slice(prefix.length) ?? -1);
  return Array.from({ length: Math.max(pages.length, last + 1) + 1 }, (_, i) => [
    `${prefix}${String(i).padStart(8, "0")}`,
    pages[i],
  ]);
}
/** Returns the batch that replaces stored pages. */
function pageChange(
  rows: Pages,
  names: readonly NumberedPage[],
): Required<Pick<Batch, "expect" | "put" | "del">> {
  const revs = new Map(rows.map(({ key, rev }) => [key, rev]));
  return {
    expect: names.map(([key]) => [key, revs.get(key) ?? null]),
    del: names.flatMap(([key]) => (revs.has(key) ? [key] : [])),
    put: names.flatMap(([key, page]) => (page ? [[key, page] as const] : [])),
  };
}

/**
 * Returns the digest rows, with the repaired pages, of the CRL to be built and of all other CRLs
 * that included the group. Also returns jobs that rebuild the other CRLs, because it is unknown
 * which entries they lack.
 */
async function repairedDigests(
  mount: Mount,
  config: Snapshot,
  { group, crlId, counted, rows, sums }: Repair,
  names: readonly NumberedPage[],
): Promise<readonly (readonly [key: string, value: unknown])[]> {
  const isOf = ({ key }: PageSum): boolean => groupOfPage(key) === group;
  const others = sums.filter((one) => one.crlId !== crlId && one.pages.some(isOf));
  // pages that an earlier version wrote without digests are accepted unchanged
  const uncounted = counted.isOld
    ? (await readPages(mount, await pageKeys(mount, config, crlId))).map((page) => pageDigest(page))
    : [];
  const own = [...(counted.sums?.values() ?? []), ...(await Promise.all(uncounted))];
  const lengths = new Map(rows.map(({ key, bytes }) => [key, bytes.length]));
  const rewritten = new Set(names.map(([key]) => seriesOfPage(key)));
  const sumRow = async (of: readonly PageSum[]): Promise<CrlSumRow> => ({
    pages: [
      ...of.filter((sum) => !isOf(sum) || !rewritten.has(seriesOfPage(sum.key))),
      ...(await Promise.all(names.map((one) => repairedDigest(mount, of, lengths, one)))).flat(),
    ],
    mended: true,
  });
  const now = mount.ports.now();
  const changed = await Promise.all(
    others.map(async (one) => [
      [one.key, await sumRow(one.pages)] as const,
      jobRow({ due: now, now }, "crl", one.crlId),
    ]),
  );
  return [[keys.crlSum(crlId), await sumRow(own)], ...changed.flat()];
}
/**
 * Returns the digest of a repaired page, or none if the page is deleted. For a page in another
 * partition, which is rewritten later, the digest also covers the content before the rewrite.
 */
async function repairedDigest(
  { store }: Mount,
  previous: readonly PageSum[],
  lengths: ReadonlyMap<string, number>,
  [key, bytes]: NumberedPage,
): Promise<readonly PageSum[]> {
  if (isAtHome(store, key)) return bytes ? [await pageDigest({ key, bytes })] : [];
  const length = lengths.get(key) ?? 0;
  if (!bytes && length === 0) return [];
  const sum = previous.find((one) => one.key === key);
  return [await replacedBy({ key, bytes: bytes ?? new Uint8Array() }, sum, length)];
}
