import { deleteDB, openDB } from "idb";
import { expect, it } from "vitest";
import { indexedDbStore } from "../../src/store/indexeddb.ts";
import { storeConformance } from "../conformance/store.ts";
import { increments } from "./increments.ts";

let opened = 0;
const fresh = (): string => `test-${Date.now()}-${(opened += 1)}`;

storeConformance("IndexedDB", async () => indexedDbStore(fresh())("mount"), {
  fixed: 200,
  fresh: 50,
  steps: 8,
});

it("two tabs with one database: only one commit succeeds per revision", async () => {
  const name = fresh();
  const tabs = [indexedDbStore(name)("mount"), indexedDbStore(name)("mount")] as const;
  await tabs[0].commit({ put: [["n", 0]] });
  const increment = async (tab: number): Promise<void> => {
    for (;;) {
      const store = tabs[tab % 2] ?? tabs[0];
      const [row] = await store.get(["n"]);
      if (
        await store.commit({
          expect: [["n", row?.rev ?? null]],
          put: [["n", Number(row?.value) + 1]],
          append: [["p/", Uint8Array.of(tab)]],
        })
      )
        return;
    }
  };
  await Promise.all(Array.from({ length: 20 }, (_, tab) => increment(tab)));
  for (const store of tabs) {
    expect((await store.get(["n"]))[0]?.value).toBe(20);
    expect((await store.get(["p/00000000"]))[0]?.value).toHaveLength(20);
  }
});

it("a worker and a page with one database: only one commit succeeds per revision", async () => {
  const name = fresh();
  const store = indexedDbStore(name)("mount");
  await store.commit({ put: [["n", 0]] });
  const worker = new Worker(new URL("./store.worker.ts", import.meta.url), { type: "module" });
  const done = new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = reject;
  });
  worker.postMessage(name);
  await increments(store, 50);
  expect(await done).toBe("done");
  worker.terminate();
  expect((await store.get(["n"]))[0]?.value).toBe(100);
  expect((await store.get(["p/00000000"]))[0]?.value).toHaveLength(100);
});

it("stores with different names share no rows; the same name is the same store after a reload", async () => {
  const name = fresh();
  await indexedDbStore(name)("a").commit({ epoch: "next", put: [["k", 1]] });
  expect(await indexedDbStore(name)("b").get(["k"])).toEqual([undefined]);
  expect((await indexedDbStore(name)("a").get(["k", "epoch"])).map((row) => row?.value)).toEqual([
    1, 1,
  ]);
  const stores = indexedDbStore(name);
  expect(stores("a")).toBe(stores("a"));
});

it("a non-extractable key can be stored, read back and used to sign", async () => {
  const name = fresh();
  const pair = await crypto.subtle.generateKey({ name: "Ed25519" }, false, ["sign", "verify"]);
  await indexedDbStore(name)("vault").commit({ put: [["key", { key: pair.privateKey, made: 1 }]] });
  const [row] = await indexedDbStore(name)("vault").get(["key"]);
  if (!row) throw new Error("the key was not stored");
  const { key } = row.value as { key: CryptoKey };
  expect(key.extractable).toBe(false);
  const data = new Uint8Array(10);
  expect(
    await crypto.subtle.verify(
      "Ed25519",
      pair.publicKey,
      await crypto.subtle.sign("Ed25519", key, data),
      data,
    ),
  ).toBe(true);
});

it("an open store does not block another tab that deletes the database, and then creates a new one", async () => {
  const name = fresh();
  const store = indexedDbStore(name)("mount");
  await store.commit({ put: [["k", 1]] });
  await deleteDB(`${name}/mount`);
  expect(await store.get(["k"])).toEqual([undefined]);
  expect(await store.commit({ put: [["k", 2]] })).toEqual({ epoch: 0 });
});

it("a store refuses a database of a later format and names the required version if it is known", async () => {
  const name = fresh();
  const open = (version: number, needed?: string) =>
    openDB(`${name}/mount`, version, {
      upgrade(database, _before, _wanted, change) {
        if (needed === undefined) return;
        database.createObjectStore("meta");
        void change.objectStore("meta").put(needed, "version");
      },
    });
  const store = indexedDbStore(name)("mount");
  const refusal = (message: string) => ({ name: "CaError", code: "storage", message });
  (await open(3)).close();
  await expect(store.get(["k"])).rejects.toMatchObject(
    refusal("the data is stored in format 3: run a later version"),
  );
  (await open(4, "7.1.0")).close();
  for (const call of [store.get(["k"]), store.list(""), store.commit({ put: [["k", 1]] })])
    await expect(call).rejects.toMatchObject(
      refusal("the data is stored in format 4: run version 7.1.0 or later"),
    );
  await deleteDB(`${name}/mount`);
  expect(await store.get(["k"])).toEqual([undefined]);
});

/** Creates a database in the format of the first version. */
async function firstForm(name: string, rows: number): Promise<void> {
  const database = await openDB(`${name}/mount`, 1, {
    upgrade(made) {
      const held = made.createObjectStore("rows");
      for (const index of ["not_after", "name", "role", "issuer"]) held.createIndex(index, index);
      made.createObjectStore("meta");
    },
  });
  const change = database.transaction(["rows", "meta"], "readwrite");
  const held = change.objectStore("rows");
  for (let at = 0; at < rows; at += 1)
    void held.put({ value: at, rev: at + 1, not_after: 1000 - at, role: "web" }, `cert/${at}`);
  void held.put({ value: 7, rev: 5000 }, "epoch");
  void change.objectStore("meta").put(5000, "rev");
  await change.done;
  database.close();
}

it("a database of the first version is migrated: rows, revisions, epoch and indexes", async () => {
  const name = fresh();
  await firstForm(name, 300);
  // two tabs at once
  const [one, other] = [indexedDbStore(name)("mount"), indexedDbStore(name)("mount")];
  const [found, beside] = await Promise.all([
    one.list("", { by: { name: "not_after" }, limit: 2 }),
    other.list("", { by: { name: "role", from: "web", to: "web" } }),
  ]);
  expect(found).toEqual([
    ["cert/299", { value: 299, rev: 300, indexed: 701 }],
    ["cert/298", { value: 298, rev: 299, indexed: 702 }],
  ]);
  expect(beside).toHaveLength(300);
  expect(await one.commit({ epoch: "next", put: [["cert/0", "new", { role: "a" }]] })).toEqual({
    epoch: 8,
  });
  expect((await other.get(["cert/0"]))[0]).toEqual({ value: "new", rev: 5001 });
  expect((await one.list("", { by: { name: "role" }, limit: 1 }))[0]?.[0]).toBe("cert/0");
  expect(await one.list("", { by: { name: "not_after", from: 1000 } })).toEqual([]);
});

it("an interrupted migration leaves a database of the first version unchanged", async () => {
  const name = fresh();
  await firstForm(name, 20);
  // oxlint-disable-next-line typescript/unbound-method -- restored below, and called with its object
  const original = IDBCursor.prototype.update;
  let updated = 0;
  IDBCursor.prototype.update = function (this: IDBCursor, ...args) {
    if ((updated += 1) === 10) throw new DOMException("gone", "UnknownError");
    return original.apply(this, args);
  };
  try {
    await expect(indexedDbStore(name)("mount").get(["epoch"])).rejects.toMatchObject({
      code: "storage",
    });
  } finally {
    IDBCursor.prototype.update = original;
  }
  const database = await openDB(`${name}/mount`);
  expect([database.version, (await database.get("rows", "cert/3")) as unknown]).toEqual([
    1,
    { value: 3, rev: 4, not_after: 997, role: "web" },
  ]);
  database.close();
  const store = indexedDbStore(name)("mount");
  expect(await store.list("", { by: { name: "role" } })).toHaveLength(20);
});

it("a store reopens a connection that was closed during use", async () => {
  const name = fresh();
  // oxlint-disable-next-line typescript/unbound-method -- restored below, and called with its object
  const original = IDBDatabase.prototype.transaction;
  const store = indexedDbStore(name)("mount");
  await store.commit({ put: [["k", 1]] });
  IDBDatabase.prototype.transaction = function (this: IDBDatabase, ...args) {
    IDBDatabase.prototype.transaction = original;
    this.close();
    return original.apply(this, args);
  };
  expect((await store.get(["k"]))[0]?.value).toBe(1);
});

it("a commit on a full disk is refused, writes nothing, and the next commit succeeds", async () => {
  const store = indexedDbStore(fresh())("mount");
  await store.commit({ put: [["k", 1]] });
  // oxlint-disable-next-line typescript/unbound-method -- restored below, and called with its object
  const original = IDBObjectStore.prototype.put;
  let calls = 0;
  IDBObjectStore.prototype.put = function (this: IDBObjectStore, ...args) {
    if ((calls += 1) === 3) throw new DOMException("full", "QuotaExceededError");
    return original.apply(this, args);
  };
  try {
    await expect(
      store.commit({
        put: [
          ["k", 2],
          ["l", 2],
        ],
      }),
    ).rejects.toMatchObject({ code: "storage", message: "the browser's storage is full" });
  } finally {
    IDBObjectStore.prototype.put = original;
  }
  expect((await store.list("")).map(([key, { value }]) => [key, value])).toEqual([["k", 1]]);
  expect(await store.commit({ put: [["k", 3]] })).toEqual({ epoch: 0 });
});
