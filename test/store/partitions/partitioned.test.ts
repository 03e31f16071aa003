import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { CaError } from "../../../src/base/errors.ts";
import { logKey, jobKey } from "../../../src/base/row-keys.ts";
import { indexes, listings } from "../../../src/conformance/listing.ts";
import { rows } from "../../../src/conformance/rows.ts";
import { pages, values } from "../../../src/conformance/values.ts";
import { exportOf, readRest } from "../../../src/conformance/export.ts";
import { placementOf } from "../../../src/engine/placement-rules.ts";
import type { Placement } from "../../../src/engine/placement.ts";
import type { Batch, Store } from "../../../src/engine/ports.ts";
import { memoryStoreOf } from "../../../src/store/memory.ts";
import { passDueJobs } from "../../../src/store/partitions/partition-jobs.ts";
import { partitionedStore } from "../../../src/store/partitions/partitioned-store.ts";
import { storeConformance } from "../../conformance/store.ts";
import { sqliteFiles } from "../../support/sqlite-files.ts";
import { partitionedRandom, spreadPlacement } from "./partitioned-random.ts";

const memories = (): Store[] => Array.from({ length: 4 }, () => memoryStoreOf());
const inMemory = (placement: Placement, all = memories()): Store =>
  partitionedStore(all, placement, async () => undefined);

const folder = mkdtempSync(join(tmpdir(), "sealwright-partitions-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const files = sqliteFiles(folder, 1);
const inFile = (placement: Placement): Store => {
  const stores = files();
  const names = ["mount", "mount.1", "mount.2", "mount.3"];
  return partitionedStore(
    names.map((of) => stores(of)),
    placement,
    async () => undefined,
  );
};

// the rows of the checks have no rule, so they are in the mount's own store
storeConformance("four partitions in memory", async () => inMemory(spreadPlacement), {
  fixed: 100,
  fresh: 25,
  steps: 20,
});
storeConformance("four partitions in SQLite", async () => inFile(spreadPlacement), {
  fixed: 20,
  fresh: 5,
  steps: 8,
});
describe("four partitions in memory", () => {
  partitionedRandom(() => inMemory(spreadPlacement), { fixed: 200, fresh: 50 });
});
describe("four partitions in SQLite", () => {
  partitionedRandom(() => inFile(spreadPlacement), { fixed: 30, fresh: 10 });
});

describe("one partition of four", () => {
  const inSecond: Placement = {
    count: 4,
    placeOf: (key) => (key === "epoch" ? 0 : 2),
    partitionsBelow: () => [0, 1, 2, 3],
  };
  // the epoch changes in the mount's own store only, and only its logs are listed
  it.each([rows, listings, indexes, pages, values].flat())("$name", ({ run }) =>
    run(() => inMemory(inSecond)),
  );
});

const withJobs = placementOf(
  [
    ["wide/", "spread"],
    ["job/", "batch"],
    ["nonce/", "batch"],
  ],
  4,
);
/** A key below `wide/` in each partition. */
const wide = [0, 1, 2, 3].map((partition) => {
  const digit = [..."0123456789abcdef"].find(
    (one) => withJobs.placeOf(`wide/${one}`) === partition,
  );
  return `wide/${digit}`;
});
const job = jobKey(5, "crl", "set");
const opening = async (): Promise<{ readonly store: Store; readonly all: readonly Store[] }> => {
  const all = memories();
  const store = inMemory(withJobs, all);
  await store.commit({ epoch: "next", put: [["config", 1]] });
  return { store, all };
};
const keysIn = async (store: Store | undefined): Promise<readonly string[]> =>
  ((await store?.list("")) ?? []).map(([key]) => key);
const putIn = (partition: number, ...keys: readonly string[]): Batch => ({
  put: [wide[partition] ?? "", ...keys].map((key) => [key, partition]),
});

describe("a batch of a partitioned store", () => {
  it("with rows of two partitions throws, and changes nothing", async () => {
    const { store } = await opening();
    for (const batch of [
      { put: [[wide[0], 1] as const, [wide[1], 1] as const] },
      { put: [[wide[1], 1] as const], expect: [["config", null] as const] },
      { put: [[wide[1], 1] as const], del: [wide[2]] },
      { append: [["wide/p/", new Uint8Array(1)] as const] },
    ] as readonly Batch[])
      await expect(store.commit(batch)).rejects.toThrow(
        /a batch has rows of partitions \d and \d:/,
      );
    expect(await keysIn(store)).toEqual(["config", "epoch"]);
  });

  it("puts its jobs, nonces and log entries into its own partition", async () => {
    const { store, all } = await opening();
    await store.commit({ ...putIn(2, job, "nonce/a"), log: [["audit/", "entry"]] });
    expect(await keysIn(all[2])).toEqual([
      logKey("audit/", 1),
      "epoch",
      job,
      "logged/audit/",
      "nonce/a",
      wide[2],
    ]);
    // logs are listed from the mount's own store only
    expect(await keysIn(store)).toEqual(["config", "epoch", job, "nonce/a", wide[2]]);
  });

  it("of nonces alone is committed in the partition of the rows that it reads", async () => {
    const { store, all } = await opening();
    await store.commit(putIn(3));
    const spent = { put: [["nonce/a", {}] as const], expect: [["nonce/a", null] as const] };
    const done = await store.commit({ ...spent, read: [wide[3] ?? ""] });
    expect(done?.rows?.[0]?.value).toBe(3);
    expect(await keysIn(all[3])).toContain("nonce/a");
    // the caller reads rows of several partitions itself
    const other = await store.commit({ put: [["nonce/b", {}]], read: [wide[3] ?? "", "config"] });
    expect(other).toEqual({ epoch: 1 });
  });
});

describe("a job in several partitions", () => {
  const planned = async () => {
    const opened = await opening();
    for (const partition of [0, 1, 3]) await opened.store.commit(putIn(partition, job));
    return { ...opened, rows: await opened.store.list("job/") };
  };

  it("is listed once for each, and each row is deleted where it was read", async () => {
    const { store, all, rows } = await planned();
    expect(rows.map(([key]) => key)).toEqual([job, job, job]);
    // partition 2 gets it later
    await store.commit(putIn(2, job));
    for (const [key, { rev }] of rows)
      expect(await store.commit({ expect: [[key, rev]], del: [key] })).toBeDefined();
    expect(await keysIn(all[2])).toContain(job);
    expect(await store.list("job/")).toHaveLength(1);
  });

  it("is rescheduled by one batch, unless it was cancelled in the first of them", async () => {
    const { store, rows } = await planned();
    const later = jobKey(9, "crl", "set");
    const back: Batch = {
      expect: rows.map(([key, { rev }]) => [key, rev]),
      del: rows.map(([key]) => key),
      put: [[later, 1]],
    };
    expect(await store.commit(back)).toBeDefined();
    expect((await store.list("job/")).map(([key]) => key)).toEqual([later]);
    expect(await store.commit(back)).toBeUndefined();
  });

  it("is cancelled in all partitions by a batch that deletes it", async () => {
    const { store } = await planned();
    await store.commit({ put: [["config", 2]], del: [job] });
    expect(await store.list("job/")).toEqual([]);
  });

  it("stays in an unreachable partition, and the batch is applied", async () => {
    const { store, all } = await planned();
    const down = inMemory(
      withJobs,
      all.map((one, at) => (at === 3 ? unreachable(one) : one)),
    );
    expect(await down.commit({ put: [["config", 2]], del: [job] })).toBeDefined();
    expect(await store.list("job/")).toHaveLength(1);
  });
});

/** Returns a store whose commits fail, before or after they are applied. */
const unreachable = (store: Store, applies = false): Store => ({
  ...store,
  commit: async (batch) => {
    if (applies) await store.commit(batch);
    throw new CaError("storage", "unreachable");
  },
});
const replaced = (all: readonly Store[], at: number, by: (store: Store) => Store): Store[] =>
  all.map((store, n) => (n === at ? by(store) : store));
const change: Batch = { epoch: "next", put: [["config", 2]] };

describe("the epoch of a partitioned store", () => {
  it("rises in every partition before the configuration changes", async () => {
    const { store, all } = await opening();
    const seen: unknown[] = [];
    const spied = inMemory(
      withJobs,
      replaced(all, 0, (home) => ({
        ...home,
        commit: async (batch) => {
          seen.push(await Promise.all(all.map((one) => one.get(["epoch"]))));
          return home.commit(batch);
        },
      })),
    );
    await spied.commit(change);
    const epochs = (seen[0] as readonly (readonly [{ readonly value: number }])[]).map(
      ([row]) => row.value,
    );
    expect(epochs).toEqual([1, 2, 2, 2]);
    expect(await store.epoch?.()).toBe(2);
    expect(await store.commit({ ...putIn(1), onlyAtEpoch: 1 })).toBeUndefined();
    expect(await store.commit({ ...putIn(1), onlyAtEpoch: 2 })).toEqual({ epoch: 2 });
  });

  it("does not rise for a change whose conditions do not hold", async () => {
    const { store, all } = await opening();
    expect(await store.commit({ ...change, expect: [["config", null]] })).toBeUndefined();
    expect(await store.commit({ ...change, onlyAtEpoch: 7 })).toBeUndefined();
    for (const one of all) expect((await one.get(["epoch"]))[0]?.value).toBe(1);
  });

  it.each([false, true])(
    "makes a change fail while a partition is unreachable, and the others still work (reply lost: %s)",
    async (applies) => {
      const { store, all } = await opening();
      const down = inMemory(
        withJobs,
        replaced(all, 2, (one) => unreachable(one, applies)),
      );
      await expect(down.commit(change)).rejects.toThrow("unreachable");
      expect((await store.get(["config"]))[0]?.value).toBe(1);
      const epoch = await down.epoch?.();
      for (const partition of [0, 1, 3])
        expect(await down.commit({ ...putIn(partition), onlyAtEpoch: epoch ?? -1 })).toBeDefined();
      // the partition is back, and catches up on the first attempt
      await store.commit({ ...putIn(2), onlyAtEpoch: epoch ?? -1 });
      expect(await store.commit({ ...putIn(2), onlyAtEpoch: epoch ?? -1 })).toBeDefined();
      expect(await store.commit(change)).toBeDefined();
    },
  );

  it("recovers from a writer that crashed between the partitions and the mount's own store", async () => {
    const { store, all } = await opening();
    await all[1]?.commit({ epoch: 4 });
    expect(await store.commit({ ...putIn(1), onlyAtEpoch: 1 })).toBeUndefined();
    expect(await store.epoch?.()).toBe(4);
    expect(await store.commit({ ...putIn(1), onlyAtEpoch: 4 })).toBeDefined();
    // a writer continues at the epoch of partitions that are ahead
    await all[3]?.commit({ epoch: 9 });
    expect(await store.commit(change)).toEqual({ epoch: 9 });
  });

  it("waits for a writer that is about to commit", async () => {
    const { all } = await opening();
    await all[1]?.commit({ epoch: 2 });
    const delays: number[] = [];
    const store = partitionedStore(all, withJobs, async (delay) => {
      delays.push(delay);
      if (delays.length === 3) await all[0]?.commit({ ...change, onlyAtEpoch: 1 });
    });
    expect(await store.commit({ ...putIn(1), onlyAtEpoch: 1 })).toBeUndefined();
    expect(delays).toEqual([5, 10, 20]);
    expect((await store.get(["config"]))[0]?.value).toBe(2);
  });

  it("makes calls to a partition that lost its rows fail", async () => {
    const { all } = await opening();
    const store = inMemory(
      withJobs,
      replaced(all, 1, () => memoryStoreOf()),
    );
    await expect(store.commit({ ...putIn(1), onlyAtEpoch: 1 })).rejects.toMatchObject({
      code: "storage",
      message: "the storage of partition 1 is empty: restore the mount from a backup",
    });
  });

  it("does not change while a partition has lost its rows, unless the store is cleared", async () => {
    const { all } = await opening();
    const lost = memoryStoreOf();
    const store = inMemory(
      withJobs,
      replaced(all, 1, () => lost),
    );
    await expect(store.commit(change)).rejects.toMatchObject({
      code: "storage",
      message: "the storage of partition 1 is empty: restore the mount from a backup",
    });
    expect([await keysIn(lost), (await all[0]?.get(["config"]))?.[0]?.value]).toEqual([[], 1]);
    expect(await store.commit({ epoch: "next", clear: true })).toBeDefined();
    expect(await store.commit(change)).toBeDefined();
  });

  it("cannot be changed by a batch of another partition than the first", async () => {
    const { store } = await opening();
    await expect(store.commit({ ...putIn(1), epoch: "next" })).rejects.toThrow(
      "a batch of a partition must not change the epoch",
    );
  });
});

it("clearing a partitioned store clears all partitions, and keeps the epoch of each", async () => {
  const { store, all } = await opening();
  for (const partition of [0, 1, 2, 3]) await store.commit(putIn(partition, job));
  await store.commit({ clear: true, epoch: "next" });
  for (const one of all)
    expect(await one.list("")).toEqual([["epoch", expect.objectContaining({ value: 2 })]]);
});

it("an export has the rows of each partition as they were when it began", async () => {
  const { store } = await opening();
  for (const partition of [0, 1, 2, 3]) await store.commit(putIn(partition, job));
  const parts = exportOf(store, 1);
  const first = await parts.next();
  for (const partition of [0, 1, 2, 3])
    await store.commit({ put: [[wide[partition] ?? "", "later"]] });
  const found = [...(first.value ?? []), ...(await readRest(parts))];
  const values = new Map(found.map(({ key, value }) => [key, value]));
  expect(wide.map((key) => values.get(key))).toEqual([0, 1, 2, 3]);
  expect(found.filter(({ key }) => key === "epoch")).toHaveLength(1);
});

it("a partitioned store of one partition is the mount's own store", () => {
  const own = memoryStoreOf();
  expect(partitionedStore([own], placementOf([], 1))).toBe(own);
  expect(() => partitionedStore([own], placementOf([], 4))).toThrow(
    "4 partitions require 4 stores, got 1",
  );
});

describe("the due jobs of a partition", () => {
  it("are passed on once each and deleted after the run, or passed on again if they failed", async () => {
    const store = memoryStoreOf();
    const row = (due: number, kind: string, id: string) =>
      [jobKey(due, kind, id), { kind, id }] as const;
    await store.commit({
      put: [row(10, "crl", "a"), row(20, "crl", "a"), row(30, "end", "b"), row(90_000, "end", "c")],
    });
    const ran: string[] = [];
    const passed = (isFailing: boolean) =>
      passDueJobs(
        store,
        () => 1000,
        async (kind, id) => {
          ran.push(`${kind} ${id}`);
          if (isFailing && kind === "end") throw new Error("unreachable");
        },
      );
    expect(await passed(true)).toBe(31_000);
    expect(ran.splice(0)).toEqual(["crl a", "end b"]);
    expect(await passed(false)).toBeUndefined();
    expect(ran).toEqual(["end b"]);
    expect((await store.list("job/")).map(([key]) => key)).toEqual([jobKey(90_000, "end", "c")]);
  });
});
