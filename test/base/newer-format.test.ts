import { describe, expect, it } from "vitest";
import { findNewerFormatError, NewerFormatError } from "../../src/base/newer-format.ts";

describe("an error that lost its class", () => {
  it.each([
    ["run a later version", { number: 3 }],
    ["run version 7.1.0 or later", { number: 9, version: "7.1.0" }],
  ])("is restored from its text, also from the text of an older version: %s", (advice, format) => {
    for (const verb of ["is", "are"]) {
      const error = new Error(
        `Error: the data ${verb} stored in format ${format.number}: ${advice}`,
      );
      const restored = findNewerFormatError(error);
      expect(restored).toBeInstanceOf(NewerFormatError);
      expect(restored?.message).toBe(`the data is stored in format ${format.number}: ${advice}`);
    }
  });

  it("is not recognized in other errors", () => {
    expect(findNewerFormatError(new Error("the data is stored in format 3"))).toBeUndefined();
    expect(findNewerFormatError("the data is stored in format 3: run a later version")).toBe(
      undefined,
    );
  });
});
