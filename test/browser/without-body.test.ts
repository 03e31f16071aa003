import { restoreBody } from "../support/without-body.ts";
import "./vars.test.ts";
import "./wrapping.test.ts";
import { afterAll, expect, it } from "vitest";

afterAll(restoreBody);

it("requests have no readable body in this browser while these tests run", () => {
  expect("body" in new Request("http://ca.test", { method: "POST", body: "x" })).toBe(false);
});
