import { spawnSync } from "node:child_process";
import {
  copyFileSync,
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
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { LaunchError } from "../../server/settings/launch-error.ts";
import { importObjects } from "../../server/data/import-objects.ts";
import { recording, writeDataDir } from "../support/data-0.2/fixture.ts";
import { openDataDir } from "../support/data-0.2/imported.ts";
import { oldDatabase, oldFiles } from "../support/data-0.2/stored-rows.ts";

const folder = mkdtempSync(join(tmpdir(), "sealwright-import-damage-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const { now, address } = recording();
let made = 0;
let dataDir = "";
const fresh = (end: "killed" | "stopped"): void => {
  dataDir = join(folder, String((made += 1)));
  writeDataDir(dataDir, end);
};
beforeEach(() => fresh("stopped"));

/** True if tests can mount file systems in a private namespace. */
const canMount =
  spawnSync("unshare", ["--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;
/** Runs an import in a namespace with the directory `$1`, and lists that; `$0`: the data directory. */
function inNamespace(script: string): string {
  const target = join(folder, "mounted");
  mkdirSync(target, { recursive: true });
  const program = join(import.meta.dirname, "../support/data-0.2/import-process.ts");
  const words = [dataDir, target, process.execPath, program];
  return spawnSync("unshare", ["--mount", "sh", "-c", `${script}; ls "$1"`, ...words], {
    encoding: "utf8",
  }).stdout;
}

/** Imports, and returns the output. */
async function imported(): Promise<readonly string[]> {
  const printed: string[] = [];
  await importObjects(dataDir, (sentence) => printed.push(sentence));
  return printed;
}
/** Returns the error of an import, which must leave no new files and all old files unchanged. */
async function refusal(): Promise<string> {
  const before = oldFiles(dataDir);
  const error = await importObjects(dataDir, () => undefined).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(LaunchError);
  expect(readdirSync(dataDir).filter((name) => name.startsWith("sealwright.db"))).toEqual([]);
  expect(oldFiles(dataDir)).toEqual(before);
  return error instanceof Error ? error.message : "";
}
async function degraded(): Promise<readonly unknown[]> {
  const opened = openDataDir(dataDir, { now, address });
  const health = await opened.send("GET", "sys/health", { token: "" });
  opened.close();
  return (health.json["degraded"] ?? []) as readonly unknown[];
}
const change = (path: string, statements: string): void => {
  const database = new DatabaseSync(path);
  database.exec(statements);
  database.close();
};
/** Overwrites a page in the middle of a database. */
function damage(path: string): void {
  const bytes = readFileSync(path);
  bytes.fill(0xa5, 4096 * 40, 4096 * 41);
  writeFileSync(path, bytes);
}

const lostMounts: readonly (readonly [what: string, spoil: (path: string) => void, why: RegExp])[] =
  [
    [
      "is not a database",
      (path) => writeFileSync(path, "garbage".repeat(1000)),
      /file is not a database/,
    ],
    ["has a damaged page", damage, /Tree|malformed/],
    [
      "is cut off",
      (path) => writeFileSync(path, readFileSync(path).subarray(0, 500_000)),
      /Tree|malformed/,
    ],
    ["is missing", (path) => rmSync(path), /it is missing or empty/],
    ["is empty", (path) => writeFileSync(path, ""), /it is missing or empty/],
    [
      "is that of another mount",
      (path) => copyFileSync(oldDatabase(dataDir, "pki"), path),
      /it belongs to another store, [\w-]{36}/,
    ],
  ];
it.each(lostMounts)(
  "a mount whose database %s is reported, and the others are imported",
  async (_, spoil, why) => {
    const path = oldDatabase(dataDir, "team/ca");
    spoil(path);
    const [lost, summary] = await imported();
    expect(lost).toContain(`The mount team/ca/ was not imported, because its database ${path} `);
    expect(lost).toMatch(why);
    expect(summary).toMatch(
      /^Imported 3 stores .*; \S+objects is no longer used, but keep it until/,
    );
    expect(await degraded()).toEqual([
      { mount: "team/ca/", reason: expect.stringContaining("storage is empty: restore it") },
    ]);
    const { send, close } = openDataDir(dataDir, { now, address });
    const issued = await send("POST", "pki/issue/web", { body: { common_name: "a.example.com" } });
    expect(issued.status).toBe(200);
    expect((await send("POST", "team/ca/issue/device", { body: {} })).status).toBe(503);
    expect((await send("DELETE", "sys/mounts/team/ca")).status).toBe(204);
    close();
  },
);

describe("an import fails", () => {
  it.each([
    [
      "sys",
      "sys",
      (path: string) => writeFileSync(path, "garbage".repeat(1000)),
      /cannot be read \(file is not/,
    ],
    ["sys", "sys", (path: string) => rmSync(path), /contains no data, and \S+installed records/],
    [
      "the variables",
      "vars",
      (path: string) => writeFileSync(path, "garbage".repeat(1000)),
      /cannot be read \(file is not/,
    ],
    ["the variables", "vars", (path: string) => rmSync(path), /cannot be read \(it is missing/],
  ])("if the database of %s is lost", async (_, store, spoil, why) => {
    const path = oldDatabase(dataDir, store);
    spoil(path);
    const sentence = await refusal();
    expect(sentence).toContain(path);
    expect(sentence).toMatch(why);
    expect(sentence).toContain("restore it with the files that belong to it");
  });

  it("if the write-ahead log of sys is missing", async () => {
    fresh("killed");
    const path = oldDatabase(dataDir, "sys");
    rmSync(`${path}-wal`);
    expect(await refusal()).toContain(`${path} contains no data`);
  });

  it("if a later version has written a database", async () => {
    const path = oldDatabase(dataDir, "pki");
    change(
      path,
      "UPDATE meta SET value = 9 WHERE name = 'layout'; UPDATE meta SET value = '0.9.0' WHERE name = 'version'",
    );
    expect(await refusal()).toBe(
      `${path} was written by a later version, 0.9.0 or later; start that version.`,
    );
  });

  it.skipIf(!canMount)("if the disk is too small, and leaves no database there", () => {
    const script = `mount -t tmpfs -o size=9m tmpfs "$1" && cp -r "$0/." "$1" && "$2" "$3" "$1"`;
    expect(inNamespace(script)).toMatch(
      /^begin\n\S+sealwright\.db\.import cannot be written \(database or disk is full\); nothing was imported\.\ninstalled\nobjects\n[^.]*$/,
    );
  });

  it.skipIf(!canMount)("if the directory is read-only", () => {
    const script = `mount --bind "$0" "$1" && mount -o remount,bind,ro "$1" && "$2" "$3" "$1"`;
    expect(inNamespace(script)).toMatch(
      /^begin\n\S+objects\S* cannot be used \(EROFS\); [^\n]+\.\ninstalled\n/,
    );
  });
});

it("variables whose database the operator has emptied are reported, and the rest is imported", async () => {
  const path = oldDatabase(dataDir, "vars");
  writeFileSync(path, "");
  const [lost, summary] = await imported();
  expect(lost).toContain(`The variables were not imported, because ${path} is an empty file`);
  expect(summary).toMatch(/^Imported 3 stores .*; \S+objects is no longer used, but keep it until/);
  expect(await degraded()).toEqual([
    { mount: "/api/v2/", reason: expect.stringContaining("POST /v1/sys/begin-anew") },
  ]);
});
