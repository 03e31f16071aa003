import { unknownCall } from "./api.ts";
import { byPrint, bySerial, digitsIn, isPrint, soonAuthorities } from "./bydigits.ts";
import { rows, type Row } from "./inventory.ts";
import { roleNames, serials } from "./pki.ts";
import {
  issuerTitles,
  listedOf,
  matching,
  passes,
  searchPage,
  type Filters,
  type Issuers,
  type Listed,
} from "./search.ts";

const perPage = 100;

/** What a search has found so far. */
export interface Found {
  readonly rows: readonly Listed[];
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
  /** How many certificates were compared with a fingerprint. */
  readonly compared?: number;
}

/** What was learnt about the authority, kept while the view lives. */
export interface Source {
  readonly known: Issuers;
  readonly roles: readonly string[];
  /** Set when it cannot search. */
  old?: { readonly keys: readonly string[]; readonly read: readonly Row[] };
}

export async function learn(): Promise<Source> {
  const [known, roles] = await Promise.all([issuerTitles(), roleNames()]);
  return { known, roles };
}

/** The next hundred rows, or the rows of another filter, of what an older authority lists. */
async function listPage(source: Source, filters: Filters, cursor: string): Promise<Found> {
  const { keys, read } = source.old ?? { keys: await serials(), read: [] };
  const due =
    cursor !== "" || read.length === 0 ? keys.slice(read.length, read.length + perPage) : [];
  const now = [...read, ...(await rows(due, new Date()))];
  source.old = { keys, read: now };
  const found = matching(now, filters).map(listedOf);
  return {
    rows: found,
    cursor: now.length < keys.length ? String(now.length) : "",
    total: keys.length,
    read: now.length,
  };
}

/** Rows without those that are held already. */
const unheld = (held: readonly Listed[], rows: readonly Listed[]): readonly Listed[] => {
  const known = new Set(held.map(({ serial }) => serial));
  return rows.filter(({ serial }) => !known.has(serial));
};

/** Nobody waits for more pages than these that hold nothing, without being asked. */
const mostEmpty = 4;

/** One step of a search: the next page behind a place, kept apart from what was found before. */
type Step = (cursor: string) => Promise<Found>;

async function steps(step: Step, cursor: string): Promise<Found> {
  let found = await step(cursor);
  for (let i = 1; i < mostEmpty && found.rows.length === 0 && found.cursor !== ""; i++) {
    const { compared = 0, cursor: at } = found;
    const next = await step(at);
    found = { ...next, ...(next.compared !== undefined && { compared: compared + next.compared }) };
  }
  return found;
}

/** The step of a search by name or, with `within`, by what names contain. */
function byName(filters: Filters, known: Issuers, limit: number, within: boolean): Step {
  const asked = within ? { ...filters, match: "any" } : filters;
  return async (cursor) => {
    const now = new Date();
    const page = await searchPage(asked, cursor, { known, now }, limit);
    const more =
      filters.status === "soon" && page.cursor === ""
        ? await soonAuthorities(asked, known, now)
        : [];
    return { ...page, rows: [...page.rows, ...unheld(page.rows, more)], ...(within && { within }) };
  };
}

/**
 * The first page: by serial number, by fingerprint, by the begin of a name and, where nothing is
 * found so, by what names contain.
 */
async function firstPage(filters: Filters, known: Issuers, limit: number): Promise<Found> {
  const digits = digitsIn(filters.q);
  const numbered =
    digits === ""
      ? []
      : (await bySerial(digits, known, new Date())).filter((row) => passes(row, filters, known));
  if (isPrint(digits))
    return steps((cursor) => byPrint(digits, filters, cursor, { known, now: new Date() }), "");
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

async function nextPage(
  filters: Filters,
  known: Issuers,
  held: Found,
  limit: number,
): Promise<Found> {
  const step: Step =
    held.compared === undefined
      ? byName(filters, known, limit, held.within === true)
      : (cursor) => byPrint(digitsIn(filters.q), filters, cursor, { known, now: new Date() });
  const next = await steps(step, held.cursor);
  const compared = held.compared !== undefined && {
    compared: held.compared + (next.compared ?? 0),
  };
  return { ...next, ...compared, rows: [...held.rows, ...unheld(held.rows, next.rows)] };
}

/** The first page, or what is held and the next one. */
export async function page(
  source: Source,
  filters: Filters,
  held: Found | undefined,
  limit = perPage,
): Promise<Found> {
  if (source.old) return listPage(source, filters, held?.cursor ?? "");
  try {
    return await (held
      ? nextPage(filters, source.known, held, limit)
      : firstPage(filters, source.known, limit));
  } catch (error) {
    if (unknownCall(error)) return listPage(source, filters, held?.cursor ?? "");
    throw error;
  }
}
