import { inspect } from "node:util";
import { Pool } from "pg";
import { afterAll, expect, it } from "vitest";
import { one, put } from "../../src/conformance/data.ts";
import { exportOf, readRest } from "../../src/conformance/export.ts";
import { postgresStore, type PostgresStores } from "../../src/postgres/index.ts";
import { freePort } from "../support/ports.ts";
import { administrator, postgresPrograms, startPostgres } from "../support/postgres.ts";

const [programs] = postgresPrograms();
if (!programs) throw new Error("there is no PostgreSQL here");
const server = await startPostgres(programs);
const admin = administrator(server);
const { port } = server;
const at = `127.0.0.1:${port}`;
afterAll(async () => {
  await admin.end();
  await server.stop();
});
await admin.query("CREATE USER guarded PASSWORD 'a-secret'");
await admin.query("CREATE USER locked NOLOGIN PASSWORD 'a-secret'");
await admin.query("CREATE DATABASE closed");
await admin.query("REVOKE CONNECT ON DATABASE closed FROM PUBLIC");

/** Returns the errors of the first read and the first commit. */
async function refusals(stores: PostgresStores): Promise<readonly string[]> {
  const errors = await Promise.all([
    stores("s")
      .get(["a"])
      .catch((error: unknown) => error),
    stores("s")
      .commit(put("a"))
      .catch((error: unknown) => error),
  ]);
  await stores.close();
  for (const error of errors) {
    expect(error).toMatchObject({ name: "CaError", code: "storage" });
    // as a log might print it
    expect(inspect(error, { depth: 9 })).not.toContain("secret");
  }
  return errors.map((error) => (error as Error).message);
}
const free = await freePort();

it.each<[string, string, string]>([
  [
    "an unreachable server",
    `postgres://u:a-secret@127.0.0.1:${free}/d`,
    `cannot connect to PostgreSQL at 127.0.0.1:${free}: connect ECONNREFUSED 127.0.0.1:${free}`,
  ],
  [
    "an unknown host",
    "postgres://u:a-secret@none.invalid/d",
    "cannot connect to PostgreSQL at none.invalid:5432: getaddrinfo ENOTFOUND none.invalid",
  ],
  [
    "a missing socket",
    "postgres://u:a-secret@%2Fnowhere/d",
    "cannot connect to PostgreSQL at /nowhere: connect ENOENT /nowhere/.s.PGSQL.5432",
  ],
  [
    "a wrong password",
    `postgres://guarded:another-secret@${at}/postgres`,
    `PostgreSQL at ${at} rejected the password of the user "guarded"`,
  ],
  [
    "a missing password",
    `postgres://guarded@${at}/postgres`,
    `PostgreSQL at ${at} requires a password for the user "guarded"`,
  ],
  [
    "a user who is not allowed to log in",
    `postgres://locked:a-secret@${at}/postgres`,
    `PostgreSQL at ${at} does not let the user "locked" log in`,
  ],
  [
    "a missing database",
    `postgres://guarded:a-secret@${at}/none`,
    `PostgreSQL at ${at} has no database "none"`,
  ],
  [
    "a database to which the user is not allowed to connect",
    `postgres://guarded:a-secret@${at}/closed`,
    `PostgreSQL at ${at} does not let the user "guarded" connect to the database "closed"`,
  ],
  [
    "a missing privilege to create a schema",
    `postgres://guarded:a-secret@${at}/postgres`,
    'the user "guarded" is not allowed to create or use the schema "sealwright" in the database "postgres"',
  ],
])(
  "the PostgreSQL store reports %s in one sentence, without the password",
  async (_, url, message) => {
    expect(await refusals(postgresStore(url))).toEqual([message, message]);
  },
);

it("a user without permission to create a schema can use one that the administrator has created", async () => {
  await admin.query("CREATE SCHEMA prepared AUTHORIZATION guarded");
  const url = `postgres://guarded:a-secret@${at}/postgres`;
  const stores = postgresStore(url, { schema: "prepared" });
  await stores("s").commit(put("a"));
  expect((await one(stores("s"), "a"))?.value).toBe("a");
  await stores.close();
});

it("the store reports a read-only database, and uses it again once it accepts writes", async () => {
  const stores = postgresStore(server.url());
  await stores("s").commit(put("a"));
  await admin.query("ALTER DATABASE postgres SET default_transaction_read_only = on");
  const reader = postgresStore(server.url());
  await expect(reader("s").commit(put("b"))).rejects.toMatchObject({
    code: "storage",
    message: `the commit failed, and nothing was changed: PostgreSQL at ${at} is read-only: connect to the primary server`,
  });
  expect((await one(reader("s"), "a"))?.value).toBe("a");
  await admin.query("ALTER DATABASE postgres RESET default_transaction_read_only");
  expect(await stores("s").commit(put("b"))).toEqual({ epoch: 0 });
  await Promise.all([stores.close(), reader.close()]);
});

it("a statement that the server rejects changes nothing, and the next one succeeds", async () => {
  const stores = postgresStore(server.url(), { schema: "refusing" });
  const store = stores("s");
  await store.commit(put("a"));
  await admin.query(
    `ALTER TABLE refusing.rows ADD CONSTRAINT no_b CHECK (key <> '\\x62') NOT VALID`,
  );
  const results = await Promise.allSettled([store.commit(put("b")), store.commit(put("c"))]);
  for (const result of results)
    expect(result).toMatchObject({ status: "rejected", reason: { code: "storage" } });
  expect(await store.commit(put("d"))).toEqual({ epoch: 0 });
  expect((await store.list("")).map(([key]) => key)).toEqual(["a", "d"]);
  await stores.close();
});

it("a pool of the caller is used, whatever its settings, and is not closed", async () => {
  const options =
    "-c default_transaction_isolation=serializable -c synchronous_commit=off -c bytea_output=escape";
  const pool = new Pool({ connectionString: server.url(), max: 5, options });
  const stores = postgresStore(pool, { schema: "of_pool" });
  await Promise.all(Array.from({ length: 20 }, (_, n) => stores(`${n % 5}`).commit(put(`k${n}`))));
  expect((await stores("3").list("")).map(([key]) => key).toSorted()).toEqual([
    "k13",
    "k18",
    "k3",
    "k8",
  ]);
  await stores.close();
  expect((await pool.query("SELECT 1 AS n")).rows).toEqual([{ n: 1 }]);
  await pool.end();
});

it("a pool reserves one connection for commits, and rejects further leases, watches and exports", async () => {
  const pool = new Pool({ connectionString: server.url(), max: 5 });
  const stores = postgresStore(pool, { schema: "of_pool" });
  await stores("s").commit(put("a", "b"));
  const leases = await Promise.all(["a", "b", "c", "e"].map((name) => stores.lead(name)));
  expect(leases.every((lease) => lease !== undefined)).toBe(true);
  const message =
    /^leases, watches, exports and the change listener hold all but one of the pool's 5 PostgreSQL connections/;
  await expect(stores.lead("d")).rejects.toThrow(message);
  expect(await stores("s").commit(put("c"))).toEqual({ epoch: 0 });
  await leases[0]?.release();
  for (let tries = 0; tries < 20; tries += 1) expect(await stores.lead("b")).toBeUndefined();
  expect(await readRest(exportOf(stores("s"), 1))).toHaveLength(3);
  await leases[1]?.release();
  await (await stores.lead("b"))?.release();
  await stores.close();
  await pool.end();
});

it("closed stores reject calls with a storage error, and pending calls complete", async () => {
  const stores = postgresStore(server.url());
  const store = stores("closing");
  await store.commit(put("a"));
  const [late, read] = [store.commit(put("b")), store.get(["a"])];
  await new Promise((resolve) => setImmediate(resolve));
  const lease = await stores.lead("something");
  const parts = store.export?.(1)[Symbol.asyncIterator]();
  await parts?.next();
  await stores.close();
  expect([await late, (await read).length]).toEqual([{ epoch: 0 }, 1]);
  await lease?.lost;
  await expect(parts?.next()).rejects.toMatchObject({ code: "storage" });
  for (const call of [() => store.get(["a"]), () => store.commit(put("c")), () => stores.lead("x")])
    await expect(call()).rejects.toMatchObject({
      code: "storage",
      message: "the stores were closed",
    });
});

it("the PostgreSQL store rejects invalid URLs, pools, options and names, and never shows a URL", async () => {
  for (const url of [
    "",
    "http://u:a-secret@h/d",
    "u:a-secret@h/d",
    "postgres://u:a-secret@h:port/d",
  ])
    expect(() => postgresStore(url)).toThrow(
      new TypeError(
        "postgresStore requires a URL such as postgres://user:password@host:5432/database",
      ),
    );
  const small = new Pool({ connectionString: server.url(), max: 4 });
  for (const tooFew of [
    () => postgresStore(small),
    () => postgresStore(server.url(), { connections: 4 }),
  ])
    expect(tooFew).toThrow(new TypeError("the pool has 4 connections, but needs at least 5"));
  for (const schema of ["", "A", "a-b", 'a"b', "1a", "x".repeat(49)])
    expect(() => postgresStore(server.url(), { schema })).toThrow(
      /^a schema name must consist of 1 to 48 characters from a-z, 0-9/,
    );
  expect(() => postgresStore(server.url(), { scheme: "x" } as object)).toThrow(
    /unknown option scheme; known options: schema, connections/,
  );
  const stores = postgresStore(server.url());
  for (const name of ["a\0b", "\ud800"])
    expect(() => stores(name)).toThrow(
      /^the name of a store must not contain NUL or unpaired surrogates/,
    );
  await stores.close();
});
