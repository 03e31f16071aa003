import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFailed } from "vitest";
import { lockDataDir } from "../../server/data/data-lock.ts";
import { isAlive } from "../../server/data/process-identity.ts";
import {
  bundleOf,
  startServer,
  temporaryDirectory,
  type RunningServer,
} from "../support/server.ts";

const entry = new URL("launcher-worker.js", import.meta.url).pathname;
/** A namespace of process ids of its own, as a container has one. */
const elsewhere = ["unshare", "--pid", "--fork", "--mount-proc"];
const canUnshare = spawnSync(elsewhere[0] ?? "", [...elsewhere.slice(1), "true"]).status === 0;

const add = async (server: RunningServer, text: string): Promise<string> =>
  (await fetch(`${server.url}/add?${text}`)).text();
const rows = async (server: RunningServer): Promise<unknown> =>
  (await fetch(`${server.url}/rows`)).json();

it("a second start on a directory that is served is refused in one sentence and leaves the first alone", async () => {
  const server = await startServer({ entry, dataDir: temporaryDirectory() });
  const refused = new RegExp(
    `ended with 1:\n\\S+ is served already, by another server \\(process ${server.pid}, perhaps in another container\\); end that one, or set DATA_DIR\\.\n$`,
  );
  await expect(startServer({ entry, dataDir: server.dataDir })).rejects.toThrow(refused);
  expect(await add(server, "a")).toBe("1");
  expect(await server.stop()).toBe(0);
});

it.skipIf(!canUnshare)(
  "so is one in another container, where the first one's process id means nothing",
  async () => {
    const server = await startServer({ entry, dataDir: temporaryDirectory() });
    const refused =
      /ended with 1:\n\S+ is served already, by a process that cannot be seen from here, as of another container; [^\n]*\.\n$/;
    await expect(
      startServer({ entry, dataDir: server.dataDir, within: elsewhere }),
    ).rejects.toThrow(refused);
    expect(await add(server, "a")).toBe("1");
    expect(await server.stop()).toBe(0);
  },
);

it("what stands in the lock's note decides nothing: a served directory stays so, a free one is free", async () => {
  const dataDir = temporaryDirectory();
  const server = await startServer({ entry, dataDir });
  writeFileSync(join(dataDir, "lock"), "4194304 1\n4194304 1\n");
  await expect(startServer({ entry, dataDir })).rejects.toThrow(
    /is served already, by a process that cannot be seen from here/,
  );
  expect(await server.stop()).toBe(0);
  const mine = `${process.pid}\n${process.pid}\n`;
  writeFileSync(join(dataDir, "lock"), mine);
  writeFileSync(join(dataDir, "lock.db"), "");
  expect(await (await startServer({ entry, dataDir })).stop()).toBe(0);
  expect(readdirSync(dataDir).filter((name) => name.startsWith("lock"))).toEqual([]);
});

it("of several started at once exactly one serves", async () => {
  const dataDir = temporaryDirectory();
  await bundleOf(entry);
  const starts = await Promise.allSettled(
    Array.from({ length: 4 }, () => startServer({ entry, dataDir })),
  );
  const serving = starts.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  expect(
    starts.filter(
      (one) => one.status === "rejected" && /is served already/.test(String(one.reason)),
    ),
  ).toHaveLength(3);
  expect(await Promise.all(serving.map((server) => server.stop()))).toEqual([0]);
});

it("a directory whose runtime outlived its launcher is not served until that one has ended", async () => {
  const dataDir = temporaryDirectory();
  const server = await startServer({ entry, dataDir });
  expect(await add(server, "a")).toBe("1");
  const [, runtime = ""] = readFileSync(join(dataDir, "lock"), "utf8").split("\n");
  const group = Number(runtime.split(" ")[0]);
  // stopped, the watcher cannot do what it is there for, nor end by itself
  onTestFailed(() => void process.kill(-group, "SIGKILL"));
  process.kill(-group, "SIGSTOP");
  process.kill(server.pid, "SIGKILL");
  while (isAlive(String(server.pid))) await new Promise((resolve) => setImmediate(resolve));
  const waits = { dyingMs: 5_000, orphanMs: 20 };
  await expect(lockDataDir(dataDir, waits)).rejects.toThrow(
    new RegExp(`^\\S+ is still in use by process ${group}; [^\n]*\\.$`),
  );
  // a note that names nobody makes no difference
  writeFileSync(join(dataDir, "lock"), "4194304 1\n4194304 1\n");
  await expect(lockDataDir(dataDir, waits)).rejects.toThrow(
    /is still in use by a process that cannot be seen from here/,
  );
  process.kill(-group, "SIGCONT");
  const again = await startServer({ entry, dataDir });
  expect(await rows(again)).toEqual(["?a"]);
  expect(await again.stop()).toBe(0);
});

it("kill -9 never blocks the next start", async () => {
  const dataDir = temporaryDirectory();
  for (let round = 1; round <= 3; round++) {
    const server = await startServer({ entry, dataDir });
    expect(await add(server, String(round))).toBe(String(round));
    await server.kill9();
    expect(existsSync(join(dataDir, "lock.db"))).toBe(true);
  }
  const server = await startServer({ entry, dataDir });
  expect(await rows(server)).toEqual(["?1", "?2", "?3"]);
  expect(await server.stop()).toBe(0);
});

it("after SIGTERM every database is whole without its log, also one that was left by a kill", async () => {
  const dataDir = temporaryDirectory();
  const killed = await startServer({ entry, dataDir });
  expect(await add(killed, "a")).toBe("1");
  await killed.kill9();
  const server = await startServer({ entry, dataDir });
  expect(await add(server, "b")).toBe("2");
  expect(await (await fetch(`${server.url}/kv`)).json()).toEqual(["kept", 2, null]);
  expect(await server.stop()).toBe(0);
  expect(server.output()).not.toContain("Not all logs");
  const objects = readdirSync(join(dataDir, "objects"), { recursive: true, encoding: "utf8" });
  expect(objects.filter((name) => !name.endsWith(".sqlite") && name.includes("."))).toEqual([]);
  const copy = temporaryDirectory();
  cpSync(dataDir, copy, { recursive: true, filter: (path) => !/-(?:wal|shm)$/.test(path) });
  const again = await startServer({ entry, dataDir: copy });
  expect(await rows(again)).toEqual(["?a", "?b"]);
  expect(await again.stop()).toBe(0);
  rmSync(copy, { recursive: true });
});
