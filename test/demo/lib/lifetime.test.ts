import { expect, it } from "vitest";
import { displayedState, life } from "../../../demo/lib/lifetime.ts";

const day = 86_400_000;
const now = new Date(Date.UTC(2026, 10, 22));
const at = (days: number): Date => new Date(now.getTime() + days * day);

it.each([
  ["a CA of ten years with 91 days left", -3559, 91, true, "valid"],
  ["a CA of ten years with 89 days left", -3561, 89, true, "soon"],
  ["a CA of 60 days with 25 left, although its last third has not begun", -35, 25, true, "soon"],
  ["a certificate of a year with 31 days left", -334, 31, false, "valid"],
  ["a certificate of a year with 29 days left", -336, 29, false, "soon"],
  ["a certificate of a week on its second day", -2, 5, false, "valid"],
  ["a certificate of a week on its sixth day", -5.5, 1.5, false, "soon"],
  ["a certificate of less than a week on its last day", -6, 0.9, false, "valid"],
  ["a certificate of eight minutes with one left", -7 / 1440, 1 / 1440, false, "valid"],
  ["a certificate that is valid from tomorrow", 1, 20, false, "future"],
  ["a CA that expired yesterday", -9, -1, true, "expired"],
] as const)("the state of %s", (_, begins, ends, authority, state) => {
  expect(life({ begins: at(begins), ends: at(ends), authority }, false, now)).toBe(state);
  expect(life({ begins: at(begins), ends: at(ends), authority }, true, now)).toBe("revoked");
});

it("a certificate renewed by a client needs no action before it expires; expired and revoked ones are shown as such", () => {
  expect(displayedState("soon", true)).toBe("valid");
  expect(displayedState("soon", false)).toBe("soon");
  expect(displayedState("expired", true)).toBe("expired");
  expect(displayedState("revoked", true)).toBe("revoked");
});
