import type { SearchCertsInput } from "../../src/client/pki.ts";
import { successors } from "../lib/successors.ts";
import { filtersOf, searchPage, type InventoryRow, type RowContext } from "./inventory-search.ts";

/** Returns the earliest of the given times, in Unix seconds. */
const earliest = (times: readonly Date[]): number =>
  Math.floor(times.reduce((earliest, time) => Math.min(earliest, time.getTime()), Infinity) / 1000);

/** Maximum number of pages to read to find successors. */
const maxSuccessorPages = 3;

/** Returns the successors of certificates, by serial number of the predecessor. */
export async function findSuccessors(
  rows: readonly InventoryRow[],
  { issuers, now }: RowContext,
): Promise<ReadonlyMap<string, InventoryRow>> {
  const leaves = rows.filter(({ authority }) => !authority);
  if (leaves.length === 0) return new Map();
  const more: SearchCertsInput = {
    state: "valid",
    // a successor is issued later and expires later than the certificate
    not_before_from: earliest(leaves.map(({ begins }) => begins)),
    not_after_from: earliest(leaves.map(({ ends }) => ends)),
  };
  const later: InventoryRow[] = [];
  for (let page = 0, cursor = ""; page < maxSuccessorPages; page++) {
    const next = await searchPage(filtersOf(new URLSearchParams()), cursor, { issuers, now, more });
    later.push(...next.rows);
    cursor = next.cursor;
    if (cursor === "") break;
  }
  return successors([...rows, ...later]);
}

/** Returns the certificates that have no successor. */
export async function withoutSuccessors(
  rows: readonly InventoryRow[],
  context: RowContext,
): Promise<readonly InventoryRow[]> {
  const renewed = await findSuccessors(rows, context);
  return rows.filter(({ serial }) => !renewed.has(serial));
}
