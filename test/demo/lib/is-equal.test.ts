import { expect, it } from "vitest";
import { isEqual } from "../../../demo/lib/is-equal.ts";

const sample = (end: string) => ({
  keys: ["a", "b"],
  ends: new Date(end),
  bytes: new Uint8Array([1, 2]),
  names: new Map([["id", { title: "x", error: undefined }]]),
  serials: new Set(["01"]),
  nothing: null,
});

it("isEqual accepts equal data of two readings and detects every difference", () => {
  expect(isEqual(sample("2026-01-01"), sample("2026-01-01"))).toBe(true);
  for (const change of [
    { ends: new Date("2027-01-01") },
    { keys: ["a"] },
    { keys: { 0: "a", 1: "b" } },
    { bytes: new Uint8Array([1, 3]) },
    { names: new Map([["id", { title: "y", error: undefined }]]) },
    { serials: new Set(["02"]) },
    { nothing: undefined },
    { more: 1 },
  ])
    expect(isEqual(sample("2026-01-01"), { ...sample("2026-01-01"), ...change })).toBe(false);
  expect(
    isEqual(
      () => 1,
      () => 1,
    ),
  ).toBe(false);
  expect(isEqual({}, { a: undefined })).toBe(false);
});
