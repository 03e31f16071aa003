import { asBytes, concat } from "../../base/bytes.ts";
import { storedCrl } from "../rows/crl-records.ts";
import type { Mount } from "../../engine/mount.ts";
import { isAtHome } from "../../engine/placement.ts";
import type { Batch } from "../../engine/ports.ts";
import { keys, type PageForm, type PageSum, rowPrefixes, type CrlSumRow } from "../rows/records.ts";
import { type StoredPage, readEntries } from "./crl-pages.ts";
import { isSameBytes } from "./crl-revocations.ts";
import { groupOfPage, crlParts } from "./crl-set.ts";

const sha256Of = async (bytes: Uint8Array): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", asBytes(bytes)));

const formOf = async (bytes: Uint8Array): Promise<PageForm> => ({
  length: bytes.length,
  digest: await sha256Of(bytes),
});
/**
 * Returns the length and digest of a page. Reuses `checked` if it has the same length, because it
 * was already verified.
 */
export async function pageDigest(
  { key, bytes }: Pick<StoredPage, "key" | "bytes">,
  checked?: PageForm,
): Promise<PageSum> {
  const { length, digest } = checked?.length === bytes.length ? checked : await formOf(bytes);
  return { key, length, digest };
}
/** Reports whether a page begins with the bytes from which a digest was computed. */
async function hasForm({ length, digest }: PageForm, bytes: Uint8Array): Promise<boolean> {
  return length <= bytes.length && isSameBytes(digest, await sha256Of(bytes.subarray(0, length)));
}
/**
 * Returns the length and digest of the part of a page that a build included, either before or after
 * a pending rewrite, whichever matches the page. Returns undefined if the page was altered.
 */
export async function includedForm(sum: PageSum, bytes: Uint8Array): Promise<PageForm | undefined> {
  const { next } = sum;
  const forms = next && next.length > sum.length ? [next, sum] : next ? [sum, next] : [sum];
  for (const form of forms) if (await hasForm(form, bytes)) return form;
  return undefined;
}
/** Reports whether a page may be missing: no build included it, or a rewrite leaves no entries. */
export const mayBeMissing = ({ length, next }: PageSum): boolean =>
  length === 0 || next?.whole.length === 0;
/**
 * Returns the digest of a page that is about to be rewritten to `bytes`, for a build that includes
 * all of `bytes`. `sum` is the digest that the previous build stored, if it included the page; `of`
 * is the current length of the page.
 */
export async function replacedBy(
  { key, bytes }: Pick<StoredPage, "key" | "bytes">,
  sum: PageSum | undefined,
  of: number,
): Promise<PageSum> {
  const { length, digest } = sum ?? (await formOf(new Uint8Array()));
  const whole = await formOf(bytes);
  return { key, length, digest, next: { ...whole, of, whole } };
}
/**
 * Returns the digest of a page for a build that includes all of it. `form` is the part that the
 * previous build included, and `sum` its stored digest.
 */
export async function nextDigest(
  page: Pick<StoredPage, "key" | "bytes">,
  sum: PageSum | undefined,
  form: PageForm | undefined,
): Promise<PageSum> {
  const digest = await pageDigest(page, form);
  const { next } = sum ?? {};
  // the rewrite of the page may still be pending
  return next && form === sum && page.bytes.length === next.of
    ? { ...digest, next: { ...next.whole, of: next.of, whole: next.whole } }
    : digest;
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
export async function readPreviousBuild(mount: Mount, crlId: string): Promise<PreviousBuild> {
  const [row, state] = await mount.store.get([keys.crlSum(crlId), keys.crl(crlId)]);
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
  readonly crlId: string;
  readonly pages: readonly PageSum[];
}
/**
 * Returns the digest rows of all CRLs that may include the pages of a group: that of the group
 * itself, and those of unsharded CRLs.
 */
export async function readDigestRows(mount: Mount, group: string): Promise<readonly DigestRow[]> {
  const all = await mount.store.list(rowPrefixes.crlSums, { values: false });
  const digestKeys = all
    .map(([key]) => key)
    .filter((key) => {
      const crlId = key.slice(rowPrefixes.crlSums.length);
      return crlId === group || crlParts(crlId).shard === undefined;
    });
  const rows = digestKeys.length > 0 ? await mount.store.get(digestKeys) : [];
  return digestKeys.flatMap((key, i) => {
    const row = rows[i];
    if (!row) return [];
    const { pages, mended } = storedCrl.crlSum(row.value);
    // earlier versions stored rows without digests; a build then reads all pages
    return pages
      ? [
          {
            key,
            rev: row.rev,
            crlId: key.slice(rowPrefixes.crlSums.length),
            pages,
            ...(mended && { mended }),
          },
        ]
      : [];
  });
}

/** The two parts of a page rewrite, for one batch, or for two batches in this order. */
interface PageRewrite {
  /** Updates the digest rows of all CRLs that may include the page. */
  readonly digests: Required<Pick<Batch, "expect" | "put">>;
  readonly page: Required<Pick<Batch, "expect" | "put" | "del">>;
}
/**
 * Returns the rewrite of a page that removes entries. Returns undefined if the page is malformed or
 * does not match a digest, so that a build must repair it first.
 */
export async function pageWithout(
  mount: Mount,
  { key, rev, bytes }: StoredPage,
  isGone: (serial: Uint8Array) => boolean,
): Promise<PageRewrite | undefined> {
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
  const put: [key: string, value: CrlSumRow][] = [];
  const rows = await readDigestRows(mount, groupOfPage(key));
  const isHere = isAtHome(mount.store, key);
  for (const row of rows) {
    const sum = row.pages.find((one) => one.key === key);
    const form = sum ? await includedForm(sum, bytes) : await formOf(bytes.subarray(0, 0));
    const length = form && ends.get(form.length);
    if (!form || length === undefined) return undefined;
    const included = page.subarray(0, length);
    const own = isHere
      ? await pageDigest({ key, bytes: included })
      : {
          key,
          length: form.length,
          digest: form.digest,
          next: { of: bytes.length, ...(await formOf(included)), whole: await formOf(page) },
        };
    const others = row.pages.filter((one) => one.key !== key);
    const pages = isHere && length === 0 ? others : [...others, own];
    put.push([row.key, { pages, ...(row.mended && { mended: true }) }]);
  }
  return {
    // a concurrent build requires its digest row to be unchanged, and is retried otherwise
    digests: { expect: rows.map((row) => [row.key, row.rev] as const), put },
    page: {
      expect: [[key, rev]],
      put: page.length > 0 ? [[key, page]] : [],
      del: page.length > 0 ? [] : [key],
    },
  };
}
