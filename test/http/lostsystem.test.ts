import {
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { databaseOf } from "../../server/data/stored.ts";
import { EndedEarly, startServer, temporaryDirectory } from "../support/server.ts";
import { apiOf, makeAuthority } from "./api.ts";

const refused =
  /ended with 1:\n\S+\.sqlite holds nothing, and other databases beside it do: [^\n]+\n$/;

it("a server does not begin anew where its system's rows are lost beside those of a mount", async () => {
  const [dataDir, copy] = [temporaryDirectory(), temporaryDirectory()];
  const server = await startServer({ dataDir });
  await makeAuthority(apiOf(server));
  // copied while it runs, without the logs of one database
  cpSync(dataDir, copy, { recursive: true });
  expect(await server.stop()).toBe(0);
  const path = databaseOf(join(copy, "objects"), "sys");
  expect(existsSync(path)).toBe(true);
  for (const end of ["-wal", "-shm"]) rmSync(path + end, { force: true });
  // as of a data directory from before there was a marker
  rmSync(join(copy, "installed"), { force: true });
  const lost = await startServer({ dataDir: copy }).catch((error: unknown) => error);
  expect(lost).toBeInstanceOf(EndedEarly);
  expect(String(lost)).toMatch(refused);
  writeFileSync(path, "");
  await expect(startServer({ dataDir: copy })).rejects.toThrow(refused);
  rmSync(path);
  await expect(startServer({ dataDir: copy })).rejects.toThrow(refused);
  copyFileSync(databaseOf(join(dataDir, "objects"), "sys"), path);
  const again = await startServer({ dataDir: copy });
  try {
    expect(
      (await apiOf(again)("POST", "pki/issue/web", { common_name: "a.example.com" })).status,
    ).toBe(200);
  } finally {
    await again.stop();
  }
});

it("a first start that was cut off before the system was stored is no loss", async () => {
  const dataDir = temporaryDirectory();
  const server = await startServer({ dataDir });
  await apiOf(server)("GET", "sys/mounts");
  await expect.poll(() => existsSync(join(dataDir, "installed"))).toBe(true);
  expect(await server.stop()).toBe(0);
  const objects = join(dataDir, "objects");
  rmSync(databaseOf(objects, "sys"));
  // it is written after that
  rmSync(join(dataDir, "installed"));
  expect(
    readdirSync(join(objects, "sealwright-mount-object")).filter((name) => name.endsWith(".sqlite"))
      .length,
  ).toBeGreaterThan(1);
  const again = await startServer({ dataDir });
  expect((await apiOf(again)("GET", "sys/mounts")).status).toBe(200);
  await again.stop();
});

const marked =
  /ended with 1:\n\S+\.sqlite holds nothing, and \S+\/installed says that an authority is kept here: [^\n]+; to begin anew, remove \S+\/installed and move \S+\/objects away\.\n$/;

it("a start marks the data directory, and a later one that finds nothing of the system beside the mark refuses", async () => {
  const [dataDir, copy] = [temporaryDirectory(), temporaryDirectory()];
  const server = await startServer({ dataDir });
  const marker = join(dataDir, "installed");
  await expect.poll(() => existsSync(marker)).toBe(true);
  expect(statSync(marker).mode & 0o777).toBe(0o600);
  expect(readFileSync(marker, "utf8")).toMatch(/^An authority was installed here\. [^\n]+\.\n$/);
  await makeAuthority(apiOf(server));
  // of a server that was never restarted, everything still stands in the logs
  cpSync(dataDir, copy, { recursive: true, filter: (path) => !/-(?:wal|shm)$/.test(path) });
  expect(await server.stop()).toBe(0);
  await expect(startServer({ dataDir: copy })).rejects.toThrow(marked);
  rmSync(join(copy, "objects"), { recursive: true });
  await expect(startServer({ dataDir: copy })).rejects.toThrow(marked);
  rmSync(join(copy, "installed"));
  expect(await (await startServer({ dataDir: copy })).stop()).toBe(0);

  // a directory from before there was a mark gets it at its next start
  rmSync(marker);
  const again = await startServer({ dataDir });
  await expect.poll(() => existsSync(marker)).toBe(true);
  expect(
    (await apiOf(again)("POST", "pki/issue/web", { common_name: "a.example.com" })).status,
  ).toBe(200);
  expect(await again.stop()).toBe(0);
});
