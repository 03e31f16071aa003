import type { ComponentChildren, JSX, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { layout, manyRows, maxRows, spanOf, type Span } from "../lib/row-window.ts";

function useSpan(body: RefObject<HTMLElement | null>, count: number, row: number): Span {
  const [span, set] = useState<Span>({ first: 0, last: Math.min(count, maxRows) });
  useLayoutEffect(() => {
    if (count < manyRows) return;
    let frame = 0;
    const update = (): void => {
      frame = 0;
      if (!body.current) return;
      const next = spanOf(count, row, body.current.getBoundingClientRect().top, innerHeight);
      set((current) =>
        current.first === next.first && current.last === next.last ? current : next,
      );
    };
    const soon = (): void => {
      frame ||= requestAnimationFrame(update);
    };
    update();
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
  /** Row height of a long table, in pixels. */
  height: number;
  renderRow: (row: T, index: number) => ComponentChildren;
}

/**
 * The body of a table. It renders all rows of a short table, but only those in or near the visible
 * area of a long one. Rows have their index in `aria-rowindex`.
 */
export function VirtualBody<T>({ rows, columns, height, renderRow }: Props<T>): JSX.Element {
  const body = useRef<HTMLTableSectionElement>(null);
  const [focused, setFocused] = useState(-1);
  const span = useSpan(body, rows.length, height);
  const focus = (event: FocusEvent): void => {
    const row = event.target instanceof Element ? event.target.closest("[aria-rowindex]") : null;
    // The row with the headings has index 1.
    setFocused(row ? Number(row.getAttribute("aria-rowindex")) - 2 : -1);
  };
  return (
    <tbody ref={body} onFocusIn={focus} onFocusOut={() => setFocused(-1)}>
      {rows.length < manyRows
        ? rows.map(renderRow)
        : layout(rows.length, span, focused).map((part, i, parts) => {
            // Use the index as key, so that the focused row is not recreated and keeps the focus.
            if ("gap" in part)
              return (
                <Gap
                  key={i === 0 ? "above" : i === parts.length - 1 ? "below" : "between"}
                  height={part.gap * height}
                  columns={columns}
                />
              );
            const row = rows[part.row];
            return row === undefined ? null : renderRow(row, part.row);
          })}
    </tbody>
  );
}

function Gap({ height, columns }: { height: number; columns: number }): JSX.Element {
  const element = useRef<HTMLTableRowElement>(null);
  // Set the height before paint, because a page that is briefly too short loses its scroll
  // position.
  useLayoutEffect(() => {
    // The CSP forbids style attributes, but scripts may set style properties.
    if (element.current) element.current.style.height = `${height}px`;
  }, [height]);
  return (
    <tr class="gap" aria-hidden="true" ref={element}>
      <td colSpan={columns} />
    </tr>
  );
}

const narrow = matchMedia("(max-width: 940px)");
const wide = matchMedia("(min-width: 1400px)");
/** Row heights in pixels in a long table: with one line, with two lines, and as cards. */
const heights = { line: 36, table: 52, cards: 88 };

/** Returns whether a media query matches, and renders the view again when that changes. */
function useMatch(query: MediaQueryList): boolean {
  const [matches, set] = useState(query.matches);
  useEffect(() => {
    const update = (): void => set(query.matches);
    query.addEventListener("change", update);
    return () => query.removeEventListener("change", update);
  }, []);
  return matches;
}

/**
 * Returns whether rows are shown as cards, and their height. Set `dense` if rows have only one line
 * in a wide window.
 */
export function useCards(dense = false): { cards: boolean; height: number } {
  const cards = useMatch(narrow);
  const oneLine = useMatch(wide) && dense;
  return { cards, height: heights[cards ? "cards" : oneLine ? "line" : "table"] };
}
