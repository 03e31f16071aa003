import type { Mount } from "../../engine/mount.ts";
import type { Row } from "../../engine/ports.ts";
import { keys, type CrlRow, type DeltaRow } from "../../engine/records.ts";
import { CaError } from "../../base/errors.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { storedCrl } from "../../engine/crl-records.ts";

const suffix = ".delta";
/** The id under which the delta of a list is stored and published. */
export const deltaOf = (list: string): string => `${list}${suffix}`;
/** The list of an id, which may be that of its delta. */
export const crlOfId = (id: string): string =>
  id.endsWith(suffix) ? id.slice(0, -suffix.length) : id;

/** The current complete CRL of a list; or what its delta has in common with one, by its own id. */
export async function crlState(ca: Mount, list: string): Promise<Row<CrlRow> | undefined> {
  const [row] = await ca.store.get([keys.crl(list)]);
  // rows below crlstate/ are written by builds only
  return row as Row<CrlRow> | undefined;
}

/** The current complete CRL of a list and its delta, as they were at one moment. */
export interface CrlStates {
  readonly complete: Row<CrlRow> | undefined;
  readonly delta: Row<DeltaRow> | undefined;
}
/** Reads them. */
export async function readCrlStates(ca: Mount, list: string): Promise<CrlStates> {
  const [complete, delta] = await ca.store.get([keys.crl(list), keys.crl(deltaOf(list))]);
  return {
    complete: complete && { rev: complete.rev, value: storedCrl.crl(complete.value) },
    delta: delta && { rev: delta.rev, value: storedCrl.delta(delta.value) },
  };
}
/**
 * The number of the next list: complete ones and deltas count together, from 1 (RFC 5280 section
 * 5.2.3).
 */
export const nextNumber = ({ complete, delta }: CrlStates): number =>
  Math.max(complete?.value.number ?? 0, delta?.value.number ?? 0) + 1;
/**
 * The dates of a list, Unix seconds. Where the one before it has the same date, that is noted: who
 * knows the date alone does not know which of them it has.
 */
export const crlDates = (
  before: CrlRow | undefined,
  this_update: number,
  next_update: number,
): Pick<CrlRow, "this_update" | "next_update" | "again"> => ({
  this_update,
  next_update,
  ...(before?.this_update === this_update ? { again: true } : {}),
});

/** Refuses a list that would have more entries than it may (B 1.8 rule 15). */
export function refuseTooManyEntries(
  { crl: { max_crl_entries: limit } }: Snapshot,
  count: number,
  list: "CRL" | "delta CRL",
): void {
  if (limit >= 0 && count > limit)
    throw new CaError(
      "constraint",
      `${list} would contain ${count} entries, more than max_crl_entries (${limit})`,
    );
}
