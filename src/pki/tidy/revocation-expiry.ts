import { CaError } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Batch } from "../../engine/ports.ts";
import { isIntact, keys, type RevokedRow, storedPki } from "../rows/records.ts";
import { parseCertificate } from "../../x509/certificate.ts";
import { revokedIndex } from "../revoke/revocation.ts";
import { readableRows, unreadable } from "../crl/readable-rows.ts";

/**
 * A revocation row that an earlier version wrote, and the expiry of its certificate (`end`, Unix
 * seconds).
 */
export interface ExpiringRow {
  readonly key: string;
  readonly rev: number;
  readonly value: RevokedRow;
  readonly end: number;
}
/**
 * Returns the change that adds the expiry to revocation rows that earlier versions wrote, and
 * indexes the rows by expiry.
 */
export const withExpiry = (
  rows: readonly ExpiringRow[],
): Required<Pick<Batch, "expect" | "put">> => ({
  expect: rows.map(({ key, rev }) => [key, rev]),
  put: rows.map(({ key, value, end }) => [
    key,
    { ...value, not_after: end },
    revokedIndex(value, end),
  ]),
});
/**
 * Returns the change that adds the expiry to revocation rows that earlier versions wrote, before
 * their certificates are deleted, because only the certificates contain it. `end` is the latest
 * possible expiry of the certificates, in Unix seconds.
 */
export async function storeExpiry(
  mount: Mount,
  names: readonly string[],
  end: number,
): Promise<Required<Pick<Batch, "expect" | "put">>> {
  const rows = (await readableRows(mount, names)).flatMap((row, i) => {
    if (!row || row === unreadable) return [];
    const value = storedPki.revoked(row.value);
    return value.not_after === undefined ? [{ key: names[i] ?? "", rev: row.rev, value, end }] : [];
  });
  return withExpiry(rows);
}

/**
 * Returns the expiry of a stored certificate (Unix seconds), or undefined if the certificate is
 * missing or damaged.
 */
export async function storedExpiry(mount: Mount, serial: Uint8Array): Promise<number | undefined> {
  const [row] = await readableRows(mount, [keys.cert(serial)]);
  if (!row || row === unreadable) return undefined;
  const cert = storedPki.cert(row.value);
  if (!isIntact(cert)) return undefined;
  try {
    return parseCertificate(cert.der).notAfter;
  } catch (error) {
    if (error instanceof CaError) return undefined;
    throw error;
  }
}
