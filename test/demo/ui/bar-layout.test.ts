import { describe, expect, it } from "vitest";
import { countTicks, layoutBars, longLabelWidth } from "../../../demo/ui/chart/bar-layout.ts";

const area = { left: 20, right: 420, unknownFrom: Infinity };

describe("layoutBars", () => {
  it("joins neighboring bars without values into a narrower slot, and fills the width", () => {
    const slots = layoutBars([3, 0, 0, 0, 5, 1, 0], area);
    expect(slots.map(({ kind, first, last }) => [kind, first, last])).toEqual([
      ["bar", 0, 0],
      ["quiet", 1, 3],
      ["bar", 4, 4],
      ["bar", 5, 5],
      ["quiet", 6, 6],
    ]);
    const [bar, quiet] = slots;
    expect(quiet?.width).toBeLessThan(bar?.width ?? 0);
    expect(slots.at(-1)?.x).toBeCloseTo(420 - (slots.at(-1)?.width ?? 0));
  });

  it("joins the bars without data at the end, even if they are zero", () => {
    const slots = layoutBars([1, 2, 0, 0], { ...area, unknownFrom: 2 });
    expect(slots.map(({ kind, last }) => [kind, last])).toEqual([
      ["bar", 0],
      ["bar", 1],
      ["unknown", 3],
    ]);
  });

  it("limits bars on a wide page to 144 pixels", () => {
    const slots = layoutBars([0, 1, 0], { ...area, right: 1400 });
    expect(slots.map(({ width }) => width)).toEqual([57.6, 144, 57.6]);
    expect((slots[2]?.x ?? 0) + (slots[2]?.width ?? 0)).toBeCloseTo(20 + 259.2);
  });

  it("has room for long labels of a few bars, but not of many", () => {
    const areAllLabelled = (count: number): boolean =>
      layoutBars(
        Array.from({ length: count }, () => 1),
        area,
        longLabelWidth,
      ).every(({ isLabelled }) => isLabelled);
    expect(areAllLabelled(4)).toBe(true);
    expect(areAllLabelled(8)).toBe(false);
  });

  it("labels only bars whose labels do not overlap", () => {
    const labelled = (right: number): number =>
      layoutBars([1, 1, 1, 1, 1, 1, 1, 1], { ...area, right }).filter(
        ({ isLabelled }) => isLabelled,
      ).length;
    expect([labelled(600), labelled(300), labelled(150)]).toEqual([8, 4, 3]);
  });
});

describe("countTicks", () => {
  it("returns whole, round numbers up to at least the maximum", () => {
    expect(countTicks(1)).toEqual([0, 1]);
    expect(countTicks(3)).toEqual([0, 1, 2, 3]);
    expect(countTicks(12)).toEqual([0, 5, 10, 15]);
    expect(countTicks(4493)).toEqual([0, 2000, 4000, 6000]);
    expect(countTicks(0)).toEqual([0, 1]);
  });
});
