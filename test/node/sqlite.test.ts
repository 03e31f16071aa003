import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, it, vi } from "vitest";
import { createCa } from "../../src/index.ts";
import { fileKey, sqliteStore } from "../../src/node/index.ts";
import { begin, increments } from "../browser/increments.ts";
import { one, put } from "../../src/conformance/data.ts";
import { exportOf, readRest } from "../../src/conformance/export.ts";
import { expectOne, startThree } from "./ensure.ts";
import { storeConformance } from "../conformance/store.ts";
import { sqliteFiles } from "../support/sqlite-files.ts";

const folder = mkdtempSync(join(tmpdir(), "sealwright-sqlite-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let made = 0;
const fresh = (): string => join(folder, `${(made += 1)}.db`);

const shared = sqliteFiles(folder, 4);
let opened = 0;
storeConformance("SQLite in Node", async () => shared()(`Store ${(opened += 1)}/é`), {
  fixed: 200,
  fresh: 50,
  steps: 8,
});

const start = (act: string, file: string) =>
  spawn(process.execPath, [join(import.meta.dirname, "sqlite-process.ts"), act, file], {
    stdio: ["ignore", "pipe", "inherit"],
  });

it("four processes that create the same file concurrently lose no increment of a row", async () => {
  const file = fresh();
  const others = Array.from({ length: 3 }, () => once(start("increments", file), "exit"));
  const store = sqliteStore(file)("mount");
  await begin(store);
  await increments(store, 200);
  expect((await Promise.all(others)).map(([code]: unknown[]) => code)).toEqual([0, 0, 0]);
  expect((await one(store, "n"))?.value).toBe(800);
  expect((await one(store, "p/00000000"))?.value).toHaveLength(800);
});

/** Returns the number of locks that this process has on a file, as reported by Linux. */
function locksOn(file: string): number {
  const inode = new RegExp(` ${process.pid} \\S+:${statSync(file).ino} `);
  return readFileSync("/proc/locks", "utf8")
    .split("\n")
    .filter((line) => inode.test(line)).length;
}

it.skipIf(!existsSync("/proc/locks"))(
  "opening a file twice in a process does not release its locks",
  async () => {
    const file = fresh();
    await begin(sqliteStore(file)("mount"));
    const held = locksOn(file);
    expect(held).toBeGreaterThan(0);
    await one(sqliteStore(file)("mount"), "n");
    expect(locksOn(file)).toBe(held);
  },
);

it("killed processes lose no acknowledged write and leave no write half-applied", async () => {
  const file = fresh();
  for (let round = 0; round < 4; round += 1) {
    const running = [start("writes", file), start("writes", file)];
    const acknowledged = await Promise.all(
      running.map(async (child) => {
        let last = 0;
        const ended = once(child, "close");
        for await (const line of createInterface({ input: child.stdout })) {
          last = Number(line);
          if (last >= 60 + round * 7) child.kill("SIGKILL");
        }
        await ended;
        return [child.pid, last] as const;
      }),
    );
    const stores = sqliteStore(file);
    const store = stores("mount");
    const [a, b] = [await store.list("a/"), await store.list("b/")];
    expect(a.map(([key, { value, rev }]) => [key.slice(2), value, rev])).toEqual(
      b.map(([key, { value, rev }]) => [key.slice(2), value, rev]),
    );
    for (const [pid, last] of acknowledged)
      for (const n of [1, 50, last])
        expect((await one(store, `a/${pid}/${n}`))?.value).toMatchObject({ n });
    const pages = (await store.list("p/")) as readonly (readonly [string, { value: Uint8Array }])[];
    expect(pages.reduce((sum, [, { value }]) => sum + value.length, 0)).toBe(a.length);
    expect(await store.list("log/")).toHaveLength(a.length);
    expect(await store.list("a/", { by: { name: "name" } })).toHaveLength(a.length);
    const database = new DatabaseSync(file, { readOnly: true });
    expect(database.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
    database.close();
    stores.close();
  }
});

it("rows, epoch and increasing revisions survive a restart, separately for each store", async () => {
  const file = fresh();
  const revisions: number[] = [];
  for (let life = 1; life <= 3; life += 1) {
    const stores = sqliteStore(file);
    await stores("sys").commit({ epoch: "next", put: [["a", life]] });
    expect(await one(stores("other"), "a")).toBeUndefined();
    expect(await one(stores("SYS"), "a")).toBeUndefined();
    revisions.push((await one(stores("sys"), "a"))?.rev ?? 0);
    await stores("sys").commit({ del: ["a"] });
    stores.close();
    await expect(stores("sys").get(["a"])).rejects.toMatchObject({ code: "storage" });
    await expect(stores("sys").commit(put("a"))).rejects.toMatchObject({ code: "storage" });
  }
  expect(revisions).toEqual([...new Set(revisions)].sort((x, y) => x - y));
  expect((await one(sqliteStore(file)("sys"), "epoch"))?.value).toBe(3);
});

it("reads and commits wait for another process that is writing", async () => {
  const file = fresh();
  const store = sqliteStore(file)("mount");
  await store.commit(put("a"));
  const holding = spawn(process.execPath, [
    "-e",
    `const { DatabaseSync } = require("node:sqlite");
    const database = new DatabaseSync(process.argv[1]);
    database.exec("BEGIN IMMEDIATE");
    process.stdout.write("held");
    setTimeout(() => database.exec("COMMIT"), 300);`,
    file,
  ]);
  await once(holding.stdout, "data");
  expect((await one(store, "a"))?.value).toBe("a");
  expect(await store.commit(put("b"))).toEqual({ epoch: 0 });
});

it("a SQLite store does not block the event loop while another process writes", async () => {
  const file = fresh();
  const store = sqliteStore(file)("mount");
  await store.commit(put("a"));
  // like another process: a separate connection, whose transaction only this event loop ends
  const other = new DatabaseSync(file);
  other.exec("BEGIN IMMEDIATE");
  const [first, second] = [store.commit(put("b")), store.commit(put("c"))];
  for (let turns = 0; turns < 200; turns += 1)
    await new Promise((resolve) => setImmediate(resolve));
  expect((await one(store, "a"))?.value).toBe("a");
  expect(await one(store, "b")).toBeUndefined();
  other.exec("COMMIT");
  other.close();
  expect(await Promise.all([first, second])).toEqual([{ epoch: 0 }, { epoch: 0 }]);
});

it("an export returns the rows as of its start despite other writers, and fails once they are cleared", async () => {
  const file = fresh();
  const [store, other] = [sqliteStore(file)("mount"), sqliteStore(file)("mount")];
  await store.commit(put("a", "b", "c"));
  const parts = exportOf(store, 1);
  await parts.next();
  await other.commit({ put: [["b", 2]], del: ["c"] });
  const beside = exportOf(other, 2);
  expect((await readRest(beside)).map(({ value }) => value)).toEqual(["a", 2]);
  expect((await readRest(parts)).map(({ value }) => value)).toEqual(["b", "c"]);
  for (const end of [() => other.commit({ clear: true }), () => other.drop?.()]) {
    await other.commit(put("a", "b"));
    const lost = exportOf(store, 1);
    await lost.next();
    await end();
    await expect(lost.next()).rejects.toMatchObject({ code: "storage" });
  }
});

it("a dropped store is empty in every process, and its space is reused", async () => {
  const file = fresh();
  const [stores, others] = [sqliteStore(file), sqliteStore(file)];
  const value = new Uint8Array(4_000_000);
  let size = 0;
  for (let round = 0; round < 4; round += 1) {
    await stores("m").commit({ epoch: "next", put: [["a", value, { name: "n" }]] });
    expect((await one(others("m"), "a"))?.value).toHaveLength(value.length);
    const rev = (await one(others("m"), "a"))?.rev ?? 0;
    await (round % 2 ? stores : others)("m").drop?.();
    for (const of of [stores, others]) {
      expect(await of("m").get(["a", "epoch"])).toEqual([undefined, undefined]);
      expect(await of("m").commit({ expect: [["a", rev]], put: [["a", 1]] })).toBeUndefined();
    }
    await others("m").commit({ put: [["b", 1]] });
    expect((await stores("m").list("")).map(([key]) => key)).toEqual(["b"]);
    await stores("m").drop?.();
    size ||= statSync(file).size;
  }
  expect(statSync(file).size).toBeLessThan(size + 1_000_000);
});

it("the database files are readable by their owner only", async () => {
  const file = fresh();
  await sqliteStore(file)("m").commit(put("a"));
  for (const path of [file, `${file}-wal`, `${file}-shm`])
    expect(statSync(path).mode & 0o777).toBe(0o600);
});

it("sqliteStore names a file that cannot be opened or is not a database", () => {
  const text = join(folder, "text.db");
  writeFileSync(text, "this is not a database, and long enough to be one ".repeat(50));
  const directory = join(folder, "directory.db");
  mkdirSync(directory);
  for (const file of [text, directory, join(folder, "none/at.db")])
    expect(() => sqliteStore(file)).toThrow(
      expect.objectContaining({
        code: "storage",
        message: expect.stringMatching(`^the database ${file} cannot be opened: .+`),
      }),
    );
  for (const file of ["", ":memory:", "file:a.db", undefined, 5])
    expect(() => sqliteStore(file as string)).toThrow(
      new TypeError("sqliteStore requires the path of a file"),
    );
});

it("sqliteStore reports a Node without node:sqlite", () => {
  const without = vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined);
  try {
    expect(() => sqliteStore(fresh())).toThrow(
      new TypeError(
        `sqliteStore requires node:sqlite (Node 22.13 or later); this is Node ${process.version}`,
      ),
    );
  } finally {
    without.mockRestore();
  }
});

it("a newer table format and a full disk are storage errors, and a store recovers from the latter", async () => {
  const file = fresh();
  const store = sqliteStore(file)("m");
  await store.commit({ epoch: "next", put: [["a", 1]] });
  const database = new DatabaseSync(file);
  database.exec(
    "CREATE TRIGGER full BEFORE INSERT ON ca_m_rows BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END",
  );
  await expect(store.commit(put("b", "c"))).rejects.toMatchObject({ code: "storage" });
  database.exec("DROP TRIGGER full");
  expect(await store.commit(put("b"))).toEqual({ epoch: 1 });
  database.exec("UPDATE ca_m_meta SET value = 9 WHERE name = 'layout'");
  const later = sqliteStore(file)("m");
  for (const call of [() => later.get(["a"]), () => later.list(""), () => later.commit(put("c"))])
    await expect(call()).rejects.toMatchObject({
      code: "storage",
      message: "the data is stored in format 9: run version 0.2.0 or later",
    });
  database.close();
});

it("an authority continues after a restart, and rejects the first call under a different sealing key", async () => {
  const [file, key] = [fresh(), join(folder, "ca.key")];
  const open = (sealingKey = fileKey(key)) => createCa({ stores: sqliteStore(file), sealingKey });
  await open().pki.generateRoot({ common_name: "Root", key_type: "ec" });
  await open().pki.writeRole({ name: "web", key_type: "ec", allow_any_name: true });
  const leaf = await open().pki.issue({ role: "web", common_name: "a.test", ttl: "1h" });
  expect((await open().pki.listCerts({})).keys).toContain(leaf.serial_number);
  expect(statSync(key).mode & 0o777).toBe(0o600);
  await expect(open(new Uint8Array(32)).pki.listCerts({})).rejects.toMatchObject({
    code: "storage",
    message: expect.stringContaining("the sealing key is not the"),
  });
  expect(() => createCa({ stores: sqliteStore(file) })).toThrow(/sealingKey/);
});

it("fileKey generates a key once, and names a file with an invalid one", () => {
  const key = join(folder, "once.key");
  expect(fileKey(key)).toEqual(fileKey(key));
  expect(fileKey(key)).toHaveLength(32);
  const other = join(folder, "other.key");
  writeFileSync(other, "aGVsbG8=\n");
  expect(() => fileKey(other)).toThrow(
    expect.objectContaining({
      code: "storage",
      message: `the sealing key cannot be read from ${other}: it must contain the base64 of 32 bytes`,
    }),
  );
  for (const [path, cause] of [
    ["none/at.key", /ENOENT: .*, open /],
    ["other.key/at.key", /ENOTDIR: .*, open /],
  ] as const)
    expect(() => fileKey(join(folder, path))).toThrow(cause);
});

it("three processes that start concurrently on an empty file create one authority", async () => {
  const file = join(folder, "ensured.db");
  const created = await startThree(file);
  const stores = sqliteStore(file);
  await expectOne(created, createCa({ stores, sealingKey: new Uint8Array(32).fill(7) }).pki);
  stores.close();
});
