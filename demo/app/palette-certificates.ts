import { filtersOf, searchPage, type InventoryRow, type Issuers } from "../api/inventory-search.ts";
import { groups as digitGroups } from "../lib/hex-text.ts";
import { isUsable, type Life } from "../lib/lifetime.ts";
import { place, signedOut } from "../lib/place.ts";
import { address } from "../lib/route.ts";
import { successors } from "../lib/successors.ts";
import { date } from "../lib/time-text.ts";
import { isTokenLike } from "../lib/token-syntax.ts";
import { digitsIn, isPrint } from "../routes/certificates/serial-prefix.ts";
import { bySerial } from "../routes/certificates/serial-search.ts";
import type { PaletteEntry } from "./palette-entries.ts";
import {
  maxResults,
  maxSerialDigits,
  searchesCertificates,
  type Titles,
} from "./palette-sources.ts";

// Loaded with the first query, because it parses certificates.

/**
 * Number of certificates to read for a query, so that the latest of several certificates with the
 * same name are among them.
 */
const maxRead = 20;

/** A certificate in a search result. */
interface FoundCertificate extends InventoryRow {
  /** Whether another certificate in the result renews this one. */
  readonly isRenewed?: boolean;
}

const stateWords: Readonly<Record<Life | "renewed", string>> = {
  valid: "Valid",
  soon: "Expires soon",
  expired: "Expired",
  future: "Not yet valid",
  revoked: "Revoked",
  distrusted: "Issuer revoked",
  renewed: "Renewed",
};

const certificateEntry = ({
  serial,
  title,
  issuer,
  begins,
  state,
  isRenewed,
}: FoundCertificate): PaletteEntry => ({
  id: `certificate ${serial}`,
  group: "Certificates",
  title,
  hint: [
    stateWords[isRenewed && isUsable(state) ? "renewed" : state],
    `issued ${date(begins)}`,
    digitGroups(serial.slice(0, 8)),
    issuer && `from ${issuer}`,
  ]
    .filter(Boolean)
    .join(" · "),
  icon: "certs",
  to: address("certificates", serial),
});

/** Returns the rows, latest first. Marks each row whose successor is another row. */
function newestFirst(rows: readonly InventoryRow[]): readonly FoundCertificate[] {
  const renewed = successors(rows);
  return rows
    .map((row) => ({ ...row, isRenewed: renewed.has(row.serial) }))
    .toSorted((a, b) => b.begins.getTime() - a.begins.getTime());
}

/** Finds certificates by the SHA-256 fingerprint of the certificate or of its key. */
async function printEntries(
  digits: string,
  issuers: Issuers,
  now: Date,
): Promise<readonly PaletteEntry[]> {
  if (!searchesCertificates()) return [];
  const more = { fingerprint: digits };
  const { rows } = await searchPage(noFilters, "", { issuers, now, more }, maxRead);
  // an older server ignores the fingerprint and returns every certificate without its own
  return newestFirst(rows.filter(({ print }) => print !== ""))
    .slice(0, maxResults)
    .map(certificateEntry);
}
const noFilters = filtersOf(new URLSearchParams());

/** Finds certificates by the prefix of a name or serial number, or else by any part of a name. */
export async function certificateEntries(
  query: string,
  titles: Titles,
): Promise<readonly PaletteEntry[]> {
  const q = query.trim();
  if (q.length < 2 || isTokenLike(q) || signedOut(place.get())) return [];
  const [issuers, now] = [await titles(), new Date()];
  const digits = digitsIn(q);
  if (isPrint(digits)) return printEntries(digits, issuers, now);
  const isSerial = digits !== "" && digits.length <= maxSerialDigits;
  const numbered = isSerial ? await bySerial(digits, issuers, now) : [];
  // reading a certificate by its complete serial number requires no token
  if (!searchesCertificates()) return numbered.map(certificateEntry);
  const named = async (match: string): Promise<readonly InventoryRow[]> => {
    const filters = filtersOf(new URLSearchParams({ q, match }));
    return (await searchPage(filters, "", { issuers, now }, maxRead)).rows;
  };
  const begins = await named("");
  const rows = [...numbered, ...(begins.length > 0 ? begins : await named("any"))];
  const unique = new Map(rows.map((row) => [row.serial, row]));
  return newestFirst([...unique.values()])
    .slice(0, maxResults)
    .map(certificateEntry);
}
