import { expect, it } from "vitest";
import { layout, spanOf } from "../../../demo/lib/row-window.ts";

it("the rendered rows are the visible ones and ten above and below, and never more than sixty", () => {
  expect(spanOf(100_000, 52, 0, 900)).toEqual({ first: 0, last: 28 });
  expect(spanOf(100_000, 52, -52_000, 900)).toEqual({ first: 990, last: 1028 });
  for (const height of [300, 900, 4000, 100_000])
    for (const top of [500, 0, -51, -5_199_000, -9_999_999]) {
      const { first, last } = spanOf(100_000, 52, top, height);
      expect(last - first).toBeLessThanOrEqual(60);
      expect(first).toBeGreaterThanOrEqual(0);
      expect(last).toBeLessThanOrEqual(100_000);
    }
});

it("gaps and rows add up to all rows, and the focused row stays at its position", () => {
  const total = (parts: ReturnType<typeof layout>): number =>
    parts.reduce((sum, part) => sum + ("gap" in part ? part.gap : 1), 0);
  for (const focused of [-1, 0, 5, 9, 10, 25, 49, 50, 70, 99]) {
    const parts = layout(100, { first: 10, last: 50 }, focused);
    expect(total(parts)).toBe(100);
    const drawn = parts.flatMap((part) => ("row" in part ? [part.row] : []));
    expect(drawn).toEqual(drawn.toSorted((a, b) => a - b));
    if (focused >= 0) expect(drawn).toContain(focused);
  }
});
