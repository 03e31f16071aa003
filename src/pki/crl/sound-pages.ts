import { issuersConfig } from "../rows/settings.ts";
import { issuersById, keys, type PageSum } from "../rows/records.ts";
import { storedCrl } from "../rows/crl-records.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { includedForm } from "./crl-digest.ts";
import { readEntries } from "./crl-pages.ts";
import { confirmEntries } from "./crl-revocations.ts";
import { groupOfPage, crlParts } from "./crl-set.ts";
import { rowsPerRead, type ReadableRow, unreadable } from "./readable-rows.ts";

/** Returns the keys of the digest rows for all CRLs that may include the given pages. */
export function digestKeys(config: Snapshot, pages: Iterable<string>): readonly string[] {
  const chosen = config.get(issuersById).get(config.get(issuersConfig).default);
  // the CRL of the default issuer includes the entries of sets without a CRL
  const crlIds = new Set(chosen ? [chosen.crl_set] : []);
  for (const key of pages) {
    const group = groupOfPage(key);
    crlIds.add(group).add(crlParts(group).set);
  }
  return [...crlIds].map((crlId) => keys.crlSum(crlId));
}
/** Returns the page digests in digest rows, ignoring rows that are missing or cannot be read. */
export const digestsIn = (rows: readonly ReadableRow[]): readonly PageSum[] =>
  rows.flatMap((row) =>
    row === undefined || row === unreadable ? [] : (storedCrl.crlSum(row.value).pages ?? []),
  );
/** Returns, for each page, the digest of the longest part that a CRL includes. */
export function longestCounted(sums: readonly PageSum[]): ReadonlyMap<string, PageSum> {
  const counted = new Map<string, PageSum>();
  for (const sum of sums)
    if (sum.length >= (counted.get(sum.key)?.length ?? 0)) counted.set(sum.key, sum);
  return counted;
}

/** A page, with the lengths of the parts that were verified earlier and that a CRL includes. */
export interface CheckedPage {
  readonly key: string;
  readonly bytes: Uint8Array;
  /** Number of octets that were verified earlier. */
  readonly before: number;
  /** Number of octets that a CRL includes; undefined if they were altered. */
  readonly included: number | undefined;
}
/** Returns the number of octets of a page that a CRL includes; undefined if they were altered. */
export const includedOf = async (
  sum: PageSum | undefined,
  bytes: Uint8Array,
): Promise<number | undefined> => (sum ? (await includedForm(sum, bytes))?.length : 0);
/**
 * Returns the number of octets of a page that were not verified earlier and that no CRL includes.
 */
export const unknownOf = ({ bytes, before, included = 0 }: CheckedPage): number =>
  bytes.length - Math.max(before, included);
/**
 * Reports whether a page is unaltered: the part that a CRL includes is unchanged, and each entry
 * that was not verified earlier belongs to a revocation.
 */
export async function isSound(mount: Mount, config: Snapshot, page: CheckedPage): Promise<boolean> {
  const { key, bytes, included } = page;
  if (included === undefined) return false;
  const { entries, complete } = readEntries(bytes.subarray(bytes.length - unknownOf(page)));
  if (!complete) return false;
  for (let at = 0; at < entries.length; at += rowsPerRead) {
    const confirmed = await confirmEntries(
      mount,
      config,
      groupOfPage(key),
      entries.slice(at, at + rowsPerRead),
    );
    if (!confirmed.every(Boolean)) return false;
  }
  return true;
}
