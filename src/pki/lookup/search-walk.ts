import type { Mount } from "../../engine/mount.ts";
import { rowPrefixes } from "../../engine/records.ts";
import { parseCertificate } from "../../x509/certificate.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { intactRows, type Candidate } from "./cert-detail.ts";
import { filterCertificates, type MatchingCertificate } from "./search-filter.ts";
import { pageAfter, indexValue, pageOf, type Position, type Query } from "./search-index.ts";

/** A certificate that a search has found. */
export type SearchMatch = MatchingCertificate;
/** What one read of a search brought. */
interface SearchPart {
  readonly found: readonly SearchMatch[];
  /** How many rows were looked at. */
  readonly seen: number;
  /** From where to go on. */
  readonly at: Position | undefined;
  /** Altered rows behind `at`: where they stand in the index is not to be read from them. */
  readonly behind: number;
  readonly isLast: boolean;
}
/** Where a certificate stands in the index of a search. */
export const positionOf = (query: Query, { key, row }: Candidate): Position => [
  indexValue(pageOf(query).name, row, parseCertificate(row.der)),
  key,
];

/**
 * Walks the rows of a search in the order of its index, after a position, `step` of them at a time.
 * The caller is warned of rows that were altered.
 */
export async function* partsOf(
  ca: Mount,
  query: Query,
  { from, step }: { readonly from: Position | undefined; readonly step: number },
  caller: Caller,
): AsyncGenerator<SearchPart> {
  const page = pageOf(query);
  const behind = new Set<string>();
  for (let at = from, isLast = false; !isLast;) {
    const take = step + behind.size;
    const listed = await ca.store.list(rowPrefixes.certs, pageAfter(page, at, take));
    isLast = listed.length < take;
    const rows = listed.filter(([key]) => !behind.has(key));
    const candidates = intactRows(rows, caller);
    const last = candidates.at(-1);
    if (last) {
      at = positionOf(query, last);
      behind.clear();
    }
    for (const [key] of rows.slice(last ? rows.findIndex(([key]) => key === last.key) + 1 : 0))
      behind.add(key);
    const found = await filterCertificates(ca, query, candidates);
    yield { found, seen: rows.length, at, behind: behind.size, isLast };
  }
}
