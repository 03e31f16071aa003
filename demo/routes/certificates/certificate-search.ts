import { unknownCall } from "../../api/transport.ts";
import { digitsIn, isPrint } from "./serial-prefix.ts";
import { rows, type Row } from "../../api/inventory.ts";
import { lazyLoad } from "../../lib/lazy-load.ts";
import { usableRoles, serials } from "../../api/pki.ts";
import {
  issuerTitles,
  rowOfCertificate,
  matchingRows,
  passesFilters,
  perPage,
  searchPage,
  type Filters,
  type Issuers,
  type InventoryRow,
} from "../../api/inventory-search.ts";

const digital = lazyLoad(() => import("./serial-search.ts"));
const successorSearch = lazyLoad(() => import("../../api/successor-search.ts"));

/** Rows per page for a server without a search, which needs one request per certificate. */
const readPerPage = 100;

/** The results of a search so far. */
export interface SearchResult {
  readonly rows: readonly InventoryRow[];
  /** Cursor of the next page; empty at the end. */
  readonly cursor: string;
  /** Whether the latest certificates come first, so that those shown are the newest. */
  readonly isNewestFirst?: boolean;
  /** For a server without a search: the number of certificates, and of those read so far. */
  readonly total?: number;
  readonly read?: number;
  /** True if no name begins with the text, so that it was searched for inside names. */
  readonly within?: boolean;
  /** True if the text is the fingerprint of these certificates. */
  readonly printed?: boolean;
}

/** Names and roles of the server, cached while the view exists. */
export interface Source {
  readonly known: Issuers;
  readonly roles: readonly string[];
  /** Set if it has no search. */
  old?: { readonly keys: readonly string[]; readonly read: readonly Row[] };
}

export async function loadSource(): Promise<Source> {
  const [known, roles] = await Promise.all([issuerTitles(), usableRoles()]);
  return { known, roles };
}

/**
 * Returns the next hundred rows, or those of another filter, from the listing of an older server.
 */
async function listPage(source: Source, filters: Filters, cursor: string): Promise<SearchResult> {
  const { keys, read } = source.old ?? { keys: await serials(), read: [] };
  const due =
    cursor !== "" || read.length === 0 ? keys.slice(read.length, read.length + readPerPage) : [];
  const now = [...read, ...(await rows(due, new Date()))];
  source.old = { keys, read: now };
  const found = matchingRows(now, filters).map(rowOfCertificate);
  return {
    rows: found,
    cursor: now.length < keys.length ? String(now.length) : "",
    total: keys.length,
    read: now.length,
  };
}

/** Returns the rows that are not shown yet. */
const newRows = (
  current: readonly InventoryRow[],
  rows: readonly InventoryRow[],
): readonly InventoryRow[] => {
  const known = new Set(current.map(({ serial }) => serial));
  return rows.filter(({ serial }) => !known.has(serial));
};

/** Maximum empty pages read without the user asking for more. */
const maxEmptyPages = 4;

/** One step of a search: returns the page after a position, separate from earlier results. */
type Step = (cursor: string) => Promise<SearchResult>;

async function steps(step: Step, cursor: string): Promise<SearchResult> {
  let found = await step(cursor);
  for (let i = 1; i < maxEmptyPages && found.rows.length === 0 && found.cursor !== ""; i++)
    found = await step(found.cursor);
  return found;
}

/** Prefix of cursors in the second half of a search. */
const past = "past ";

/**
 * Returns the step of a search without filters: expired certificates come last, because the API
 * returns the earliest expiry first.
 */
function unexpiredFirst(filters: Filters, known: Issuers, limit: number): Step {
  return async (cursor) => {
    const now = new Date();
    const edge = Math.floor(now.getTime() / 1000);
    const isPast = cursor.startsWith(past);
    const more = isPast ? { not_after_to: edge - 1 } : { not_after_from: edge };
    const at = cursor.slice(isPast ? past.length : 0);
    const page = await searchPage(filters, at, { known, now, more }, limit);
    if (isPast) return { ...page, cursor: page.cursor && past + page.cursor };
    return page.cursor === "" ? { ...page, cursor: past } : page;
  };
}
/** Returns the step of a search that has the latest certificates first. */
const byNewest =
  (filters: Filters, known: Issuers, limit: number): Step =>
  (cursor) =>
    searchPage(filters, cursor, { known, now: new Date(), more: { order: "newest" } }, limit);

/** Reports whether a search can have the latest first: its filters need not be in an index. */
const canBeNewest = ({ q, status }: Filters): boolean => q.trim() === "" && status !== "soon";
/** Reports whether an index finds the matches faster than reading the latest certificates. */
const isSelective = ({ role, issuer, source, from, to }: Filters): boolean =>
  [role, issuer, source, from, to].some((text) => text !== "");

/** Returns the step of a search by name; `within` matches any part of a name. */
function byName(filters: Filters, known: Issuers, limit: number, within: boolean): Step {
  const criteria = within ? { ...filters, match: "any" } : filters;
  const { q, status, role, source, from, to } = filters;
  if ([q, status, role, source, from, to].every((text) => text === ""))
    return unexpiredFirst(filters, known, limit);
  return async (cursor) => {
    const now = new Date();
    const page = await searchPage(criteria, cursor, { known, now }, limit);
    const more =
      filters.status === "soon" && page.cursor === ""
        ? await (await digital()).soonAuthorities(criteria, known, now)
        : [];
    const listed =
      filters.status === "soon"
        ? await (await successorSearch()).withoutSuccessors(page.rows, { known, now })
        : page.rows;
    return {
      ...page,
      rows: [...listed, ...newRows(listed, more)],
      ...(within && { within }),
    };
  };
}

/**
 * Returns the first page: matches by serial number, by fingerprint, by the beginning of a name and,
 * if there are none, by any part of a name.
 */
async function firstPage(filters: Filters, known: Issuers, limit: number): Promise<SearchResult> {
  const digits = digitsIn(filters.q);
  const numbered =
    digits === ""
      ? []
      : (await (await digital()).bySerial(digits, known, new Date())).filter((row) =>
          passesFilters(row, filters, known),
        );
  if (isPrint(digits)) return steps(byDigits(digits, filters, known), "");
  // a number this long cannot be a name
  if (numbered.length > 0 && digits.length >= 16) return { rows: numbered, cursor: "" };
  if (canBeNewest(filters) && !isSelective(filters)) {
    const newest = await steps(byNewest(filters, known, limit), "");
    if (newest.isNewestFirst) return newest;
  }
  const found = await steps(byName(filters, known, limit, false), "");
  const inside =
    filters.q.trim() !== "" &&
    filters.match === "" &&
    found.rows.length + numbered.length === 0 &&
    found.cursor === "";
  if (inside) return steps(byName(filters, known, limit, true), "");
  return { ...found, rows: [...numbered, ...newRows(numbered, found.rows)] };
}

/** Returns the step of a search by fingerprint. */
function byDigits(digits: string, filters: Filters, known: Issuers): Step {
  return async (cursor) => ({
    ...(await (await digital()).byPrint(digits, filters, cursor, { known, now: new Date() })),
    printed: true,
  });
}

async function nextPage(
  filters: Filters,
  known: Issuers,
  current: SearchResult,
  limit: number,
): Promise<SearchResult> {
  const step = current.isNewestFirst
    ? byNewest(filters, known, limit)
    : current.printed
      ? byDigits(digitsIn(filters.q), filters, known)
      : byName(filters, known, limit, current.within === true);
  const next = await steps(step, current.cursor);
  return { ...next, rows: [...current.rows, ...newRows(current.rows, next.rows)] };
}

/** Returns the first page, or the current result extended by the next one. */
async function page(
  source: Source,
  filters: Filters,
  current: SearchResult | undefined,
): Promise<SearchResult> {
  if (source.old) return listPage(source, filters, current?.cursor ?? "");
  try {
    return await (current
      ? nextPage(filters, source.known, current, perPage)
      : firstPage(filters, source.known, perPage));
  } catch (error) {
    if (unknownCall(error)) return listPage(source, filters, current?.cursor ?? "");
    throw error;
  }
}

/** Maximum rows read without the user asking for more, so that all can be sorted and counted. */
const maxUnrequested = 5000;
/** Maximum pages, in case they contain few rows. */
const maxPages = 8;

/** A request for more rows, made by the user. */
interface SearchExtent {
  /** Approximate maximum number of rows. */
  readonly max: number;
  /** Called before each further page with the number of rows. */
  readonly progress: (count: number) => void;
}

/**
 * Returns the current result extended by further pages: some thousand rows by default, or as many
 * as requested.
 */
export async function searchCertificates(
  source: Source,
  filters: Filters,
  current: SearchResult | undefined,
  extent: Partial<SearchExtent> = {},
): Promise<SearchResult> {
  const found = await readOn(source, filters, await page(source, filters, current), {
    max: (current?.rows.length ?? 0) + maxUnrequested,
    ...extent,
  });
  // of more than are shown, the latest matter most; without selective filters they were tried first
  const isCut = !current && !extent.progress && found.cursor !== "" && found.total === undefined;
  if (!isCut || !isSelective(filters) || !canBeNewest(filters)) return found;
  const newest = await steps(byNewest(filters, source.known, perPage), "");
  return newest.isNewestFirst ? readOn(source, filters, newest, { max: maxUnrequested }) : found;
}

/** Extends a result by further pages, up to a number of rows. */
async function readOn(
  source: Source,
  filters: Filters,
  first: SearchResult,
  { max, progress }: Pick<SearchExtent, "max"> & Partial<SearchExtent>,
): Promise<SearchResult> {
  let found = first;
  // A server without a search is too slow for more than a page.
  const last = progress ? Infinity : found.total === undefined ? maxPages : 1;
  // Nothing is shown between the halves, because the second may be empty.
  const continues = (): boolean =>
    found.cursor === past || (found.cursor !== "" && found.rows.length < max);
  for (let i = 1; i < last && continues(); i++) {
    progress?.(found.rows.length);
    try {
      found = await page(source, filters, found);
    } catch (error) {
      // Only a user who asked for more gets the error.
      if (progress) throw error;
      break;
    }
  }
  return found;
}
