/** A part of the horizontal axis: one bar, or several adjacent bars without values. */
export interface Slot {
  readonly kind: "bar" | "quiet" | "unknown";
  /** Index of the first bar. */
  readonly first: number;
  /** Index of the last bar. */
  readonly last: number;
  /** Left edge in pixels. */
  readonly x: number;
  readonly width: number;
  /** Whether there is room for the label of the first bar. */
  readonly isLabelled: boolean;
}

/** The area of the bars in pixels, and the first bar without data. */
interface Area {
  readonly left: number;
  readonly right: number;
  readonly unknownFrom: number;
}

type Run = Pick<Slot, "kind" | "first" | "last">;

/** Joins adjacent bars without values, so that they need little space. */
function runsOf(totals: readonly number[], unknownFrom: number): readonly Run[] {
  const runs: Run[] = [];
  for (const [i, total] of totals.entries()) {
    const kind = i >= unknownFrom ? "unknown" : total === 0 ? "quiet" : "bar";
    const previous = runs.at(-1);
    if (previous?.kind === kind && kind !== "bar") runs[runs.length - 1] = { ...previous, last: i };
    else runs.push({ kind, first: i, last: i });
  }
  return runs;
}

/** Returns the width of a run relative to the width of a bar. */
function weightOf({ kind, first, last }: Run): number {
  const more = last - first;
  if (kind === "quiet") return Math.min(1, 0.4 + 0.1 * more);
  return kind === "unknown" ? Math.min(3, 1 + 0.5 * more) : 1;
}

/** Maximum width of a bar with its gap, so that a few bars do not fill a wide page. */
const maxSlotWidth = 144;
/**
 * Minimum value at the top of the vertical axis, so that a single certificate is not a full-height
 * bar.
 */
export const minAxis = 4;

/** Width in pixels of a label such as `28 Nov`. */
const labelWidth = 42;
/** Width in pixels of a long label, such as `week of 28 Nov`. */
export const longLabelWidth = 90;
/** Gap between two labels in pixels. */
const gap = 6;

/**
 * Divides the horizontal axis among bars with the values `totals`. `room` is the width of a label
 * in pixels.
 */
export function layoutBars(
  totals: readonly number[],
  { left, right, unknownFrom }: Area,
  room = labelWidth,
): readonly Slot[] {
  const runs = runsOf(totals, unknownFrom);
  const whole = runs.reduce((sum, run) => sum + weightOf(run), 0);
  const each = Math.min(maxSlotWidth, (right - left) / whole);
  let x = left;
  let free = 0;
  return runs.map((run) => {
    const width = each * weightOf(run);
    const middle = x + width / 2;
    const isLabelled =
      run.kind === "bar" && middle - room / 2 >= free && middle + room / 2 <= right + room / 4;
    if (isLabelled) free = middle + room / 2 + gap;
    const slot = { ...run, x, width, isLabelled };
    x += width;
    return slot;
  });
}

/** Returns round values for a vertical axis of counts, from 0 to at least `max`. */
export function countTicks(max: number): readonly number[] {
  const minStep = Math.max(1, max / 4);
  const power = 10 ** Math.floor(Math.log10(minStep));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= minStep) ?? 10) * power;
  return Array.from({ length: Math.max(1, Math.ceil(max / step)) + 1 }, (_, i) => i * step);
}
