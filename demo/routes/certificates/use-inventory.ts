import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Filters } from "../../api/inventory-search.ts";
import { isEqual } from "../../lib/is-equal.ts";
import { asError } from "../../lib/store.ts";
import { changes, isRefresh } from "../../lib/changes.ts";
import { useRetry } from "../../lib/use-load.ts";
import {
  loadSource,
  searchCertificates,
  type SearchResult,
  type Source,
} from "./certificate-search.ts";
import { useReturn, type InventoryCache } from "./scroll-restoration.ts";

/** Maximum number of rows that are loaded when the user requests all rows. */
export const maxRead = 100_000;

/** The state of the inventory view, and its actions. */
export interface Inventory {
  /** The result; undefined before the first response. */
  readonly result?: SearchResult;
  /** Whether the result belongs to the current filters. */
  readonly isCurrent: boolean;
  readonly issuers: readonly (readonly [value: string, text: string])[];
  readonly roles: readonly string[];
  readonly busy: boolean;
  readonly error?: Error;
  /** Loads the next page of results. */
  readonly more: () => void;
  /** Repeats the search. */
  readonly again: () => void;
  /** Number of rows loaded so far while all rows are being loaded; 0 otherwise. */
  readonly reading: number;
  /** Loads and shows all matches. */
  readonly rest: () => void;
  /**
   * Returns all matches, up to about a hundred thousand rows. Calls `progress` before each further
   * page with the number of rows so far.
   */
  readonly all: (progress: (count: number) => void) => Promise<SearchResult>;
}

const pause = 200;
/** Maximum number of rows to refresh in the background. */
const maxRefreshed = 5000;

interface State {
  readonly result?: SearchResult;
  readonly error?: Error;
  readonly busy: boolean;
}
interface Search {
  readonly state: State;
  readonly cache: RefObject<InventoryCache>;
  readonly reading: number;
  /**
   * Loads the first page, or the page after the result `before`, and all remaining pages if `all`
   * is set.
   */
  readonly load: (before?: SearchResult, all?: boolean) => void;
}

/**
 * Reports whether a refresh is allowed. It is not after the user has loaded further pages, because
 * the refreshed list would not have the same rows.
 */
const mayRefresh = ({ busy, result }: State): boolean =>
  !busy &&
  result !== undefined &&
  (result.cursor === "" || result.isNewestFirst === true) &&
  result.rows.length <= maxRefreshed;

/** The extent of a search: one page, all rows, or (in the background) the shown rows again. */
type Extent = "page" | "all" | "refresh";

/** Returns the state of the search. Discards outdated responses. */
function useSearch(filters: Filters, query: string, turn: number): Search {
  const cache = useRef<InventoryCache>({});
  const back = useReturn(JSON.stringify(filters), query, changes.get().change, cache);
  const [reading, setReading] = useState(0);
  const [state, set] = useState<State>(
    back ? { result: back.result, busy: false } : { busy: true },
  );
  const run = useRef(0);
  const fresh = useRef(back);
  if (fresh.current)
    cache.current = { source: fresh.current.source, result: fresh.current.result, of: query };
  const load = async (before?: SearchResult, extent: Extent = "page"): Promise<void> => {
    const own = ++run.current;
    if (extent === "refresh") cache.current.source = undefined;
    else set((now) => ({ ...(now.result && { result: now.result }), busy: true }));
    const progress = (count: number): void => void (own === run.current && setReading(count));
    const more = extent === "all" ? { max: maxRead, progress } : {};
    try {
      const source = (cache.current.source ??= await loadSource());
      const result = await searchCertificates(source, filters, before, more);
      if (own !== run.current) return;
      cache.current = { source, result, of: query };
      set((now) => ({
        result: now.result && isEqual(now.result, result) ? now.result : result,
        busy: false,
      }));
    } catch (reason) {
      if (own !== run.current || extent === "refresh") return;
      // Do not show rows for other filters, because they would look like matches.
      const same = cache.current.of === query && cache.current.result;
      set({ ...(same && { result: same }), error: asError(reason), busy: false });
    } finally {
      if (own === run.current) setReading(0);
    }
  };
  useOutdated(turn, query, (background) => {
    if (background) return void (mayRefresh(state) && void load(undefined, "refresh"));
    // A restored view already has its rows.
    if (fresh.current) return void (fresh.current = undefined);
    const timer = setTimeout(() => void load(), state.result ? pause : 0);
    return () => clearTimeout(timer);
  });
  useEffect(() => {
    if (!fresh.current && !isRefresh()) cache.current.source = undefined;
  }, [turn]);
  const start = (before?: SearchResult, all = false): void =>
    void load(before, all ? "all" : "page");
  return { state, cache, reading, load: start };
}

/**
 * Runs `search` whenever `turn` or `query` changes. `background` is true if a refresh repeats the
 * same query.
 */
function useOutdated(
  turn: number,
  query: string,
  search: (background: boolean) => (() => void) | undefined,
): void {
  const searched = useRef("");
  useEffect(() => {
    const background = isRefresh() && searched.current === query;
    searched.current = query;
    return search(background);
  }, [turn, query]);
}

/**
 * Searches the inventory, and repeats the search whenever the filters or `turn` change. Keeps the
 * loaded pages while the filters stay the same.
 */
export function useInventory(filters: Filters, turn: number): Inventory {
  // the sort order does not affect the search
  const query = JSON.stringify({ ...filters, sort: "" });
  const { state, cache, reading, load } = useSearch(filters, query, turn);
  const { result, busy } = state;
  const next = result && result.cursor !== "" ? result : undefined;
  useRetry(state.error, () => load(next));
  return {
    ...state,
    isCurrent: cache.current.of === query,
    ...choicesOf(cache.current.source),
    reading,
    more: () => {
      if (!busy && next) load(next);
    },
    again: () => load(),
    rest: () => {
      if (!busy && next) load(next, true);
    },
    all: async (progress) =>
      result?.cursor === ""
        ? result
        : searchCertificates((cache.current.source ??= await loadSource()), filters, result, {
            max: maxRead,
            progress,
          }),
  };
}

/** Returns the choices for the filters. */
function choicesOf({ issuers, roles, old }: Partial<Source> = {}): Pick<
  Inventory,
  "issuers" | "roles"
> {
  if (!old) return { issuers: [...(issuers?.names ?? [])], roles: roles ?? [] };
  const titles = new Set(old.read.map(({ view }) => view.issuerTitle));
  return { issuers: [...titles].sort().map((title) => [title, title]), roles: [] };
}
