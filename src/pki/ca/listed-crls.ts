import type { Mount } from "../../engine/mount.ts";
import { flag, instant, int, type Parsed } from "../../wire/field.ts";
import { deltaOf } from "../crl/crl-state.ts";
import { storedCrl } from "../rows/crl-records.ts";
import { type IssuerRow, keys } from "../rows/records.ts";

/** Reply members that describe a CRL in a list. */
export const listedCrl = {
  delta: flag.required("Whether this is the delta CRL."),
  number: int.required("CRL number."),
  entries: int.required("Number of entries."),
  size: int.required("Size as DER in bytes."),
  this_update: instant.required("thisUpdate, Unix seconds."),
  next_update: instant.required("nextUpdate, Unix seconds."),
} as const;

/**
 * Reads the CRLs of issuers, without those of shards, at once. Returns a function that returns the
 * complete CRL and the delta CRL of an issuer.
 */
export async function readListedCrls(
  mount: Mount,
  issuers: readonly IssuerRow[],
): Promise<(issuer: IssuerRow) => readonly Parsed<typeof listedCrl>[]> {
  const idsOf = ({ crl_set: set }: IssuerRow) => [set, deltaOf(set)];
  const ids = [...new Set(issuers.flatMap(idsOf))];
  const rows = await mount.store.get(ids.map(keys.crl));
  return (issuer) =>
    idsOf(issuer).flatMap((id) => {
      const row = rows[ids.indexOf(id)];
      if (!row) return [];
      const { number, entries, size, this_update, next_update } = storedCrl.crl(row.value);
      return [{ delta: id !== issuer.crl_set, number, entries, size, this_update, next_update }];
    });
}
