import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { address, route } from "../../lib/route.ts";
import type { SearchResult, Source } from "./certificate-search.ts";

/** A list as it was when one of its certificates was opened, and where in it that was. */
interface Left {
  readonly filters: string;
  readonly turn: number;
  readonly found: SearchResult;
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
 * one of its certificates is opened. `asked`: those of the filters that the rows depend on.
 */
export function useReturn(
  filters: string,
  asked: string,
  turn: number,
  now: RefObject<InventoryCache>,
): Left | undefined {
  const [back] = useState(() =>
    left?.filters === filters && left.turn === turn ? left : undefined,
  );
  const latest = useRef({ filters, turn, asked });
  latest.current = { filters, turn, asked };
  useEffect(() => {
    if (back) returnTo(back);
    forgetLeft();
  }, []);
  // The cleanup of an effect would run too late, when the page already shows another view.
  useLayoutEffect(
    () => () => {
      const { view, id } = route.get();
      const { found, source, of } = now.current ?? {};
      const { filters: shown, turn: seen, asked: wanted } = latest.current;
      if (view === "certificates" && id !== "" && found && of === wanted)
        left = { filters: shown, turn: seen, found, source, serial: id, scroll: scrollY };
    },
    [],
  );
  return back;
}

/** The cached inventory: its source, the last result and the filters of it. */
export interface InventoryCache {
  source?: Source | undefined;
  found?: SearchResult;
  of?: string;
}
