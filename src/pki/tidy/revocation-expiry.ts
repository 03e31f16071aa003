import { CaError } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Batch } from "../../engine/ports.ts";
import { isIntact, keys, type RevokedRow, storedPki } from "../../engine/records.ts";
import { parseCertificate } from "../../x509/certificate.ts";
import { revokedIndex } from "../revoke/revocation.ts";
import { readableRows, unreadable } from "../crl/readable-rows.ts";

/** A revocation row of an earlier version, and the expiry of its certificate, Unix seconds. */
export interface ExpiringRow {
  readonly key: string;
  readonly rev: number;
  readonly value: RevokedRow;
  readonly end: number;
}
/** The rows of such revocations as they are stored today, to be found by their ends. */
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
 * What keeps the ends of revocations whose certificates go: rows of before have theirs in the
 * certificate only. `end`: no certificate of them ends later, Unix seconds.
 */
export async function storeExpiry(
  ca: Mount,
  names: readonly string[],
  end: number,
): Promise<Required<Pick<Batch, "expect" | "put">>> {
  const rows = (await readableRows(ca, names)).flatMap((row, i) => {
    if (!row || row === unreadable) return [];
    const value = storedPki.revoked(row.value);
    return value.not_after === undefined ? [{ key: names[i] ?? "", rev: row.rev, value, end }] : [];
  });
  return withExpiry(rows);
}

/** When a stored certificate ends, Unix seconds; undefined where that cannot be read. */
export async function storedExpiry(ca: Mount, serial: Uint8Array): Promise<number | undefined> {
  const [row] = await readableRows(ca, [keys.cert(serial)]);
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
