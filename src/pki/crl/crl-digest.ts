import { asBytes, concat } from "../../base/bytes.ts";
import { storedCrl } from "../rows/crl-records.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Batch } from "../../engine/ports.ts";
import { keys, type PageSum, rowPrefixes, type CrlSumRow } from "../rows/records.ts";
import { type StoredPage, readEntries } from "./crl-pages.ts";
import { isSameBytes } from "./crl-revocations.ts";
import { groupOfPage, crlParts } from "./crl-set.ts";

const sha256Of = async (bytes: Uint8Array): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", asBytes(bytes)));

/**
 * Returns the length and digest of a page. Reuses `checked` if it has the same length, because it
 * was already verified.
 */
export async function pageDigest(
  { key, bytes }: Pick<StoredPage, "key" | "bytes">,
  checked?: PageSum,
): Promise<PageSum> {
  if (checked?.length === bytes.length) return checked;
  return { key, length: bytes.length, digest: await sha256Of(bytes) };
}
/** Reports whether a page still begins with the bytes from which a digest was computed. */
export async function matchesDigest(
  { length, digest }: PageSum,
  bytes: Uint8Array,
): Promise<boolean> {
  return length <= bytes.length && isSameBytes(digest, await sha256Of(bytes.subarray(0, length)));
}

/** The pages that the last complete build of a CRL included. */
export interface PreviousBuild {
  /** Revision of the CRL's digest row, or null if there is none. */
  readonly rev: number | null;
  /** Lengths and digests by page key, or undefined if unknown. */
  readonly sums: ReadonlyMap<string, PageSum> | undefined;
  /** Whether the CRL was built by an earlier version, which recorded no digests (D 4). */
  readonly isOld: boolean;
  readonly mended: boolean;
}
/** Reads which pages the last complete build of a CRL included. */
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

/** The digest row of a CRL, with its key and revision. */
export interface DigestRow extends Pick<CrlSumRow, "mended"> {
  readonly key: string;
  readonly rev: number;
  readonly list: string;
  readonly pages: readonly PageSum[];
}
/**
 * Returns the digest rows of all CRLs that may include the pages of a group: that of the group
 * itself, and those of complete CRLs.
 */
export async function readDigestRows(ca: Mount, group: string): Promise<readonly DigestRow[]> {
  const all = await ca.store.list(rowPrefixes.crlSums, { values: false });
  const digestKeys = all
    .map(([key]) => key)
    .filter((key) => {
      const list = key.slice(rowPrefixes.crlSums.length);
      return list === group || crlParts(list).shard === undefined;
    });
  const rows = digestKeys.length > 0 ? await ca.store.get(digestKeys) : [];
  return digestKeys.flatMap((key, i) => {
    const row = rows[i];
    if (!row) return [];
    const { pages, mended } = storedCrl.crlSum(row.value);
    // rows of earlier versions have no digests; a build then reads all pages
    return pages
      ? [
          {
            key,
            rev: row.rev,
            list: key.slice(rowPrefixes.crlSums.length),
            pages,
            ...(mended && { mended }),
          },
        ]
      : [];
  });
}

/** The part of a batch that removes entries from a page. */
type PageChange = Required<Pick<Batch, "expect" | "put" | "del">>;
/**
 * Returns the part of a batch that removes entries from a page: the new page, and the updated
 * digest rows of all CRLs that include the page. Returns undefined if the page is malformed or does
 * not match a digest, so that a build must repair it first.
 */
export async function pageWithout(
  ca: Mount,
  { key, rev, bytes }: StoredPage,
  isGone: (serial: Uint8Array) => boolean,
): Promise<PageChange | undefined> {
  const { entries, complete } = readEntries(bytes);
  if (!complete) return undefined;
  // the remaining entries, and the new offset for each old offset at which an entry ends
  const remaining: Uint8Array[] = [];
  const ends = new Map<number, number>([[0, 0]]);
  let [before, after] = [0, 0];
  for (const { serial, der } of entries) {
    before += der.length;
    if (!isGone(serial)) after += remaining.push(der) && der.length;
    ends.set(before, after);
  }
  const page = concat(remaining);
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
    // a concurrent build expects its digest row to be unchanged, and otherwise starts again
    expect: [[key, rev], ...rows.map((row) => [row.key, row.rev] as const)],
    put,
    del: page.length > 0 ? [] : [key],
  };
}
