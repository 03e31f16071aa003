import { asBytes, concat } from "../../base/bytes.ts";
import type { Mount } from "../../engine/mount.ts";
import { keys, type PageSum, below, type CrlSumRow } from "../../engine/records.ts";
import { isSameBytes } from "./crl-revocations.ts";
import { type StoredPage, readEntries } from "./crl-pages.ts";
import type { Batch } from "../../engine/ports.ts";
import { groupOfPage, crlParts } from "./crl-set.ts";
import { storedCrl } from "../../engine/crl-records.ts";

const sha256Of = async (bytes: Uint8Array): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", asBytes(bytes)));

/** The sum of a page, of all that it holds; one that was checked before is not made again. */
export async function pageDigest(
  { key, bytes }: Pick<StoredPage, "key" | "bytes">,
  checked?: PageSum,
): Promise<PageSum> {
  if (checked?.length === bytes.length) return checked;
  return { key, length: bytes.length, digest: await sha256Of(bytes) };
}
/** Whether a page begins with what this is the sum of. */
export async function matchesDigest(
  { length, digest }: PageSum,
  bytes: Uint8Array,
): Promise<boolean> {
  return length <= bytes.length && isSameBytes(digest, await sha256Of(bytes.subarray(0, length)));
}

/** What the last complete build of a list counted. */
export interface PreviousBuild {
  /** Of the row of the sums; null: there is none. */
  readonly rev: number | null;
  /** By the key of the page; undefined: nothing is known. */
  readonly sums: ReadonlyMap<string, PageSum> | undefined;
  /** Pages without any sum were taken by the builds of an earlier version (D 4). */
  readonly isOld: boolean;
  readonly mended: boolean;
}
/** Reads what the last complete build of a list counted. */
export async function readPreviousBuild(ca: Mount, list: string): Promise<PreviousBuild> {
  const [row, state] = await ca.store.get([keys.crlSum(list), keys.crl(list)]);
  const { pages, mended } = storedCrl.crlSum(row?.value);
  return {
    rev: row?.rev ?? null,
    sums: pages ? new Map(pages.map((sum) => [sum.key, sum])) : undefined,
    isOld: !pages && state !== undefined,
    mended: mended === true,
  };
}

/** The row of the sums of a list, as it was read. */
export interface DigestRow extends Pick<CrlSumRow, "mended"> {
  readonly key: string;
  readonly rev: number;
  readonly list: string;
  readonly pages: readonly PageSum[];
}
/** The rows of the sums of all lists that may have counted a group: its own and complete ones. */
export async function readDigestRows(ca: Mount, group: string): Promise<readonly DigestRow[]> {
  const all = await ca.store.list(below.crlSums, { values: false });
  const wanted = all
    .map(([key]) => key)
    .filter((key) => {
      const list = key.slice(below.crlSums.length);
      return list === group || crlParts(list).shard === undefined;
    });
  const rows = wanted.length > 0 ? await ca.store.get(wanted) : [];
  return wanted.flatMap((key, i) => {
    const row = rows[i];
    if (!row) return [];
    const { pages, mended } = storedCrl.crlSum(row.value);
    // those of before say nothing, and a build that finds them looks through all pages
    return pages
      ? [
          {
            key,
            rev: row.rev,
            list: key.slice(below.crlSums.length),
            pages,
            ...(mended && { mended }),
          },
        ]
      : [];
  });
}

/** A page without some of its entries: what the batch expects, puts and deletes for it. */
type PageChange = Required<Pick<Batch, "expect" | "put" | "del">>;
/**
 * The part of a batch that takes entries out of a page: the page as it is then, and the rows of the
 * sums of all lists that count it. What each list has counted stays what it has counted, but for
 * those entries. Undefined when the page is not what a list counted, or cannot be read: the next
 * build mends it, and is to come first.
 */
export async function pageWithout(
  ca: Mount,
  { key, rev, bytes }: StoredPage,
  isGone: (serial: Uint8Array) => boolean,
): Promise<PageChange | undefined> {
  const { entries, complete } = readEntries(bytes);
  if (!complete) return undefined;
  // what is kept, and where each entry of before ends in it
  const kept: Uint8Array[] = [];
  const ends = new Map<number, number>([[0, 0]]);
  let [before, after] = [0, 0];
  for (const { serial, der } of entries) {
    before += der.length;
    if (!isGone(serial)) after += kept.push(der) && der.length;
    ends.set(before, after);
  }
  const page = concat(kept);
  const put: [key: string, value: Uint8Array | CrlSumRow][] = [];
  if (page.length > 0) put.push([key, page]);
  const rows = await readDigestRows(ca, groupOfPage(key));
  for (const row of rows) {
    const sum = row.pages.find((one) => one.key === key);
    const length = sum ? ends.get(sum.length) : 0;
    if (length === undefined || (sum && !(await matchesDigest(sum, bytes)))) return undefined;
    const others = row.pages.filter((one) => one.key !== key);
    const pages = length
      ? [...others, await pageDigest({ key, bytes: page.subarray(0, length) })]
      : others;
    put.push([row.key, { pages, ...(row.mended && { mended: true }) }]);
  }
  return {
    // a build that has read these pages expects its row of sums, and is made again
    expect: [[key, rev], ...rows.map((row) => [row.key, row.rev] as const)],
    put,
    del: page.length > 0 ? [] : [key],
  };
}
