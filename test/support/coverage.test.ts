import { describe, expect, it } from "vitest";
import { uncovered } from "./coverage.ts";

const declared = [{ id: "issue", refuses: ["unknown_role"] }, { id: "list" }];
const complete = ["issue 200 -", "issue 400 unknown_role", "list 200 -"];

describe("the check of the endpoints", () => {
  it("is content when each endpoint answered and gave each refusal it declares", () => {
    expect(uncovered(declared, complete)).toEqual([]);
  });

  it("names an endpoint that never answered with 2xx", () => {
    const events = ["issue 400 unknown_role", "issue 500 -", "list 404 not_found"];
    expect(uncovered(declared, events)).toEqual([
      "issue: no test had an answer of 2xx",
      "list: no test had an answer of 2xx",
      "list: refused with not_found, which it does not declare",
    ]);
  });

  it("names a declared refusal that never occurred", () => {
    expect(uncovered(declared, ["issue 200 -", "list 204 -"])).toEqual([
      "issue: no test was refused with unknown_role",
    ]);
  });

  it("lets any endpoint refuse for reasons of the way in", () => {
    expect(
      uncovered(declared, [
        ...complete,
        "list 403 forbidden",
        "list 503 busy",
        "none 404 no_route",
        "job crl 500 -",
      ]),
    ).toEqual([]);
  });

  it("names an event of an endpoint that does not exist", () => {
    expect(uncovered(declared, [...complete, "isue 200 -"])).toEqual([
      "isue: logged, but there is no such endpoint",
    ]);
  });
});
