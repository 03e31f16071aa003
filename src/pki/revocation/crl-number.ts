import type { Mount } from "../../engine/mount.ts";
import type { Row } from "../../engine/ports.ts";
import { keys, type CrlRow } from "../../engine/records.ts";

/** The current CRL of a set. */
export async function crlState(ca: Mount, set: string): Promise<Row<CrlRow> | undefined> {
  const [row] = await ca.store.get([keys.crl(set)]);
  // rows below crlstate/ are written by builds only
  return row as Row<CrlRow> | undefined;
}
/** The number of the next list of a set: they count from 1 (RFC 5280 section 5.2.3). */
export const numberAfter = (current: Row<CrlRow> | undefined): number =>
  (current?.value.number ?? 0) + 1;
