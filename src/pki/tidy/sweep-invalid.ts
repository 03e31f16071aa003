import { CaError } from "../../base/errors.ts";
import { rowPrefixes, isIntact, storedPki } from "../rows/records.ts";
import { parseCertificate } from "../../x509/certificate.ts";
import { readableRows, unreadable, type ReadableRow } from "../crl/readable-rows.ts";
import { nextKeys, endOfStep, type Sweep } from "./sweep.ts";

/**
 * The sweep that removes damaged certificates. Revoked certificates stay revoked, because the
 * revocation contains the serial number and the expiry. If a revocation lacks the expiry, its
 * certificate is not removed.
 */
export const invalidSweep: Sweep = {
  name: "tidy_invalid_certs",
  step: async (of) => {
    const { mount } = of;
    const names = await nextKeys(of, rowPrefixes.certs);
    const rows = await readableRows(mount, names);
    const bad = names.filter((_, i) => isInvalid(rows[i]));
    const revoked = await readableRows(
      mount,
      bad.map((key) => rowPrefixes.revoked + key.slice(rowPrefixes.certs.length)),
    );
    // certificates that seem damaged are read again, because a read error may be temporary
    const again = await readableRows(mount, bad);
    const invalid = bad.filter((_, i) => {
      const row = revoked[i];
      if (!isInvalid(again[i])) return false;
      return !row || (row !== unreadable && storedPki.revoked(row.value).not_after !== undefined);
    });
    return {
      ...endOfStep(of, names, "Tidying invalid certificates: checking entry"),
      counts: { cert_store_deleted_count: invalid.length },
      batch: { del: invalid },
    };
  },
};

function isInvalid(row: ReadableRow): boolean {
  if (row === undefined) return false;
  if (row === unreadable) return true;
  const cert = storedPki.cert(row.value);
  try {
    return !isIntact(cert) || parseCertificate(cert.der).der.length === 0;
  } catch (error) {
    if (error instanceof CaError) return true;
    throw error;
  }
}
