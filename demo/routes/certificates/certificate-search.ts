import { unknownCall } from "../../api/transport.ts";
import { digitsIn, isPrint } from "./serial-prefix.ts";
import { rows, type Row } from "../../api/inventory.ts";
import { lazyLoad } from "../../lib/lazy-load.ts";
import { usableRoles } from "../../api/roles.ts";
import { serials } from "../../api/certificates.ts";
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

/**
 * Number of rows per page on a server that cannot search, where each certificate requires a
 * request.
 */
const readPerPage = 100;

/** The results of a search so far. */
export interface SearchResult {
  readonly rows: readonly InventoryRow[];
  /** Cursor of the next page; empty after the last page. */
  readonly cursor: string;
  /**
   * Whether the search returns the latest certificates first, so that the rows are the latest
   * matches.
   */
  readonly isNewestFirst?: boolean;
  /** Total number of certificates, on a server that cannot search. */
  readonly total?: number;
  readonly read?: number;
  /** Whether the search matched any part of names, because no name begins with the text. */
  readonly within?: boolean;
  /** Whether the search treated the text as a fingerprint. */
  readonly printed?: boolean;
}

/** The names of issuers and roles, cached while the view exists. */
export interface Source {
  readonly issuers: Issuers;
  readonly roles: readonly string[];
  /** Set if the server cannot search: all serial numbers, and the certificates read so far. */
  old?: { readonly keys: readonly string[]; readonly read: readonly Row[] };
}

export async function loadSource(): Promise<Source> {
  const [issuers, roles] = await Promise.all([issuerTitles(), usableRoles()]);
  return { issuers, roles };
}

/**
 * Replaces the search on a server that cannot search: reads the next hundred certificates (none if
 * only the filters have changed), and returns all matches read so far.
 */
async function listPage(source: Source, filters: Filters, cursor: string): Promise<SearchResult> {
  const { keys, read } = source.old ?? { keys: await serials(), read: [] };
  const due =
    cursor !== "" || read.length === 0 ? keys.slice(read.length, read.length + readPerPage) : [];
  const now = [...read, ...(await rows(due, new Date()))];
  source.old = { keys, read: now };
  const matches = matchingRows(now, filters).map(rowOfCertificate);
  return {
    rows: matches,
    cursor: now.length < keys.length ? String(now.length) : "",
    total: keys.length,
    read: now.length,
  };
}

/** Returns the rows that are not in the current result. */
const newRows = (
  current: readonly InventoryRow[],
  rows: readonly InventoryRow[],
): readonly InventoryRow[] => {
  const serials = new Set(current.map(({ serial }) => serial));
  return rows.filter(({ serial }) => !serials.has(serial));
};

/** Maximum number of empty pages to read without user action. */
const maxEmptyPages = 4;

/** A step of a search: returns the page after a cursor, without earlier results. */
type Step = (cursor: string) => Promise<SearchResult>;

async function steps(step: Step, cursor: string): Promise<SearchResult> {
  let result = await step(cursor);
  for (let i = 1; i < maxEmptyPages && result.rows.length === 0 && result.cursor !== ""; i++)
    result = await step(result.cursor);
  return result;
}

/** Prefix of the cursors in the second part of a search. That part returns expired certificates. */
const past = "past ";

/**
 * Returns the step of a search that returns expired certificates last. The API returns certificates
 * in order of expiry, so the expired ones come first.
 */
function unexpiredFirst(filters: Filters, issuers: Issuers, limit: number): Step {
  return async (cursor) => {
    const now = new Date();
    const edge = Math.floor(now.getTime() / 1000);
    const isPast = cursor.startsWith(past);
    const more = isPast ? { not_after_to: edge - 1 } : { not_after_from: edge };
    const at = cursor.slice(isPast ? past.length : 0);
    const page = await searchPage(filters, at, { issuers, now, more }, limit);
    if (isPast) return { ...page, cursor: page.cursor && past + page.cursor };
    return page.cursor === "" ? { ...page, cursor: past } : page;
  };
}
/** Returns the step of a search that returns the latest certificates first. */
const byNewest =
  (filters: Filters, issuers: Issuers, limit: number): Step =>
  (cursor) =>
    searchPage(filters, cursor, { issuers, now: new Date(), more: { order: "newest" } }, limit);

/** Reports whether the API can return the latest certificates first for these filters. */
const canBeNewest = ({ q, status }: Filters): boolean => q.trim() === "" && status !== "soon";
/**
 * Reports whether the filters allow an index search, which is faster than searching through the
 * latest certificates.
 */
const isSelective = ({ role, issuer, source, from, to }: Filters): boolean =>
  [role, issuer, source, from, to].some((text) => text !== "");

/** Returns the step of a search by name. If `within` is set, the text can be any part of a name. */
function byName(filters: Filters, issuers: Issuers, limit: number, within: boolean): Step {
  const criteria = within ? { ...filters, match: "any" } : filters;
  const { q, status, role, source, from, to } = filters;
  if ([q, status, role, source, from, to].every((text) => text === ""))
    return unexpiredFirst(filters, issuers, limit);
  return async (cursor) => {
    const now = new Date();
    const page = await searchPage(criteria, cursor, { issuers, now }, limit);
    const more =
      filters.status === "soon" && page.cursor === ""
        ? await (await digital()).soonAuthorities(criteria, issuers, now)
        : [];
    const listed =
      filters.status === "soon"
        ? await (await successorSearch()).withoutSuccessors(page.rows, { issuers, now })
        : page.rows;
    return {
      ...page,
      rows: [...listed, ...newRows(listed, more)],
      ...(within && { within }),
    };
  };
}

/**
 * Returns the first page: matches by serial number, by fingerprint and by the beginning of a name.
 * If there are none, returns matches by any part of a name.
 */
async function firstPage(filters: Filters, issuers: Issuers, limit: number): Promise<SearchResult> {
  const digits = digitsIn(filters.q);
  const numbered =
    digits === ""
      ? []
      : (await (await digital()).bySerial(digits, issuers, new Date())).filter((row) =>
          passesFilters(row, filters, issuers),
        );
  if (isPrint(digits)) return steps(byDigits(digits, filters, issuers), "");
  // a hexadecimal number of this length is not a name
  if (numbered.length > 0 && digits.length >= 16) return { rows: numbered, cursor: "" };
  if (canBeNewest(filters) && !isSelective(filters)) {
    const newest = await steps(byNewest(filters, issuers, limit), "");
    if (newest.isNewestFirst) return newest;
  }
  const result = await steps(byName(filters, issuers, limit, false), "");
  const inside =
    filters.q.trim() !== "" &&
    filters.match === "" &&
    result.rows.length + numbered.length === 0 &&
    result.cursor === "";
  if (inside) return steps(byName(filters, issuers, limit, true), "");
  return { ...result, rows: [...numbered, ...newRows(numbered, result.rows)] };
}

/** Returns the step of a search for a certificate or key fingerprint. */
function byDigits(digits: string, filters: Filters, issuers: Issuers): Step {
  return async (cursor) => ({
    ...(await (await digital()).byPrint(digits, filters, cursor, { issuers, now: new Date() })),
    printed: true,
  });
}

async function nextPage(
  filters: Filters,
  issuers: Issuers,
  current: SearchResult,
  limit: number,
): Promise<SearchResult> {
  const step = current.isNewestFirst
    ? byNewest(filters, issuers, limit)
    : current.printed
      ? byDigits(digitsIn(filters.q), filters, issuers)
      : byName(filters, issuers, limit, current.within === true);
  const next = await steps(step, current.cursor);
  return { ...next, rows: [...current.rows, ...newRows(current.rows, next.rows)] };
}

/** Returns the first page, or the current result with the next page. */
async function page(
  source: Source,
  filters: Filters,
  current: SearchResult | undefined,
): Promise<SearchResult> {
  if (source.old) return listPage(source, filters, current?.cursor ?? "");
  try {
    return await (current
      ? nextPage(filters, source.issuers, current, perPage)
      : firstPage(filters, source.issuers, perPage));
  } catch (error) {
    if (unknownCall(error)) return listPage(source, filters, current?.cursor ?? "");
    throw error;
  }
}

/**
 * Maximum number of rows to read without user action. All rows must be read before they can be
 * sorted and counted.
 */
const maxUnrequested = 5000;
/** Maximum number of pages to read without user action, in case pages contain few rows. */
const maxPages = 8;

/** The number of rows that the user requests, and a callback for progress. */
interface SearchExtent {
  /** Approximate maximum number of rows. */
  readonly max: number;
  /** Called before each further page with the number of rows so far. */
  readonly progress: (count: number) => void;
}

/**
 * Returns the current result with further pages, up to the requested number of rows (by default
 * `maxUnrequested` more).
 */
export async function searchCertificates(
  source: Source,
  filters: Filters,
  current: SearchResult | undefined,
  extent: Partial<SearchExtent> = {},
): Promise<SearchResult> {
  const result = await readOn(source, filters, await page(source, filters, current), {
    max: (current?.rows.length ?? 0) + maxUnrequested,
    ...extent,
  });
  // if not all matches are shown, the latest matter most; without selective filters, the search
  // began with them
  const isCut = !current && !extent.progress && result.cursor !== "" && result.total === undefined;
  if (!isCut || !isSelective(filters) || !canBeNewest(filters)) return result;
  const newest = await steps(byNewest(filters, source.issuers, perPage), "");
  return newest.isNewestFirst ? readOn(source, filters, newest, { max: maxUnrequested }) : result;
}

/** Adds further pages to a result, until it has `max` rows. */
async function readOn(
  source: Source,
  filters: Filters,
  first: SearchResult,
  { max, progress }: Pick<SearchExtent, "max"> & Partial<SearchExtent>,
): Promise<SearchResult> {
  let result = first;
  // On a server that cannot search, reading more than one page is too slow.
  const last = progress ? Infinity : result.total === undefined ? maxPages : 1;
  // After the last unexpired certificate, always read expired ones, because there may be no
  // unexpired ones to show.
  const continues = (): boolean =>
    result.cursor === past || (result.cursor !== "" && result.rows.length < max);
  for (let i = 1; i < last && continues(); i++) {
    progress?.(result.rows.length);
    try {
      result = await page(source, filters, result);
    } catch (error) {
      // Report the error only if the user asked for more rows.
      if (progress) throw error;
      break;
    }
  }
  return result;
}
