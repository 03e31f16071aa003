import { describe, expect, it } from "vitest";
import { rowsOfContract, titlesIn, titlesOfRun, untested } from "../support/rows.ts";

describe("contract rows", () => {
  it("are each named in a test title", () => {
    expect(untested(rowsOfContract(), titlesOfRun())).toEqual([]);
  });

  it("are each listed once", () => {
    const rows = rowsOfContract();
    expect(rows.filter((row, at) => rows.indexOf(row) !== at)).toEqual([]);
  });

  it("are matched completely: a longer number is a different row", () => {
    expect(untested(["B 1 rule 1"], ["B 1 rule 10: refuses"])).toEqual(["B 1 rule 1"]);
    expect(untested(["B 1 rule 1"], ["B 1 rule 1, B 1 rule 2: refuses"])).toEqual([]);
    expect(untested(["B 6.4 1"], ["B 6.4 11+"])).toEqual(["B 6.4 1"]);
    expect(untested(["B 6.4 11+"], ["B 6.4 11+: copies"])).toEqual([]);
  });

  it("are searched in test titles only, whatever their quotes", () => {
    const call = "it";
    const source = `${call}("B 1 says \\"so\\"", () => {}); // B 2\n${call}.each([1, 2])(\n  \`B 3\`, run);`;
    expect(titlesIn(source)).toEqual(['B 1 says "so"', "B 3"]);
  });
});
