import { mountKey } from "../../engine/mount-records.ts";
import { serialKey } from "../../base/ids.ts";
import { jobRow } from "../../engine/jobs.ts";
import type { Mount } from "../../engine/mount.ts";
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
  matchesDigest,
  pageDigest,
  type PreviousBuild,
} from "./crl-digest.ts";
import { confirmEntries, encodeEntry, isSameBytes, revocations } from "./crl-revocations.ts";

type Pages = readonly StoredPage[];
/** The state of the repair of a group. */
interface Repair {
  readonly group: string;
  /** The CRL whose build found the mismatch, and the pages that its last build included. */
  readonly list: string;
  readonly counted: PreviousBuild;
  /** The expected CRL entries, by hexadecimal serial number. */
  readonly expected: ReadonlyMap<string, Uint8Array>;
  readonly rows: Pages;
  readonly sums: readonly DigestRow[];
}

/**
 * Rewrites the pages of a group so that they match the revocation rows. Drops entries that belong
 * to no revocation, and adds missing ones. `list` is the CRL whose build found the mismatch.
 */
export async function repairEntries(ca: Mount, group: string, list: string): Promise<void> {
  const config = await ca.config();
  const expected = await expectedEntries(ca, config, group);
  // read after the slow read of the revocations, because the commit requires that none was added
  // since this point
  const it: Repair = {
    group,
    list,
    expected,
    counted: await readPreviousBuild(ca, list),
    sums: await readDigestRows(ca, group),
    rows: await storedPages(ca, group),
  };
  const { entries, dropped } = await repairedEntries(ca, config, it);
  const names = numberPages(group, it.rows, joinToPages([...entries.values()]));
  const revs = new Map(it.rows.map(({ key, rev }) => [key, rev]));
  const done = await ca.storeContext.commit({
    expect: [
      [mountKey, config.mountRev],
      [keys.crlSum(list), it.counted.rev],
      ...it.sums.filter((one) => one.list !== list).map(({ key, rev }) => [key, rev] as const),
      ...names.map(([key]) => [key, revs.get(key) ?? null] as const),
    ],
    del: [...revs.keys()],
    put: [
      ...names.flatMap(([key, page]) => (page ? [[key, page] as const] : [])),
      ...(await repairedDigests(ca, config, it, names)),
    ],
  });
  if (!done) return;
  const cause = new Error(
    "the entries of a CRL did not match the revocations, so the entries were rebuilt",
  );
  ca.ports.log?.({
    endpoint: "crl entries",
    status: 500,
    ms: 0,
    mount: config.mount.path,
    cause,
    fields: { crl_set: crlParts(group).set, dropped, entries: entries.size },
  });
}

const storedPages = async (ca: Mount, group: string): Promise<Pages> =>
  (await ca.store.list(keys.crlPages(group))).map(
    // pages only contain bytes
    ([key, { rev, value }]) => ({ key, rev, bytes: value as Uint8Array }),
  );
async function expectedEntries(
  ca: Mount,
  config: Snapshot,
  group: string,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const expected = new Map<string, Uint8Array>();
  for await (const some of revocations(ca, config, group))
    for (const { serial, row } of some) expected.set(serialKey(serial), encodeEntry(serial, row));
  return expected;
}

/** Returns the repaired entries of a group, and the number of entries that were dropped. */
async function repairedEntries(
  ca: Mount,
  config: Snapshot,
  { group, expected, rows, sums, counted: { isOld } }: Repair,
): Promise<{ readonly entries: ReadonlyMap<string, Uint8Array>; readonly dropped: number }> {
  const [old, later]: [CrlEntry[], CrlEntry[]] = [[], []];
  for (const { key, bytes } of rows) {
    // the longest unchanged prefix that a build included
    const lengths = await Promise.all(
      sums
        .flatMap(({ pages }) => pages.filter((sum) => sum.key === key))
        .map(async (sum) => ((await matchesDigest(sum, bytes)) ? sum.length : 0)),
    );
    const sound = isOld ? bytes.length : Math.max(0, ...lengths);
    for (const entry of readEntries(bytes.subarray(0, sound)).entries) old.push(entry);
    for (const entry of readEntries(bytes.subarray(sound)).entries) later.push(entry);
  }
  const unknown = later.filter(
    ({ serial, der }) => !isSameBytes(expected.get(serialKey(serial)), der),
  );
  const confirmed = await confirmEntries(ca, config, group, unknown);
  const strange = new Set(unknown.filter((_, i) => !confirmed[i]));
  const entries = [...old, ...later.filter((entry) => !strange.has(entry))];
  const repaired = new Map(entries.map(({ serial, der }) => [serialKey(serial), der]));
  for (const [serial, entry] of expected) if (!repaired.has(serial)) repaired.set(serial, entry);
  return { entries: repaired, dropped: strange.size };
}

type NumberedPages = readonly (readonly [key: string, page: Uint8Array | undefined])[];
/**
 * Assigns keys to the new pages of a group. Further keys have no page: those of existing pages to
 * delete, and that of the page that a concurrent revocation might add.
 */
function numberPages(group: string, rows: Pages, pages: readonly Uint8Array[]): NumberedPages {
  const prefix = keys.crlPages(group);
  const last = Number(rows.at(-1)?.key.slice(prefix.length) ?? -1);
  return Array.from({ length: Math.max(pages.length, last + 1) + 1 }, (_, i) => [
    `${prefix}${String(i).padStart(8, "0")}`,
    pages[i],
  ]);
}

/**
 * Returns the digest rows, with the repaired pages, of the CRL to be built and of all other CRLs
 * that included the group, and jobs that rebuild these other CRLs, because it is unknown which
 * entries they lack.
 */
async function repairedDigests(
  ca: Mount,
  config: Snapshot,
  { group, list, counted, sums }: Repair,
  names: NumberedPages,
): Promise<readonly (readonly [key: string, value: unknown])[]> {
  const isOf = ({ key }: PageSum): boolean => groupOfPage(key) === group;
  const others = sums.filter((one) => one.list !== list && one.pages.some(isOf));
  // pages of an earlier version, which recorded no digests, are accepted unchanged
  const uncounted = counted.isOld
    ? (await readPages(ca, await pageKeys(ca, config, list))).map((page) => pageDigest(page))
    : [];
  const own = [...(counted.sums?.values() ?? []), ...(await Promise.all(uncounted))];
  const pages = await Promise.all(
    names.flatMap(([key, bytes]) => (bytes ? [pageDigest({ key, bytes })] : [])),
  );
  const sumRow = (of: readonly PageSum[]): CrlSumRow => ({
    pages: [...of.filter((sum) => !isOf(sum)), ...pages],
    mended: true,
  });
  const now = ca.ports.now();
  return [
    [keys.crlSum(list), sumRow(own)],
    ...others.flatMap((one) => [
      [one.key, sumRow(one.pages)] as const,
      jobRow({ due: now, now }, "crl", one.list),
    ]),
  ];
}
