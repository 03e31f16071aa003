/** Maximum number of rows of a long table to render, including those near the visible ones. */
export const maxRows = 60;
const around = 10;
/** Minimum number of rows for which only those near the visible ones are rendered. */
export const manyRows = 200;

/** A range of rows from `first` up to, but not including, `last`. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

/**
 * Returns the rows to render. `top`: position of the table body in the window in pixels. `height`:
 * height of the window in pixels.
 */
export function spanOf(count: number, row: number, top: number, height: number): Span {
  const seen = Math.max(0, Math.floor(-top / row));
  const first = Math.max(0, Math.min(seen - around, count - 1));
  return {
    first,
    last: Math.min(count, first + maxRows, Math.ceil((height - top) / row) + around, count),
  };
}

/**
 * Returns the contents of the table body: rows, and gaps with their heights. The focused row is
 * always included.
 */
export function layout(
  count: number,
  { first, last }: Span,
  focused: number,
): readonly ({ readonly row: number } | { readonly gap: number })[] {
  const rows = Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i);
  const previous =
    focused >= 0 && focused < count && (focused < first || focused >= last)
      ? [...rows, focused].toSorted((a, b) => a - b)
      : rows;
  const parts: ({ row: number } | { gap: number })[] = [];
  let at = 0;
  for (const row of previous) {
    if (row > at) parts.push({ gap: row - at });
    parts.push({ row });
    at = row + 1;
  }
  if (count > at) parts.push({ gap: count - at });
  return parts;
}
