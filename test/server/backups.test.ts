import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { backUpAll, scheduleBackups, type Backups } from "../../server/process/backups.ts";
import { startServer, temporaryDirectory } from "../support/server.ts";

let ending: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ending) await end();
  ending = [];
});

const whole = '{"sealwright_backup":1}\n{"rows":0,"last":true}\n{"mac":"AAAA"}\n';
/** Serves, on a socket, a list of mounts and a backup of each, `body`. */
async function backupsOf(body: (mount: string) => string) {
  const directory = temporaryDirectory();
  const [sentences, socketPath] = [[] as string[], join(directory, "socket")];
  const kept = join(directory, "kept");
  mkdirSync(kept);
  const server: Server = createServer(({ url = "" }, response) => {
    if (url === "/v1/sys/mounts")
      return response.end('{"data":{"pki/":{"type":"pki"},"a/b/":{"type":"pki"},"sys/":{}}}');
    return response.end(body(url.slice("/v1/sys/storage/snapshot/".length)));
  });
  await new Promise<void>((resolve) => void server.listen(socketPath, resolve));
  ending.push(() => new Promise((resolve) => void server.close(resolve)));
  const backups: Backups = {
    directory: kept,
    target: socketPath,
    token: "t",
    report: (sentence) => void sentences.push(sentence),
  };
  return { backups, kept, sentences };
}

it("every mount is backed up once a day, readable by the owner only, and seven backups of each are kept", async () => {
  const { backups, kept, sentences } = await backupsOf(() => whole);
  writeFileSync(join(kept, "pki-notes.ndjson"), "somebody's own");
  for (let day = 1; day <= 9; day++)
    for (let times = 0; times < 2; times++)
      expect(await backUpAll(backups, new Date(Date.UTC(2030, 0, day, 4)))).toBeGreaterThan(0);
  const days = Array.from({ length: 7 }, (_, i) => `2030-01-0${i + 3}.ndjson`);
  expect(readdirSync(kept).toSorted()).toEqual([
    ...days.map((day) => `a%2Fb-${day}`),
    ...days.map((day) => `pki-${day}`),
    "pki-notes.ndjson",
  ]);
  expect(statSync(join(kept, "pki-2030-01-09.ndjson")).mode & 0o777).toBe(0o600);
  expect(sentences).toEqual([]);
});

it("the time of the last backup is the modification time of its files, even after a restart", async () => {
  const { backups, kept } = await backupsOf(() => whole);
  const day = "2030-01-01";
  const first = new Date(`${day}T04:00:00Z`);
  expect(await backUpAll(backups, first)).toBe(first.getTime());
  const written = new Date(`${day}T03:00:00Z`);
  for (const file of readdirSync(kept)) utimesSync(join(kept, file), written, written);
  expect(await backUpAll(backups, new Date(`${day}T20:00:00Z`))).toBe(written.getTime());
});

it("backups dated in the future, left by a clock that was ahead, do not displace those of today", async () => {
  const { backups, kept } = await backupsOf(() => whole);
  const name = (mount: string, date: string) => `${mount}-${date}.ndjson`;
  const later = Array.from({ length: 7 }, (_, i) => name("pki", `2036-01-0${i + 1}`));
  for (const file of later) writeFileSync(join(kept, file), whole);
  const days = Array.from({ length: 9 }, (_, i) => `2030-01-0${i + 1}`);
  for (const day of days)
    expect(await backUpAll(backups, new Date(`${day}T04:00:00Z`))).toBeGreaterThan(0);
  const own = readdirSync(kept).filter((file) => file.startsWith("pki-"));
  expect(own.toSorted()).toEqual([...days.slice(-7).map((day) => name("pki", day)), ...later]);
});

it("an incomplete backup is reported and leaves no file, and other mounts are still backed up", async () => {
  const { backups, kept, sentences } = await backupsOf((mount) =>
    mount === "pki" ? whole.slice(0, -10) : whole,
  );
  expect(await backUpAll(backups, new Date(Date.UTC(2030, 0, 1)))).toBe(undefined);
  expect(readdirSync(kept)).toEqual(["a%2Fb-2030-01-01.ndjson"]);
  expect(sentences).toEqual([
    `The backup of the mount pki/ to ${kept} failed: the backup is incomplete.`,
  ]);
});

it("afterAttempt is called after each attempt, when its state is available", async () => {
  const { backups } = await backupsOf(() => "damaged");
  const states: unknown[] = [];
  const scheduled = scheduleBackups({
    ...backups,
    afterAttempt: async () => void states.push(scheduled.state()),
  });
  await expect.poll(() => states).toEqual([{ failed: true }]);
  scheduled.stop();
});

it("npm start with BACKUP_DIR writes a backup at startup", async () => {
  const kept = temporaryDirectory();
  const today = (): string => `pki-${new Date().toISOString().slice(0, 10)}.ndjson`;
  // the date may change between the two calls
  const before = today();
  const server = await startServer({ env: { BACKUP_DIR: kept } });
  ending.push(() => server.stop());
  await expect
    .poll(() => readdirSync(kept))
    .toEqual([expect.stringMatching(/^pki-[\d-]{10}\.ndjson$/)]);
  const [name = ""] = readdirSync(kept);
  expect([before, today()]).toContain(name);
  expect(readFileSync(join(kept, name), "utf8")).toContain('"sealwright_backup":1');
});
