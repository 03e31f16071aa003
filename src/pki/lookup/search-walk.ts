import type { Mount } from "../../engine/mount.ts";
import { rowPrefixes } from "../rows/records.ts";
import { parseCertificate } from "../../x509/certificate.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { intactRows, type Candidate } from "./cert-detail.ts";
import { filterCertificates, type MatchingCertificate } from "./search-filter.ts";
import { pageAfter, indexValue, pageOf, type Position, type Query } from "./search-index.ts";

/** A certificate found by a search. */
export type SearchMatch = MatchingCertificate;
/** The result of one read during a search. */
interface SearchPart {
  readonly matches: readonly SearchMatch[];
  /** Number of rows that were read. */
  readonly rowsRead: number;
  /** Position after which the next read starts. */
  readonly at: Position | undefined;
  /** Number of altered rows that follow `at`; their positions in the index are unknown. */
  readonly behind: number;
  readonly isLast: boolean;
}
/** Returns a certificate's position in the index that a search uses. */
export const positionOf = (query: Query, { key, row }: Candidate): Position => [
  indexValue(pageOf(query).name, row, parseCertificate(row.der)),
  key,
];

/**
 * Reads the rows of a search in index order, starting after a position, and yields the matches
 * among each `step` rows. Warns the caller about altered rows.
 */
export async function* partsOf(
  mount: Mount,
  query: Query,
  { from, step }: { readonly from: Position | undefined; readonly step: number },
  caller: Caller,
): AsyncGenerator<SearchPart> {
  const page = pageOf(query);
  const behind = new Set<string>();
  for (let at = from, isLast = false; !isLast;) {
    const rowLimit = step + behind.size;
    const listed = await mount.store.list(rowPrefixes.certs, pageAfter(page, at, rowLimit));
    isLast = listed.length < rowLimit;
    const rows = listed.filter(([key]) => !behind.has(key));
    const candidates = intactRows(rows, caller);
    const last = candidates.at(-1);
    if (last) {
      at = positionOf(query, last);
      behind.clear();
    }
    for (const [key] of rows.slice(last ? rows.findIndex(([key]) => key === last.key) + 1 : 0))
      behind.add(key);
    const matches = await filterCertificates(mount, query, candidates);
    yield { matches, rowsRead: rows.length, at, behind: behind.size, isLast };
  }
}
