import type { JSX } from "preact";
import { Button } from "./button.tsx";

/** The range of the shown rows, and buttons for the previous and the next page. */
export function Pager({
  first,
  shown,
  count,
  what,
  go,
}: {
  /** Index of the first row shown. */
  first: number;
  shown: number;
  count: number;
  /** A noun for the rows, for screen readers. */
  what: string;
  go: (first: number) => void;
}): JSX.Element {
  const step = (to: number, text: string, disabled: boolean): JSX.Element => (
    <Button tiny label={`${text} ${what}`} disabled={disabled} press={() => go(to)}>
      {text}
    </Button>
  );
  const size = Math.max(shown, 1);
  return (
    <>
      <span role="status">
        {shown === 0
          ? `No ${what}`
          : `${numeral(first + 1)} to ${numeral(first + shown)} of ${numeral(count)}`}
      </span>
      <span class="actions end">
        {step(Math.max(0, first - pageSize), "Previous", first === 0)}
        {step(first + size, "Next", first + shown >= count)}
        {step(Math.floor((count - 1) / pageSize) * pageSize, "Last", first + shown >= count)}
      </span>
    </>
  );
}

/** Number of rows per page. */
export const pageSize = 50;

/** Formats a number with non-breaking spaces: `100 000`. */
export const numeral = (count: number): string =>
  String(count).replace(/\B(?=(?:\d{3})+$)/g, "\u00a0");
