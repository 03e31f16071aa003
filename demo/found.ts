import { useEffect, useRef, useState } from "preact/hooks";
import { unknownCall } from "./api.ts";
import { row, rows, type Row } from "./inventory.ts";
import { roleNames, serials } from "./pki.ts";
import { issuerTitles, listedOf, matching, searchPage, serialIn, type Filters, type Issuers, type Listed } from "./search.ts";

const perPage = 100;

/** What a search has found so far. */
export interface Found {
  readonly rows: readonly Listed[];
  /** Where the next page begins; empty when all is read. */
  readonly cursor: string;
  /** For an authority that cannot search: how many certificates there are, and how many of them were read. */
  readonly total?: number;
  readonly read?: number;
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
  const due = cursor !== "" || read.length === 0 ? keys.slice(read.length, read.length + perPage) : [];
  const now = [...read, ...(await rows(due, new Date()))];
  source.old = { keys, read: now };
  const found = matching(now, filters).map(listedOf);
  return { rows: found, cursor: now.length < keys.length ? String(now.length) : "", total: keys.length, read: now.length };
}

/** One certificate by its serial number, if there is one. */
async function exact(q: string): Promise<Found | undefined> {
  const serial = serialIn(q);
  if (serial === "") return undefined;
  try {
    return { rows: [listedOf(await row(serial, new Date()))], cursor: "" };
  } catch (error) {
    if (unknownCall(error)) return undefined;
    throw error;
  }
}

async function page(source: Source, filters: Filters, held: readonly Listed[], cursor: string): Promise<Found> {
  if (source.old) return listPage(source, filters, cursor);
  const one = cursor === "" ? await exact(filters.q) : undefined;
  if (one) return one;
  try {
    const next = await searchPage(filters, cursor, source.known, new Date());
    return { rows: [...held, ...next.rows], cursor: next.cursor };
  } catch (error) {
    if (unknownCall(error)) return listPage(source, filters, cursor);
    throw error;
  }
}

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
}

const pause = 200;

/** Searches the inventory, again whenever the filters or `turn` change; pages are kept while the filters stay. */
export function useInventory(filters: Filters, turn: number): Inventory {
  const [state, set] = useState<{ found?: Found; error?: Error; busy: boolean }>({ busy: true });
  const source = useRef<Source | undefined>(undefined);
  const run = useRef(0);
  const load = async (held: readonly Listed[], cursor: string): Promise<void> => {
    const own = ++run.current;
    set((before) => ({ ...(before.found && { found: before.found }), busy: true }));
    try {
      source.current ??= await learn();
      const found = await page(source.current, filters, held, cursor);
      if (own === run.current) set({ found, busy: false });
    } catch (reason) {
      const error = reason instanceof Error ? reason : new Error(String(reason));
      if (own === run.current) set((before) => ({ ...(before.found && { found: before.found }), error, busy: false }));
    }
  };
  useEffect(() => {
    source.current = undefined;
  }, [turn]);
  useEffect(() => {
    const timer = setTimeout(() => void load([], ""), state.found ? pause : 0);
    return () => clearTimeout(timer);
  }, [turn, JSON.stringify(filters)]);
  const { found, error, busy } = state;
  const { known, roles = [], old } = source.current ?? {};
  const titles = new Set(old?.read.map(({ view }) => view.issuerTitle));
  return {
    found,
    error,
    busy,
    issuers: old ? [...titles].sort().map((title) => [title, title] as const) : [...(known?.names ?? [])],
    roles: old ? [] : roles,
    more: () => {
      if (!busy && found && found.cursor !== "") void load(found.rows, found.cursor);
    },
    again: () => void load([], ""),
  };
}
