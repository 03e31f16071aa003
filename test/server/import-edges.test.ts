import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeEach, expect, it } from "vitest";
import { encode } from "../../src/base/encoding.ts";
import { sqliteStore } from "../../src/node/index.ts";
import { importObjects } from "../../server/data/import-objects.ts";
import { writeDataDir } from "../support/data-0.2/fixture.ts";
import { oldDatabase, tablesIn } from "../support/data-0.2/stored-rows.ts";

const folder = mkdtempSync(join(tmpdir(), "sealwright-import-edges-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let made = 0;
let dataDir = "";
let file = "";
beforeEach(() => {
  dataDir = join(folder, String((made += 1)));
  file = join(dataDir, "sealwright.db");
  mkdirSync(dataDir);
});
const imported = () => importObjects(dataDir, () => undefined);
const digest = (path: string): string =>
  createHash("sha256").update(readFileSync(path)).digest("hex");
const storeOfTeam = (): string =>
  /[\w-]{36}/.exec(
    String(
      new DatabaseSync(oldDatabase(dataDir, "team/ca"))
        .prepare("SELECT value FROM meta WHERE name = 'name'")
        .get()?.["value"],
    ),
  )?.[0] ?? "";

it("a new directory, or one whose first start was interrupted, has nothing to import", async () => {
  expect(await imported()).toBeUndefined();
  mkdirSync(join(dataDir, "objects/sealwright-mount-object"), { recursive: true });
  expect(await imported()).toBeUndefined();
  const path = oldDatabase(dataDir, "m");
  firstLayout(path, "m", [
    ["mount", 1],
    ["epoch", 1],
  ]);
  expect(await imported()).toBeUndefined();
  expect(readdirSync(dataDir)).toEqual(["objects"]);
});

it("an existing database is used unchanged, and nothing is imported", async () => {
  writeDataDir(dataDir, "stopped");
  writeFileSync(file, "");
  expect(await imported()).toBeUndefined();
  expect(readFileSync(file)).toHaveLength(0);
  rmSync(file);
  await imported();
  const before = digest(file);
  expect(await imported()).toBeUndefined();
  expect(digest(file)).toBe(before);
});

it("leftovers of an interrupted import are replaced", async () => {
  writeDataDir(dataDir, "stopped");
  await imported();
  const whole = tablesIn(dataDir);
  for (const left of ["", "garbage".repeat(1000)]) {
    rmSync(file);
    writeFileSync(`${file}.import`, left);
    await imported();
    expect(tablesIn(dataDir)).toEqual(whole);
    expect(existsSync(`${file}.import`)).toBe(false);
  }
  // a complete import that was not renamed yet
  copyFileSync(file, `${file}.import`);
  rmSync(file);
  await imported();
  expect(tablesIn(dataDir)).toEqual(whole);
});

it("the import waits for a running server of version 0.2", async () => {
  writeDataDir(dataDir, "stopped");
  const alarms = join(dataDir, "objects/sealwright-mount-object/metadata.sqlite");
  const program = `
    const database = new (require("node:sqlite").DatabaseSync)(process.argv[1]);
    database.exec("PRAGMA journal_mode = WAL; CREATE TABLE a (b)");
    console.log("open");
    process.stdin.resume();
  `;
  const runtime = spawn(process.execPath, ["-e", program, alarms]);
  await once(runtime.stdout, "data");
  const begun = importObjects(dataDir, () => undefined);
  await pause(300);
  expect(existsSync(`${file}.import`)).toBe(false);
  runtime.kill("SIGKILL");
  expect(await begun).toEqual({ imported: 4 });
});

it("a database without a mount is not imported", async () => {
  writeDataDir(dataDir, "stopped");
  const path = oldDatabase(dataDir, "lost");
  firstLayout(path, "lost", [["cert/1", 1]]);
  expect(await imported()).toEqual({ imported: 4 });
  expect(Object.keys(tablesIn(dataDir)).filter((name) => /lost/.test(name))).toEqual([]);
});

it("tables of the first layout and leftovers of an interrupted export are migrated", async () => {
  writeDataDir(dataDir, "stopped");
  const [path, store] = [oldDatabase(dataDir, "team/ca"), storeOfTeam()];
  rmSync(path);
  const large = new Uint8Array(3_000_000).map((_, at) => at % 251);
  firstLayout(path, store, [
    ["cert/1", { a: 1 }],
    ["cert/2", large],
    ["\u{80}cert/1", "old"],
    ["\u{80}cert/2", large],
  ]);
  expect(await imported()).toEqual({ imported: 4 });
  const stores = sqliteStore(file);
  const team = stores(store);
  const keys: string[] = [];
  if (team.export)
    for await (const part of team.export())
      keys.push(...part.map(({ key, rev }) => `${key} ${rev}`));
  expect(keys).toEqual(["cert/1 1", "cert/2 2"]);
  expect((await team.get(["cert/2"]))[0]?.value).toEqual(large);
  expect((await team.list("", { by: { name: "not_after" } })).map(([key]) => key)).toEqual([
    "cert/2",
    "cert/1",
  ]);
  expect(
    (await team.list("", { by: { name: "role", from: "web", to: "web" }, values: false })).length,
  ).toBe(2);
  await team.commit({ expect: [["cert/1", 1]], put: [["cert/1", 5, { ends: 7 }]] });
  // after all reserved revisions
  expect((await team.get(["cert/1"]))[0]?.rev).toBe(1_048_577);
  expect((await team.list("", { by: { name: "ends" } })).length).toBe(1);
  stores.close();
});

/** Creates a database of the first layout, whose rows have four fixed index columns. */
function firstLayout(
  path: string,
  store: string,
  rows: readonly (readonly [string, unknown])[],
): void {
  const database = new DatabaseSync(path);
  database.exec(`
    CREATE TABLE rows (
      id INTEGER PRIMARY KEY, key TEXT NOT NULL, rev INTEGER NOT NULL, value BLOB NOT NULL,
      not_after INTEGER, name TEXT, role TEXT, issuer TEXT
    ) STRICT;
    CREATE UNIQUE INDEX rows_key ON rows (key);
    CREATE INDEX rows_not_after ON rows (not_after) WHERE not_after IS NOT NULL;
    CREATE INDEX rows_name ON rows (name) WHERE name IS NOT NULL;
    CREATE INDEX rows_role ON rows (role) WHERE role IS NOT NULL;
    CREATE INDEX rows_issuer ON rows (issuer) WHERE issuer IS NOT NULL;
    CREATE TABLE parts (
      row INTEGER NOT NULL, n INTEGER NOT NULL, value BLOB NOT NULL, PRIMARY KEY (row, n)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE meta (name TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;
    INSERT INTO meta VALUES ('reserved', 1048576), ('name', '${store}'), ('writer', 'another');
  `);
  const insert = database.prepare(
    "INSERT INTO rows (key, rev, value, not_after, role) VALUES (?, ?, ?, ?, 'web') RETURNING id",
  );
  const part = database.prepare("INSERT INTO parts (row, n, value) VALUES (?, ?, ?)");
  for (const [at, [key, value]] of rows.entries()) {
    const bytes = encode(value);
    const id = Number(insert.get(key, at + 1, bytes.subarray(0, 1_200_000), 1000 - at)?.["id"]);
    for (let n = 1; n * 1_200_000 < bytes.length; n++)
      part.run(id, n, bytes.subarray(n * 1_200_000, (n + 1) * 1_200_000));
  }
  database.close();
}
