import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { storeChecks } from "../../src/conformance/index.ts";
import type { Store } from "../../src/engine/ports.ts";
import { sqliteStore } from "../../src/node/index.ts";
import { commitQueue, type CommitNotice } from "../../server/data/commit-queue.ts";
import {
  connectStores,
  databaseIn,
  startWriter,
  type OpenStores,
  type Writer,
} from "../../server/data/database.ts";
import { framesOver } from "../../server/data/frames.ts";
import { temporaryDirectory } from "../support/server.ts";

const directory = temporaryDirectory();
const file = databaseIn(directory);
const socket = join(directory, "writer");
let writer: Writer;
let [own, others]: OpenStores[] = [];
beforeAll(async () => {
  writer = await startWriter(file, socket);
  own = writer.stores();
  others = await connectStores(file, socket, () => undefined);
});
afterAll(async () => {
  own?.close();
  others?.close();
  await writer.stop();
});
let opened = 0;
/**
 * Returns a function that opens new stores and drops older ones: for each new column, SQLite parses
 * the tables of all stores of the file again.
 */
function opening(stores: () => OpenStores | undefined): () => Promise<Store> {
  const recent: Store[] = [];
  return async () => {
    if (recent.length === 4) await recent.shift()?.drop?.();
    const store = stores()?.(`store-${opened++}`);
    if (!store) throw new Error("the database is not open");
    recent.push(store);
    return store;
  };
}

describe("a store whose writer is another thread", () => {
  for (const { name, run } of storeChecks(opening(() => own))) it(name, run);
});

describe("a store whose writer is another process", () => {
  const checks = storeChecks(
    opening(() => others),
    { sequences: 20 },
  );
  for (const { name, run } of checks) it(name, run);
});

it("a commit of one process is visible to the others at once", async () => {
  const [mine, theirs] = [own?.("shared"), others?.("shared")];
  for (let n = 1; n <= 50; n++) {
    await mine?.commit({ put: [["key", n]] });
    expect((await theirs?.get(["key"]))?.[0]?.value).toBe(n);
    await theirs?.commit({ put: [["key", -n]], epoch: "next" });
    expect((await mine?.get(["key"]))?.[0]?.value).toBe(-n);
    expect(await mine?.epoch?.()).toBe(n);
  }
});

it("concurrent commits of several processes to one row are applied once each", async () => {
  const stores = [own?.("counter"), others?.("counter")];
  const add = async (n: number): Promise<void> => {
    const store = stores[n % 2];
    for (;;) {
      const [row] = (await store?.get(["count"])) ?? [];
      const value = typeof row?.value === "number" ? row.value : 0;
      const expected = [["count", row?.rev ?? null]] as const;
      if (await store?.commit({ expect: expected, put: [["count", value + 1]] })) return;
    }
  };
  await Promise.all(Array.from({ length: 100 }, (_, n) => add(n)));
  expect((await stores[0]?.get(["count"]))?.[0]?.value).toBe(100);
});

it("sqliteStore reads the same stores from the file", async () => {
  await own?.("plain")?.commit({ put: [["a", new Uint8Array([1, 2])]] });
  const plain = sqliteStore(file);
  expect((await plain("plain").get(["a"]))[0]?.value).toEqual(new Uint8Array([1, 2]));
  plain.close();
});

it("a batch that cannot be applied does not affect the others of its transaction", async () => {
  const store = own?.("mixed");
  // one index value is text in a column of numbers
  await store?.commit({ put: [["first", 1, { at: 1 }]] });
  const results = await Promise.allSettled([
    store?.commit({ put: [["a", 1, { at: 2 }]] }),
    store?.commit({ put: [["b", 1, { at: "text" }]] }),
    others?.("mixed").commit({ put: [["c", 1, { at: 3 }]] }),
  ]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  const rows = await store?.list("");
  expect(rows?.map(([key]) => key)).toEqual(["a", "c", "first"]);
});

it("batches that arrive together share a transaction; each sender gets its own outcomes and the other senders' changes", async () => {
  const groups: number[] = [];
  const sent: CommitNotice[][] = [[], []];
  let number = 7;
  const queue = commitQueue({
    apply(changes) {
      groups.push(changes.length);
      number++;
      return changes.map((_, n) => ({ done: n === 1 ? null : n }));
    },
    get number() {
      return number;
    },
  });
  const [first, second] = [
    { send: (told: CommitNotice) => void sent[0]?.push(told) },
    { send: (told: CommitNotice) => void sent[1]?.push(told) },
  ];
  queue.join(first);
  queue.join(second);
  const batch = { put: [["k", new Uint8Array(1)]], del: ["old"], epoch: "next" } as const;
  queue.receive(first, [[1, { store: "a", batch }]]);
  queue.receive(second, [
    [1, { store: "refused", batch }],
    [2, { store: "b" }],
  ]);
  queue.receive(first, [[2, { store: "c", batch: { del: ["gone"] } }]]);
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  expect(groups).toEqual([4]);
  const joined = { replies: [], number: 7, changed: [] };
  const ofFirst = [
    [1, { done: 0 }],
    [2, { done: 3 }],
  ];
  const ofSecond = [
    [1, { done: null }],
    [2, { done: 2 }],
  ];
  const byFirst = [
    ["a", ["k", "old", "epoch"]],
    ["c", ["gone"]],
  ];
  expect(sent).toEqual([
    [joined, { replies: ofFirst, number: 8, changed: [["b"]] }],
    [joined, { replies: ofSecond, number: 8, changed: byFirst }],
  ]);
});

it("a follower is notified of all commits of other processes, and of none of its own", async () => {
  const heard: unknown[] = [];
  const following = await connectStores(file, socket, () => undefined);
  const catchUp = following.follow?.((store, keys) => heard.push([store, keys]));
  for (let n = 0; n < 50; n++) {
    await own?.("followed").commit({ put: [[`k${n}`, n]] });
    await catchUp?.();
    expect(heard.at(-1)).toEqual(["followed", [`k${n}`]]);
  }
  await following("followed").commit({ put: [["mine", 1]] });
  await catchUp?.();
  expect(heard).toHaveLength(50);
  await own?.("followed").commit({ clear: true });
  await catchUp?.();
  expect(heard.at(-1)).toEqual(["followed", undefined]);
  following.close();
});

it("connectStores resolves when the writer sends its first notification", async () => {
  const order: string[] = [];
  const path = join(directory, "late");
  const server = createServer(async (connection) => {
    const frames = framesOver<never, CommitNotice>(connection, () => undefined);
    await own?.("late").commit({ put: [["key", 1]] });
    order.push("notified");
    frames.send({ replies: [], number: 0, changed: [] });
  });
  server.listen(path);
  const late = await connectStores(file, path, () => undefined);
  order.push("open");
  expect(order).toEqual(["notified", "open"]);
  late.close();
  server.close();
});

it("pending and later commits fail after the writer stops", async () => {
  const place = temporaryDirectory();
  const ending = await startWriter(databaseIn(place));
  const stores = ending.stores();
  await stores("a").commit({ put: [["k", 1]] });
  await ending.stop();
  await expect(stores("a").commit({ put: [["k", 2]] })).rejects.toMatchObject({ code: "storage" });
  expect((await stores("a").get(["k"]))[0]?.value).toBe(1);
  stores.close();
});

it("a file that is not a database is rejected", async () => {
  await expect(startWriter(join(directory, "writer"))).rejects.toThrow(/cannot be opened/);
});
