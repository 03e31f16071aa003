import { restoreBody } from "../support/without-body.ts";
import "./vars.test.ts";
import "./wrapping.test.ts";
import { afterAll, expect, it } from "vitest";

afterAll(restoreBody);

it("Request has no body property while these tests run", () => {
  expect("body" in new Request("http://ca.test", { method: "POST", body: "x" })).toBe(false);
});
