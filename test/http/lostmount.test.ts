import { copyFileSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { databaseOf } from "../../worker/local/stored.ts";
import { startServer, temporaryDirectory } from "../support/server.ts";
import { apiOf, makeAuthority } from "./api.ts";

const complaint = "\nThe mount a/ cannot do its work: storage is empty: restore it from a backup, or delete the mount.\n";

it("a server that finds a mount's storage empty says so at its start, and serves the others", { timeout: 60_000 }, async () => {
  const dataDir = temporaryDirectory();
  const server = await startServer({ dataDir });
  const api = apiOf(server);
  await makeAuthority(api);
  expect((await api("POST", "sys/mounts/a", { type: "pki" })).status).toBe(204);
  const mounts = (await api("GET", "sys/mounts")).json["data"] as Readonly<Record<string, { readonly uuid: string }>>;
  expect(await server.stop()).toBe(0);
  expect(server.output()).not.toContain("cannot do its work");
  const path = databaseOf(join(dataDir, "objects"), mounts["a/"]?.uuid ?? "");
  const copy = join(temporaryDirectory(), "a.sqlite");
  expect(existsSync(path)).toBe(true);
  copyFileSync(path, copy);
  rmSync(path);

  const lost = await startServer({ dataDir });
  await expect.poll(() => lost.output(), { timeout: 10_000 }).toContain(complaint);
  expect(lost.output().split(complaint)).toHaveLength(2);
  expect((await apiOf(lost)("POST", "pki/issue/web", { common_name: "a.example.com" })).status).toBe(200);
  expect(await lost.stop()).toBe(0);

  for (const end of ["-wal", "-shm"]) rmSync(path + end, { force: true });
  copyFileSync(copy, path);
  const again = await startServer({ dataDir });
  const health = await apiOf(again)("GET", "sys/health", undefined, { token: "none" });
  expect([health.status, health.json["degraded"]]).toEqual([200, undefined]);
  expect(await again.stop()).toBe(0);
});
