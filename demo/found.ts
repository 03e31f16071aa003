import { useEffect, useRef, useState } from "preact/hooks";
import type { Filters } from "./search.ts";
import { asError, useRetry } from "./store.ts";
import { learn, page, type Found, type Source } from "./pages.ts";
import { useReturn, type Held } from "./returning.ts";

/** At a time in an export, the most that one search answers. */
const exported = 1000;

/** An export ends here, so that it has an end at all. */
const mostExported = 100_000;

/** What a view of the inventory shows and does. */
export interface Inventory {
  /** Undefined until the first answer. */
  readonly found?: Found;
  readonly issuers: readonly (readonly [value: string, text: string])[];
  readonly roles: readonly string[];
  readonly busy: boolean;
  readonly error?: Error;
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
      if (own !== run.current) return;
      // Rows of other filters would pass for what these find.
      const same = held.current.of === asked && held.current.found;
      set({ ...(same && { found: same }), error: asError(reason), busy: false });
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
  const { found, busy } = state;
  useRetry(state.error, () => void load(found && found.cursor !== "" ? found : undefined));
  return {
    ...state,
    ...choicesOf(held.current.source),
    more: () => {
      if (!busy && found && found.cursor !== "") void load(found);
    },
    again: () => void load(),
    all: async (progress) =>
      everything((held.current.source ??= await learn()), filters, found, progress),
  };
}

/** What can be chosen in the filters. */
function choicesOf({ known, roles, old }: Partial<Source> = {}): Pick<
  Inventory,
  "issuers" | "roles"
> {
  if (!old) return { issuers: [...(known?.names ?? [])], roles: roles ?? [] };
  const titles = new Set(old.read.map(({ view }) => view.issuerTitle));
  return { issuers: [...titles].sort().map((title) => [title, title]), roles: [] };
}

/** What was found and every page behind it. */
async function everything(
  source: Source,
  filters: Filters,
  found: Found | undefined,
  progress: (count: number) => void,
): Promise<Found> {
  let read = found ?? (await page(source, filters, undefined, exported));
  while (read.cursor !== "" && read.rows.length < mostExported) {
    progress(read.rows.length);
    read = await page(source, filters, read, exported);
  }
  return read;
}
