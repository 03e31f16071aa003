import { expect, it } from "vitest";
import { takeShares, type Share } from "../../src/engine/event-shares.ts";
import { withinLimit } from "../../src/engine/refusals.ts";
import type { Unit } from "../../src/engine/partition.ts";

// a share reads nothing but the clock
function world(now = () => 0): Unit {
  const unit = { ports: { now } };
  return Object.assign(unit, { self: unit }) as unknown as Unit;
}
const share: Share = [100, 1000];
const ownerShare: Share = [1000, 1000];
/** More names than a unit remembers. */
const names = Array.from({ length: 10_001 }, (_, n) => `caller ${n}`);

it("an event counts towards all of its shares, or towards none", () => {
  const unit = world();
  for (let n = 0; n < 100; n++)
    expect(takeShares(unit, ["owner", ownerShare], ["own", share])).toBe(true);
  expect(takeShares(unit, ["owner", ownerShare], ["own", share])).toBe(false);
  const left = names.filter(() => takeShares(unit, ["owner", ownerShare]));
  expect(left).toHaveLength(900);
});

it("a caller does not renew its share by events of many callers of one owner", () => {
  const unit = world();
  while (takeShares(unit, ["busy", share])) continue;
  for (const name of names) takeShares(unit, ["owner", ownerShare], [name, share]);
  expect(takeShares(unit, ["busy", share])).toBe(false);
});

it("a caller does not renew its share by refusals of many tokens that it has made", () => {
  const unit = world();
  while (withinLimit(unit, "busy", "busy")) continue;
  for (const name of names) withinLimit(unit, name, "made by busy");
  expect(withinLimit(unit, "busy", "busy")).toBeUndefined();
});

it("a refusal tells how many were not stored because the share of its owner was used up", () => {
  let now = 0;
  const unit = world(() => now);
  const stored = names.filter((name) => withinLimit(unit, name, "made by one"));
  expect(stored).toHaveLength(300);
  now = 60_000;
  expect(withinLimit(unit, "another", "made by one")).toEqual({ more: names.length - 300 });
});
