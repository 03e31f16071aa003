import { expect, it } from "vitest";
import { memoryStore, memoryStoreOf } from "../../src/store/memory.ts";
import { storeConformance } from "../conformance/store.ts";
import { delayedStore } from "../support/delayed-store.ts";
import { threadTime } from "../support/spent.ts";

storeConformance("memory", async () => memoryStoreOf(), { fixed: 200, fresh: 50, steps: 30 });

it("memoryStore returns the same store for the same name, and another one for another name", async () => {
  const stores = memoryStore();
  await stores("a").commit({ put: [["k", 1]] });
  expect((await stores("a").get(["k"]))[0]?.value).toBe(1);
  expect((await stores("b").get(["k"]))[0]).toBeUndefined();
  expect((await memoryStore()("a").get(["k"]))[0]).toBeUndefined();
});

it("a delayed store still applies each batch as one step", async () => {
  let turn = 0;
  const delay = async (): Promise<void> => {
    for (let wait = (turn += 7) % 5; wait > 0; wait -= 1) await Promise.resolve();
  };
  const store = delayedStore(memoryStoreOf(), delay);
  const results = await Promise.all(
    Array.from({ length: 50 }, (_, at) =>
      store.commit({
        expect: [["one", null]],
        put: [
          ["one", at],
          ["two", at],
        ],
      }),
    ),
  );
  expect(results.filter(Boolean)).toHaveLength(1);
  const [one, two] = await store.get(["one", "two"]);
  expect(one?.value).toBe(two?.value);
});

it("pages through 100,000 rows without sorting them each time", async () => {
  const store = memoryStoreOf();
  const rows = Array.from(
    { length: 100_000 },
    (_, at) => `cert/${((at * 7919) % 100_000).toString(16).padStart(40, "0")}`,
  );
  await store.commit({
    put: rows.map((key, at) => [key, at, { not_after: at % 1000, role: "web" }]),
  });
  const began = threadTime();
  let count = 0;
  for (let after = ""; ;) {
    const page = await store.list("cert/", { after, limit: 100, values: false });
    count += page.length;
    if (page.length < 100) break;
    after = page.at(-1)?.[0] ?? "";
    await store.commit({ put: [[`job/${count}`, 1]] });
    await store.list("cert/", {
      limit: 100,
      by: { name: "role", from: "web", after: ["web", after] },
    });
  }
  expect(count).toBe(100_000);
  // 1,000 rounds; sorting in each of them would take more than a minute
  expect(threadTime() - began).toBeLessThan(10_000);
});
