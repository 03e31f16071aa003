import "../support/without-body.ts";
import "./http.test.ts";
import "../contract/response-wrapping.test.ts";
import "../vars/variables.test.ts";
import { expect, it } from "vitest";

it("Request has no body property while these tests run", () => {
  expect("body" in new Request("http://ca.test", { method: "POST", body: "x" })).toBe(false);
});
