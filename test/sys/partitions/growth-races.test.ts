import { describe, expect, it } from "vitest";
import { CaError, memoryStore, type Store } from "../../../src/index.ts";
import { partitionKeys } from "../../../src/engine/partition-layout.ts";
import { authority, type Authority } from "../../support/authority.ts";

/** Returns an authority with a mount `big` of 130 certificates, and its stores. */
async function withMany() {
  const inner = memoryStore();
  const calls: { move?: () => Promise<unknown>; begin?: () => Promise<unknown> } = {};
  /** Calls a function once, before a call of a store. */
  const once = async (name: keyof typeof calls): Promise<void> => {
    const { [name]: call } = calls;
    delete calls[name];
    await call?.();
  };
  const dropped: string[] = [];
  const open = (name: string): Store => {
    const store = inner(name);
    return {
      ...store,
      drop: async () => void dropped.push(name),
      getWithIndex: async (keys) => {
        await once("move");
        return (await store.getWithIndex?.(keys)) ?? [];
      },
      commit: async (batch) => {
        if (batch.put?.some(([key]) => key === partitionKeys.growth)) await once("begin");
        return store.commit(batch);
      },
    };
  };
  const stores = Object.assign(open, { durable: false as const, partitions: true });
  const a = authority({ stores });
  await a.sys.createMount({ path: "big", type: "pki" });
  const big = a.ca.mount("big");
  await big.generateRoot({ common_name: "Root CA", key_type: "ec", ttl: "700h" });
  await big.writeRole({ name: "web", key_type: "ed25519", allow_any_name: true, ttl: "24h" });
  for (let n = 0; n < 130; n++) await big.issue({ role: "web", common_name: "a.test" });
  return { ...a, big, calls, inner, dropped };
}
const growth = async ({ ca }: Authority) => (await ca.sys.readPartitions({ path: "big" })).growth;
async function step({ ca, clock }: Authority): Promise<void> {
  clock.now += 20;
  await ca.tick();
}

describe("the job of a growth", () => {
  it("stays stopped if it is stopped during a step", async () => {
    const a = await withMany();
    await a.ca.sys.growPartitions({ path: "big", count: 4 });
    a.calls.move = () => a.ca.sys.stopPartitions({ path: "big" });
    await step(a);
    expect(a.calls.move).toBeUndefined();
    const stopped = await growth(a);
    expect(stopped?.state).toBe("stopped");
    for (let n = 0; n < 5; n++) await step(a);
    expect(await growth(a)).toEqual(stopped);
  });

  it("pauses for twice the duration of a step, and logs its end", async () => {
    const a = await withMany();
    await a.ca.sys.growPartitions({ path: "big", count: 4 });
    a.calls.move = async () => void (a.clock.now += 1000);
    await step(a);
    const first = await growth(a);
    expect(first?.moved).toBeGreaterThan(0);
    a.clock.now += 1900;
    await a.ca.tick();
    expect(await growth(a)).toEqual(first);
    a.clock.now += 100;
    await a.ca.tick();
    expect(await growth(a)).not.toEqual(first);
    for (let n = 0; n < 20 && (await growth(a)); n++) await step(a);
    const { uuid } = await a.sys.readMount({ path: "big" });
    expect(a.events.filter(({ endpoint }) => endpoint === "job partition-growth")).toEqual([
      expect.objectContaining({
        status: 200,
        fields: { mount: uuid, partitions: 4, moved: expect.any(Number) },
      }),
    ]);
  });

  it("continues if another process stores an error during a step, and then cannot schedule its retry", async () => {
    const a = await withMany();
    const failure = new CaError("storage", "disk full");
    const open = (name: string): Store => {
      const store = a.inner(name);
      return {
        ...store,
        getWithIndex: () => Promise.reject(failure),
        commit: async (batch) => {
          if (batch.del?.some((key) => key.includes("/partition-growth/"))) throw failure;
          return store.commit(batch);
        },
      };
    };
    const stores = Object.assign(open, { durable: false as const, partitions: true });
    const b = authority({ stores, clock: a.clock, seed: 2 });
    await b.ca.sys.readPartitions({ path: "big" });
    await a.ca.sys.growPartitions({ path: "big", count: 4 });
    a.calls.move = () => b.ca.tick();
    await step(a);
    expect(await growth(a)).toMatchObject({ state: "moving", error: "disk full" });
    for (let n = 0; n < 20 && (await growth(a)); n++) await step(a);
    expect(await growth(a)).toBeUndefined();
  });

  it("leaves no rows of a mount that another process deletes right after the growth has begun", async () => {
    const a = await withMany();
    const b = authority({ stores: a.inner, clock: a.clock, seed: 2 });
    await b.ca.sys.readPartitions({ path: "big" });
    const { uuid } = await a.sys.readMount({ path: "big" });
    await a.ca.sys.growPartitions({ path: "big", count: 4 });
    await b.sys.deleteMount({ path: "big" });
    for (let n = 0; n < 3; n++) await step(b);
    const names = Array.from({ length: 4 }, (_, at) => (at === 0 ? uuid : `${uuid}.${at}`));
    const keys = await Promise.all(names.map((name) => a.inner(name).list("")));
    expect(keys.flat().flatMap(([key]) => (key === "epoch" ? [] : [key]))).toEqual([]);
  });

  it("leaves no store of a mount that another process deletes, even if the growth was interrupted", async () => {
    for (const isInterrupted of [false, true]) {
      const a = await withMany();
      const b = authority({ stores: a.stores, clock: a.clock, seed: 2 });
      await b.ca.sys.readPartitions({ path: "big" });
      const { uuid } = await a.sys.readMount({ path: "big" });
      if (isInterrupted) a.calls.begin = () => Promise.reject(new CaError("storage", "disk full"));
      const begun = a.ca.sys.growPartitions({ path: "big", count: 4 });
      if (isInterrupted) await expect(begun).rejects.toThrow("disk full");
      await begun.catch(() => undefined);
      await b.sys.deleteMount({ path: "big" });
      const names = Array.from({ length: 4 }, (_, at) => (at === 0 ? uuid : `${uuid}.${at}`));
      const keys = await Promise.all(names.map((name) => a.inner(name).list("")));
      // dropping the stores requires their number
      expect(keys.flat().flatMap(([key]) => (key === "epoch" ? [] : [key]))).toEqual([
        "partition-stores",
      ]);
      await step(b);
      // calls of the growth may still be in progress
      expect(a.dropped).toEqual([]);
      a.clock.advance(60);
      await b.ca.tick();
      expect(a.dropped.toSorted()).toEqual(names);
    }
  });
});
