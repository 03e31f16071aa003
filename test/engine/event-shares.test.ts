import { expect, it } from "vitest";
import { consumeShares, type Share, withinLimit } from "../../src/wire/audited-run.ts";
import type { StoreContext } from "../../src/engine/store-context.ts";

// shares only read the clock
function world(now = () => 0): StoreContext {
  const storeContext = { ports: { now } };
  return Object.assign(storeContext, { self: storeContext }) as unknown as StoreContext;
}
const share: Share = [100, 1000];
const ownerShare: Share = [1000, 1000];
/** More names than a store context tracks. */
const names = Array.from({ length: 10_001 }, (_, n) => `caller ${n}`);

it("an event counts towards all of its shares or towards none", () => {
  const storeContext = world();
  for (let n = 0; n < 100; n++)
    expect(consumeShares(storeContext, ["owner", ownerShare], ["own", share])).toBe(true);
  expect(consumeShares(storeContext, ["owner", ownerShare], ["own", share])).toBe(false);
  const left = names.filter(() => consumeShares(storeContext, ["owner", ownerShare]));
  expect(left).toHaveLength(900);
});

it("a caller does not regain its share through events of many callers of the same owner", () => {
  const storeContext = world();
  while (consumeShares(storeContext, ["busy", share])) continue;
  for (const name of names) consumeShares(storeContext, ["owner", ownerShare], [name, share]);
  expect(consumeShares(storeContext, ["busy", share])).toBe(false);
});

it("a caller does not regain its share through refusals of many tokens that it created", () => {
  const storeContext = world();
  while (withinLimit(storeContext, "busy", "busy")) continue;
  for (const name of names) withinLimit(storeContext, name, "made by busy");
  expect(withinLimit(storeContext, "busy", "busy")).toBeUndefined();
});

it("a refusal reports the number of events dropped because the share of their owner was used up", () => {
  let now = 0;
  const storeContext = world(() => now);
  const stored = names.filter((name) => withinLimit(storeContext, name, "made by one"));
  expect(stored).toHaveLength(300);
  now = 60_000;
  expect(withinLimit(storeContext, "another", "made by one")).toEqual({ more: names.length - 300 });
});
