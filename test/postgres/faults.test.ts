import { setTimeout as wait } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import { CaError } from "../../src/base/errors.ts";
import { exportOf, readRest } from "../../src/conformance/export.ts";
import type { Batch, Store } from "../../src/engine/ports.ts";
import { postgresStore, type PostgresStores } from "../../src/postgres/index.ts";
import { print } from "../support/output.ts";
import { administrator, postgresPrograms, startPostgres } from "../support/postgres.ts";
import { chanceOf } from "../store/partitions/growing-world.ts";
import { startProxy } from "./proxy.ts";

const [programs] = postgresPrograms();
if (!programs) throw new Error("there is no PostgreSQL here");
const server = await startPostgres(programs);
const proxy = await startProxy(server.port);
const admin = administrator(server);
const direct = postgresStore(server.url());
afterAll(async () => {
  await Promise.all([direct.close(), admin.end()]);
  await proxy.close();
  await server.stop();
});

/** Returns a batch of several rows that would show whether it was applied twice. */
const change = (key: string): Batch => ({
  expect: [[`a/${key}`, null]],
  put: [
    [`a/${key}`, key, { name: "n" }],
    [`b/${key}`, key],
  ],
  append: [["p/", Uint8Array.of(1)]],
  log: [["log/", key]],
});
/**
 * Commits a batch and reports whether the commit was acknowledged. Any error must be a storage
 * error.
 */
async function isAcknowledged(store: Store, batch: Batch): Promise<boolean> {
  try {
    expect(await store.commit(batch)).toBeDefined();
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(CaError);
    expect(error).toMatchObject({ code: "storage" });
    return false;
  }
}
/**
 * Asserts that each acknowledged change is stored, and that no change is stored in part or twice.
 */
async function expectWhole(store: Store, acknowledged: readonly string[]): Promise<void> {
  const keys = async (prefix: string) =>
    (await store.list(prefix)).map(([, { value }]) => String(value)).toSorted();
  const stored = await keys("a/");
  expect(stored).toEqual(expect.arrayContaining([...acknowledged]));
  expect(await keys("b/")).toEqual(stored);
  expect(await keys("log/")).toEqual(stored);
  expect(await store.list("", { by: { name: "name" } })).toHaveLength(stored.length);
  const pages = await store.list("p/");
  const bytes = pages.reduce((sum, [, { value }]) => sum + (value as Uint8Array).length, 0);
  expect(bytes).toBe(stored.length);
}

/**
 * Makes calls on a node whose connections are cut at one message. Returns the acknowledged keys.
 */
async function playCut(node: PostgresStores, name: string): Promise<string[]> {
  const store = node(name);
  const acknowledged: string[] = [];
  const commit = async (key: string): Promise<void> => {
    if (await isAcknowledged(store, change(key))) acknowledged.push(key);
  };
  await Promise.all([commit("1"), commit("2")]);
  await commit("3");
  // reads are retried, which is harmless
  expect((await store.list("a/")).map(([, { value }]) => value)).toEqual(
    expect.arrayContaining(acknowledged),
  );
  expect(await store.get(["none"])).toEqual([undefined]);
  await isAcknowledged(store, { epoch: "next" });
  return acknowledged;
}

it("a connection cut at any message loses no acknowledged change, and applies none twice", async () => {
  let cuts = 0;
  for (let isCut = true; isCut; cuts += 1) {
    const node = postgresStore(`postgres://postgres@127.0.0.1:${proxy.port}/postgres`);
    const name = `cut at ${cuts}`;
    proxy.cutAt(cuts + 1);
    // the first call may fail if it is a read
    const acknowledged = await playCut(node, name).catch((error: unknown) => {
      expect(error).toMatchObject({ code: "storage" });
      return [];
    });
    isCut = proxy.messages() > cuts;
    await node.close();
    await expectWhole(direct(name), acknowledged);
    const key = "after";
    expect(await isAcknowledged(direct(name), change(key))).toBe(true);
  }
  expect(cuts).toBeGreaterThan(60);
});

it("a commit whose connection is lost while it waits for a lock is decided before the caller gets the error", async () => {
  const node = postgresStore(`postgres://postgres@127.0.0.1:${proxy.port}/postgres`);
  const store = node("waiting");
  await store.commit(change("1"));
  const other = await admin.connect();
  // locks a row that the next commit of the store needs
  await other.query("BEGIN");
  const { rows } = await other.query<{ source: string }>(
    "SELECT prosrc AS source FROM pg_proc WHERE proname = 'commit_1'",
  );
  const [, lock = ""] = /int8 := (hashtextextended.*);/.exec(rows[0]?.source ?? "") ?? [];
  await other.query(`SELECT pg_advisory_xact_lock(${lock.replace("store_name", "'waiting'")})`);
  proxy.cutAt(Infinity);
  const late = isAcknowledged(store, change("2"));
  const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'advisory'";
  await expect.poll(async () => (await other.query(waiting)).rowCount).toBe(1);
  proxy.cutNow();
  expect(await late).toBe(false);
  await other.query("COMMIT");
  other.release();
  await node.close();
  expect(await direct("waiting").get(["a/2"])).toEqual([undefined]);
});

it("a server that shuts down just when a connection becomes ready does not end the process", async () => {
  const node = postgresStore(`postgres://postgres@127.0.0.1:${proxy.port}/postgres`);
  proxy.cutAt(Infinity);
  proxy.shutDownNext();
  const first = node("shut down").get(["a/1"]);
  await first.catch((error: unknown) => expect(error).toMatchObject({ code: "storage" }));
  expect(await isAcknowledged(node("shut down"), change("1"))).toBe(true);
  await node.close();
});

it("an export that is cut at any message fails or is complete", async () => {
  const name = "exported";
  for (const key of ["1", "2", "3"]) await direct(name).commit(change(key));
  const wanted = await readRest(exportOf(direct(name)));
  let whole = 0;
  // most messages open connections, which the test of commits has already cut one by one
  for (let cut = 1; whole === 0; cut += cut % 3 === 0 ? 2 : 1) {
    const node = postgresStore(`postgres://postgres@127.0.0.1:${proxy.port}/postgres`);
    await node(name).get(["a/1"]);
    proxy.cutAt(cut);
    try {
      expect(await readRest(exportOf(node(name), 2))).toEqual(wanted);
      if (proxy.messages() < cut) whole += 1;
    } catch (error) {
      expect(error).toMatchObject({ code: "storage" });
    }
    await node.close();
  }
});

/** Writes until it is stopped, and records acknowledged writes. */
function writer(store: Store, id: string) {
  const acknowledged: string[] = [];
  let isStopped = false;
  const run = async (): Promise<void> => {
    for (let n = 0; !isStopped; n += 1) {
      const key = `${id}/${n}`;
      if (await isAcknowledged(store, change(key))) acknowledged.push(key);
      // a stopped server fails at once
      else await wait(5);
    }
  };
  const running = run();
  return {
    acknowledged,
    stop: async () => {
      isStopped = true;
      await running;
    },
  };
}
const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));
async function underLoad(name: string, harm: () => Promise<void>, rounds: number): Promise<void> {
  print(`seed ${seed}`);
  const random = chanceOf(seed);
  const nodes = [postgresStore(server.url()), postgresStore(server.url())];
  const writers = nodes.flatMap((node, at) =>
    [0, 1, 2, 3].map((n) => writer(node(name), `${at}.${n}`)),
  );
  const count = (): number => writers.reduce((sum, one) => sum + one.acknowledged.length, 0);
  const recovered = (before: number) => expect.poll(count).toBeGreaterThan(before);
  for (let round = 0; round < rounds; round += 1) {
    await recovered(count());
    // the next fault hits at a random point of later changes
    await wait(random() * 30);
    await harm();
  }
  await recovered(count());
  await Promise.all(writers.map(({ stop }) => stop()));
  await expectWhole(
    direct(name),
    writers.flatMap((one) => one.acknowledged),
  );
  await Promise.all(nodes.map((node) => node.close()));
}

it("terminating backends under load loses no acknowledged change", async () => {
  const query = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'sealwright' AND random() < 0.5`;
  await underLoad("terminated", async () => void (await admin.query(query)), 25);
});

it("a server crash under load loses no acknowledged change", async () => {
  const crash = async (): Promise<void> => {
    await server.kill();
    await server.start();
  };
  await underLoad("crashed", crash, 4);
});
