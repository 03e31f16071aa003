import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { databaseIn } from "../../server/data/database.ts";
import { sqliteStore } from "../../src/node/index.ts";
import { startServer, temporaryDirectory } from "../support/server.ts";
import { apiOf, makeAuthority } from "./api.ts";

const complaint =
  "\nThe mount a/ cannot do its work: storage is empty: restore it from a backup, or delete the mount.\n";

it("a server that has lost the store of a mount reports it at startup, serves other mounts and can delete this one", async () => {
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
  const [path, copy] = [databaseIn(dataDir), join(temporaryDirectory(), "copy.db")];
  copyFileSync(path, copy);
  const stores = sqliteStore(path);
  await stores(mounts["a/"]?.uuid ?? "").drop?.();
  stores.close();

  const lost = await startServer({ dataDir });
  await expect.poll(() => lost.output()).toContain(complaint);
  expect(lost.output().split(complaint)).toHaveLength(2);
  const others = apiOf(lost);
  expect((await others("POST", "pki/issue/web", { common_name: "a.example.com" })).status).toBe(
    200,
  );
  expect((await others("GET", "sys/health", undefined, { token: "none" })).json).toMatchObject({
    degraded: [{ mount: "a/" }],
  });
  expect((await others("DELETE", "sys/mounts/a")).status).toBe(204);
  expect((await others("POST", "sys/mounts/a", { type: "pki" })).status).toBe(204);
  expect(await lost.stop()).toBe(0);

  copyFileSync(copy, path);
  const again = await startServer({ dataDir });
  const health = await apiOf(again)("GET", "sys/health", undefined, { token: "none" });
  expect([health.status, health.json["degraded"]]).toEqual([200, undefined]);
  expect(await again.stop()).toBe(0);
});
