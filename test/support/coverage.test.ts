import { describe, expect, it } from "vitest";
import { uncovered } from "./coverage.ts";

const declared = [{ id: "issue", refuses: ["unknown_role"] }, { id: "list" }];
const complete = ["issue 200 -", "issue 400 unknown_role", "list 200 -"];

describe("the check of endpoint coverage", () => {
  it("reports nothing if each endpoint succeeded and returned each refusal that it declares", () => {
    expect(uncovered(declared, complete)).toEqual([]);
  });

  it("reports an endpoint that never returned 2xx", () => {
    const events = ["issue 400 unknown_role", "issue 500 -", "list 404 not_found"];
    expect(uncovered(declared, events)).toEqual([
      "issue: no test had an answer of 2xx",
      "list: no test had an answer of 2xx",
      "list: refused with not_found, which it does not declare",
    ]);
  });

  it("reports a declared refusal that never occurred", () => {
    expect(uncovered(declared, ["issue 200 -", "list 204 -"])).toEqual([
      "issue: no test was refused with unknown_role",
    ]);
  });

  it("accepts refusals by the dispatcher or the runtime from any endpoint", () => {
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

  it("reports an event of an endpoint that does not exist", () => {
    expect(uncovered(declared, [...complete, "isue 200 -"])).toEqual([
      "isue: logged, but there is no such endpoint",
    ]);
  });
});
