import { CaError } from "../../base/errors.ts";
import { serialText } from "../../base/ids.ts";
import type { Row, Store } from "../../engine/ports.ts";
import { isIntact, keys, type CertRow, type ResponderRow } from "../rows/records.ts";
import { memoize } from "../../base/memo.ts";
import { parseCertificate, type Certificate } from "../../x509/certificate.ts";

/** A source of stored rows, such as a {@link Mount}. */
interface Reading {
  readonly store: Pick<Store, "get">;
}
/** Returns the row of a certificate, even if the certificate was altered in storage. */
export async function storedRow(
  { store }: Reading,
  serial: Uint8Array,
): Promise<Row<CertRow> | undefined> {
  const [row] = await store.get([keys.cert(serial)]);
  // rows with this prefix only have this type
  return row as Row<CertRow> | undefined;
}
/**
 * Returns the row of a certificate, if it is stored. Throws `damaged` if the certificate was
 * altered in storage.
 */
export async function storedCertificate(
  reading: Reading,
  serial: Uint8Array,
): Promise<Row<CertRow> | undefined> {
  const row = await storedRow(reading, serial);
  if (row) refuseDamaged(row.value, serial);
  return row;
}
/** Throws `damaged` if a certificate was altered in storage. */
export function refuseDamaged(row: CertRow, serial: Uint8Array): void {
  if (!isIntact(row))
    throw new CaError(
      "damaged",
      `the stored certificate ${serialText(serial)} was altered in storage, so it is not returned`,
    );
}

/** Returns the certificate of an OCSP responder, or undefined if it is damaged. */
export const responderCertificate = memoize(({ der }: ResponderRow): Certificate | undefined => {
  try {
    return parseCertificate(der);
  } catch (error) {
    if (error instanceof CaError) return undefined;
    throw error;
  }
});
