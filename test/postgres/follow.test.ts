import { Pool } from "pg";
import { afterAll, expect, it } from "vitest";
import { one, put } from "../../src/conformance/data.ts";
import { connectionsOf } from "../../src/postgres/connections.ts";
import { Follower } from "../../src/postgres/follow.ts";
import { postgresStore, type PostgresStores } from "../../src/postgres/index.ts";
import { layoutOf } from "../../src/postgres/layout.ts";
import { administrator, postgresPrograms, startPostgres } from "../support/postgres.ts";

const [programs] = postgresPrograms();
if (!programs) throw new Error("there is no PostgreSQL here");
const server = await startPostgres(programs);
const admin = administrator(server);
const opened = new Set<PostgresStores>();
const open = (database: string | Pool = server.url()): PostgresStores => {
  const stores = postgresStore(database);
  opened.add(stores);
  return stores;
};
afterAll(async () => {
  await Promise.all([...opened].map((stores) => stores.close()));
  await admin.end();
  await server.stop();
});

/** Returns the notifications of a node, as `store: keys`, since the last call. */
function follow(stores: PostgresStores) {
  const told: string[] = [];
  const catchUp = stores.follow((store, keys) => told.push(`${store}: ${keys?.join() ?? "any"}`));
  return async (): Promise<readonly string[]> => {
    await catchUp();
    return told.splice(0);
  };
}
const [a, b] = [open(), open()];
const [ofA, ofB] = [follow(a), follow(b)];
a("s");
b("s");

it("a node is notified of everything that others committed before its query, and of nothing else", async () => {
  expect([await ofA(), await ofB()]).toEqual([["s: any"], ["s: any"]]);
  await a("s").commit({ put: [["k", 1]], del: ["gone"], epoch: "next" });
  await a("s").commit({ expect: [["none", 1]], put: [["k", 2]] });
  await a("s").commit({ log: [["log/", 1]] });
  await a("other").commit(put("x"));
  expect(await ofB()).toEqual(["s: k,gone,epoch", "s: ", "other: x"]);
  expect([await ofB(), await ofA()]).toEqual([[], []]);
  await b("s").commit({ clear: true });
  await b("other").drop?.();
  expect(await ofA()).toEqual(["s: any", "other: any"]);
});

it("a transaction that commits after transactions that began later is not missed", async () => {
  await ofB();
  const late = await admin.connect();
  await late.query("BEGIN");
  await late.query("SELECT pg_current_xact_id()");
  const insert = `INSERT INTO sealwright.changes VALUES (pg_current_xact_id(), 'c', 's', '["late"]')`;
  await late.query(insert);
  await a("s").commit(put("early"));
  expect(await ofB()).toEqual(["s: early"]);
  await a("s").commit(put("next"));
  await late.query("COMMIT");
  late.release();
  expect((await ofB()).toSorted()).toEqual(["s: late", "s: next"]);
  expect(await ofB()).toEqual([]);
});

it("concurrent callers share one query, which starts after each of their calls", async () => {
  const pool = new Pool({ connectionString: server.url() });
  let queries = 0;
  pool.on("connect", (client) => {
    const query = client.query.bind(client);
    // counts without changing the driver's behavior
    client.query = ((...words: Parameters<typeof query>) => {
      queries += JSON.stringify(words[0]).includes("changed_") ? 1 : 0;
      return query(...words);
    }) as typeof client.query;
  });
  const stores = open(pool);
  const asked = follow(stores);
  await asked();
  const before = queries;
  await Promise.all(Array.from({ length: 50 }, asked));
  expect(queries - before).toBe(1);
  await stores.close();
  await pool.end();
});

it("a node that has missed many changes drops everything that it has read", async () => {
  await ofB();
  for (let n = 0; n < 260; n += 1) await a("s").commit(put(`k${n}`));
  expect(await ofB()).toEqual(["s: any", "other: any"]);
  expect(await ofB()).toEqual([]);
});

it("old changes are removed, and a node that had not read them drops everything", async () => {
  const connections = connectionsOf(server.url());
  const layout = layoutOf(connections, "sealwright");
  const shared = { connections, layout, schema: "sealwright", origin: "c" };
  let elapsed = 0;
  const catchUp = new Follower(
    shared,
    () => ["s"],
    () => elapsed,
  ).follow(() => undefined);
  const rows = async (): Promise<number> =>
    Number((await admin.query("SELECT count(*) AS n FROM sealwright.changes")).rows[0]?.n);
  await ofB();
  await catchUp();
  await a("s").commit(put("late"));
  await catchUp();
  expect(await rows()).toBeGreaterThan(100);
  for (elapsed = 60_000; elapsed <= 180_000; elapsed += 60_000) await catchUp();
  await expect.poll(rows).toBe(0);
  expect(await ofB()).toEqual(["s: any", "other: any"]);
  expect(await ofB()).toEqual([]);
  await connections.close();
});

it("a node drops its caches after a crash of the server, and rejects calls at once while it is away", async () => {
  await Promise.all([ofA(), ofB()]);
  await a("s").commit(put("before"));
  await server.kill();
  expect(await ofB()).toEqual(["s: any", "other: any"]);
  await expect(b("s").get(["before"])).rejects.toMatchObject({ code: "storage" });
  await server.start();
  // the first call after the restart queries the server again
  expect(await ofB()).toEqual(["s: any", "other: any"]);
  expect((await one(b("s"), "before"))?.value).toBe("before");
  await a("s").commit(put("after"));
  await expect.poll(ofB).toContain("s: after");
});
