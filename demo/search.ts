import { ask, list, mount } from "./api.ts";
import { cared, life, type Life } from "./lifetime.ts";
import type { Row } from "./inventory.ts";
import { issuerNames } from "./issuernames.ts";
import { bareHex, day, visible } from "./words.ts";

/** A row of the inventory, from a search or from a certificate that was read. */
export interface Listed {
  /** Hexadecimal without separators. */
  readonly serial: string;
  readonly title: string;
  /** The other names; of a search five at most. */
  readonly others: readonly string[];
  readonly authority: boolean;
  readonly issuer: string;
  readonly role: string;
  /** Whether ACME issued it, so that its client renews it. */
  readonly acme: boolean;
  readonly begins: Date;
  readonly ends: Date;
  readonly state: Life;
}

/** What the address asks for. */
export interface Filters {
  readonly q: string;
  /** `any`: anywhere in any name; else where the first name begins. */
  readonly match: string;
  readonly status: string;
  readonly issuer: string;
  readonly role: string;
  /** `acme`, `api`, or empty for both. */
  readonly source: string;
  /** Days, `2026-11-21`. */
  readonly from: string;
  readonly to: string;
}

/** The filters in an address. */
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
  };
}

/** Seconds of a day in UTC, or of its end. */
function seconds(date: string, end = false): number | undefined {
  const at = Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(at) ? undefined : Math.floor((at + (end ? day - 1000 : 0)) / 1000);
}

const monthAhead = 30 * day;

/**
 * The filters as the API takes them. What expires soon is sought among what ends within 30 days;
 * authorities, which do so earlier, are added by `soonAuthorities`.
 */
export function queryOf(filters: Filters, now: Date): Readonly<Record<string, string>> {
  const { q, match, status, issuer, role, source } = filters;
  const soon = status === "soon";
  const [from, to] = [seconds(filters.from), seconds(filters.to, true)];
  const edge = Math.floor((now.getTime() + monthAhead) / 1000);
  const until = soon ? Math.min(to ?? edge, edge) : to;
  const fields = {
    ...(match === "any" ? { san: q.trim() } : { name: q.trim() }),
    issuer,
    role,
    // Nobody has to see to what a client renews.
    source: source || (soon ? "api" : ""),
    state: soon ? "valid" : status,
    not_after_from: from === undefined ? "" : String(from),
    not_after_to: until === undefined ? "" : String(until),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));
}

/** What the API tells of a certificate that it lists. */
export interface Info {
  readonly common_name: string;
  readonly issuer: string;
  readonly role: string;
  readonly not_before: string;
  readonly not_after: string;
  readonly dns_names: readonly string[];
  readonly state: string;
  /** Left out by an authority that is older than its ACME. */
  readonly source?: string;
  readonly acme_account?: string;
}

/** Names of issuers by id, and the serial numbers of their certificates. */
export interface Issuers {
  readonly names: ReadonlyMap<string, string>;
  readonly serials: ReadonlySet<string>;
}

/** The issuers of the mount, by the names that people know them by. */
export async function issuerTitles(): Promise<Issuers> {
  const { info } = await list<{ issuer_name: string; serial_number: string }>(mount("issuers"));
  const all = Object.entries(info);
  return {
    names: await issuerNames(all.map(([id, { issuer_name: name }]) => [id, name])),
    serials: new Set(all.map(([, { serial_number: serial }]) => bareHex(serial))),
  };
}

/** The same without names, for those who only have to tell authorities from other certificates. */
export async function issuerSerials(): Promise<Issuers> {
  const { info } = await list<{ serial_number: string }>(mount("issuers"));
  return {
    names: new Map(),
    serials: new Set(Object.values(info).map(({ serial_number: serial }) => bareHex(serial))),
  };
}

/** What the rows of a search are judged by. */
export interface At {
  readonly known: Issuers;
  readonly now: Date;
}

const perPage = 100;

/** Rows, and where the next page begins; empty at the end. */
export interface Page {
  readonly rows: readonly Listed[];
  readonly cursor: string;
}
interface Answer {
  readonly keys: readonly string[];
  readonly key_info?: Readonly<Record<string, Info>>;
  readonly cursor?: string;
}

/** One page of what was sought. */
export async function searchPage(
  filters: Filters,
  cursor: string,
  { known, now }: At,
  limit = perPage,
): Promise<Page> {
  const query = new URLSearchParams({
    ...queryOf(filters, now),
    limit: String(limit),
    ...(cursor && { cursor }),
  });
  const found = await ask<Answer>("LIST", mount(`certs/search?${query.toString()}`));
  const rows = found.keys.flatMap((key): readonly Listed[] => {
    const info = found.key_info?.[key];
    return info ? [listed(bareHex(key), info, known, now)] : [];
  });
  return {
    rows: filters.status === "soon" ? rows.filter(({ state }) => state === "soon") : rows,
    cursor: found.cursor ?? "",
  };
}

/** A certificate that the API lists, as a row. */
export function listed(serial: string, info: Info, { names, serials }: Issuers, now: Date): Listed {
  const title = visible(info.common_name || info.dns_names[0] || `Serial ${serial.slice(0, 16)}`);
  const [begins, ends] = [new Date(info.not_before), new Date(info.not_after)];
  const authority = serials.has(serial);
  const acme = info.source === "acme";
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
    state: cared(life({ begins, ends, authority }, info.state === "revoked", now), acme),
  };
}

/** A certificate that was read in whole, as a row. */
export const listedOf = ({ serial, view, state }: Row): Listed => ({
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
});

/** Whether a row passes the filters other than the text. */
export function passes(
  { state, issuer, role, acme, ends }: Listed,
  filters: Filters,
  { names }: Issuers,
): boolean {
  const [from = -Infinity, to = Infinity] = [seconds(filters.from), seconds(filters.to, true)];
  const end = ends.getTime() / 1000;
  return (
    inState(state, filters.status) &&
    (filters.issuer === "" || issuer === (names.get(filters.issuer) ?? filters.issuer)) &&
    (filters.role === "" || role === filters.role) &&
    (filters.source === "" || (filters.source === "acme") === acme) &&
    end >= from &&
    end <= to
  );
}

/** What is valid may expire soon, or not have begun: the API makes no difference between them. */
const inState = (state: Life, wanted: string): boolean =>
  wanted === "" ||
  state === wanted ||
  (wanted === "valid" && (state === "soon" || state === "future"));

/** The rows that fit, of those that were read; for an authority that cannot search. */
export function matching(read: readonly Row[], filters: Filters): readonly Row[] {
  const words = filters.q.trim().toLowerCase();
  const digits = bareHex(words);
  const [from, to] = [seconds(filters.from), seconds(filters.to, true)];
  const fits = ({ view, serial }: Row): boolean =>
    words === "" ||
    [view.title, view.subject, ...view.names.map(({ value }) => value)]
      .join(" ")
      .toLowerCase()
      .includes(words) ||
    (/^[0-9a-f]{4,}$/.test(digits) &&
      [serial, view.sha256, view.keyPrint].some((held) => held.includes(digits)));
  const inTime = (ends: number): boolean =>
    (from === undefined || ends >= from) && (to === undefined || ends <= to);
  const fromIssuer = (title: string): boolean => filters.issuer === "" || title === filters.issuer;
  return read
    .filter(
      (row) =>
        inState(row.state, filters.status) &&
        fromIssuer(row.view.issuerTitle) &&
        inTime(row.view.ends.getTime() / 1000) &&
        fits(row),
    )
    .toSorted((a, b) => a.view.ends.getTime() - b.view.ends.getTime());
}
