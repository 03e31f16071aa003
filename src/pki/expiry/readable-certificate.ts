import { isIntact, type CertRow } from "../rows/records.ts";
import { parseCertificate, type Certificate } from "../../x509/certificate.ts";

/** Parses the certificate of a row. Returns undefined if the row is damaged. */
export function readableCertificate(row: CertRow): Certificate | undefined {
  if (!isIntact(row)) return undefined;
  try {
    return parseCertificate(row.der);
  } catch {
    return undefined;
  }
}
