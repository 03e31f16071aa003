import type { Mount } from "../../engine/mount.ts";
import { below } from "../../engine/records.ts";
import { parseCertificate } from "../../x509/certificate.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { intact, type Candidate } from "./cert-detail.ts";
import { fitting, type Fitting } from "./search-filter.ts";
import { after, indexValue, pageOf, type Position, type Query } from "./search-index.ts";

/** A certificate that a search has found. */
export type SearchMatch = Fitting;
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
    const listed = await ca.store.list(below.certs, after(page, at, take));
    isLast = listed.length < take;
    const rows = listed.filter(([key]) => !behind.has(key));
    const candidates = intact(rows, caller);
    const last = candidates.at(-1);
    if (last) {
      at = positionOf(query, last);
      behind.clear();
    }
    for (const [key] of rows.slice(last ? rows.findIndex(([key]) => key === last.key) + 1 : 0))
      behind.add(key);
    const found = await fitting(ca, query, candidates);
    yield { found, seen: rows.length, at, behind: behind.size, isLast };
  }
}
