import { readCertificate } from "../../lib/x509/decode.ts";
import { certificates } from "../../api/certificates.ts";
import type { InventoryRow } from "../../api/inventory-search.ts";
import { bareHex, colons } from "../../lib/hex-text.ts";

/** Maximum number of certificates to read concurrently. */
const maxConcurrent = 250;

/**
 * Reads the certificates of rows with incomplete names, and returns all their names by serial
 * number.
 */
async function unreadNames(
  rows: readonly InventoryRow[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const lacking = rows.filter(({ unread }) => unread > 0).map(({ serial }) => serial);
  const names = new Map<string, readonly string[]>();
  for (let from = 0; from < lacking.length; from += maxConcurrent) {
    const pems = await certificates(lacking.slice(from, from + maxConcurrent).map(colons));
    for (const [serial, pem] of Object.entries(pems))
      if (pem !== null) {
        const view = await readCertificate(pem);
        names.set(
          bareHex(serial),
          view.names.map(({ value }) => value).filter((name) => name !== view.title),
        );
      }
  }
  return names;
}

/**
 * Formats a CSV cell. A leading apostrophe keeps spreadsheet programs from evaluating the cell as a
 * formula.
 */
const cell = (text: string): string =>
  `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;

const columns: readonly (readonly [title: string, of: (row: InventoryRow) => string])[] = [
  ["name", ({ title }) => title],
  ["other_names", ({ others }) => others.join(" ")],
  ["serial_number", ({ serial }) => colons(serial)],
  ["sha256_fingerprint", ({ print }) => colons(print)],
  ["issuer_common_name", ({ issuer }) => issuer],
  ["role", ({ role }) => role],
  ["not_before", ({ begins }) => begins.toISOString()],
  ["not_after", ({ ends }) => ends.toISOString()],
  ["state", ({ state }) => state],
  ["revocation_time", ({ revoked }) => revoked?.toISOString() ?? ""],
  ["revocation_reason", ({ reason }) => reason],
];

/** Formats rows as CSV with all names. */
export async function csvOf(rows: readonly InventoryRow[]): Promise<string> {
  const names = await unreadNames(rows);
  const whole = rows.map((row) => ({ ...row, others: names.get(row.serial) ?? row.others }));
  return [columns.map(([title]) => title), ...whole.map((row) => columns.map(([, of]) => of(row)))]
    .map((line) => line.map(cell).join(","))
    .join("\r\n");
}
