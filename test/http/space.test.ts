import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { databaseIn } from "../../server/data/database.ts";
import { startServer, type RunningServer } from "../support/server.ts";
import { apiOf } from "./api.ts";

let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

/** Returns the size of all used pages of the database in bytes. */
function usedBytes(): number {
  const database = new DatabaseSync(databaseIn(server.dataDir), { readOnly: true });
  const value = (name: string): number =>
    Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
  const used = (value("page_count") - value("freelist_count")) * value("page_size");
  database.close();
  return used;
}

it("deleting a mount frees its space in the database", async () => {
  const api = apiOf(server);
  const before = usedBytes();
  expect((await api("POST", "sys/mounts/large", { type: "pki" })).status).toBe(204);
  const domains = Array.from(
    { length: 4000 },
    (_, i) => `host-${i}.a-name-that-takes-some-room.example.com`,
  );
  for (let i = 0; i < 60; i++)
    expect((await api("POST", `large/roles/r${i}`, { allowed_domains: domains })).status).toBe(200);
  const large = usedBytes();
  expect(large).toBeGreaterThan(before + 8_000_000);
  expect((await api("DELETE", "sys/mounts/large")).status).toBe(204);
  // a job frees the space
  await expect.poll(usedBytes).toBeLessThan(before + 200_000);
  expect((await api("GET", "large/roles/r1")).status).toBe(404);
  expect((await api("POST", "sys/mounts/large", { type: "pki" })).status).toBe(204);
  expect((await api("GET", "large/roles?list=true")).status).toBe(404);
});
