import type { ComponentChildren, JSX, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { layout, manyRows, maxRows, spanOf, type Span } from "../lib/row-window.ts";

function useSpan(body: RefObject<HTMLElement | null>, count: number, row: number): Span {
  const [span, set] = useState<Span>({ first: 0, last: Math.min(count, maxRows) });
  useLayoutEffect(() => {
    if (count < manyRows) return;
    let frame = 0;
    const look = (): void => {
      frame = 0;
      if (!body.current) return;
      const next = spanOf(count, row, body.current.getBoundingClientRect().top, innerHeight);
      set((held) => (held.first === next.first && held.last === next.last ? held : next));
    };
    const soon = (): void => {
      frame ||= requestAnimationFrame(look);
    };
    look();
    addEventListener("scroll", soon, { passive: true });
    addEventListener("resize", soon);
    return () => {
      removeEventListener("scroll", soon);
      removeEventListener("resize", soon);
      cancelAnimationFrame(frame);
    };
  }, [count, row]);
  return span;
}

interface Props<T> {
  rows: readonly T[];
  columns: number;
  /** Height of a row in pixels, where there are many. */
  height: number;
  draw: (row: T, index: number) => ComponentChildren;
}

/**
 * The body of a table. All rows while they are few, else those around what is seen. Rows say their
 * place in `aria-rowindex`.
 */
export function VirtualBody<T>({ rows, columns, height, draw }: Props<T>): JSX.Element {
  const body = useRef<HTMLTableSectionElement>(null);
  const [focused, setFocused] = useState(-1);
  const span = useSpan(body, rows.length, height);
  const focus = (event: FocusEvent): void => {
    const row = event.target instanceof Element ? event.target.closest("[aria-rowindex]") : null;
    // The heading is row 1.
    setFocused(row ? Number(row.getAttribute("aria-rowindex")) - 2 : -1);
  };
  return (
    <tbody ref={body} onFocusIn={focus} onFocusOut={() => setFocused(-1)}>
      {rows.length < manyRows
        ? rows.map(draw)
        : layout(rows.length, span, focused).map((part, i, parts) => {
            // Named by their place, so that the row with the focus is never moved, which would take
            // the focus away.
            if ("gap" in part)
              return (
                <Gap
                  key={i === 0 ? "above" : i === parts.length - 1 ? "below" : "between"}
                  height={part.gap * height}
                  columns={columns}
                />
              );
            const row = rows[part.row];
            return row === undefined ? null : draw(row, part.row);
          })}
    </tbody>
  );
}

function Gap({ height, columns }: { height: number; columns: number }): JSX.Element {
  const element = useRef<HTMLTableRowElement>(null);
  // Before anything is painted: a page that is short for a moment loses its place.
  useLayoutEffect(() => {
    // The policy refuses a style attribute; a property of the element is allowed.
    if (element.current) element.current.style.height = `${height}px`;
  }, [height]);
  return (
    <tr class="gap" aria-hidden="true" ref={element}>
      <td colSpan={columns} />
    </tr>
  );
}

const narrow = matchMedia("(max-width: 940px)");
/** Heights of rows in pixels where there are many: as lines of a table, and as cards. */
const heights = { table: 52, cards: 88 };

/** Reports whether tables are shown as cards, and how high a row is then. */
export function useCards(): { cards: boolean; height: number } {
  const [cards, set] = useState(narrow.matches);
  useEffect(() => {
    const look = (): void => set(narrow.matches);
    narrow.addEventListener("change", look);
    return () => narrow.removeEventListener("change", look);
  }, []);
  return { cards, height: cards ? heights.cards : heights.table };
}
