import fc from "fast-check";
import { expect, it } from "vitest";
import { CaError, RefusedError } from "../../src/index.ts";
import { isEntryOf, isMark, type Entry } from "../../src/log/tree/entry.ts";
import { forSeedsInTurn } from "../base/seeds.ts";
import { derOf } from "../pki/reading.ts";
import { authority, seeded, type Authority } from "../support/authority.ts";
import { gathered } from "../sys/backup/kept.ts";
import {
  entriesOf,
  faultyStores,
  follower,
  hexOf,
  sourceOf,
  storeName,
  type FaultyStores,
  type Follower,
} from "./partition-world.ts";

// Random histories of a mount with a log, in two processes that crash: commits are lost, or applied
// without a response, and partitions cannot be reached. The mount grows, and is restored into
// another number of partitions.

type Act =
  | { readonly act: "issue"; readonly by: 0 | 1; readonly role: "web" | "unstored" }
  | { readonly act: "tick"; readonly by: readonly (0 | 1)[]; readonly seconds: number }
  | { readonly act: "entries"; readonly value: "full" | "hashes" }
  | { readonly act: "enable"; readonly value: boolean }
  | { readonly act: "outage"; readonly partition: number }
  | { readonly act: "heal" }
  | { readonly act: "faults"; readonly on: boolean }
  | { readonly act: "grow"; readonly count: 4 | 16 }
  | { readonly act: "restore"; readonly count: 1 | 4 | 16 };

const by = fc.constantFrom(0 as const, 1 as const);
const acts: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      act: fc.constant("issue" as const),
      by,
      role: fc.constantFrom("web" as const, "web" as const, "web" as const, "unstored" as const),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      act: fc.constant("tick" as const),
      by: fc.constantFrom<readonly (0 | 1)[]>([0], [1], [0, 1]),
      seconds: fc.constantFrom(0.1, 1, 1, 40),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      act: fc.constant("entries" as const),
      value: fc.constantFrom("full" as const, "hashes" as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("enable" as const), value: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      act: fc.constant("outage" as const),
      partition: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ act: fc.constant("heal" as const) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant("faults" as const), on: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      act: fc.constant("grow" as const),
      count: fc.constantFrom(4 as const, 4 as const, 16 as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      act: fc.constant("restore" as const),
      count: fc.constantFrom(1 as const, 4 as const, 16 as const),
    }),
  },
);

interface World {
  stores: FaultyStores;
  engines: readonly [Authority, Authority];
  readonly uuid: string;
  readonly log: Follower;
  readonly random: (bytes: number) => Uint8Array;
  /** Certificates that were returned while the log was enabled. */
  readonly logged: Uint8Array[];
  enabled: boolean;
}
/** Returns the result of a call, or undefined if it failed because of an injected fault. */
async function attempt<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    const code = error instanceof CaError || error instanceof RefusedError ? error.code : "";
    if (["storage", "busy", "conflict", "malformed"].includes(code)) return undefined;
    throw error;
  }
}
function enginesOver(stores: FaultyStores, clock: Authority["clock"]): World["engines"] {
  const engine = (seed: number) => authority({ stores: stores.stores, clock, seed });
  return [engine(1 + 2 * stores.committed.length), engine(2 + 2 * stores.committed.length)];
}
async function begin(count: number, seed: number): Promise<World> {
  const stores = faultyStores();
  const first = authority({ stores: stores.stores, seed });
  await first.sys.createMount({ path: "big", type: "pki", config: { partitions: count } });
  const big = first.ca.mount("big");
  const { verifier_key } = await big.writeLogConfig({ enabled: true, origin: "ca.test/log" });
  await big.generateRoot({ common_name: "Root CA", key_type: "ec", ttl: "700h" });
  for (const [name, no_store] of [
    ["web", false],
    ["unstored", true],
  ] as const)
    await big.writeRole({ name, key_type: "ed25519", allow_any_name: true, ttl: "24h", no_store });
  const { uuid } = await first.sys.readMount({ path: "big" });
  return {
    stores,
    engines: enginesOver(stores, first.clock),
    uuid,
    log: follower(verifier_key),
    random: seeded(seed),
    logged: [],
    enabled: true,
  };
}
const isFaultFree = async <T>(world: World, call: () => Promise<T>): Promise<T> => {
  const { fate } = world.stores;
  world.stores.fate = () => "applied";
  try {
    return await call();
  } finally {
    world.stores.fate = fate;
  }
};
async function restore(world: World, count: number): Promise<void> {
  await finish(world);
  const [a] = world.engines;
  const parts = await gathered(a.ca.backup("big"));
  const stores = faultyStores();
  stores.committed.push(...world.stores.committed);
  const engines = enginesOver(stores, a.clock);
  await engines[0].ca.restore("big", parts, { partitions: count });
  Object.assign(world, { stores, engines });
}
/** Makes all stores reachable again, and completes a growth in progress. */
async function finish(world: World): Promise<void> {
  const { stores, engines } = world;
  stores.unreachable.clear();
  stores.fate = () => "applied";
  for (let n = 0; n < 60; n++) {
    const { growth } = await engines[0].ca.sys.readPartitions({ path: "big" });
    if (!growth) return;
    engines[0].clock.advance(40);
    await engines[0].ca.tick();
  }
  throw new Error("the growth does not end");
}
async function follow(world: World, engine: Authority): Promise<void> {
  if (world.stores.unreachable.size > 0) return;
  // an engine uses a tree that is at most a second old
  engine.clock.advance(1.1);
  const { fault } = await isFaultFree(world, () => world.log.follow(sourceOf(engine, "big")));
  expect(fault).toBeUndefined();
}
async function change(world: World, settings: { readonly [name: string]: unknown }): Promise<void> {
  const [a] = world.engines;
  const written = await attempt(() => a.ca.mount("big").writeLogConfig(settings));
  // an engine that misses the result of a commit notices the change a second later
  if (!written) a.clock.advance(1.1);
  const config = await attempt(() => isFaultFree(world, () => a.ca.mount("big").readLogConfig({})));
  if (config) world.enabled = config.enabled;
}
async function carryOut(world: World, act: Act): Promise<void> {
  const { stores, engines, uuid } = world;
  engines[0].clock.now += 1;
  switch (act.act) {
    case "issue": {
      const { role } = act;
      const big = engines[act.by].ca.mount("big");
      const issued = await attempt(() => big.issue({ role, common_name: "a.test" }));
      if (issued && world.enabled) world.logged.push(derOf(issued.certificate));
      break;
    }
    case "tick":
      engines[0].clock.advance(act.seconds);
      if (stores.unreachable.size > 0)
        await attempt(() => engines[0].ca.run(uuid, "log-sequence", "tree"));
      else await Promise.all(act.by.map((one) => attempt(() => engines[one].ca.tick())));
      await follow(world, engines[act.by[0] ?? 0]);
      break;
    case "entries":
      await change(world, { entries: act.value });
      break;
    case "enable":
      await change(world, { enabled: act.value });
      break;
    case "outage":
      stores.unreachable.add(storeName(uuid, act.partition));
      break;
    case "heal":
      stores.unreachable.clear();
      break;
    case "faults":
      stores.fate = act.on
        ? () => {
            const [chance = 0] = world.random(1);
            return chance < 20 ? "lost" : chance < 40 ? "unanswered" : "applied";
          }
        : () => "applied";
      break;
    case "grow":
      await attempt(() => engines[0].ca.sys.growPartitions({ path: "big", count: act.count }));
      break;
    case "restore":
      await restore(world, act.count);
  }
}
/** Checks that the tree has each committed entry once, and marks after all earlier entries. */
async function judge(world: World): Promise<void> {
  const { stores, log, logged, engines } = world;
  const { committed } = stores;
  const { entries } = log;
  const source = sourceOf(engines[1], "big");
  const raw = (await entriesOf(source, log.previous?.size ?? 0)).map(hexOf);
  expect(raw.toSorted()).toEqual(committed.toSorted());
  const at = new Map(raw.map((entry, index) => [entry, index]));
  const isMarkAt = (index: number): boolean => isMark((entries[index] as Entry).type);
  for (const [order, mark] of committed.entries()) {
    const index = at.get(mark) ?? -1;
    if (!isMarkAt(index)) continue;
    const earlier = committed.slice(0, order).map((entry) => at.get(entry) ?? -1);
    expect(Math.max(-1, ...earlier)).toBeLessThan(index);
  }
  for (const der of logged) expect(entries.some((entry) => isEntryOf(entry, der))).toBe(true);
}

it("the log of a mount with partitions has each entry once, in a tree that only grows", async () => {
  await forSeedsInTurn(
    fc.asyncProperty(
      fc.constantFrom(1, 4),
      fc.nat(1_000_000),
      fc.array(acts, { minLength: 12, maxLength: 24, size: "max" }),
      async (count, seed, history) => {
        const world = await begin(count, seed);
        for (const act of history) await carryOut(world, act);
        await finish(world);
        for (let n = 0; n < 3; n++) {
          world.engines[1].clock.advance(40);
          await world.engines[1].ca.tick();
        }
        await follow(world, world.engines[1]);
        await judge(world);
      },
    ),
  );
});
