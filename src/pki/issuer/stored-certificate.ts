import { CaError } from "../../base/errors.ts";
import { serialText } from "../../base/ids.ts";
import type { Row, Store } from "../../engine/ports.ts";
import { isIntact, keys, type CertRow, type ResponderRow } from "../../engine/records.ts";
import { memoize } from "../../base/memo.ts";
import { parseCertificate, type Certificate } from "../../x509/certificate.ts";

/** Whatever reads rows, such as a mount. */
interface Reading {
  readonly store: Pick<Store, "get">;
}
/** The stored certificate of a serial number, whatever became of its bytes. */
export async function storedRow(
  { store }: Reading,
  serial: Uint8Array,
): Promise<Row<CertRow> | undefined> {
  const [row] = await store.get([keys.cert(serial)]);
  // rows below cert/ are written with this type only
  return row as Row<CertRow> | undefined;
}
/**
 * The stored certificate of a serial number. Throws `damaged` when its bytes are not those that
 * were stored.
 */
export async function storedCertificate(
  reading: Reading,
  serial: Uint8Array,
): Promise<Row<CertRow> | undefined> {
  const row = await storedRow(reading, serial);
  if (row) refuseDamaged(row.value, serial);
  return row;
}
/**
 * Refuses a stored certificate whose bytes were altered: nobody is given something else in its
 * place.
 */
export function refuseDamaged(row: CertRow, serial: Uint8Array): void {
  if (!isIntact(row))
    throw new CaError(
      "damaged",
      `the stored certificate ${serialText(serial)} was altered in the storage; it is not shown`,
    );
}

/** The certificate of a responder; undefined where it was damaged. */
export const responderCertificate = memoize(({ der }: ResponderRow): Certificate | undefined => {
  try {
    return parseCertificate(der);
  } catch (error) {
    if (error instanceof CaError) return undefined;
    throw error;
  }
});
