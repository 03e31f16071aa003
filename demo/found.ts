import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { unknownCall } from "./api.ts";
import { byPrint, bySerial, digitsIn, isPrint, soonAuthorities } from "./bydigits.ts";
import { rows, type Row } from "./inventory.ts";
import { roleNames, serials } from "./pki.ts";
import { address, route } from "./route.ts";
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
interface Source {
  readonly known: Issuers;
  readonly roles: readonly string[];
  /** Set when it cannot search. */
  old?: { readonly keys: readonly string[]; readonly read: readonly Row[] };
}

async function learn(): Promise<Source> {
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
    const page = await searchPage(asked, cursor, known, now, limit);
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
    return steps((cursor) => byPrint(digits, filters, cursor, known, new Date()), "");
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
      : (cursor) => byPrint(digitsIn(filters.q), filters, cursor, known, new Date());
  const next = await steps(step, held.cursor);
  const compared = held.compared !== undefined && {
    compared: held.compared + (next.compared ?? 0),
  };
  return { ...next, ...compared, rows: [...held.rows, ...unheld(held.rows, next.rows)] };
}

/** The first page, or what is held and the next one. */
async function page(
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

/** At a time in an export, the most that one search answers. */
const exported = 1000;
/** An export ends here, so that it has an end at all. */
const mostExported = 100_000;

/** What a view of the inventory shows and does. */
export interface Inventory {
  /** Undefined until the first answer. */
  readonly found: Found | undefined;
  readonly issuers: readonly (readonly [value: string, text: string])[];
  readonly roles: readonly string[];
  readonly busy: boolean;
  readonly error: Error | undefined;
  /** Reads the next page. */
  readonly more: () => void;
  /** Starts again. */
  readonly again: () => void;
  /**
   * Everything that matches, a hundred thousand rows or a few more at most; tells before each
   * further page how many it has.
   */
  readonly all: (progress: (count: number) => void) => Promise<Found>;
}

const pause = 200;

/** A list as it was when one of its certificates was opened, and where in it that was. */
interface Left {
  readonly filters: string;
  readonly turn: number;
  readonly found: Found;
  readonly source: Source | undefined;
  readonly serial: string;
  readonly scroll: number;
}
let left: Left | undefined;

/** Forgets the list that was left; where somebody goes elsewhere, coming back is no return. */
export const forgetLeft = (): void => {
  left = undefined;
};

/** The filters of the list that a certificate was opened from, as in its address. */
export const leftFilters = (): Readonly<Record<string, string>> =>
  left ? (JSON.parse(left.filters) as Record<string, string>) : {};

/**
 * Gives the link of a row the focus, which is drawn some frames after the window has come there.
 */
function focusRow(to: string, frames: number): void {
  requestAnimationFrame(() => {
    const link = [...document.querySelectorAll<HTMLAnchorElement>("tbody a")].find(
      ({ hash }) => hash === to,
    );
    if (link) link.focus({ preventScroll: true });
    else if (frames > 0) focusRow(to, frames - 1);
  });
}

/** Goes to the row that was opened. */
function returnTo({ serial, scroll }: Left): void {
  // After the title has taken place and focus.
  requestAnimationFrame(() => {
    scrollTo(0, scroll);
    focusRow(address("certificates", serial), 20);
  });
}

/**
 * The list that was left, where it is the one that is wanted; keeps the list for its return when
 * one of its certificates is opened.
 */
function useReturn(filters: string, turn: number, now: RefObject<Held>): Left | undefined {
  const [back] = useState(() =>
    left?.filters === filters && left.turn === turn ? left : undefined,
  );
  const latest = useRef({ filters, turn });
  latest.current = { filters, turn };
  useEffect(() => {
    if (back) returnTo(back);
    forgetLeft();
  }, []);
  // What an effect leaves behind is taken away later, when the page is already another one.
  useLayoutEffect(
    () => () => {
      const { view, id } = route.get();
      const { found, source, of } = now.current ?? {};
      if (view === "certificates" && id !== "" && found && of === latest.current.filters)
        left = { ...latest.current, found, source, serial: id, scroll: scrollY };
    },
    [],
  );
  return back;
}

/** What is held of the inventory: what was learnt, what was found and for which filters. */
interface Held {
  source?: Source | undefined;
  found?: Found;
  of?: string;
}

/**
 * Searches the inventory, again whenever the filters or `turn` change; pages are kept while the
 * filters stay.
 */
export function useInventory(filters: Filters, turn: number): Inventory {
  const asked = JSON.stringify(filters);
  const held = useRef<Held>({});
  const back = useReturn(asked, turn, held);
  const [state, set] = useState<{ found?: Found; error?: Error; busy: boolean }>(
    back ? { found: back.found, busy: false } : { busy: true },
  );
  const run = useRef(0);
  const fresh = useRef(back);
  if (fresh.current)
    held.current = { source: fresh.current.source, found: fresh.current.found, of: asked };
  const load = async (before?: Found): Promise<void> => {
    const own = ++run.current;
    set((now) => ({ ...(now.found && { found: now.found }), busy: true }));
    try {
      const source = (held.current.source ??= await learn());
      const found = await page(source, filters, before);
      if (own !== run.current) return;
      held.current = { source, found, of: asked };
      set({ found, busy: false });
    } catch (reason) {
      const error = reason instanceof Error ? reason : new Error(String(reason));
      // Rows of other filters would pass for what these find.
      const same = held.current.of === asked;
      if (own === run.current)
        set((now) => ({ ...(same && now.found && { found: now.found }), error, busy: false }));
    }
  };
  useEffect(() => {
    if (!fresh.current) held.current.source = undefined;
  }, [turn]);
  useEffect(() => {
    // What was returned to is there already.
    if (fresh.current) return void (fresh.current = undefined);
    const timer = setTimeout(() => void load(), state.found ? pause : 0);
    return () => clearTimeout(timer);
  }, [turn, asked]);
  const { found, error, busy } = state;
  const { known, roles = [], old } = held.current.source ?? {};
  const titles = new Set(old?.read.map(({ view }) => view.issuerTitle));
  return {
    found,
    error,
    busy,
    issuers: old
      ? [...titles].sort().map((title) => [title, title] as const)
      : [...(known?.names ?? [])],
    roles: old ? [] : roles,
    more: () => {
      if (!busy && found && found.cursor !== "") void load(found);
    },
    again: () => void load(),
    all: async (progress) => {
      const source = (held.current.source ??= await learn());
      let read = found ?? (await page(source, filters, undefined, exported));
      while (read.cursor !== "" && read.rows.length < mostExported) {
        progress(read.rows.length);
        read = await page(source, filters, read, exported);
      }
      return read;
    },
  };
}
