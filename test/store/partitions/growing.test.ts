import { describe, expect, it } from "vitest";
import { exportOf, readRest } from "../../../src/conformance/export.ts";
import {
  partitionKeys,
  type GrowableStore,
  type GrowthProgress,
} from "../../../src/engine/partition-layout.ts";
import { placementOf } from "../../../src/engine/placement-rules.ts";
import type { PlacementRules } from "../../../src/engine/placement.ts";
import type { Store } from "../../../src/engine/ports.ts";
import { growableStore } from "../../../src/store/partitions/growable-store.ts";
import { temporaryDirectory } from "../../support/server.ts";
import { sqliteFiles } from "../../support/sqlite-files.ts";
import { beginGrowth, growStep, openMount, partitionsOf, rules } from "./growing-world.ts";
import { partitionedRandom, spreadRules } from "./partitioned-random.ts";

/** Returns a store that grows a little before each read, from 1 to 4 to 16 partitions. */
function growingAt(open: (partition: number) => Store, of: PlacementRules): Store {
  const store = growableStore({ open, rules: of, count: () => 1, wait: async () => undefined });
  let reads = 0;
  const grow = async (): Promise<void> => {
    reads += 1;
    if (reads === 6) await beginGrowth(store, 4, 1);
    else if (!(await growStep(store, 2)) && reads > 6 && store.placement?.count === 4)
      await beginGrowth(store, 16, 4);
  };
  const growing = async <T>(read: () => Promise<T>): Promise<T> => {
    await grow();
    return read();
  };
  return {
    get: (keys) => growing(() => store.get(keys)),
    // the plain store has no epoch
    list: (prefix, page = {}) =>
      growing(async () => {
        const { limit = Infinity } = page;
        const rows = await store.list(prefix, { ...page, limit: limit + 1 });
        return rows.filter(([key]) => key !== "epoch").slice(0, limit);
      }),
    // a growth changes the epoch
    async commit(batch) {
      const done = await store.commit(batch);
      return done && { ...done, epoch: 0 };
    },
  };
}
const files = sqliteFiles(temporaryDirectory(), 1);
const inFile = (): ((partition: number) => Store) => {
  const stores = files();
  return (partition) => stores(`mount.${partition}`);
};
const comparison = { placement: placementOf(spreadRules, 16), isGrowing: true };

describe("a growing store in memory", () => {
  partitionedRandom(() => growingAt(partitionsOf(), spreadRules), {
    fixed: 200,
    fresh: 50,
    ...comparison,
  });
});
describe("a growing store in SQLite", () => {
  partitionedRandom(() => growingAt(inFile(), spreadRules), {
    fixed: 20,
    fresh: 5,
    ...comparison,
  });
});

const serials = Array.from({ length: 64 }, (_, n) => n.toString(16).padStart(2, "0"));
const certificates = serials.map((serial) => `cert/${serial}`);
/** Returns a store with 64 certificates in one partition, and its partitions. */
async function filled(): Promise<{
  readonly open: (partition: number) => Store;
  readonly store: GrowableStore;
}> {
  const open = partitionsOf();
  const store = openMount(open);
  await store.commit({ epoch: "next", put: [["config", 1]] });
  for (const key of certificates) await store.commit({ put: [[key, key, { ends: 5 }]] });
  return { open, store };
}
const keysIn = async (store: Store): Promise<readonly string[]> =>
  (await store.list("cert/")).map(([key]) => key);

describe("a store that grows", () => {
  it("has all rows in their partitions at the end, with their index values, and no row of its own", async () => {
    const { open, store } = await filled();
    expect([store.placement, store.partitions]).toEqual([undefined, undefined]);
    expect(await beginGrowth(store, 4, 1)).toBe(true);
    expect(store.placement?.count).toBe(4);
    while (await growStep(store, 10)) expect(await keysIn(store)).toEqual(certificates);
    const placement = placementOf(rules, 4);
    for (let partition = 0; partition < 4; partition++)
      expect(await keysIn(open(partition))).toEqual(
        certificates.filter((key) => placement.placeOf(key) === partition),
      );
    const by = { name: "ends", from: 5, to: 5 };
    expect((await store.list("cert/", { by })).map(([key]) => key)).toEqual(certificates);
    const rest = ["config", "epoch"];
    expect((await store.list("")).map(([key]) => key)).toEqual([...certificates, ...rest]);
    const first = await store.list("", { after: "config", limit: 1 });
    expect(first.map(([key]) => key)).toEqual(["epoch"]);
  });

  it("lists the rows of a slot while they move, by asking their old and their new partition only", async () => {
    const open = partitionsOf();
    const asked = new Set<number>();
    const watched = (partition: number): Store => {
      const store = open(partition);
      return {
        ...store,
        list: (...sent) => {
          asked.add(partition);
          return store.list(...sent);
        },
      };
    };
    const store = openMount(open);
    await store.commit({ epoch: "next", put: [["config", 1]] });
    const slots = Array.from({ length: 64 }, (_, at) => `p${at.toString(16).padStart(2, "0")}`);
    for (const slot of slots)
      await store.commit({
        put: ["1", "2"].map((end) => [`order/${slot}${end}`, slot, { owner: slot }]),
      });
    await store.commit({ put: [["order/0a", "none", { owner: "none" }]] });
    const reader = openMount(watched);
    const listed = async (slot: string) => {
      const by = { name: "owner", from: slot, to: slot };
      const rows = await reader.list(`order/${slot}`, { by });
      return rows.map(([key]) => key);
    };
    const both = (slot: string) => [`order/${slot}1`, `order/${slot}2`];
    await beginGrowth(store, 4, 1);
    do for (const slot of slots) expect(await listed(slot)).toEqual(both(slot));
    while (await growStep(store, 5));
    await beginGrowth(store, 16, 4);
    await growStep(store, 5);
    await reader.list("order/");
    asked.clear();
    expect(await listed("p1e")).toEqual(both("p1e"));
    expect(asked).toEqual(new Set([2, 14]));
    while (await growStep(store, 5));
    for (const slot of slots) expect(await listed(slot)).toEqual(both(slot));
    expect((await open(14).list("order/")).map(([key]) => key)).toEqual(
      ["p0e", "p1e", "p2e", "p3e"].flatMap(both),
    );
    expect((await open(0).list("order/0")).map(([key]) => key)).toEqual(["order/0a"]);
  });

  it("does not commit a batch that another process built for one partition, so that it is built again", async () => {
    const { open, store } = await filled();
    const idle = openMount(open);
    await beginGrowth(store, 4, 1);
    while (await growStep(store, 10));
    const put = ["order/p01", "order/p02"].map((key) => [key, 1] as const);
    expect(await idle.commit({ put })).toBeUndefined();
    expect(await store.get(["order/p01", "order/p02"])).toEqual([undefined, undefined]);
    expect(idle.placement?.count).toBe(4);
    // a batch of no placement is a bug, in a process that has seen no growth
    const other = growableStore({ open, rules, count: () => 4, wait: async () => undefined });
    await expect(other.commit({ put })).rejects.toThrow(TypeError);
  });

  it("loses no row for another process that still knows one partition", async () => {
    const { open, store } = await filled();
    const [reader, lister, writer, remover] = [1, 2, 3, 4].map(() => openMount(open));
    await beginGrowth(store, 4, 1);
    while (await growStep(store, 10));
    expect((await reader?.get(certificates))?.map((row) => row?.value)).toEqual(certificates);
    expect(lister && (await keysIn(lister))).toEqual(certificates);
    const placement = placementOf(rules, 4);
    const key = certificates.find((one) => placement.placeOf(one) === 3) ?? "";
    expect(await writer?.commit({ expect: [[key, null]], put: [[key, "again"]] })).toBeUndefined();
    expect(await remover?.commit({ del: [key] })).toBeDefined();
    expect(await store.get([key])).toEqual([undefined]);
  });

  it("writes a row to its new partition, with the revision that was read before it was moved", async () => {
    const { open, store } = await filled();
    const placement = placementOf(rules, 4);
    const key = certificates.find((one) => placement.placeOf(one) === 2) ?? "";
    const [row] = await store.get([key]);
    await beginGrowth(store, 4, 1);
    const changed = {
      expect: [[key, row?.rev ?? null]] as const,
      put: [[key, "changed"]] as const,
    };
    expect(await store.commit(changed)).toBeDefined();
    expect([await open(0).get([key]), (await open(2).get([key]))[0]?.value]).toEqual([
      [undefined],
      "changed",
    ]);
    expect(await store.commit(changed)).toBeUndefined();
  });

  it("rejects batches that were computed before the growth, so that their callers compute them again", async () => {
    const { store } = await filled();
    const epoch = await store.epoch?.();
    const placement = placementOf(rules, 4);
    const [one, other] = [1, 2].map(
      (at) => certificates.find((key) => placement.placeOf(key) === at) ?? "",
    );
    await beginGrowth(store, 4, 1);
    expect(
      await store.commit({ onlyAtEpoch: epoch ?? 0, put: [["cert/new1", 1]] }),
    ).toBeUndefined();
    expect(
      await store.commit({
        put: [
          [`${one}`, 1],
          [`${other}`, 1],
        ],
      }),
    ).toBeUndefined();
    while (await growStep(store, 10));
    await expect(
      store.commit({
        put: [
          [`${one}`, 1],
          [`${other}`, 1],
        ],
      }),
    ).rejects.toThrow(/a batch has rows of partitions 1 and 2/);
  });

  it("gives every partition the epoch of a later change, even by a process that knew fewer partitions", async () => {
    const { open, store } = await filled();
    const other = openMount(open);
    await beginGrowth(store, 4, 1);
    const done = await other.commit({ epoch: "next", put: [["config", 2]] });
    const epochs = await Promise.all([0, 1, 2, 3].map((at) => open(at).get(["epoch"])));
    expect(epochs.map(([row]) => row?.value)).toEqual([1, 1, 1, 1].map(() => done?.epoch));
  });

  it("is exported with every row while rows are moved", async () => {
    const { store } = await filled();
    await beginGrowth(store, 4, 1);
    await growStep(store, 20);
    const parts = exportOf(store, 5);
    const first = await parts.next();
    while (await growStep(store, 10));
    const rows = [...(first.value ?? []), ...(await readRest(parts))];
    const keys = [...new Set(rows.map(({ key }) => key))].toSorted();
    expect(keys).toEqual([...certificates, "config", "epoch"]);
    expect(
      rows.filter(({ key, index }) => key.startsWith("cert/") && index?.["ends"] !== 5),
    ).toEqual([]);
  });

  it("begins one growth at a time, and none in partitions with rows from earlier use", async () => {
    const { open, store } = await filled();
    await open(7).commit({ put: [["cert/00", 1]] });
    await expect(beginGrowth(store, 16, 1)).rejects.toThrow(/partition 7 is in use/);
    expect(store.placement).toBeUndefined();
    await beginGrowth(store, 4, 1);
    await expect(beginGrowth(store, 16, 4)).rejects.toThrow(/already getting more partitions/);
  });

  it("loses no row for an outdated process after a growth to more partitions was abandoned", async () => {
    const { open, store } = await filled();
    const failing = openMount((at) => {
      const one = open(at);
      const commit: Store["commit"] = async (batch) => {
        if (batch.put?.some(([key]) => key === partitionKeys.layout)) throw new Error("disk full");
        return one.commit(batch);
      };
      return at === 0 ? { ...one, commit } : one;
    });
    await expect(beginGrowth(failing, 16, 1)).rejects.toThrow("disk full");
    await beginGrowth(store, 4, 1);
    while (await growStep(store, 10));
    const outdated = openMount(open);
    expect(await keysIn(outdated)).toEqual(certificates);
    await beginGrowth(store, 16, 4);
    const [four, sixteen] = [placementOf(rules, 4), placementOf(rules, 16)];
    const added = Array.from({ length: 400 }, (_, n) => `cert/x${String(n).padStart(3, "0")}`)
      .filter((key) => four.placeOf(key) === 1 && sixteen.placeOf(key) !== 1)
      .toReversed();
    for (const key of added.slice(0, 40)) {
      await growStep(store, 10);
      await outdated.commit({ expect: [[key, null]], put: [[key, 1]] });
    }
    while (await growStep(store, 10));
    expect(await keysIn(store)).toEqual([...certificates, ...added.slice(0, 40).toReversed()]);
  });

  it("uses a partition that an interrupted growth prepared before the configuration first changed", async () => {
    const open = partitionsOf();
    const failing = openMount((at) => {
      const commit = () => Promise.reject(new Error("disk full"));
      return at === 3 ? { ...open(at), commit } : open(at);
    });
    await expect(beginGrowth(failing, 4, 1)).rejects.toThrow("disk full");
    expect(await open(1).get([partitionKeys.layout, "epoch"])).toMatchObject([
      { value: { count: 1 } },
      undefined,
    ]);
    const store = openMount(open);
    await store.commit({ epoch: "next", put: [["config", 1]] });
    expect(await beginGrowth(store, 4, 1)).toBe(true);
    while (await growStep(store, 10));
    for (const key of certificates) await store.commit({ put: [[key, 1]] });
    expect(await keysIn(store)).toEqual(certificates);
  });

  it("can be read by partition in a process with an outdated number", async () => {
    const { open, store } = await filled();
    await beginGrowth(store, 4, 1);
    while (await growStep(store, 10));
    const outdated = openMount(open);
    expect(await keysIn(outdated)).toEqual(certificates);
    await beginGrowth(store, 16, 4);
    const epochs = await Promise.all(
      (outdated.partitions ?? []).map(async (one) => (await one.get(["epoch"]))[0]?.value),
    );
    expect(epochs).toEqual([3, 3, 3, 3]);
  });

  it("continues the logs in new partitions after the last numbers of the mount", async () => {
    const { open, store } = await filled();
    await store.commit({
      log: [
        ["audit/", 1],
        ["audit/", 2],
      ],
    });
    await beginGrowth(store, 4, 1);
    await open(3).commit({ log: [["audit/", 3]] });
    expect((await open(3).list("audit/")).map(([key]) => key.slice(-2))).toEqual(["03"]);
  });

  it("needs no partition that a call does not use, even in a process that learns of a growth late", async () => {
    const { open, store } = await filled();
    await beginGrowth(store, 4, 1);
    while (await growStep(store, 10));
    const unreachable = (): Promise<never> => Promise.reject(new Error("unreachable"));
    const lost: Store = { get: unreachable, list: unreachable, commit: unreachable };
    const other = openMount((at) => (at === 3 ? lost : open(at)));
    const placement = placementOf(rules, 4);
    const keysOf = (partition: number) =>
      certificates.filter((key) => placement.placeOf(key) === partition);
    const [key = ""] = keysOf(2);
    expect((await other.get([key, "config"])).map((row) => row?.value)).toEqual([key, 1]);
    expect(
      await openMount((at) => (at === 3 ? lost : open(at))).commit({ del: [key] }),
    ).toBeDefined();
    expect(await other.get([key])).toEqual([undefined]);
    await expect(other.get(keysOf(3))).rejects.toThrow("unreachable");
    await expect(keysIn(other)).rejects.toThrow("unreachable");
  });

  it("clears the partitions that an interrupted growth prepared, together with its own", async () => {
    const { open, store } = await filled();
    await open(7).commit({ put: [["cert/00", 1]] });
    await expect(beginGrowth(store, 16, 1)).rejects.toThrow(/partition 7 is in use/);
    await beginGrowth(store, 4, 1);
    expect([store.placement?.count, await store.storeCount()]).toEqual([4, 16]);
    await openMount(open).commit({ epoch: "next", clear: true });
    const keys = await Promise.all(
      Array.from({ length: 16 }, async (_, at) => (await open(at).list("")).map(([key]) => key)),
    );
    expect(keys.flat().filter((key) => key !== "epoch")).toEqual([]);
    expect(await store.storeCount()).toBe(1);
  });

  it("stores the number of partitions until it is dropped, so that a repeated deletion drops all", async () => {
    const { open, store } = await filled();
    await beginGrowth(store, 4, 1);
    const dropped: number[] = [];
    const droppable = (at: number) => ({
      ...open(at),
      drop: async () => void dropped.push(at),
    });
    await openMount(droppable).commit({ epoch: "next", clear: true });
    const again = openMount(droppable);
    expect(await again.storeCount()).toBe(4);
    await again.drop?.();
    expect(dropped).toEqual([1, 2, 3, 0]);
  });

  it("stores no number of partitions if it is cleared before its first growth", async () => {
    for (const count of [1, 4]) {
      const open = partitionsOf();
      const store = openMount((at) => ({ ...open(at), drop: async () => undefined }), count);
      await store.commit({ epoch: "next", put: [["config", 1]] });
      await store.commit({ epoch: "next", clear: true });
      const keys = await Promise.all([0, 1, 2, 3].map(async (at) => open(at).list("")));
      expect(keys.flat().filter(([key]) => key !== "epoch")).toEqual([]);
    }
  });

  /** Returns partitions, and hooks that run one call before another. */
  const interruptible = (open: (partition: number) => Store) => {
    const calls: { get?: () => Promise<unknown>; commit?: () => Promise<unknown> } = {};
    const before = async (name: keyof typeof calls): Promise<void> => {
      const { [name]: call } = calls;
      delete calls[name];
      await call?.();
    };
    const hooked = (partition: number): Store => {
      const one = open(partition);
      const { get, commit } = one;
      return {
        ...one,
        get: async (keys) => {
          if (partition === 1 && keys.join() === partitionKeys.layout) await before("get");
          return get(keys);
        },
        commit: async (batch) => {
          if (batch.put?.some(([key]) => key === partitionKeys.stores)) await before("commit");
          return commit(batch);
        },
      };
    };
    return { calls, hooked };
  };
  const clear = (open: (partition: number) => Store) =>
    openMount(open).commit({ epoch: "next", clear: true });
  const keysOfAll = async (open: (partition: number) => Store): Promise<readonly string[]> =>
    (await Promise.all([0, 1, 2, 3].map(async (at) => open(at).list(""))))
      .flat()
      .flatMap(([key]) => (key === "epoch" ? [] : [key]));
  /** Runs the steps of a growth until its last one. */
  async function untilEnd(store: GrowableStore, from: number): Promise<void> {
    const isAtEnd = async () => {
      const [row] = await store.get([partitionKeys.growth]);
      return (row?.value as GrowthProgress | undefined)?.source === from;
    };
    while (!(await isAtEnd())) await growStep(store, 100);
  }

  it("prepares no partition if it is cleared meanwhile", async () => {
    const { open, store } = await filled();
    const { calls, hooked } = interruptible(open);
    const onlyAtEpoch = (await store.epoch?.()) ?? 0;
    calls.commit = () => clear(open);
    const put = [[partitionKeys.layout, { count: 4, from: 1 }]] as const;
    const begun = await openMount(hooked).commit({ onlyAtEpoch, epoch: "next", put });
    expect([calls.commit, begun, await keysOfAll(open)]).toEqual([undefined, undefined, []]);
  });

  it("writes no row if it is cleared while its growth ends", async () => {
    const { open } = await filled();
    const { calls, hooked } = interruptible(open);
    const slow = openMount(hooked);
    await beginGrowth(slow, 4, 1);
    await untilEnd(slow, 1);
    calls.get = () => clear(open);
    await growStep(slow, 10);
    expect([calls.get, await keysOfAll(open)]).toEqual([undefined, []]);
  });

  it("keeps the later number of partitions if a process finishes an earlier growth late", async () => {
    const { open, store } = await filled();
    const { calls, hooked } = interruptible(open);
    const slow = openMount(hooked);
    await beginGrowth(slow, 4, 1);
    await untilEnd(slow, 1);
    calls.get = async () => {
      while (await growStep(store, 100));
      await beginGrowth(store, 16, 4);
      while (await growStep(store, 100));
    };
    await growStep(slow, 10);
    expect(calls.get).toBeUndefined();
    const rows = await Promise.all(
      [0, 1, 5].map(async (at) => open(at).get([partitionKeys.layout])),
    );
    expect(rows.map(([row]) => row?.value)).toEqual([16, 16, 16].map((count) => ({ count })));
    expect(await keysIn(slow)).toEqual(certificates);
  });

  it("forgets its partitions when it is cleared", async () => {
    const { open, store } = await filled();
    await beginGrowth(store, 4, 1);
    await growStep(store, 10);
    await store.commit({ epoch: "next", clear: true });
    expect(await keysIn(store)).toEqual([]);
    const keys = await Promise.all([0, 1, 2, 3].map(async (at) => open(at).list("")));
    expect(keys.flat().map(([key]) => key)).toEqual(["epoch", "epoch", "epoch", "epoch"]);
    expect(await store.get([partitionKeys.layout])).toEqual([undefined]);
    expect(store.placement).toBeUndefined();
  });
});
