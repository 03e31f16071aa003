import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { address, route } from "../../lib/route.ts";
import type { SearchResult, Source } from "./certificate-search.ts";

/** The list and its scroll position at the time when one of its certificates was opened. */
interface LeftList {
  readonly filters: string;
  readonly turn: number;
  readonly result: SearchResult;
  readonly source: Source | undefined;
  readonly serial: string;
  readonly scroll: number;
}

let left: LeftList | undefined;

/** Discards the stored list, so that it is not restored after a navigation elsewhere. */
export const forgetLeft = (): void => {
  left = undefined;
};

/** Returns the filters, as in the URL, of the list from which a certificate was opened. */
export const leftFilters = (): Readonly<Record<string, string>> =>
  left ? (JSON.parse(left.filters) as Record<string, string>) : {};

/**
 * Moves the focus to the link in a row. The row may be rendered only some frames after scrolling.
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

/** Scrolls to the row that was opened, and moves the focus to it. */
function returnTo({ serial, scroll }: LeftList): void {
  // wait until the title has taken the focus
  requestAnimationFrame(() => {
    scrollTo(0, scroll);
    focusRow(address("certificates", serial), 20);
  });
}

/**
 * Returns the list that the user left if it has the same filters. Stores the list when one of its
 * certificates is opened. `query` contains the filters that determine the rows.
 */
export function useReturn(
  filters: string,
  query: string,
  turn: number,
  now: RefObject<InventoryCache>,
): LeftList | undefined {
  const [back] = useState(() =>
    left?.filters === filters && left.turn === turn ? left : undefined,
  );
  const latest = useRef({ filters, turn, asked: query });
  latest.current = { filters, turn, asked: query };
  useEffect(() => {
    if (back) returnTo(back);
    forgetLeft();
  }, []);
  // The cleanup of a normal effect would be too late, because the page already shows another view
  // by then.
  useLayoutEffect(
    () => () => {
      const { view, id } = route.get();
      const { result, source, of } = now.current ?? {};
      const { filters: shown, turn: lastTurn, asked: lastQuery } = latest.current;
      if (view === "certificates" && id !== "" && result && of === lastQuery)
        left = { filters: shown, turn: lastTurn, result, source, serial: id, scroll: scrollY };
    },
    [],
  );
  return back;
}

/** The cached inventory: its source, the last result, and the filters of that result. */
export interface InventoryCache {
  source?: Source | undefined;
  result?: SearchResult;
  of?: string;
}
