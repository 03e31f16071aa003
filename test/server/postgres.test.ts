import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readSettings } from "../../server/settings/settings.ts";
import { apiOf, makeAuthority } from "../http/api.ts";
import { crlOf, type Crl } from "../http/crl.ts";
import { setClock } from "../hosts/hosts.ts";
import { builtServer } from "../support/built.ts";
import { freePort } from "../support/ports.ts";
import { administrator } from "../support/postgres.ts";
import { pinnedNode, startServer, surroundings, temporaryDirectory } from "../support/server.ts";
import { newDatabase, newSecrets, ownPostgres, startTwoServers } from "../support/two-servers.ts";

const postgres = await ownPostgres();
const admin = administrator(postgres);
afterAll(() => admin.end());

describe("DATABASE_URL", () => {
  beforeAll(() => admin.query("CREATE USER guarded PASSWORD 'a-secret'"));
  const at = `127.0.0.1:${postgres.port}`;

  it.each<[string, () => Promise<string>, RegExp]>([
    [
      "no server",
      async () => `postgres://u:a-secret@127.0.0.1:${await freePort()}/d`,
      /^Cannot connect to PostgreSQL at 127\.0\.0\.1:\d+: connect ECONNREFUSED \S+\.$/m,
    ],
    [
      "a wrong password",
      async () => `postgres://guarded:a-secret-2@${at}/postgres`,
      /^PostgreSQL at \S+ rejected the password of the user "guarded"\.$/m,
    ],
    [
      "no URL",
      async () => "u:a-secret@h/d",
      /^DATABASE_URL must be a URL such as postgres:\/\/user:password@host:5432\/database\.$/m,
    ],
  ])(
    "with %s stops the start with one sentence, without the password",
    async (_, url, sentence) => {
      const failed = await startServer({ env: { DATABASE_URL: await url() } }).catch(String);
      expect(failed).toMatch(/ended with 1/);
      expect(failed).toMatch(sentence);
      expect(failed).not.toContain("secret");
    },
  );

  it("requires enough connections for every process", () => {
    const settings = (env: Record<string, string>) =>
      readSettings({ DATABASE_URL: "postgres://h/d", ...env }).database?.connections;
    expect([settings({ WORKERS: "1" }), settings({ WORKERS: "8" })]).toEqual([20, 5]);
    expect(() => settings({ WORKERS: "2", DATABASE_CONNECTIONS: "14" })).toThrow(
      /^DATABASE_CONNECTIONS must be at least 15 for 2 processes, not 14; raise it, or lower WORKERS\.$/,
    );
    expect(readSettings({ WORKERS: "2" }).database).toBeUndefined();
  });

  it("is rejected beside an existing database file", async () => {
    const dataDir = temporaryDirectory();
    writeFileSync(join(dataDir, "sealwright.db"), "");
    await expect(
      startServer({ dataDir, env: { DATABASE_URL: await newDatabase() } }),
    ).rejects.toThrow(
      /sealwright\.db contains an authority, but DATABASE_URL selects another database: /,
    );
  });
});

it("a second server on a database requires the secrets of the first, and a lost database is not recreated", async () => {
  const [database, first, second] = [
    await newDatabase(),
    temporaryDirectory(),
    temporaryDirectory(),
  ];
  const env = { DATABASE_URL: database };
  const server = await startServer({ dataDir: first, env });
  await expect(startServer({ dataDir: second, env })).rejects.toThrow(
    /sealing-key is missing, and the PostgreSQL database contains an authority: copy the file from another server that uses the database, or set SEALING_KEY\./,
  );
  for (const name of ["sealing-key", "root-token", "vars-token"])
    cpSync(join(first, name), join(second, name));
  const other = await startServer({ dataDir: second, env });
  expect(other.token).toBe(server.token);
  await Promise.all([server.stop(), other.stop()]);
  writeFileSync(join(second, "sealing-key"), `${Buffer.alloc(32).toString("base64")}\n`);
  await expect(startServer({ dataDir: second, env })).rejects.toThrow(
    /^The keys in the PostgreSQL database were sealed with a different key /m,
  );
  await expect(
    startServer({ dataDir: first, env: { DATABASE_URL: await newDatabase() } }),
  ).rejects.toThrow(/^The PostgreSQL database contains no authority, and \S+installed records /m);
});

it("one of two servers runs due jobs, and the other takes over after a kill", async () => {
  const env = { ...newSecrets(), DATABASE_URL: await newDatabase(), SEALWRIGHT_TEST_CLOCK: "1" };
  // the first server becomes the leader
  const leader = await startServer({ env });
  const other = await startServer({ env });
  const api = apiOf(other);
  await makeAuthority(api);
  const renewal = ({ nextUpdate }: Crl): number => nextUpdate - 3_600_000;
  // past the jobs that creating the authority has scheduled
  for (const server of [other, leader]) await setClock(server, Date.now() + 60_000);
  const first = await crlOf(api);
  for (const server of [other, leader]) await setClock(server, renewal(first));
  const second = await crlOf(api);
  expect(second.number).toBe(first.number + 1);
  await leader.kill9();
  const tookOver = async (): Promise<number> => {
    await setClock(other, renewal(second));
    return (await crlOf(api)).number;
  };
  await expect.poll(tookOver).toBe(second.number + 1);
  await other.stop();
});

it("the server returns 503 while the database is down, then recovers without loss", async () => {
  const pair = await startTwoServers({});
  const api = apiOf(pair);
  await makeAuthority(api);
  const names: string[] = [];
  let [isOver, sent] = [false, 0];
  const write = async (): Promise<void> => {
    while (!isOver) {
      const name = `role-${(sent += 1)}`;
      const { status } = await api("POST", `pki/roles/${name}`, {});
      expect([200, 503]).toContain(status);
      if (status === 200) names.push(name);
    }
  };
  const writing = [write(), write(), write(), write()];
  await expect.poll(() => names.length).toBeGreaterThan(10);
  await postgres.kill();
  await expect.poll(async () => (await api("GET", "pki/roles/web")).status).toBe(503);
  isOver = true;
  await Promise.all(writing);
  await postgres.start();
  for (const _ of pair.servers)
    await expect.poll(async () => (await api("GET", "pki/roles/web")).status).toBe(200);
  await expect
    .poll(async () => (await api("GET", "pki/roles?list=true")).data.keys)
    .toEqual(expect.arrayContaining(names));
  expect(pair.output()).not.toMatch(/postgres:\/\//);
  await pair.stop();
});

it("backup and restore move everything to another database", async () => {
  const [from, to] = [temporaryDirectory(), temporaryDirectory()];
  const set = join(temporaryDirectory(), "set");
  const program = await builtServer();
  const command = (dataDir: string, ...words: readonly string[]) => {
    const env = { ...surroundings, DATA_DIR: dataDir };
    return spawnSync(pinnedNode(), [program, ...words, "--all", set], { env, encoding: "utf8" });
  };
  const source = await startServer({ dataDir: from, env: { DATABASE_URL: await newDatabase() } });
  await makeAuthority(apiOf(source));
  const saved = command(from, "backup");
  expect([saved.status, saved.stderr]).toEqual([0, ""]);
  await source.stop();
  mkdirSync(to, { recursive: true });
  for (const name of ["sealing-key", "root-token", "vars-token"])
    cpSync(join(from, name), join(to, name));
  const target = await startServer({ dataDir: to, env: { DATABASE_URL: await newDatabase() } });
  const restored = command(to, "restore");
  expect([restored.status, restored.stderr]).toEqual([0, ""]);
  const issued = await apiOf(target)("POST", "pki/issue/web", { common_name: "www.example.com" });
  expect(issued.status).toBe(200);
  await target.stop();
  rmSync(set, { recursive: true });
});
