import type { ComponentChildren, JSX } from "preact";
import { open } from "../lib/route.ts";

type Column = string | readonly [title: ComponentChildren, look: string];

/** The column headings of a table. Set `numbered` if the rows have `aria-rowindex`. */
export function Columns({
  of,
  numbered = false,
}: {
  of: readonly Column[];
  numbered?: boolean;
}): JSX.Element {
  return (
    <thead>
      <tr aria-rowindex={numbered ? 1 : undefined}>
        {of.map((column, i) => {
          const [title, look] = typeof column === "string" ? [column, ""] : column;
          return (
            <th key={i} scope="col" class={look}>
              {title}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

/**
 * Reports whether a click must not open the row, because the user clicked a control in the row or
 * selected text.
 */
const meantOther = ({ target }: Event): boolean =>
  (target instanceof Element && target.closest("a, button, label, input") !== null) ||
  getSelection()?.type === "Range";

/**
 * A row that opens a view when the user clicks anywhere in it. The link in the row is for keyboard
 * users and for opening a new window.
 */
export function OpenRow({
  to,
  index,
  children,
}: {
  to: string | undefined;
  index?: number;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <tr
      class={to ? "open" : ""}
      aria-rowindex={index}
      onClick={(event) => to && !meantOther(event) && open(to)}
    >
      {children}
    </tr>
  );
}
