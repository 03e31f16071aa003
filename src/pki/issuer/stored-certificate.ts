import { CaError } from "../../base/errors.ts";
import { serialText } from "../../base/ids.ts";
import type { Row, Store } from "../../engine/ports.ts";
import { isIntact, keys, type CertRow, type ResponderRow } from "../rows/records.ts";
import { memoize } from "../../base/memo.ts";
import { parseCertificate, type Certificate } from "../../x509/certificate.ts";

/** A reader of rows, such as a mount. */
interface Reading {
  readonly store: Pick<Store, "get">;
}
/** Returns the row of a certificate, even if its bytes were altered. */
export async function storedRow(
  { store }: Reading,
  serial: Uint8Array,
): Promise<Row<CertRow> | undefined> {
  const [row] = await store.get([keys.cert(serial)]);
  // rows below cert/ only have this type
  return row as Row<CertRow> | undefined;
}
/** Returns the row of a certificate. Throws `damaged` if its bytes were altered. */
export async function storedCertificate(
  reading: Reading,
  serial: Uint8Array,
): Promise<Row<CertRow> | undefined> {
  const row = await storedRow(reading, serial);
  if (row) refuseDamaged(row.value, serial);
  return row;
}
/** Rejects a stored certificate whose bytes were altered. */
export function refuseDamaged(row: CertRow, serial: Uint8Array): void {
  if (!isIntact(row))
    throw new CaError(
      "damaged",
      `the stored certificate ${serialText(serial)} was altered in storage, so it is not returned`,
    );
}

/** Returns the certificate of a responder; undefined if it is damaged. */
export const responderCertificate = memoize(({ der }: ResponderRow): Certificate | undefined => {
  try {
    return parseCertificate(der);
  } catch (error) {
    if (error instanceof CaError) return undefined;
    throw error;
  }
});
