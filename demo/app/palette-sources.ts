import * as pki from "../api/endpoints/pki.ts";
import {
  filtersOf,
  issuerTitles,
  searchPage,
  type InventoryRow,
  type Issuers,
} from "../api/inventory-search.ts";
import { mayCallAny } from "../api/permissions.ts";
import { usableRoles } from "../api/roles.ts";
import { addressOfMount, visibleMounts } from "../api/visible-mounts.ts";
import { place, signedOut } from "../lib/place.ts";
import { bareHex, groups as digitGroups } from "../lib/hex-text.ts";
import { date } from "../lib/time-text.ts";
import { isTokenLike } from "../lib/token-syntax.ts";
import { visible } from "../lib/visible-text.ts";
import { isUsable, type Life } from "../lib/lifetime.ts";
import { successors } from "../lib/successors.ts";
import { queryWords } from "../lib/word-match.ts";
import { address } from "../lib/route.ts";
import { digitsIn, isPrint } from "../routes/certificates/serial-prefix.ts";
import type { PaletteEntry } from "./palette-entries.ts";

/** A function that returns the titles of the issuers, which it requests only once. */
type Titles = () => ReturnType<typeof issuerTitles>;

/** Returns a function that requests the titles of the issuers once, or again after a failure. */
export function issuersOnce(): Titles {
  let reading: ReturnType<typeof issuerTitles> | undefined;
  return () => {
    reading ??= issuerTitles().catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };
}

/** Maximum number of certificates, and of API calls, shown for a query. */
const maxResults = 6;
/**
 * Number of certificates to read for a query, so that the latest of several certificates with the
 * same name are among them.
 */
const maxRead = 20;

async function mountEntries(): Promise<readonly PaletteEntry[]> {
  const now = place.get().mount;
  return (await visibleMounts())
    .filter((mount) => mount !== now)
    .map((mount) => ({
      id: `mount ${mount}`,
      group: "Mounts",
      title: visible(mount),
      hint: "Open this mount",
      words: "mount switch",
      icon: "swap",
      to: addressOfMount(mount),
    }));
}

async function issuerEntries(titles: Titles): Promise<readonly PaletteEntry[]> {
  const { names, apiNames } = await titles();
  return [...names].map(([id, title]) => ({
    id: `issuer ${id}`,
    group: "CAs",
    title,
    ...(apiNames?.has(id) && { name: apiNames.get(id) ?? "" }),
    words: `${apiNames?.get(id) ?? ""} ${id} ca authority issuer rotate rotation successor trust cross-sign`,
    icon: "overview",
    to: address("authorities", id),
  }));
}

async function roleEntries(): Promise<readonly PaletteEntry[]> {
  const issues = mayCallAny([pki.issue, pki.sign]);
  return (await usableRoles()).flatMap((name): PaletteEntry[] => [
    {
      id: `role ${name}`,
      group: "Roles",
      title: visible(name),
      words: "role edit",
      icon: "roles",
      to: address("roles", name),
    },
    ...(issues
      ? [
          {
            id: `issue ${name}`,
            group: "Roles" as const,
            title: `Issue with ${visible(name)}`,
            words: "role certificate new sign",
            icon: "issue" as const,
            to: address("issue", name),
          },
        ]
      : []),
  ]);
}

/** Returns entries for the CAs, roles and mounts. Omits those that the token may not list. */
export async function namedEntries(titles: Titles): Promise<readonly PaletteEntry[]> {
  if (signedOut(place.get())) return [];
  const read = [issuerEntries(titles), roleEntries(), mountEntries()].map((one) =>
    one.catch((): readonly PaletteEntry[] => []),
  );
  return (await Promise.all(read)).flat();
}

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

/** Reports whether the current token may search certificates. */
export const searchesCertificates = (): boolean =>
  !signedOut(place.get()) && mayCallAny([pki.searchCerts, pki.listCerts]);

/** Finds certificates by the first digits of their serial numbers. */
async function withDigits(
  digits: string,
  ...context: [issuers: Issuers, now: Date]
): Promise<readonly InventoryRow[]> {
  if (digits === "" || digits.length > maxSerialDigits) return [];
  const { bySerial } = await import("../routes/certificates/serial-search.ts");
  return bySerial(digits, ...context);
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

/** Number of digits in the longest serial number, and in a SHA-1 fingerprint. */
export const maxSerialDigits = 40;

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
  const numbered = await withDigits(digits, issuers, now);
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

/**
 * Returns the entry that opens the list of matching certificates or, for a complete serial number,
 * the certificate.
 */
export function searchEntry(query: string): PaletteEntry {
  const q = query.trim();
  const digits = bareHex(q);
  // a hexadecimal string of this length can only be a serial number
  const isSerial = /^(?:[0-9a-f]{2}){19,20}$/.test(digits);
  return {
    id: "search",
    group: "Certificates",
    title: isSerial ? `Certificate ${visible(q)}` : `Search certificates for “${visible(q)}”`,
    icon: "search",
    to: isSerial ? address("certificates", digits) : address("certificates", "", { q }),
  };
}

/** Finds API calls by path, name and description, best match first. */
export async function callEntries(query: string): Promise<readonly PaletteEntry[]> {
  if (query.trim().length < 3 || place.get().onlyNamed) return [];
  const [{ callsOf, matchingCalls }, { description }] = await Promise.all([
    import("../api/openapi-calls.ts"),
    import("../api/openapi.ts"),
  ]);
  const calls = callsOf((await description()).paths, place.get().mount);
  return matchingCalls(calls, queryWords(query))
    .slice(0, maxResults)
    .map(({ verb, path, operation }) => ({
      id: `call ${verb} ${path}`,
      group: "API calls",
      title: `${verb} ${path}`,
      hint: operation.summary?.replaceAll("`", "") ?? "",
      icon: "api",
      to: address("api", operation.operationId),
    }));
}
