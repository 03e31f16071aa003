import { expect, it } from "vitest";
import { isRenewalOf, successors } from "../../../demo/lib/successors.ts";

const certificate = (serial: string, begins: number, ends: number) => ({
  serial,
  title: "one.example",
  others: [],
  unread: 0,
  role: "server",
  authority: false,
  begins: new Date(begins),
  ends: new Date(ends),
  state: "valid" as const,
});

it("of two certificates issued in the same second, the one that expires later renews the other", () => {
  const short = certificate("01", 0, 1000);
  const long = certificate("02", 0, 2000);
  expect(isRenewalOf(long, short)).toBe(true);
  expect(isRenewalOf(short, long)).toBe(false);
  for (const rows of [
    [short, long],
    [long, short],
  ])
    expect([...successors(rows)].map(([serial, next]) => [serial, next.serial])).toEqual([
      ["01", "02"],
    ]);
});

it("a certificate issued later than a revoked one replaces it, even if it expires earlier", () => {
  const revoked = { ...certificate("01", 0, 2000), state: "revoked" as const };
  const next = certificate("02", 1, 1000);
  expect(isRenewalOf(next, revoked)).toBe(true);
  expect(successors([revoked, next]).get("01")).toBe(next);
  expect(isRenewalOf({ ...next, begins: revoked.begins }, revoked)).toBe(false);
});

it("a certificate that was issued earlier, or expires at the same time, is not a renewal", () => {
  const row = certificate("01", 1000, 3000);
  for (const other of [certificate("02", 0, 4000), certificate("02", 1000, 3000)]) {
    expect(isRenewalOf(other, row)).toBe(false);
    expect(successors([row, other]).has("01")).toBe(false);
  }
});
