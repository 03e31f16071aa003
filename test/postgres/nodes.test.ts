import { afterAll, expect, it } from "vitest";
import { one, put } from "../../src/conformance/data.ts";
import { exportOf, readRest } from "../../src/conformance/export.ts";
import type { Batch, Store } from "../../src/engine/ports.ts";
import { jobKey } from "../../src/base/row-keys.ts";
import { createCa } from "../../src/index.ts";
import { postgresStore, type Lease, type PostgresStores } from "../../src/postgres/index.ts";
import { begin, increments } from "../browser/increments.ts";
import { expectOne, startThree } from "../node/ensure.ts";
import { administrator, postgresPrograms, startPostgres } from "../support/postgres.ts";

const [programs] = postgresPrograms();
if (!programs) throw new Error("there is no PostgreSQL here");
const server = await startPostgres(programs);
const opened = new Set<PostgresStores>();
const node = (schema = "sealwright"): PostgresStores => {
  const stores = postgresStore(server.url(), { schema });
  opened.add(stores);
  return stores;
};
const admin = administrator(server);
afterAll(async () => {
  await Promise.all([...opened].map((stores) => stores.close()));
  await admin.end();
  await server.stop();
});
let made = 0;
const fresh = (): string => `store ${(made += 1)}`;
const [a, b] = [node(), node()];

it("nodes that start concurrently on an empty database create its tables once", async () => {
  const nodes = Array.from({ length: 6 }, () => node("at_once"));
  const results = await Promise.all(nodes.map((stores, at) => stores("s").commit(put(`k${at}`))));
  expect(results).toEqual(nodes.map(() => ({ epoch: 0 })));
  expect(await nodes[0]?.("s").list("", { values: false })).toHaveLength(6);
});

it("three nodes that start concurrently on an empty database share one authority", async () => {
  await admin.query("CREATE DATABASE ensured");
  const created = await startThree(server.url("ensured"));
  const stores = postgresStore(server.url("ensured"));
  opened.add(stores);
  await expectOne(created, createCa({ stores, sealingKey: new Uint8Array(32).fill(7) }).pki);
});

it("the size of the stores is that of their tables on disk, and grows with rows", async () => {
  const stores = node("size_of_tables");
  const before = (await stores.size?.()) ?? 0;
  expect(before).toBeGreaterThan(8192);
  await stores("s").commit({ put: [["large", crypto.getRandomValues(new Uint8Array(60_000))]] });
  expect(await stores.size?.()).toBeGreaterThanOrEqual(before + 60_000);
});

it("concurrent writers on several nodes win each revision of a row once, and share pages and logs", async () => {
  const name = fresh();
  const stores = [a(name), b(name), node()(name)];
  await Promise.all(stores.map(begin));
  const logging = stores.flatMap((store) =>
    Array.from({ length: 40 }, (_, n) =>
      store.commit({ log: [["log/", n, 1000]], append: [["q/", Uint8Array.of(n)]] }),
    ),
  );
  await Promise.all([...stores.map((store) => increments(store, 60)), ...logging]);
  expect((await one(a(name), "n"))?.value).toBe(180);
  expect((await one(b(name), "p/00000000"))?.value).toHaveLength(180);
  expect((await one(b(name), "q/00000000"))?.value).toHaveLength(120);
  const numbers = (await a(name).list("log/")).map(([key]) => Number(key.slice(4)));
  expect(numbers).toEqual(Array.from({ length: 120 }, (_, n) => n + 1));
});

it("a batch waits for a concurrent one that writes a row it expects, whatever the order of their locks", async () => {
  const [x, y] = [a(fresh()), b(`store ${made}`)];
  for (let round = 0; round < 30; round += 1) {
    const [first, second] = [`x${round}`, `y${round}`];
    const crossed = await Promise.all([
      x.commit({ expect: [[first, null]], put: [[second, 1]] }),
      y.commit({ expect: [[second, null]], put: [[first, 1]] }),
    ]);
    // if both succeeded, no order of the two would explain the state
    expect(crossed.filter((done) => done !== undefined)).toHaveLength(1);
  }
});

it("no commit applies under an epoch that another node has replaced", async () => {
  const name = fresh();
  const stores = [a(name), b(name), node()(name)];
  let epoch = 0;
  let ended = false;
  const late: (readonly [before: number, after: number | undefined])[] = [];
  const issue = async (store: Store, id: number): Promise<void> => {
    for (let n = 0; !ended; n += 1) {
      const before = epoch;
      const key = `c/${id}/${n}`;
      const batch: Batch = { onlyAtEpoch: before, expect: [[key, null]], put: [[key, before]] };
      late.push([before, (await store.commit(batch))?.epoch]);
    }
  };
  const issuing = stores.flatMap((store, at) => [0, 1, 2].map((n) => issue(store, 3 * at + n)));
  const confirmed: number[] = [];
  for (let n = 1; n <= 25; n += 1) {
    const rows = (await a(name).list("c/")).length;
    epoch =
      (await stores[n % 3]?.commit({ epoch: "next", put: [["confirmed", rows]] }))?.epoch ?? 0;
    confirmed.push((await one(a(name), "confirmed"))?.rev ?? 0);
  }
  ended = true;
  await Promise.all(issuing);
  expect(epoch).toBe(25);
  expect(late.some(([, after]) => after === undefined)).toBe(true);
  expect(late.every(([before, after]) => after === undefined || after === before)).toBe(true);
  // revisions are in commit order: none of an epoch is later than the change that replaced it
  for (const [key, { value, rev }] of await a(name).list("c/"))
    expect([key, rev < (confirmed[Number(value)] ?? Infinity)]).toEqual([key, true]);
});

it("a batch with more rows than locks is committed exclusively", async () => {
  const name = fresh();
  const rows = (from: string) =>
    Array.from({ length: 700 }, (_, n) => [`${from}${n}x`, n, { name: `${n % 7}` }] as const);
  const done = await Promise.all([
    a(name).commit({ put: rows("a") }),
    b(name).commit({ put: rows("b"), epoch: 3 }),
    ...Array.from({ length: 20 }, (_, n) => b(name).commit({ log: [["l/", n]] })),
  ]);
  expect(done.every((one) => one !== undefined)).toBe(true);
  expect(await a(name).list("", { by: { name: "name", from: "3", to: "3" } })).toHaveLength(200);
});

it("index values are ordered by UTF-16 code units, whatever their length, and numbers by value", async () => {
  const store = a(fresh());
  const long = "n".repeat(1500);
  const texts = [
    "",
    "\0",
    "a",
    "a\0",
    "~",
    "\x7f",
    "\x80",
    "é",
    "ﬀ",
    "\ud7ff",
    "\ud800",
    "😀",
    "😁",
  ];
  const all = [...texts, "\udfff", "\ue000", "\uffff", long, `${long}a`, `${long}é`, `${long}😀`];
  const numbers = [Number.MIN_SAFE_INTEGER, -256, -1, 0, 1, 255, 256, Number.MAX_SAFE_INTEGER];
  const shuffled = all.toSorted((x, y) => ((x.length * 7) % 5) - ((y.length * 7) % 5));
  await store.commit({
    put: [
      ...shuffled.map((text, n) => [`t/${n}`, text, { text, fixed: "same" }] as const),
      ...numbers.map((number) => [`n/${number}`, number, { number }] as const),
    ],
  });
  const sorted = all.toSorted();
  const by = async (page: object) =>
    (await store.list("t/", { by: { name: "text", ...page } })).map(([, { value }]) => value);
  expect(await by({})).toEqual(sorted);
  for (const from of ["", "a\0", "\ud800", "😀", long, `${long}b`])
    for (const to of ["~", "\udfff", long, `${long}z`])
      expect(await by({ from, to })).toEqual(sorted.filter((text) => text >= from && text <= to));
  const seen: unknown[] = [];
  for (let last: [string, string] | undefined, more = true; more;) {
    const page = await store.list("t/", {
      by: { name: "text", ...(last ? { after: last } : {}) },
      limit: 3,
    });
    seen.push(...page.map(([, { value }]) => value));
    const [key, row] = page.at(-1) ?? [];
    more = key !== undefined;
    if (key !== undefined) last = [String(row?.value), key];
  }
  expect(seen).toEqual(sorted);
  const counted = await store.list("", { by: { name: "number" } });
  expect(counted.map(([, { value }]) => value)).toEqual(numbers);
  const exported = (await readRest(exportOf(store))).flatMap(({ index }) => index?.["text"] ?? []);
  expect(exported.toSorted()).toEqual(sorted);
});

it("tables in a later format are rejected, also by a node that is already running", async () => {
  const before = node("later")("s");
  await before.commit(put("a"));
  await admin.query("UPDATE later.meta SET value = '9' WHERE name = 'layout'");
  await admin.query("UPDATE later.meta SET value = '4.5.6' WHERE name = 'version'");
  const { rows } = await admin.query<{ name: string }>(
    "SELECT oid::regprocedure::text AS name FROM pg_proc WHERE pronamespace = 'later'::regnamespace",
  );
  // as a migration does
  for (const { name } of rows) await admin.query(`DROP FUNCTION ${name}`);
  for (const store of [before, node("later")("s")])
    for (const call of [
      () => store.get(["a"]),
      () => store.list(""),
      () => store.commit(put("b")),
      () => readRest(exportOf(store)),
      () => store.drop?.(),
    ])
      await expect(call()).rejects.toMatchObject({
        name: "CaError",
        code: "storage",
        message: "the data is stored in format 9: run version 4.5.6 or later",
      });
});

it("an export shows a single point in time while other nodes write, and fails if they clear or drop the store", async () => {
  const name = fresh();
  const [store, other] = [a(name), b(name)];
  await store.commit(put("a", "b", "c"));
  const parts = exportOf(store, 1);
  await parts.next();
  await other.commit({ put: [["b", 2]], del: ["c"] });
  expect((await readRest(exportOf(other, 2))).map(({ value }) => value)).toEqual(["a", 2]);
  expect((await readRest(parts)).map(({ value }) => value)).toEqual(["b", "c"]);
  for (const end of [() => other.commit({ clear: true }), () => other.drop?.()]) {
    await other.commit(put("a", "b"));
    const lost = exportOf(store, 1);
    await lost.next();
    await end();
    await expect(lost.next()).rejects.toMatchObject({ code: "storage" });
  }
  expect(await store.get(["a", "epoch"])).toEqual([undefined, undefined]);
});

it("one node at a time holds a lease, which is free again when it is released or its connection ends", async () => {
  const [first, second] = [await a.lead("jobs"), await b.lead("jobs")];
  expect([first !== undefined, second]).toEqual([true, undefined]);
  const other = await b.lead("other");
  expect(other).toBeDefined();
  await first?.release();
  await first?.lost;
  const third = await b.lead("jobs");
  expect(third).toBeDefined();
  expect(await a.lead("jobs")).toBeUndefined();
  await admin.query(
    `SELECT pg_terminate_backend(pid) FROM pg_locks
     WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND granted`,
  );
  await Promise.all([third?.lost, other?.lost]);
  // a client notices the end of its connection before the server has released its locks
  let last: Lease | undefined;
  await expect.poll(async () => (last ??= await a.lead("jobs"))).toBeDefined();
  await last?.release();
});

it("every node is notified of committed jobs, and on each new connection that it may have missed some", async () => {
  const heard: (readonly [node: string, due: number])[] = [];
  let begun = Date.now();
  const name = fresh();
  const stops = [a, b].map((stores, at) => stores.watch((due) => heard.push([`${at}`, due])));
  await expect.poll(() => heard.length).toBe(2);
  expect(heard.splice(0).every(([, due]) => due >= begun && due <= Date.now())).toBe(true);
  await a(name).commit({
    put: [
      [jobKey(5_000, "kind", "id"), 1],
      [jobKey(7_000, "kind", "id"), 1],
    ],
  });
  await a(name).commit({ expect: [["none", 1]], put: [[jobKey(1, "kind", "id"), 1]] });
  await b(name).commit({ put: [["other", 1]] });
  await expect
    .poll(() => heard.toSorted())
    .toEqual([
      ["0", 5_000],
      ["1", 5_000],
    ]);
  begun = Date.now();
  await admin.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'SELECT set_config(''idle%'",
  );
  await expect.poll(() => heard.length).toBe(4);
  expect(heard.slice(2).every(([, due]) => due >= begun && due <= Date.now())).toBe(true);
  stops[0]?.();
  await b(name).commit({ put: [[jobKey(9_000, "kind", "id"), 1]] });
  await expect.poll(() => heard.slice(4)).toEqual([["1", 9_000]]);
  stops[1]?.();
});

it("a mount in PostgreSQL has one partition; more are rejected at its creation and later", async () => {
  const ca = createCa({ stores: node("partitions"), sealingKey: new Uint8Array(32).fill(7) });
  const only = "invalid partitions 4: the storage of this deployment supports only 1";
  await expect(
    ca.sys.createMount({ path: "four", type: "pki", config: { partitions: 4 } }),
  ).rejects.toMatchObject({ status: 400, message: only });
  await ca.sys.createMount({ path: "one", type: "pki" });
  await expect(ca.sys.growPartitions({ path: "one", count: 4 })).rejects.toMatchObject({
    status: 400,
    message: only,
  });
  await ca.sys.growPartitions({ path: "one", count: 1 });
  await expect(ca.sys.stopPartitions({ path: "one" })).rejects.toMatchObject({ status: 409 });
  expect((await ca.sys.readPartitions({ path: "one" })).count).toBe(1);
});
