import { CaError } from "../../base/errors.ts";
import type { Snapshot } from "../../engine/snapshot.ts";

/** Refuses a list that would have more entries than it may (B 1.8 rule 15). */
export function refuseAbove(
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
