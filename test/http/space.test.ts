import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startServer, type RunningServer } from "../support/server.ts";
import { apiOf } from "./api.ts";

let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const folder = (): string => join(server.dataDir, "objects", "sealwright-mount-object");
const databases = (): readonly string[] =>
  existsSync(folder()) ? readdirSync(folder()).filter((name) => name.endsWith(".sqlite")) : [];
/** Bytes of a database and its log. */
const sizeOf = (name: string): number =>
  [name, `${name}-wal`].reduce(
    (sum, file) => sum + (statSync(join(folder(), file), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );

it("removing a mount gives its space back", async () => {
  const api = apiOf(server);
  const before = databases();
  expect((await api("POST", "sys/mounts/large", { type: "pki" })).status).toBe(204);
  const domains = Array.from(
    { length: 4000 },
    (_, i) => `host-${i}.a-name-that-takes-some-room.example.com`,
  );
  for (let i = 0; i < 60; i++)
    expect((await api("POST", `large/roles/r${i}`, { allowed_domains: domains })).status).toBe(200);
  const [made = ""] = databases().filter(
    (name) => !before.includes(name) && sizeOf(name) > 8_000_000,
  );
  expect(sizeOf(made)).toBeGreaterThan(8_000_000);
  expect((await api("DELETE", "sys/mounts/large")).status).toBe(204);
  // by a job, which an alarm runs
  await expect.poll(() => sizeOf(made)).toBeLessThan(100_000);
  expect((await api("GET", "large/roles/r1")).status).toBe(404);
  expect((await api("POST", "sys/mounts/large", { type: "pki" })).status).toBe(204);
  expect((await api("GET", "large/roles?list=true")).status).toBe(404);
});
