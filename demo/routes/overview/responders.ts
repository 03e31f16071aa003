import { findExtension } from "../../../src/x509/certificate.ts";
import { extensionOid } from "../../../src/x509/oid.ts";
import { readCertBatch } from "../../api/endpoints/pki.ts";
import type { InventoryRow } from "../../api/inventory-search.ts";
import { missingPermission } from "../../api/permissions.ts";
import { certificates } from "../../api/certificates.ts";
import { colons } from "../../lib/hex-text.ts";
import { readCertificate } from "../../lib/x509/decode.ts";

/** Maximum number of certificates to read in one request. */
const maxRead = 1000;

/**
 * Reports whether a certificate has the extension id-pkix-ocsp-nocheck (RFC 6960 section
 * 4.2.2.2.1), as the certificates of OCSP responders do.
 */
const isResponder = async (pem: string): Promise<boolean> => {
  const view = await readCertificate(pem).catch(() => undefined);
  return view !== undefined && findExtension(view, extensionOid.ocspNoCheck) !== undefined;
};

/**
 * Reports whether a certificate could belong to an OCSP responder: it has no role, and its name is
 * the one that the server assigns.
 */
const isCandidate = ({ authority, role, others, title }: InventoryRow): boolean =>
  !authority && role === "" && others.length === 0 && title.endsWith("OCSP responder");

/**
 * Returns the certificates that belong to OCSP responders. The server renews these certificates.
 * Reads the candidates to verify that. Returns none if the candidates cannot be read.
 */
export async function respondersAmong(
  rows: readonly InventoryRow[],
): Promise<ReadonlySet<InventoryRow>> {
  const candidates = rows.filter(isCandidate).slice(0, maxRead);
  if (candidates.length === 0 || missingPermission(readCertBatch) !== "") return new Set();
  const pems: Awaited<ReturnType<typeof certificates>> = await certificates(
    candidates.map(({ serial }) => colons(serial)),
  ).catch(() => ({}));
  const read = candidates.map(async (row) => {
    const pem = pems[colons(row.serial)];
    return pem && (await isResponder(pem)) ? [row] : [];
  });
  return new Set((await Promise.all(read)).flat());
}
