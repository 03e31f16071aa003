import "../support/without-body.ts";
import "./vars.test.ts";
import "./wrapping.test.ts";
import { expect, it } from "vitest";

it("requests have no readable body in this browser while these tests run", () => {
  expect("body" in new Request("http://ca.test", { method: "POST", body: "x" })).toBe(false);
});
