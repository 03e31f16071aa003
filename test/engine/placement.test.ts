import { describe, expect, it } from "vitest";
import { placementOf } from "../../src/engine/placement-rules.ts";
import {
  areTogether,
  isAtHome,
  isSpread,
  rowsBeside,
  spreadOf,
} from "../../src/engine/placement.ts";
import { toHex } from "../../src/base/bytes.ts";

const serials = Array.from({ length: 2000 }, (_, at) => {
  const bytes = new Uint8Array(20);
  // the last digit is reserved, and 0 in certificates of a mount with one partition
  for (let i = 0, state = at + 1; i < 19; i++) bytes[i] = state = (state * 16_807) % 2_147_483_647;
  return toHex(bytes);
});
const rules = [
  ["cert/", "spread"],
  ["job/", "batch"],
] as const;

describe("the placement of rows", () => {
  it("spreads serial numbers evenly even if their reserved digit is 0", () => {
    const placement = placementOf(rules, 16);
    const counts = Array.from({ length: 16 }, () => 0);
    for (const serial of serials) {
      const place = placement.placeOf(`cert/${serial}`);
      if (typeof place === "number") counts[place] = (counts[place] ?? 0) + 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(80);
    expect(Math.max(...counts)).toBeLessThan(180);
  });

  it("reaches each of 16 partitions, and a quarter of 64, with the one reserved digit", () => {
    const [serial = ""] = serials;
    const numbers = [..."0123456789abcdef"].map((digit) => spreadOf(serial.slice(0, -1) + digit));
    expect(new Set(numbers.map((number) => number % 16)).size).toBe(16);
    expect(new Set(numbers.map((number) => Math.floor(number / 16))).size).toBe(1);
    expect(new Set(serials.map((one) => Math.floor(spreadOf(one) / 16)))).toEqual(
      new Set([0, 1, 2, 3]),
    );
  });

  it("splits each partition when their number grows", () => {
    for (const [few, many] of [
      [1, 4],
      [4, 16],
      [16, 64],
    ] as const) {
      const [before, after] = [placementOf(rules, few), placementOf(rules, many)];
      for (const serial of serials.slice(0, 200))
        expect(Number(after.placeOf(`cert/${serial}`)) % few).toBe(
          before.placeOf(`cert/${serial}`),
        );
    }
  });

  it("keeps rows without a rule in the mount's own store, and jobs with their batch", () => {
    const placement = placementOf(rules, 4);
    expect(["config/crl", "epoch", "certs"].map(placement.placeOf)).toEqual([0, 0, 0]);
    expect(placement.placeOf("job/1/crl/set")).toBe("batch");
  });

  it("decides which rows are in the mount's own store, and which are in the partition of another row", () => {
    const placement = placementOf(rules, 4);
    const keysIn = (place: number) =>
      serials.map((serial) => `cert/${serial}`).filter((key) => placement.placeOf(key) === place);
    const [[home = ""], [own = "", same = ""], [other = ""]] = [keysIn(0), keysIn(1), keysIn(2)];
    const keys = [home, "config", own];
    expect(keys.map((key) => isAtHome({ placement }, key))).toEqual([true, true, false]);
    expect(keys.map((key) => isAtHome({}, key))).toEqual([true, true, true]);
    const rows = [
      [same, 1],
      [other, 2],
      ["config", 3],
    ] as const;
    expect(rowsBeside({ placement }, own, rows)).toEqual([[same, 1]]);
    expect(rowsBeside({ placement }, home, rows)).toEqual([["config", 3]]);
    expect(rowsBeside({}, own, rows)).toEqual(rows);
  });

  it("lists a prefix in all partitions only if rows below it have a rule", () => {
    const { partitionsBelow } = placementOf(rules, 4);
    const all = [0, 1, 2, 3];
    expect(["", "c", "cert/", "cert/0", "job/"].map(partitionsBelow)).toEqual([
      all,
      all,
      all,
      all,
      all,
    ]);
    expect(["config/", "certs", "d"].map(partitionsBelow)).toEqual([[0], [0], [0]]);
    const placement = placementOf(rules, 4);
    expect(["cert/", "config/"].map((prefix) => isSpread({ placement }, prefix))).toEqual([
      true,
      false,
    ]);
    expect(isSpread({}, "cert/")).toBe(false);
  });

  it("of IDs with a slot is the slot, and all other IDs are in the mount's own store", () => {
    const placement = placementOf(
      [
        ["order/", "id"],
        ["job/", "batch"],
      ],
      16,
    );
    const keys = ["order/p3a00", "order/p0f", "order/p200/1", "order/3a00", "order/p7a", "order/"];
    expect(keys.map(placement.placeOf)).toEqual([0x3a % 16, 15, 0, 0, 0, 0]);
    // a listing below a slot queries one partition
    expect(placement.partitionsBelow("order/p3a")).toEqual([0x3a % 16]);
    expect(placement.partitionsBelow("order/p3a00-1")).toEqual([0x3a % 16]);
    expect(placement.partitionsBelow("order/0f000000-0000-8000-8000-000000000000/1")).toEqual([15]);
    for (const prefix of ["order/", "order/p", "order/p3", "ord", "order/3a"])
      expect(placement.partitionsBelow(prefix)).toHaveLength(16);
    expect(areTogether({ placement }, "order/p3a00", "order/p1a")).toBe(true);
    expect(areTogether({ placement }, "order/p3a00", "config")).toBe(false);
    expect(areTogether({}, "order/p3a00", "config")).toBe(true);
  });

  it("by a base64url digit is the digit of the rest of the key", () => {
    const { placeOf } = placementOf([["nonce/", { digit: 2 }]], 64);
    const keys = ["nonce/__A", "nonce/__Bx", "nonce/AA_", "nonce/AA-", "nonce/AA9", "nonce/AA"];
    expect(keys.map(placeOf)).toEqual([0, 1, 63, 62, 61, 0]);
  });
});
