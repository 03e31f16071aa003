import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { partitionKeys } from "../../src/engine/partition-layout.ts";
import { createCa, type Store, type Stores } from "../../src/index.ts";
import { sqliteStore } from "../../src/node/index.ts";
import { openReader } from "../../src/node/sqlite-file.ts";
import { clockAt, seeded } from "../support/authority.ts";
import { temporaryDirectory } from "../support/server.ts";

it("a partitioned mount in a SQLite file is readable by another process, and its deletion drops all its tables", async () => {
  const file = join(temporaryDirectory(), "ca.db");
  const clock = clockAt();
  const open = (seed: number) => {
    const stores = sqliteStore(file);
    onTestFinished(() => stores.close());
    return createCa({
      stores,
      sealingKey: new Uint8Array(32).fill(7),
      now: () => clock.now,
      random: seeded(seed),
    });
  };
  const one = open(1);
  await one.sys.createMount({ path: "big", type: "pki", config: { partitions: 4 } });
  const { uuid } = await one.sys.readMount({ path: "big" });
  const big = one.mount("big");
  await big.generateRoot({ common_name: "Root CA", key_type: "ec", ttl: "700h" });
  await big.writeRole({ name: "web", key_type: "ec", allow_any_name: true, ttl: "24h" });
  for (let n = 0; n < 12; n++) await big.issue({ role: "web", common_name: "a.test" });

  const other = open(2);
  const listed = (await other.mount("big").listCerts({})).keys;
  expect(listed).toEqual((await big.listCerts({})).keys);
  expect(listed).toHaveLength(13);
  const reader = openReader(file);
  onTestFinished(() => reader.close());
  const storesOf = () =>
    reader
      .stores()
      .filter((name) => name.startsWith(uuid))
      .sort();
  expect(storesOf()).toEqual([uuid, `${uuid}.1`, `${uuid}.2`, `${uuid}.3`]);
  await other.sys.deleteMount({ path: "big" });
  await other.tick();
  expect(storesOf()).toEqual([]);
});

interface Process {
  readonly ca: ReturnType<typeof createCa>;
  readonly faults: {
    /** Called before each commit, which fails if it throws. */
    check?: (store: string, batch: Parameters<Store["commit"]>[0]) => void;
    /** Called once, before rows are moved. */
    move?: () => Promise<void>;
  };
}
/** Creates a mount with 24 certificates in one partition of a SQLite file, which others can open. */
async function grown() {
  const file = join(temporaryDirectory(), "ca.db");
  const clock = clockAt();
  const open = (seed: number): Process => {
    const inner = sqliteStore(file);
    onTestFinished(() => inner.close());
    const faults: Process["faults"] = {};
    const stores: Stores = Object.assign(
      (name: string): Store => {
        const store = inner(name);
        return {
          ...store,
          getWithIndex: async (keys) => {
            const { move } = faults;
            delete faults.move;
            await move?.();
            return (await store.getWithIndex?.(keys)) ?? [];
          },
          commit: async (batch) => {
            faults.check?.(name, batch);
            return store.commit(batch);
          },
        };
      },
      { durable: true as const, partitions: true },
    );
    const ca = createCa({
      stores,
      sealingKey: new Uint8Array(32).fill(7),
      now: () => clock.now,
      random: seeded(seed),
    });
    return { ca, faults };
  };
  const first = open(1);
  await first.ca.sys.createMount({ path: "big", type: "pki" });
  const { uuid } = await first.ca.sys.readMount({ path: "big" });
  const big = first.ca.mount("big");
  await big.generateRoot({ common_name: "Root CA", key_type: "ec", ttl: "700h" });
  await big.writeRole({ name: "web", key_type: "ed25519", allow_any_name: true, ttl: "24h" });
  for (let n = 0; n < 24; n++) await big.issue({ role: "web", common_name: "a.test" });
  const reader = openReader(file);
  onTestFinished(() => reader.close());
  /** Returns the numbers of the partitions that have tables. */
  const tables = () =>
    reader
      .stores()
      .flatMap((name) => (name.startsWith(uuid) ? [Number(name.split(".")[1] ?? 0)] : []))
      .sort();
  const step = async ({ ca }: Process): Promise<void> => {
    clock.now += 20;
    await ca.tick();
  };
  /** Advances the clock past the delay after which a mount deleted during growth is freed. */
  const free = async ({ ca }: Process): Promise<void> => {
    clock.now += 60_000;
    await ca.tick();
  };
  return { open, first, tables, step, free };
}

it("deleting a mount from a process that has not noticed its growth drops the tables of all partitions", async () => {
  const { open, first, tables, free } = await grown();
  const other = open(2);
  expect((await other.ca.sys.readPartitions({ path: "big" })).count).toBe(1);
  await first.ca.sys.growPartitions({ path: "big", count: 4 });
  expect(tables()).toEqual([0, 1, 2, 3]);
  await other.ca.sys.deleteMount({ path: "big" });
  await free(other);
  expect(tables()).toEqual([]);
});

it("deleting a mount during or after a growth drops the tables of all partitions", async () => {
  for (const steps of [1, 30]) {
    const { open, first, tables, step, free } = await grown();
    const other = open(2);
    expect((await other.ca.sys.readPartitions({ path: "big" })).count).toBe(1);
    await first.ca.sys.growPartitions({ path: "big", count: 4 });
    for (let n = 0; n < steps; n++) await step(first);
    const { growth } = await first.ca.sys.readPartitions({ path: "big" });
    expect(growth === undefined).toBe(steps > 1);
    await other.ca.sys.deleteMount({ path: "big" });
    await free(first);
    expect(tables()).toEqual([]);
  }
});

it("deleting a mount whose growth was interrupted after preparation drops the prepared tables", async () => {
  const { open, first, tables, free } = await grown();
  first.faults.check = (_, { put = [] }) => {
    if (put.some(([key]) => key === partitionKeys.growth)) throw new Error("killed");
  };
  await expect(first.ca.sys.growPartitions({ path: "big", count: 16 })).rejects.toThrow();
  expect(tables()).toHaveLength(16);
  const other = open(2);
  expect((await other.ca.sys.readPartitions({ path: "big" })).count).toBe(1);
  await other.ca.sys.deleteMount({ path: "big" });
  await free(other);
  expect(tables()).toEqual([]);
});

it("an interrupted deletion of a growing mount is completed by another process", async () => {
  const { open, first, tables, step, free } = await grown();
  await first.ca.sys.growPartitions({ path: "big", count: 4 });
  // the mount's own store is cleared, those of its partitions are not
  first.faults.check = (store, { clear }) => {
    if (clear && store.includes(".")) throw new Error("killed");
  };
  await expect(first.ca.sys.deleteMount({ path: "big" })).rejects.toThrow();
  const other = open(2);
  await step(other);
  expect(tables()).toEqual([0, 1, 2, 3]);
  await other.ca.sys.deleteMount({ path: "big" });
  await free(other);
  expect(tables()).toEqual([]);
});

it("a growth step that is running while its mount is deleted does not recreate tables", async () => {
  for (const [from, to] of [
    [1, 4],
    [4, 16],
  ] as const) {
    const { open, first, tables, step, free } = await grown();
    const other = open(2);
    if (from > 1) {
      await first.ca.sys.growPartitions({ path: "big", count: from });
      for (let n = 0; n < 30; n++) await step(first);
    }
    await first.ca.sys.growPartitions({ path: "big", count: to });
    first.faults.move = async () => {
      await other.ca.sys.deleteMount({ path: "big" });
      await free(other);
      expect(tables()).toEqual([]);
    };
    await step(first);
    expect(first.faults.move).toBeUndefined();
    expect(tables()).toEqual([]);
  }
});
