import type { SearchCertsInput, SearchCertsReply } from "../../src/client/pki.ts";
import { readData } from "./call.ts";
import { searchCerts } from "./endpoints/pki.ts";
import { belowRevoked, displayedState, life, type Life } from "../lib/lifetime.ts";
import type { Row } from "./inventory.ts";
import type { Authority } from "./issuer.ts";
import { issuerNames } from "./issuer-names.ts";
import { listedIssuers } from "./issuers.ts";
import { distrustedIssuers } from "./revoked-issuers.ts";
import { bareHex } from "../lib/hex-text.ts";
import { day } from "../lib/time-text.ts";
import { visible } from "../lib/visible-text.ts";

/** A row of the inventory, from a search or a parsed certificate. */
export interface InventoryRow {
  /** The serial number in hexadecimal without separators. */
  readonly serial: string;
  readonly title: string;
  /** The other names, of which a search result contains at most five. */
  readonly others: readonly string[];
  /** Number of further names that are not in `others`. */
  readonly unread: number;
  /** Whether the certificate is a CA certificate, possibly of an external CA. */
  readonly authority: boolean;
  readonly issuer: string;
  readonly role: string;
  /** Whether the certificate was issued through ACME, so that its client renews it. */
  readonly acme: boolean;
  readonly begins: Date;
  readonly ends: Date;
  readonly state: Life;
  /** SHA-256 fingerprint in hexadecimal; empty if the listing does not contain it. */
  readonly print: string;
  readonly revoked: Date | undefined;
  /** Revocation reason; empty if unknown. */
  readonly reason: string;
}

/** The filters in the page's URL. */
export interface Filters {
  readonly q: string;
  /** `any` to match any part of any name; otherwise, the beginning of the first name must match. */
  readonly match: string;
  readonly status: string;
  readonly issuer: string;
  readonly role: string;
  /** `acme`, `api`, or empty for any source. */
  readonly source: string;
  /** Earliest expiry date, such as `2026-11-21`. */
  readonly from: string;
  readonly to: string;
  /** Earliest issuance date: a date, `today`, or a number of days before today. */
  readonly since: string;
  /** Latest issuance date, such as `2026-11-21`. */
  readonly until: string;
  /** Column to sort by. A leading `-` means descending order. */
  readonly sort: string;
}

/** Parses the filters in the query of a route. */
export function filtersOf(query: URLSearchParams): Filters {
  const get = (name: string): string => query.get(name) ?? "";
  return {
    q: get("q"),
    match: get("match"),
    status: get("status"),
    issuer: get("issuer"),
    role: get("role"),
    source: get("source"),
    from: get("from"),
    to: get("to"),
    since: get("since"),
    until: get("until"),
    sort: get("sort"),
  };
}

/** Returns the beginning of a UTC day in Unix seconds, or the day's end if `end` is set. */
function seconds(date: string, end = false): number | undefined {
  const at = Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(at) ? undefined : Math.floor((at + (end ? day - 1000 : 0)) / 1000);
}

const monthAhead = 30 * day;

/** Returns the beginning of the earliest issuance date that a filter allows, in Unix seconds. */
function sinceOf(since: string, now: Date): number | undefined {
  const today = seconds(now.toISOString().slice(0, 10)) ?? 0;
  if (since === "today") return today;
  return /^\d{1,4}$/.test(since) ? today - Number(since) * (day / 1000) : seconds(since);
}

/**
 * Converts filters to the input of a search. "Expires soon" covers the next 30 days. For CAs it
 * covers a longer time, for which `soonAuthorities` returns the input.
 */
export function queryOf(filters: Filters, now: Date): SearchCertsInput {
  const { q, match, status, issuer, role, source } = filters;
  const soon = status === "soon";
  const [from, to] = [seconds(filters.from), seconds(filters.to, true)];
  const edge = Math.floor((now.getTime() + monthAhead) / 1000);
  const last = soon ? Math.min(to ?? edge, edge) : to;
  const [since, until] = [sinceOf(filters.since, now), seconds(filters.until, true)];
  const fields: SearchCertsInput = {
    ...(match === "any" ? { san: q.trim() } : { name: q.trim() }),
    issuer,
    role,
    // omit ACME certificates, which clients renew without an operator
    source: wordOf(sources, source) ?? (soon ? "api" : ""),
    state: soon ? "valid" : (wordOf(states, status) ?? ""),
    not_after_from: from,
    not_after_to: last,
    not_before_from: since,
    not_before_to: until,
  };
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== "" && value !== undefined),
  );
}

const sources = ["acme", "api"] as const;
const states = ["valid", "expired", "revoked"] as const;
const wordOf = <T extends string>(words: readonly T[], text: string): T | undefined =>
  words.find((word) => word === text);

type CertificateDetails = SearchCertsReply["key_info"][string];
/** The details of a certificate in a listing. Older servers omit some members. */
export type Info = Pick<
  CertificateDetails,
  "common_name" | "issuer" | "role" | "not_before" | "not_after" | "dns_names"
> & { readonly lease_id?: string } & {
  readonly [
    K in
      | "state"
      | "is_ca"
      | "name"
      | "source"
      | "acme_account"
      | "names"
      | "fingerprint"
      | "revocation_time"
      | "revocation_reason"
  ]?: CertificateDetails[K] | undefined;
};

/**
 * The issuers of a mount: their display names by ID, and the serial numbers of their certificates.
 */
export interface Issuers {
  readonly names: ReadonlyMap<string, string>;
  /** API names by ID, for issuers that have one. */
  readonly apiNames?: ReadonlyMap<string, string>;
  readonly serials: ReadonlySet<string>;
  /** IDs of the issuers that are revoked or below a revoked CA. */
  readonly distrusted: ReadonlySet<string>;
}

/** Returns the issuers of the mount with their display names. */
export async function issuerTitles(): Promise<Issuers> {
  const { info } = await listedIssuers();
  const all = Object.entries(info);
  return {
    names: await issuerNames(info),
    apiNames: new Map(all.flatMap(([id, { issuer_name: name }]) => (name ? [[id, name]] : []))),
    serials: new Set(all.map(([, { serial_number: serial }]) => bareHex(serial))),
    distrusted: distrustedIssuers(info),
  };
}

/** Returns what a search needs to know about issuers, except their names. */
export const issuersIn = (all: readonly Authority[]): Issuers => ({
  names: new Map(),
  serials: new Set(all.map(({ view }) => view.serial)),
  distrusted: distrustedIssuers(
    Object.fromEntries(
      all.map(({ record: { issuer_id: id, key_id, revoked }, isBelowRevoked }) => [
        id,
        { key_id, revoked, issuer_revoked: isBelowRevoked },
      ]),
    ),
  ),
});

/** The issuers and the time with which a search evaluates rows. */
export interface RowContext {
  readonly issuers: Issuers;
  readonly now: Date;
  /** Search fields that override those derived from the filters. */
  readonly more?: SearchCertsInput;
}

/** Maximum number of rows in a response. Older servers return at most 1000. */
export const perPage = 5000;

/** A page of search results. The cursor is empty on the last page. */
export interface Page {
  readonly rows: readonly InventoryRow[];
  readonly cursor: string;
  /** Whether the certificates are in order of issuance, latest first. */
  readonly isNewestFirst: boolean;
}
/** Returns a page of search results. */
export async function searchPage(
  filters: Filters,
  cursor: string,
  { issuers, now, more }: RowContext,
  limit = perPage,
): Promise<Page> {
  const result = await readData(searchCerts, {
    ...queryOf(filters, now),
    ...more,
    limit,
    cursor: cursor || undefined,
  });
  const rows = result.keys.flatMap((key): readonly InventoryRow[] => {
    const info = result.key_info[key];
    return info ? [rowOfListing(bareHex(key), info, issuers, now)] : [];
  });
  return {
    rows: filters.status === "soon" ? rows.filter(({ state }) => state === "soon") : rows,
    cursor: result.cursor ?? "",
    // older servers do not state the order
    isNewestFirst: (result.order ?? "") === "newest",
  };
}

/** Returns the row for a certificate in an API listing. */
export function rowOfListing(
  serial: string,
  info: Info,
  { names, serials, distrusted }: Issuers,
  now: Date,
): InventoryRow {
  const name = info.common_name || info.dns_names[0];
  const title = visible(name || info.name || `Serial ${serial.slice(0, 16)}`);
  const [begins, ends] = [new Date(info.not_before), new Date(info.not_after)];
  const authority = serials.has(serial) || info.is_ca === true;
  const acme = info.source === "acme";
  const own = life({ begins, ends, authority }, info.state === "revoked", now);
  return {
    serial,
    title,
    others: info.dns_names.map(visible).filter((name) => name !== title),
    authority,
    issuer: names.get(info.issuer) ?? "",
    role: visible(info.role),
    acme,
    begins,
    ends,
    state: belowRevoked(displayedState(own, acme), distrusted.has(info.issuer)),
    unread: Math.max(0, (info.names ?? 0) - info.dns_names.length - (!name && info.name ? 1 : 0)),
    print: info.fingerprint ?? "",
    revoked: info.revocation_time ? new Date(info.revocation_time * 1000) : undefined,
    reason: visible(info.revocation_reason ?? ""),
  };
}

/** Returns the row for a parsed certificate. */
export const rowOfCertificate = ({ serial, view, state, revoked }: Row): InventoryRow => ({
  serial,
  title: view.title,
  others: view.names.map(({ value }) => value).filter((name) => name !== view.title),
  authority: view.authority,
  issuer: view.issuerTitle,
  role: "",
  acme: false,
  begins: view.begins,
  ends: view.ends,
  state,
  unread: 0,
  print: view.sha256,
  revoked,
  reason: "",
});

/** Reports whether a row matches all filters except the text. */
export function passesFilters(row: InventoryRow, filters: Filters, { names }: Issuers): boolean {
  const { state, issuer, role, acme } = row;
  return (
    inState(state, filters.status) &&
    (filters.issuer === "" || issuer === (names.get(filters.issuer) ?? filters.issuer)) &&
    (filters.role === "" || role === filters.role) &&
    (filters.source === "" || (filters.source === "acme") === acme) &&
    inTime(row, filters)
  );
}

/** Reports whether the expiry and issuance times are in the ranges of the filters. */
function inTime(
  { begins, ends }: Pick<InventoryRow, "begins" | "ends">,
  filters: Filters,
): boolean {
  const within = (time: Date, from = -Infinity, to = Infinity): boolean =>
    time.getTime() / 1000 >= from && time.getTime() / 1000 <= to;
  return (
    within(ends, seconds(filters.from), seconds(filters.to, true)) &&
    within(begins, sinceOf(filters.since, new Date()), seconds(filters.until, true))
  );
}

/**
 * Reports whether a state matches a filter. As in the API, valid certificates include those that
 * expire soon, are not yet valid, or are below a revoked CA.
 */
const inState = (state: Life, filter: string): boolean =>
  filter === "" ||
  state === filter ||
  (filter === "valid" && state !== "revoked" && state !== "expired");

/** Returns the rows that match the filters, for servers that have no search. */
export function matchingRows(read: readonly Row[], filters: Filters): readonly Row[] {
  const words = filters.q.trim().toLowerCase();
  const digits = bareHex(words);
  const matches = ({ view, serial }: Row): boolean =>
    words === "" ||
    [view.title, view.subject, ...view.names.map(({ value }) => value)]
      .join(" ")
      .toLowerCase()
      .includes(words) ||
    (/^[0-9a-f]{4,}$/.test(digits) &&
      [serial, view.sha256, view.keyPrint].some((digest) => digest.includes(digits)));
  const fromIssuer = (title: string): boolean => filters.issuer === "" || title === filters.issuer;
  return read
    .filter(
      (row) =>
        inState(row.state, filters.status) &&
        fromIssuer(row.view.issuerTitle) &&
        inTime(row.view, filters) &&
        matches(row),
    )
    .toSorted((a, b) => a.view.ends.getTime() - b.view.ends.getTime());
}
