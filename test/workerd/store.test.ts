import { abortAllDurableObjects, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { DurableObjectNamespace, DurableObjectState } from "@cloudflare/workers-types";
import { describe, expect, it } from "vitest";
import type { Store } from "../../src/engine/ports.ts";
import { storeOf } from "../../src/store/sql/store.ts";
import { durableRows, remoteStore, type RemoteStore } from "../../worker/store.ts";
import { one, put } from "../../src/conformance/data.ts";
import { exportOf, readRest } from "../../src/conformance/export.ts";
import { storeConformance } from "../conformance/store.ts";

const { MOUNT } = env as { MOUNT: DurableObjectNamespace };
let opened = 0;
const fresh = (): string => `store-${(opened += 1)}`;
const objectOf = (name: string) => MOUNT.get(MOUNT.idFromName(name));
const stubs = (name: string) => () => objectOf(name) as unknown as RemoteStore;
const remote = (name: string): Store => remoteStore(stubs(name), name);
interface Instance {
  readonly store: Store;
}
const inside = <R>(
  name: string,
  run: (store: Store, state: DurableObjectState) => Promise<R>,
): Promise<R> =>
  runInDurableObject(objectOf(name), ({ store }: Instance, state) => run(store, state));

storeConformance("Durable Object", async () => remote(fresh()), {
  fixed: 200,
  fresh: 50,
  steps: 8,
});

describe("the store of an object", () => {
  it("shows writes of Workers to the object, and its own writes to Workers", async () => {
    const name = fresh();
    await remote(name).commit({ epoch: "next", put: [["a", { der: Uint8Array.of(1) }]] });
    await inside(name, async (store) => {
      expect((await store.get(["a"]))[0]?.value).toEqual({ der: Uint8Array.of(1) });
      expect(await store.commit({ onlyAtEpoch: 1, epoch: "next", put: [["b", 2]] })).toEqual({
        epoch: 2,
      });
    });
    expect(await remote(name).commit({ epoch: 1 })).toBeUndefined();
    expect((await remote(name).get(["b"]))[0]?.value).toBe(2);
  });

  it("reads listings and rows that exceed one RPC response", async () => {
    const store = remote(fresh());
    const value = new Uint8Array(1_500_000);
    const keys = Array.from({ length: 30 }, (_, at) => `long/${String(at).padStart(2, "0")}`);
    for (const key of keys)
      await store.commit({ put: [[key, value, { role: "r", not_after: 7 }]] });
    expect((await store.list("long/")).map(([key]) => key)).toEqual(keys);
    expect(
      (await store.list("long/", { limit: 20, after: "long/01" })).map(([key]) => key),
    ).toEqual(keys.slice(2, 22));
    expect((await store.list("", { by: { name: "role" }, limit: 20 })).map(([key]) => key)).toEqual(
      keys.slice(0, 20),
    );
    expect(
      (await store.list("", { by: { name: "not_after", from: 7, to: 7 } })).map(([key]) => key),
    ).toEqual(keys);
    expect(
      (await store.get([...keys, "none"])).map(
        (row) => (row?.value as Uint8Array | undefined)?.length,
      ),
    ).toEqual([...keys.map(() => 1_500_000), undefined]);
    const index = { role: "r", not_after: 7 };
    expect(
      (await store.getWithIndex?.([...keys, "none"]))?.map((row) => row && [row.key, row.index]),
    ).toEqual([...keys.map((key) => [key, index]), undefined]);
    const [rows, row] = (await store.listThenGet?.("long/", { limit: 20 }, "long/29")) ?? [];
    expect(rows?.map(([key]) => key)).toEqual(keys.slice(0, 20));
    expect(row).toEqual((await store.get(["long/29"]))[0]);
  });

  it("listThenGet also works with an object of an earlier version, which returns no row", async () => {
    const name = fresh();
    await remote(name).commit({
      put: [
        ["a", 1],
        ["b", 2],
      ],
    });
    const object = stubs(name)();
    const earlier = remoteStore(
      () => ({
        get: (keys) => object.get(keys),
        list: (prefix, page) => object.list(prefix, page),
        commit: (of, batch) => object.commit(of, batch),
        once: (of, kind, id) => object.once(of, kind, id),
      }),
      name,
    );
    const [rows, row] = (await earlier.listThenGet?.("a", {}, "b")) ?? [];
    expect([rows?.map(([key]) => key), row?.value]).toEqual([["a"], 2]);
    expect((await earlier.listThenGet?.("a", {}, "c"))?.[1]).toBeUndefined();
    await expect(earlier.getWithIndex?.(["a"])).rejects.toMatchObject({ code: "storage" });
  });

  it("keeps rows, epoch and increasing revisions over an eviction and an abort", async () => {
    const name = fresh();
    const store = remote(name);
    const revisions: number[] = [];
    for (const stop of [
      () => evictDurableObject(objectOf(name)),
      () => abortAllDurableObjects(),
      async () => {},
    ]) {
      await store.commit({ epoch: "next", put: [["a", 1]] });
      revisions.push((await store.get(["a"]))[0]?.rev ?? 0);
      await store.commit({ del: ["a"] });
      await stop();
    }
    expect(revisions).toEqual([...new Set(revisions)].sort((a, b) => a - b));
    expect((await store.get(["epoch"]))[0]?.value).toBe(3);
    expect(await store.commit({ epoch: 2 })).toBeUndefined();
  });

  it("applies nothing of a commit if it is aborted before the response", async () => {
    const name = fresh();
    await remote(name).commit({ put: [["a", 1]] });
    const crashed = inside(name, async (store, state) => {
      const commits = [
        store.commit({
          put: [
            ["a", 2],
            ["b", 2],
          ],
        }),
        store.commit({
          put: [
            ["c", 2],
            ["d", 2],
          ],
        }),
      ];
      state.abort("crash");
      await Promise.all(commits);
    });
    await expect(crashed).rejects.toThrow();
    expect((await remote(name).list("")).map(([key, { value }]) => [key, value])).toEqual([
      ["a", 1],
    ]);
  });

  it("never reuses a revision after an export failed on a full disk", async () => {
    const name = fresh();
    await remote(name).commit({
      put: [
        ["a", 1],
        ["b", 1],
      ],
    });
    await inside(name, async (_, { storage }) => {
      const before = storeOf(durableRows(storage));
      await before.commit({ del: ["b"] });
      storage.sql.exec(
        "CREATE TRIGGER full BEFORE UPDATE ON meta WHEN NEW.name = 'reserved' BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END",
      );
      await expect(exportOf(before).next()).rejects.toThrow();
      storage.sql.exec("DROP TRIGGER full");
      await before.commit(put("c"));
      const held = await one(before, "c");
      const after = storeOf(durableRows(storage));
      await after.commit(put("c"));
      expect((await one(after, "c"))?.rev).toBeGreaterThan(held?.rev ?? Infinity);
    });
  });

  it("rejects every batch of a group if one write fails, applies none, and recovers", async () => {
    const name = fresh();
    await remote(name).commit({ epoch: "next", put: [["a", 1]] });
    await inside(name, async (store, { storage }) => {
      const { sql } = storage;
      // the third write of the group fails, as SQLite's does on a full disk
      sql.exec(
        "CREATE TRIGGER full BEFORE INSERT ON rows WHEN (SELECT count(*) FROM rows) >= 4 BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END",
      );
      const turn = [
        store.commit({ epoch: "next", put: [["b", 1]] }),
        store.commit({
          put: [
            ["c", 1],
            ["d", 1],
          ],
        }),
        store.commit({ append: [["p/", Uint8Array.of(1)]] }),
      ];
      for (const commit of turn)
        await expect(commit).rejects.toMatchObject({ name: "CaError", code: "storage" });
      expect((await store.list("")).map(([key, { value }]) => [key, value])).toEqual([
        ["a", 1],
        ["epoch", 1],
      ]);
      sql.exec("DROP TRIGGER full");
      expect(await store.commit({ epoch: 1, put: [["b", 2]] })).toEqual({ epoch: 1 });
    });
    expect((await remote(name).list("")).map(([key]) => key)).toEqual(["a", "b", "epoch"]);
  });

  it("reports a failed group to a Worker as a storage error", async () => {
    const name = fresh();
    const store = remote(name);
    await store.commit({ put: [["a", 1]] });
    await inside(
      name,
      async (_, { storage }) =>
        void storage.sql.exec(
          "CREATE TRIGGER full BEFORE INSERT ON rows BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END",
        ),
    );
    await expect(store.commit({ put: [["b", 1]] })).rejects.toMatchObject({
      name: "CaError",
      code: "storage",
    });
    expect((await store.list("")).map(([key]) => key)).toEqual(["a"]);
  });

  it("keeps every physical row below the limit of 2,000,000 bytes", async () => {
    const name = fresh();
    const text = "n".repeat(65_536);
    await remote(name).commit({
      put: [["k".repeat(512), new Uint8Array(5_000_000), { name: text, role: text, issuer: text }]],
    });
    await inside(name, async (_, { storage }) => {
      const rows = storage.sql.exec<{ size: number }>(
        "SELECT length(value) + length(key) + length(at0) + length(at1) + length(at2) AS size FROM rows UNION ALL SELECT length(value) FROM parts",
      );
      const sizes = rows.toArray().map(({ size }) => size);
      expect(sizes.length).toBe(5);
      expect(Math.max(...sizes)).toBeLessThan(2_000_000);
    });
    await remote(name).commit({ clear: true });
    await inside(name, async (_, { storage }) =>
      expect(storage.sql.exec("SELECT count(*) AS n FROM parts").one()["n"]).toBe(0),
    );
  });

  it("pages through many rows with the same index value", async () => {
    const store = remote(fresh());
    const keys = Array.from({ length: 20_100 }, (_, at) => `k/${String(at).padStart(6, "0")}`);
    for (let at = 0; at < keys.length; at += 5000) {
      await store.commit({
        put: keys
          .slice(at, at + 5000)
          .map((key, n) => [key, n, { role: n % 200 === 7 ? "rare" : "web", not_after: 5 }]),
      });
    }
    await store.commit({
      put: [
        ["j/1", 1, { role: "web", not_after: 5 }],
        ["l/1", 1, { role: "web", not_after: 5 }],
      ],
    });
    const page = async (name: "role" | "not_after", value: string | number, after: string) =>
      (
        await store.list("k/", {
          by: { name, from: value, to: value, after: [value, after] },
          limit: 5,
          values: false,
        })
      ).map(([key]) => key);
    expect(await page("not_after", 5, "k/004998")).toEqual(keys.slice(4999, 5004));
    expect(await page("not_after", 5, "a")).toEqual(keys.slice(0, 5));
    expect(await page("role", "rare", "k/000007")).toEqual(
      [207, 407, 607, 807, 1007].map((at) => keys[at]),
    );
    expect(await page("not_after", 5, "k/020097")).toEqual(keys.slice(20_098));
    expect(
      await store.list("k/", {
        by: { name: "not_after", from: 5, to: 5, after: [4, "z"] },
        limit: 1,
      }),
    ).toHaveLength(1);
    expect((await store.list("k/")).map(([key, { value }]) => `${key} ${value as number}`)).toEqual(
      keys.map((key, n) => `${key} ${n % 5000}`),
    );
  });

  it("aborts an export if the object was restarted or another export has begun", async () => {
    const name = fresh();
    const store = remote(name);
    await store.commit({
      put: [
        ["a", 1],
        ["b", 2],
        ["c", 3],
      ],
    });
    const parts = exportOf(store, 1);
    await parts.next();
    await evictDurableObject(objectOf(name));
    await store.commit({ put: [["b", 4]] });
    const lost = { code: "storage", message: "the export was interrupted: start it again" };
    await expect(parts.next()).rejects.toMatchObject(lost);
    const first = exportOf(store, 1);
    await first.next();
    await store.commit({ put: [["c", 5]] });
    expect((await readRest(exportOf(store))).map(({ value }) => value)).toEqual([1, 4, 5]);
    await expect(first.next()).rejects.toMatchObject(lost);
    await inside(name, async (_, { storage }) =>
      expect(storage.sql.exec("SELECT count(*) AS n FROM rows").one()["n"]).toBe(3),
    );
  });

  it("accepts only the store name with which it was created", async () => {
    const name = fresh();
    await remote(name).commit({ put: [["a", 1]] });
    const other = remoteStore(stubs(name), "another");
    await expect(other.commit({ put: [["a", 2]] })).rejects.toMatchObject({ code: "storage" });
    expect((await remote(name).get(["a"]))[0]?.value).toBe(1);
  });
});
