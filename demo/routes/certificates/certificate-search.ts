import { unknownCall } from "../../api/transport.ts";
import { digitsIn, isPrint } from "./serial-prefix.ts";
import { rows, type Row } from "../../api/inventory.ts";
import { lazyLoad } from "../../lib/lazy-load.ts";
import { roleNames, serials } from "../../api/pki.ts";
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

/** An authority that cannot search is asked for each certificate, so for few at a time. */
const readPerPage = 100;

/** The results of a search so far. */
export interface SearchResult {
  readonly rows: readonly InventoryRow[];
  /** Where the next page begins; empty when all is read. */
  readonly cursor: string;
  /**
   * For an authority that cannot search: how many certificates there are, and how many of them were
   * read.
   */
  readonly total?: number;
  readonly read?: number;
  /** No name begins with the text, so it was sought inside the names. */
  readonly within?: boolean;
  /** The text is a fingerprint, and these have it. */
  readonly printed?: boolean;
}

/** Names and roles of the server, cached while the view exists. */
export interface Source {
  readonly known: Issuers;
  readonly roles: readonly string[];
  /** Set when it cannot search. */
  old?: { readonly keys: readonly string[]; readonly read: readonly Row[] };
}

export async function loadSource(): Promise<Source> {
  const [known, roles] = await Promise.all([issuerTitles(), roleNames()]);
  return { known, roles };
}

/** The next hundred rows, or the rows of another filter, of what an older authority lists. */
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

/** Rows without those that are held already. */
const unheld = (
  held: readonly InventoryRow[],
  rows: readonly InventoryRow[],
): readonly InventoryRow[] => {
  const known = new Set(held.map(({ serial }) => serial));
  return rows.filter(({ serial }) => !known.has(serial));
};

/** Nobody waits for more pages than these that hold nothing, without being asked. */
const maxEmptyPages = 4;

/** One step of a search: the next page behind a place, kept apart from what was found before. */
type Step = (cursor: string) => Promise<SearchResult>;

async function steps(step: Step, cursor: string): Promise<SearchResult> {
  let found = await step(cursor);
  for (let i = 1; i < maxEmptyPages && found.rows.length === 0 && found.cursor !== ""; i++)
    found = await step(found.cursor);
  return found;
}

/** The mark of a place in the second half of a search, before the API's own. */
const past = "past ";

/**
 * A step of a search that nothing narrows down: what has ended comes last, because the API begins
 * with what ended first.
 */
function livingFirst(filters: Filters, known: Issuers, limit: number): Step {
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
/** The step of a search by name or, with `within`, by what names contain. */
function byName(filters: Filters, known: Issuers, limit: number, within: boolean): Step {
  const asked = within ? { ...filters, match: "any" } : filters;
  const { q, status, role, source, from, to } = filters;
  if ([q, status, role, source, from, to].every((text) => text === ""))
    return livingFirst(filters, known, limit);
  return async (cursor) => {
    const now = new Date();
    const page = await searchPage(asked, cursor, { known, now }, limit);
    const more =
      filters.status === "soon" && page.cursor === ""
        ? await (await digital()).soonAuthorities(asked, known, now)
        : [];
    return { ...page, rows: [...page.rows, ...unheld(page.rows, more)], ...(within && { within }) };
  };
}

/**
 * The first page: by serial number, by fingerprint, by the begin of a name and, where nothing is
 * found so, by what names contain.
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
  // A number this long is no name.
  if (numbered.length > 0 && digits.length >= 16) return { rows: numbered, cursor: "" };
  const found = await steps(byName(filters, known, limit, false), "");
  const inside =
    filters.q.trim() !== "" &&
    filters.match === "" &&
    found.rows.length + numbered.length === 0 &&
    found.cursor === "";
  if (inside) return steps(byName(filters, known, limit, true), "");
  return { ...found, rows: [...numbered, ...unheld(numbered, found.rows)] };
}

/** The step of a search for a fingerprint. */
function byDigits(digits: string, filters: Filters, known: Issuers): Step {
  return async (cursor) => ({
    ...(await (await digital()).byPrint(digits, filters, cursor, { known, now: new Date() })),
    printed: true,
  });
}

async function nextPage(
  filters: Filters,
  known: Issuers,
  held: SearchResult,
  limit: number,
): Promise<SearchResult> {
  const step = held.printed
    ? byDigits(digitsIn(filters.q), filters, known)
    : byName(filters, known, limit, held.within === true);
  const next = await steps(step, held.cursor);
  return { ...next, rows: [...held.rows, ...unheld(held.rows, next.rows)] };
}

/** The first page, or what is held and the next one. */
async function page(
  source: Source,
  filters: Filters,
  held: SearchResult | undefined,
): Promise<SearchResult> {
  if (source.old) return listPage(source, filters, held?.cursor ?? "");
  try {
    return await (held
      ? nextPage(filters, source.known, held, perPage)
      : firstPage(filters, source.known, perPage));
  } catch (error) {
    if (unknownCall(error)) return listPage(source, filters, held?.cursor ?? "");
    throw error;
  }
}

/** So many rows are read without being asked for, so that all can be sorted and counted. */
const maxUnrequested = 5000;
/** Pages that hold little: nobody waits for more of them. */
const maxPages = 8;

/** A request for more rows, made by the user. */
interface SearchExtent {
  /** So many rows in all, or a few more. */
  readonly max: number;
  /** Is told before each further page how many rows there are. */
  readonly progress: (count: number) => void;
}

/**
 * Returns the current result extended by further pages: some thousand rows by default, or as many
 * as requested.
 */
export async function searchCertificates(
  source: Source,
  filters: Filters,
  held: SearchResult | undefined,
  asked: Partial<SearchExtent> = {},
): Promise<SearchResult> {
  const { max = (held?.rows.length ?? 0) + maxUnrequested, progress } = asked;
  let found = await page(source, filters, held);
  // One that cannot search is slow enough by the page.
  const last = progress ? Infinity : found.total === undefined ? maxPages : 1;
  // Between the halves there is nothing to wait for: the second may be empty.
  const goesOn = (): boolean =>
    found.cursor === past || (found.cursor !== "" && found.rows.length < max);
  for (let i = 1; i < last && goesOn(); i++) {
    progress?.(found.rows.length);
    try {
      found = await page(source, filters, found);
    } catch (error) {
      // Nobody asked for more; who does is told.
      if (progress) throw error;
      break;
    }
  }
  return found;
}
