import { crlConfig } from "../rows/settings.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Row } from "../../engine/ports.ts";
import { keys, type CrlRow, type DeltaRow } from "../rows/records.ts";
import { CaError } from "../../base/errors.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { storedCrl } from "../rows/crl-records.ts";

const suffix = ".delta";
/** Returns the ID under which the delta of a CRL is stored and published. */
export const deltaOf = (crlId: string): string => `${crlId}${suffix}`;
/** Returns the ID of the complete CRL, given its ID or its delta's ID. */
export const crlOfId = (id: string): string =>
  id.endsWith(suffix) ? id.slice(0, -suffix.length) : id;

/** Reads the row of a current CRL, or of a delta given its own ID. */
export async function crlState(mount: Mount, crlId: string): Promise<Row<CrlRow> | undefined> {
  const [row] = await mount.store.get([keys.crl(crlId)]);
  // rows with this prefix only have this type
  return row as Row<CrlRow> | undefined;
}

/** The rows of the current complete CRL and its delta, read together. */
export interface CrlStates {
  readonly complete: Row<CrlRow> | undefined;
  readonly delta: Row<DeltaRow> | undefined;
}
/** Reads the rows of the current complete CRL and its delta with one call. */
export async function readCrlStates(mount: Mount, crlId: string): Promise<CrlStates> {
  const [complete, delta] = await mount.store.get([keys.crl(crlId), keys.crl(deltaOf(crlId))]);
  return {
    complete: complete && { rev: complete.rev, value: storedCrl.crl(complete.value) },
    delta: delta && { rev: delta.rev, value: storedCrl.delta(delta.value) },
  };
}
/**
 * Returns the next CRL number. A complete CRL and its deltas share one sequence, which begins with
 * 1 (RFC 5280 section 5.2.3).
 */
export const nextNumber = ({ complete, delta }: CrlStates): number =>
  Math.max(complete?.value.number ?? 0, delta?.value.number ?? 0) + 1;
/**
 * Returns the members of a CRL row that state its dates, in Unix seconds. If the previous CRL has
 * the same thisUpdate, sets `again`, because thisUpdate alone then does not identify the CRL.
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
  kind: "CRL" | "delta CRL",
): void {
  const { max_crl_entries: limit } = config.get(crlConfig);
  if (limit >= 0 && count > limit)
    throw new CaError(
      "constraint",
      `${kind} would contain ${count} entries, more than max_crl_entries (${limit})`,
    );
}
