/** Maximum number of rendered rows of a long table: the visible ones and some on either side. */
export const maxRows = 60;
const around = 10;
/**
 * Minimum number of rows in a long table. Only the rows in or near the visible area of a long table
 * are rendered.
 */
export const manyRows = 200;

/** A range of rows from `first` up to, but not including, `last`. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

/**
 * Returns the rows to render. All lengths are in pixels: the height of a `row`, the position of the
 * table body in the window (`top`), and the height of the window (`height`).
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
 * Returns the contents of the table body: the rows to render, and gaps as a number of rows. The
 * focused row is always rendered.
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
