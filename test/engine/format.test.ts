import { describe, expect, it } from "vitest";
import { jobRow } from "../../src/engine/jobs.ts";
import { bringUpToDate, reindex, formatKey, type Steps } from "../../src/engine/format.ts";
import type { Batch, Row, Store } from "../../src/engine/ports.ts";
import { memoryStore } from "../../src/index.ts";
import { memoryStoreOf } from "../../src/store/memory.ts";
import { varsApi } from "../../src/vars/index.ts";
import { authority } from "../support/authority.ts";
import { delayedStore } from "../support/delayed-store.ts";

const count = 70;
/** Two steps, the first of many batches and the second of one. */
const steps: Steps = [
  {
    version: "0.2.0",
    run: reindex("a/", "old", (value) => ({ fresh: value as number })),
  },
  {
    version: "0.3.0",
    run: async (store) => void (await store.commit({ put: [["b", "done"]] })),
  },
];
async function firstFormat(store = memoryStoreOf()): Promise<Store> {
  const put = Array.from({ length: count }, (_, at) => [`a/${at}`, at, { old: at }] as const);
  await store.commit({ epoch: 5, put });
  return store;
}
const upToDate = async (store: Store) =>
  bringUpToDate(store, (await store.get([formatKey]))[0], steps);
async function isUpToDate(store: Store): Promise<void> {
  const fresh = await store.list("a/", { by: { name: "fresh" } });
  expect(fresh.map(([, { value }]) => value)).toEqual(Array.from({ length: count }, (_, at) => at));
  expect(await store.list("", { by: { name: "old" } })).toEqual([]);
  const values = (await store.get(["b", formatKey, "epoch"])).map((row) => row?.value);
  expect(values).toEqual(["done", { number: 3, version: "0.3.0" }, 7]);
}
/** Returns a store that fails after a number of commits, as if the process was killed. */
function killedAfter(store: Store, commits: number): Store {
  let left = commits;
  return {
    ...store,
    commit: async (batch) => {
      if ((left -= 1) < 0) throw new Error("killed");
      return store.commit(batch);
    },
  };
}

describe("the format of a store's rows", () => {
  it("is upgraded step by step, each with its own epoch, and only once", async () => {
    const store = await firstFormat();
    expect(await upToDate(store)).toBe(true);
    await isUpToDate(store);
    const rows = await store.list("");
    expect(await upToDate(store)).toBe(false);
    expect(await store.list("")).toEqual(rows);
  });

  it("is the same after an interruption at any commit", async () => {
    for (let commits = 0; ; commits += 1) {
      const store = await firstFormat();
      const whole = await upToDate(killedAfter(store, commits)).catch(() => undefined);
      if (whole === undefined) expect(await upToDate(store)).toBe(true);
      await isUpToDate(store);
      if (whole) {
        // five batches of rows, one for the other step, and one for each format number
        expect(commits).toBe(8);
        return;
      }
    }
  });

  it("is the same after several engines have upgraded it at once", async () => {
    for (let seed = 0; seed < 20; seed += 1) {
      let turn = seed;
      const delay = async () => {
        for (let wait = (turn += 7 + seed) % 5; wait > 0; wait -= 1) await Promise.resolve();
      };
      const store = await firstFormat(delayedStore(memoryStoreOf(), delay));
      await Promise.all([upToDate(store), upToDate(store), upToDate(store)]);
      await isUpToDate(store);
    }
  });
});

/** Rewrites the rows of a store in the form of the first version. */
async function asFirst(store: Store, prefix: string, index: (row: Row) => Batch["put"]) {
  const rows = await store.list(prefix);
  await store.commit({ put: rows.flatMap(([, row]) => index(row) ?? []), del: [formatKey] });
}

describe("the sys store", () => {
  it("of the first version deletes its expired wrapped replies after the upgrade", async () => {
    const stores = memoryStore();
    const before = authority({ stores });
    const wrapped = await before.call("GET", "sys/mounts", undefined, {
      header: { "x-vault-wrap-ttl": "60" },
    });
    expect(wrapped.status).toBe(200);
    const store = stores("sys");
    const [found] = await store.list("wrapped/");
    const [key = ""] = found ?? [];
    await asFirst(store, "wrapped/", ({ value }) => [
      [key, value, { not_after: Math.ceil((value as { readonly end: number }).end / 1000) }],
    ]);
    const a = authority({ stores, clock: before.clock });
    await a.call("GET", "sys/mounts");
    expect((await store.get([formatKey]))[0]?.value).toEqual({ number: 2, version: "0.2.0" });
    a.clock.advance(3600);
    await a.ca.tick();
    expect(await store.list("wrapped/")).toEqual([]);
  });

  it("has the current format from the first start", async () => {
    const a = authority();
    await a.call("GET", "sys/mounts");
    expect((await a.stores("sys").get([formatKey]))[0]?.value).toEqual({
      number: 2,
      version: "0.2.0",
    });
  });
});

const later = [formatKey, { number: 9, version: "7.1.0" }] as const;
const text = "the data is stored in format 9: run version 7.1.0 or later";
const health = async (a: ReturnType<typeof authority>) =>
  (await a.call("GET", "sys/health", undefined, { token: "" })).json["degraded"];

describe("rows of a later version", () => {
  it("disable their mount with one error and stay unchanged; other mounts continue", async () => {
    const before = authority();
    await before.call("POST", "sys/mounts/a", { type: "pki" });
    const { uuid } = await before.sys.readMount({ path: "a" });
    await before.ca.mount("a").generateRoot({ exported: "internal", common_name: "A" });
    const store = before.stores(uuid);
    await store.commit({ epoch: "next", put: [later] });
    const rows = await store.list("");
    // a running engine, and one that starts now
    for (const a of [before, authority({ stores: before.stores, clock: before.clock })]) {
      a.clock.advance(2);
      for (const [verb, path] of [
        ["POST", "a/root/generate/internal"],
        ["POST", "a/roles/web"],
        ["POST", "a/issue/web"],
        ["GET", "a/config/urls"],
      ] as const) {
        const refused = await a.call(
          verb,
          path,
          verb === "POST" ? { common_name: "B" } : undefined,
          { compat: true },
        );
        expect([path, refused.status, refused.errors]).toEqual([path, 503, [text]]);
      }
      a.clock.advance(90_000);
      await a.ca.tick();
      expect(await store.list("")).toEqual(rows);
      expect((await a.call("GET", "pki/config/urls")).status).toBe(200);
      expect(await health(a)).toEqual([{ mount: "a/", reason: text }]);
    }
  });

  it("are left unchanged by the jobs of a host that is already running", async () => {
    const a = authority({ apis: [varsApi] });
    await a.call("GET", "sys/mounts");
    await a.call("GET", "sys/mounts", undefined, { header: { "x-vault-wrap-ttl": "60s" } });
    const jobs = { sys: ["wrapped-end", "replies"], vars: ["organization-end", "org-x"] } as const;
    for (const [name, [kind, id]] of Object.entries(jobs)) {
      const store = a.stores(name);
      await store.commit({ put: [later, jobRow({ due: 0, now: 0 }, kind, id)] });
      const rows = await store.list("");
      await a.ca.tickStore(name);
      expect([name, await store.list("")]).toEqual([name, rows]);
    }
  });

  it("in the sys store disable everything, and sys/health says so", async () => {
    const before = authority();
    await before.root();
    const store = before.stores("sys");
    await store.commit({ put: [later] });
    const rows = await store.list("");
    for (const a of [before, authority({ stores: before.stores, clock: before.clock })]) {
      a.clock.advance(2);
      const refused = await a.call("GET", "pki/config/urls");
      expect([refused.status, refused.errors]).toEqual([503, [text]]);
      expect((await a.call("GET", "sys/mounts")).errors).toEqual([text]);
      expect(await health(a)).toEqual([{ mount: "sys/", reason: text }]);
      await expect(a.ca.tick()).rejects.toThrow(text);
    }
    expect(await store.list("")).toEqual(rows);
  });
});
