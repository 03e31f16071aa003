import { copyFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { databaseIn } from "../../server/data/database.ts";
import { startServer, temporaryDirectory } from "../support/server.ts";
import { apiOf, makeAuthority } from "./api.ts";

it("a server whose data directory is marked as installed refuses to start without its authority", async () => {
  const dataDir = temporaryDirectory();
  const [marker, path] = [join(dataDir, "installed"), databaseIn(dataDir)];
  const server = await startServer({ dataDir });
  await expect.poll(() => existsSync(marker)).toBe(true);
  expect(statSync(marker).mode & 0o777).toBe(0o600);
  expect(readFileSync(marker, "utf8")).toMatch(
    /^A certificate authority was installed here\. [^\n]+\.\n$/,
  );
  await makeAuthority(apiOf(server));
  expect(await server.stop()).toBe(0);
  const copy = join(temporaryDirectory(), "copy.db");
  copyFileSync(path, copy);

  const refused = (what: string): RegExp =>
    new RegExp(
      `ended with 1:\n${path} ${what}, and ${marker} records that one is stored here: [^\n]+; to create a new authority, remove ${marker}\\.\n$`,
    );
  rmSync(path);
  await expect(startServer({ dataDir })).rejects.toThrow(refused("is missing"));
  expect(existsSync(path)).toBe(false);
  // after an unclean stop, all data may still be in the write-ahead log
  writeFileSync(path, "");
  await expect(startServer({ dataDir })).rejects.toThrow(refused("contains no authority"));

  copyFileSync(copy, path);
  // a start recreates a missing marker
  rmSync(marker);
  const again = await startServer({ dataDir });
  await expect.poll(() => existsSync(marker)).toBe(true);
  expect(
    (await apiOf(again)("POST", "pki/issue/web", { common_name: "a.example.com" })).status,
  ).toBe(200);
  expect(await again.stop()).toBe(0);

  rmSync(path);
  rmSync(marker);
  const anew = await startServer({ dataDir });
  expect((await apiOf(anew)("LIST", "pki/issuers")).status).toBe(404);
  expect(await anew.stop()).toBe(0);
});
