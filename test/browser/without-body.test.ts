import "../support/without-body.ts";
import "./vars.test.ts";
import "./wrapping.test.ts";
import { expect, it } from "vitest";

it("a request has no body that could be asked for while these tests run", () => {
  expect("body" in new Request("http://ca.test", { method: "POST", body: "x" })).toBe(false);
});
