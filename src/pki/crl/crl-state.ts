import { crlConfig } from "../rows/settings.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Row } from "../../engine/ports.ts";
import { keys, type CrlRow, type DeltaRow } from "../rows/records.ts";
import { CaError } from "../../base/errors.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { storedCrl } from "../rows/crl-records.ts";

const suffix = ".delta";
/** Returns the id under which the delta of a CRL is stored and published. */
export const deltaOf = (list: string): string => `${list}${suffix}`;
/** Returns the CRL of an id, which may be that of its delta. */
export const crlOfId = (id: string): string =>
  id.endsWith(suffix) ? id.slice(0, -suffix.length) : id;

/** Reads the state of the current complete CRL, or of a delta by its own id. */
export async function crlState(ca: Mount, list: string): Promise<Row<CrlRow> | undefined> {
  const [row] = await ca.store.get([keys.crl(list)]);
  // only builds write rows below crlstate/
  return row as Row<CrlRow> | undefined;
}

/** The current complete CRL and its delta, read together. */
export interface CrlStates {
  readonly complete: Row<CrlRow> | undefined;
  readonly delta: Row<DeltaRow> | undefined;
}
/** Reads the current complete CRL and its delta in one read. */
export async function readCrlStates(ca: Mount, list: string): Promise<CrlStates> {
  const [complete, delta] = await ca.store.get([keys.crl(list), keys.crl(deltaOf(list))]);
  return {
    complete: complete && { rev: complete.rev, value: storedCrl.crl(complete.value) },
    delta: delta && { rev: delta.rev, value: storedCrl.delta(delta.value) },
  };
}
/**
 * Returns the next CRL number: complete CRLs and deltas share one sequence, from 1 (RFC 5280
 * section 5.2.3).
 */
export const nextNumber = ({ complete, delta }: CrlStates): number =>
  Math.max(complete?.value.number ?? 0, delta?.value.number ?? 0) + 1;
/**
 * Returns the dates of a CRL in Unix seconds. Marks a date that the previous CRL has too, because
 * then the date alone does not identify the CRL.
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

/** Throws `constraint` if a CRL would exceed max_crl_entries (B 1.8 rule 15). */
export function refuseTooManyEntries(
  config: Snapshot,
  count: number,
  list: "CRL" | "delta CRL",
): void {
  const { max_crl_entries: limit } = config.get(crlConfig);
  if (limit >= 0 && count > limit)
    throw new CaError(
      "constraint",
      `${list} would contain ${count} entries, more than max_crl_entries (${limit})`,
    );
}
