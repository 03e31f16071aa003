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
  readonly issuers: Issuers;
  readonly roles: readonly string[];
  /** Set if it has no search. */
  old?: { readonly keys: readonly string[]; readonly read: readonly Row[] };
}

export async function loadSource(): Promise<Source> {
  const [issuers, roles] = await Promise.all([issuerTitles(), usableRoles()]);
  return { issuers, roles };
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
  const matches = matchingRows(now, filters).map(rowOfCertificate);
  return {
    rows: matches,
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
  const serials = new Set(current.map(({ serial }) => serial));
  return rows.filter(({ serial }) => !serials.has(serial));
};

/** Maximum empty pages read without the user asking for more. */
const maxEmptyPages = 4;

/** One step of a search: returns the page after a position, separate from earlier results. */
type Step = (cursor: string) => Promise<SearchResult>;

async function steps(step: Step, cursor: string): Promise<SearchResult> {
  let result = await step(cursor);
  for (let i = 1; i < maxEmptyPages && result.rows.length === 0 && result.cursor !== ""; i++)
    result = await step(result.cursor);
  return result;
}

/** Prefix of cursors in the second half of a search. */
const past = "past ";

/**
 * Returns the step of a search without filters: expired certificates come last, because the API
 * returns the earliest expiry first.
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
/** Returns the step of a search that has the latest certificates first. */
const byNewest =
  (filters: Filters, issuers: Issuers, limit: number): Step =>
  (cursor) =>
    searchPage(filters, cursor, { issuers, now: new Date(), more: { order: "newest" } }, limit);

/** Reports whether a search can have the latest first: its filters need not be in an index. */
const canBeNewest = ({ q, status }: Filters): boolean => q.trim() === "" && status !== "soon";
/** Reports whether an index finds the matches faster than reading the latest certificates. */
const isSelective = ({ role, issuer, source, from, to }: Filters): boolean =>
  [role, issuer, source, from, to].some((text) => text !== "");

/** Returns the step of a search by name; `within` matches any part of a name. */
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
 * Returns the first page: matches by serial number, by fingerprint, by the beginning of a name and,
 * if there are none, by any part of a name.
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
  // a number this long cannot be a name
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

/** Returns the step of a search by fingerprint. */
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

/** Returns the first page, or the current result extended by the next one. */
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
  const result = await readOn(source, filters, await page(source, filters, current), {
    max: (current?.rows.length ?? 0) + maxUnrequested,
    ...extent,
  });
  // of more than are shown, the latest matter most; without selective filters they were tried first
  const isCut = !current && !extent.progress && result.cursor !== "" && result.total === undefined;
  if (!isCut || !isSelective(filters) || !canBeNewest(filters)) return result;
  const newest = await steps(byNewest(filters, source.issuers, perPage), "");
  return newest.isNewestFirst ? readOn(source, filters, newest, { max: maxUnrequested }) : result;
}

/** Extends a result by further pages, up to a number of rows. */
async function readOn(
  source: Source,
  filters: Filters,
  first: SearchResult,
  { max, progress }: Pick<SearchExtent, "max"> & Partial<SearchExtent>,
): Promise<SearchResult> {
  let result = first;
  // A server without a search is too slow for more than a page.
  const last = progress ? Infinity : result.total === undefined ? maxPages : 1;
  // Nothing is shown between the halves, because the second may be empty.
  const continues = (): boolean =>
    result.cursor === past || (result.cursor !== "" && result.rows.length < max);
  for (let i = 1; i < last && continues(); i++) {
    progress?.(result.rows.length);
    try {
      result = await page(source, filters, result);
    } catch (error) {
      // Only a user who asked for more gets the error.
      if (progress) throw error;
      break;
    }
  }
  return result;
}
