import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type {
  DurableObjectNamespace,
  DurableObjectState,
  DurableObjectStorage,
} from "@cloudflare/workers-types";
import { expect, it } from "vitest";
import { encode } from "../../src/base/encoding.ts";
import { storeOf } from "../../src/store/sql/store.ts";
import { durableRows, remoteStore, type RemoteStore } from "../../worker/store.ts";
import { layoutSteps } from "../../src/store/sql/tables.ts";

const { MOUNT } = env as { MOUNT: DurableObjectNamespace };
let opened = 0;
const fresh = () => MOUNT.get(MOUNT.idFromName(`layout-${(opened += 1)}`));
const inside = (run: (state: DurableObjectState) => Promise<void>): Promise<void> =>
  runInDurableObject(fresh(), (_, state) => run(state));
const storeIn = (storage: DurableObjectStorage) => storeOf(durableRows(storage));

/** Creates tables in the first layout, with some rows. */
function firstLayout({ sql }: DurableObjectStorage): void {
  sql.exec(`
    CREATE TABLE rows (
      id INTEGER PRIMARY KEY, key TEXT NOT NULL, rev INTEGER NOT NULL, value BLOB NOT NULL, not_after INTEGER, name TEXT, role TEXT, issuer TEXT
    ) STRICT;
    CREATE UNIQUE INDEX rows_key ON rows (key);
    CREATE INDEX rows_not_after ON rows (not_after) WHERE not_after IS NOT NULL;
    CREATE INDEX rows_name ON rows (name) WHERE name IS NOT NULL;
    CREATE INDEX rows_role ON rows (role) WHERE role IS NOT NULL;
    CREATE INDEX rows_issuer ON rows (issuer) WHERE issuer IS NOT NULL;
    CREATE TABLE parts (row INTEGER NOT NULL, n INTEGER NOT NULL, value BLOB NOT NULL, PRIMARY KEY (row, n)) STRICT, WITHOUT ROWID;
    CREATE TABLE meta (name TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;
    INSERT INTO meta VALUES ('reserved', 1048576), ('name', 'm'), ('writer', 'another');
  `);
  const insert =
    "INSERT INTO rows (key, rev, value, not_after, name, role, issuer) VALUES (?, ?, ?, ?, ?, ?, ?)";
  for (let at = 0; at < 50; at += 1)
    sql.exec(insert, `cert/${at}`, at + 1, encode(at), 1000 - at, `n${at % 10}`, "web", "i");
  sql.exec(insert, "epoch", 900, encode(7), null, null, null, null);
}

/** Asserts the contents of a migrated store, and that it accepts writes. */
async function works(storage: DurableObjectStorage): Promise<void> {
  const store = storeIn(storage);
  const by = async (name: string, from?: string | number) =>
    (await store.list("cert/", { by: from === undefined ? { name } : { name, from, to: from } }))
      .length;
  expect([await by("not_after"), await by("name", "n3"), await by("role", "web")]).toEqual([
    50, 5, 50,
  ]);
  expect((await store.list("", { by: { name: "not_after" }, limit: 1 }))[0]).toEqual([
    "cert/49",
    { value: 49, rev: 50, indexed: 951 },
  ]);
  expect(
    await store.commit({ onlyAtEpoch: 7, epoch: "next", put: [["new", 1, { issuer: "i" }]] }),
  ).toEqual({
    epoch: 8,
  });
  expect((await store.get(["new"]))[0]?.rev).toBe(1_048_577);
  expect(await by("issuer", "i")).toBe(50);
  expect(await store.list("", { by: { name: "issuer", from: "i" } })).toHaveLength(51);
  const columns = [...storage.sql.exec("SELECT name FROM pragma_table_info('rows')").raw()];
  expect(columns.flat()).toEqual(["id", "key", "rev", "value", "at0", "at1", "at2", "at3"]);
}

it("migrates tables of the first layout; repeating the migration changes nothing", () =>
  inside(async ({ storage }) => {
    firstLayout(storage);
    await works(storage);
    const meta = () => [...storage.sql.exec("SELECT * FROM meta ORDER BY name").raw()];
    const before = meta();
    expect(before).toContainEqual(["layout", 2]);
    for (const step of layoutSteps) storage.transactionSync(() => step(storage.sql));
    expect(meta()).toEqual(before);
    expect((await storeIn(storage).get(["new"]))[0]?.value).toBe(1);
  }));

it.each(layoutSteps.map((_, done) => [done]))(
  "resumes a migration that was interrupted after %i steps",
  (done) =>
    inside(async ({ storage }) => {
      firstLayout(storage);
      for (const step of layoutSteps.slice(0, done))
        storage.transactionSync(() => step(storage.sql));
      await works(storage);
    }),
);

it("two stores that open tables of the first layout concurrently both find them migrated", () =>
  inside(async ({ storage }) => {
    firstLayout(storage);
    const [one, other] = [storeIn(storage), storeIn(storage)];
    const [found, beside] = await Promise.all([
      one.list("", { by: { name: "role" } }),
      other.commit({ put: [["a", 1, { role: "b" }]] }),
    ]);
    expect([found.length, beside]).toEqual([50, { epoch: 7 }]);
    expect((await one.list("", { by: { name: "role" }, limit: 1 }))[0]?.[0]).toBe("a");
  }));

it("an object rejects tables of a newer layout without writing, and names the version that reads them", async () => {
  const object = fresh();
  const store = remoteStore(() => object as unknown as RemoteStore, "later");
  await store.commit({ epoch: "next", put: [["a", 1]] });
  const rows = () =>
    runInDurableObject(object, async (_, { storage }) => [
      ...storage.sql.exec("SELECT key, rev FROM rows").raw(),
      ...storage.sql.exec("SELECT name, value FROM meta").raw(),
    ]);
  await runInDurableObject(object, async (_, { storage }) => {
    storage.sql.exec("UPDATE meta SET value = 9 WHERE name = 'layout'");
    storage.sql.exec("UPDATE meta SET value = '7.1.0' WHERE name = 'version'");
  });
  await evictDurableObject(object);
  const before = await rows();
  const calls = [
    () => store.get(["a"]),
    () => store.list(""),
    () => store.epoch?.(),
    () => store.commit({ put: [["b", 1]] }),
  ];
  for (const call of calls)
    await expect(call()).rejects.toMatchObject({
      name: "CaError",
      code: "storage",
      message: "the data is stored in format 9: run version 7.1.0 or later",
    });
  expect(await rows()).toEqual(before);
});
