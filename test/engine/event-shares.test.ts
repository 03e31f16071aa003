import { expect, it } from "vitest";
import { takeShares, type Share } from "../../src/engine/event-shares.ts";
import { withinLimit } from "../../src/engine/refusals.ts";
import type { Partition } from "../../src/engine/partition.ts";

// a share reads nothing but the clock
function world(now = () => 0): Partition {
  const partition = { ports: { now } };
  return Object.assign(partition, { self: partition }) as unknown as Partition;
}
const share: Share = [100, 1000];
const ownerShare: Share = [1000, 1000];
/** More names than a partition remembers. */
const names = Array.from({ length: 10_001 }, (_, n) => `caller ${n}`);

it("an event counts towards all of its shares, or towards none", () => {
  const partition = world();
  for (let n = 0; n < 100; n++)
    expect(takeShares(partition, ["owner", ownerShare], ["own", share])).toBe(true);
  expect(takeShares(partition, ["owner", ownerShare], ["own", share])).toBe(false);
  const left = names.filter(() => takeShares(partition, ["owner", ownerShare]));
  expect(left).toHaveLength(900);
});

it("a caller does not renew its share by events of many callers of one owner", () => {
  const partition = world();
  while (takeShares(partition, ["busy", share])) continue;
  for (const name of names) takeShares(partition, ["owner", ownerShare], [name, share]);
  expect(takeShares(partition, ["busy", share])).toBe(false);
});

it("a caller does not renew its share by refusals of many tokens that it has made", () => {
  const partition = world();
  while (withinLimit(partition, "busy", "busy")) continue;
  for (const name of names) withinLimit(partition, name, "made by busy");
  expect(withinLimit(partition, "busy", "busy")).toBeUndefined();
});

it("a refusal tells how many were not stored because the share of its owner was used up", () => {
  let now = 0;
  const partition = world(() => now);
  const stored = names.filter((name) => withinLimit(partition, name, "made by one"));
  expect(stored).toHaveLength(300);
  now = 60_000;
  expect(withinLimit(partition, "another", "made by one")).toEqual({ more: names.length - 300 });
});
