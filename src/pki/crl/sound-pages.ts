import { issuersConfig } from "../rows/settings.ts";
import { issuersById, keys, type PageSum } from "../rows/records.ts";
import { storedCrl } from "../rows/crl-records.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { matchesDigest } from "./crl-digest.ts";
import { readEntries } from "./crl-pages.ts";
import { confirmEntries } from "./crl-revocations.ts";
import { groupOfPage, crlParts } from "./crl-set.ts";
import { rowsPerRead, type ReadableRow, unreadable } from "./readable-rows.ts";

/** Returns the keys of the digest rows of all CRLs. */
export function digestKeys(config: Snapshot, pages: Iterable<string>): readonly string[] {
  const chosen = config.get(issuersById).get(config.get(issuersConfig).default);
  // the default issuer's CRL contains the entries of sets without a CRL
  const lists = new Set(chosen ? [chosen.crl_set] : []);
  for (const key of pages) {
    const group = groupOfPage(key);
    lists.add(group).add(crlParts(group).set);
  }
  return [...lists].map((list) => keys.crlSum(list));
}
/** Returns the digests in rows, without those in rows that cannot be read. */
export const digestsIn = (rows: readonly ReadableRow[]): readonly PageSum[] =>
  rows.flatMap((row) =>
    row === undefined || row === unreadable ? [] : (storedCrl.crlSum(row.value).pages ?? []),
  );
/** Returns the longest counted part of each page. */
export function longestCounted(sums: readonly PageSum[]): ReadonlyMap<string, PageSum> {
  const counted = new Map<string, PageSum>();
  for (const sum of sums)
    if (sum.length >= (counted.get(sum.key)?.length ?? 0)) counted.set(sum.key, sum);
  return counted;
}

/** A page with its verified and counted parts. */
export interface CheckedPage {
  readonly key: string;
  readonly bytes: Uint8Array;
  /** Number of octets verified before. */
  readonly before: number;
  /** The part counted by a CRL. */
  readonly sum: PageSum | undefined;
}
/** Returns how many octets of a page were neither counted by a CRL nor verified. */
export const unknownOf = ({ bytes, before, sum }: CheckedPage): number =>
  bytes.length - Math.max(before, sum?.length ?? 0);
/**
 * Reports whether a page is as it was written: the counted part is unchanged, and each later entry
 * belongs to a revocation.
 */
export async function isSound(ca: Mount, config: Snapshot, page: CheckedPage): Promise<boolean> {
  const { key, bytes, sum } = page;
  if (sum && !(await matchesDigest(sum, bytes))) return false;
  const { entries, complete } = readEntries(bytes.subarray(bytes.length - unknownOf(page)));
  if (!complete) return false;
  for (let at = 0; at < entries.length; at += rowsPerRead) {
    const confirmed = await confirmEntries(
      ca,
      config,
      groupOfPage(key),
      entries.slice(at, at + rowsPerRead),
    );
    if (!confirmed.every(Boolean)) return false;
  }
  return true;
}
