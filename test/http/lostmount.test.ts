import { copyFileSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { databaseOf } from "../../server/data/stored.ts";
import { startServer, temporaryDirectory } from "../support/server.ts";
import { apiOf, makeAuthority } from "./api.ts";

const complaint = (file: string) =>
  `\nThe mount a/ cannot do its work: storage is empty: restore it from a backup, or delete the mount (its file: ${file}).\n`;

it("a server that finds a mount's storage empty says so at its start, and serves the others", async () => {
  const dataDir = temporaryDirectory();
  const server = await startServer({ dataDir });
  const api = apiOf(server);
  await makeAuthority(api);
  expect((await api("POST", "sys/mounts/a", { type: "pki" })).status).toBe(204);
  const mounts = (await api("GET", "sys/mounts")).json["data"] as Readonly<
    Record<string, { readonly uuid: string }>
  >;
  expect(await server.stop()).toBe(0);
  expect(server.output()).not.toContain("cannot do its work");
  const path = databaseOf(join(dataDir, "objects"), mounts["a/"]?.uuid ?? "");
  const copy = join(temporaryDirectory(), "a.sqlite");
  expect(existsSync(path)).toBe(true);
  copyFileSync(path, copy);
  rmSync(path);

  const lost = await startServer({ dataDir });
  await expect.poll(() => lost.output()).toContain(complaint(path));
  expect(lost.output().split(complaint(path))).toHaveLength(2);
  expect(
    (await apiOf(lost)("POST", "pki/issue/web", { common_name: "a.example.com" })).status,
  ).toBe(200);
  expect(await lost.stop()).toBe(0);

  for (const end of ["-wal", "-shm"]) rmSync(path + end, { force: true });
  copyFileSync(copy, path);
  const again = await startServer({ dataDir });
  const health = await apiOf(again)("GET", "sys/health", undefined, { token: "none" });
  expect([health.status, health.json["degraded"]]).toEqual([200, undefined]);
  expect(await again.stop()).toBe(0);
});

it("a mount whose file is no database is named with it at the start, and can be deleted once that is removed", async () => {
  const dataDir = temporaryDirectory();
  const server = await startServer({ dataDir });
  const api = apiOf(server);
  expect((await api("POST", "sys/mounts/a", { type: "pki" })).status).toBe(204);
  const mounts = (await api("GET", "sys/mounts")).json["data"] as Readonly<
    Record<string, { readonly uuid: string }>
  >;
  expect(await server.stop()).toBe(0);
  const path = databaseOf(join(dataDir, "objects"), mounts["a/"]?.uuid ?? "");
  writeFileSync(path, "garbage".repeat(1_000));

  const damaged = await startServer({ dataDir });
  await expect
    .poll(() => damaged.output())
    .toContain(`\nThe mount a/ cannot do its work: storage cannot be read (its file: ${path}).\n`);
  expect((await apiOf(damaged)("DELETE", "sys/mounts/a")).status).toBe(503);
  expect(await damaged.stop()).toBe(0);

  rmSync(path);
  const again = await startServer({ dataDir });
  expect((await apiOf(again)("DELETE", "sys/mounts/a")).status).toBe(204);
  const health = await apiOf(again)("GET", "sys/health", undefined, { token: "none" });
  expect([health.status, health.json["degraded"]]).toEqual([200, undefined]);
  expect((await apiOf(again)("POST", "sys/mounts/a", { type: "pki" })).status).toBe(204);
  expect(await again.stop()).toBe(0);
});
