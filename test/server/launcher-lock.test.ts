import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFailed } from "vitest";
import { identityOf, isAlive } from "../../server/data/process-identity.ts";
import { rolesOf, writeRole } from "./roles.ts";
import { allExited, childrenOf, startServer, temporaryDirectory } from "../support/server.ts";

/** Runs a command in its own PID namespace, like a container. */
const elsewhere = ["unshare", "--pid", "--fork", "--mount-proc"];
const canUnshare = spawnSync(elsewhere[0] ?? "", [...elsewhere.slice(1), "true"]).status === 0;

it("a second server on a data directory is rejected in one sentence and does not disturb the first", async () => {
  const server = await startServer({ dataDir: temporaryDirectory() });
  const refused = new RegExp(
    `ended with 1:\n\\S+ is already served by another server \\(process ${server.pid}, perhaps in another container\\); stop that server, or set DATA_DIR\\.\n$`,
  );
  await expect(startServer({ dataDir: server.dataDir })).rejects.toThrow(refused);
  await writeRole(server, "a");
  expect(await server.stop()).toBe(0);
});

it.skipIf(!canUnshare)(
  "a second server in another container is rejected too, although it cannot see the first one's process id",
  async () => {
    const server = await startServer({ dataDir: temporaryDirectory() });
    const refused =
      /ended with 1:\n\S+ is already served by a process that is not visible here, perhaps in another container; [^\n]*\.\n$/;
    await expect(startServer({ dataDir: server.dataDir, within: elsewhere })).rejects.toThrow(
      refused,
    );
    await writeRole(server, "a");
    expect(await server.stop()).toBe(0);
  },
);

it("a directory is locked by the lock itself, whatever the lock file says", async () => {
  const dataDir = temporaryDirectory();
  const server = await startServer({ dataDir });
  writeFileSync(join(dataDir, "lock"), "4194304 1\n4194304 1\n");
  await expect(startServer({ dataDir })).rejects.toThrow(
    /is already served by a process that is not visible here/,
  );
  expect(await server.stop()).toBe(0);
  const mine = `${process.pid} 1\n${process.pid} 1\n`;
  writeFileSync(join(dataDir, "lock"), mine);
  writeFileSync(join(dataDir, "lock.db"), "");
  expect(await (await startServer({ dataDir })).stop()).toBe(0);
  expect(readdirSync(dataDir).filter((name) => name.startsWith("lock"))).toEqual([]);
});

it("exactly one of several servers that start at once on a directory serves", async () => {
  const dataDir = temporaryDirectory();
  const starts = await Promise.allSettled(
    Array.from({ length: 4 }, () => startServer({ dataDir })),
  );
  const serving = starts.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  expect(
    starts.filter(
      (one) => one.status === "rejected" && /is already served/.test(String(one.reason)),
    ),
  ).toHaveLength(3);
  expect(await Promise.all(serving.map((server) => server.stop()))).toEqual([0]);
});

it("a suspended process that outlives its server neither blocks a new server nor writes afterwards", async () => {
  const dataDir = temporaryDirectory();
  const server = await startServer({ dataDir, env: { WORKERS: "2" } });
  await writeRole(server, "a");
  const [stopped = 0] = childrenOf(server.pid);
  const identity = identityOf(stopped);
  onTestFailed(() => void process.kill(stopped, "SIGKILL"));
  process.kill(stopped, "SIGSTOP");
  process.kill(server.pid, "SIGKILL");
  await allExited([identityOf(server.pid)]);
  const again = await startServer({ dataDir });
  expect([await rolesOf(again), isAlive(identity)]).toEqual([["a"], true]);
  process.kill(stopped, "SIGCONT");
  await allExited([identity]);
  expect(await again.stop()).toBe(0);
});

it("after SIGTERM the database is complete without its write-ahead log, even one left by a kill", async () => {
  const dataDir = temporaryDirectory();
  const killed = await startServer({ dataDir });
  await writeRole(killed, "a");
  await killed.kill9();
  const server = await startServer({ dataDir });
  await writeRole(server, "b");
  expect(await server.stop()).toBe(0);
  const copy = temporaryDirectory();
  cpSync(dataDir, copy, { recursive: true, filter: (path) => !/-(?:wal|shm)$/.test(path) });
  const again = await startServer({ dataDir: copy });
  expect(await rolesOf(again)).toEqual(["a", "b"]);
  expect(await again.stop()).toBe(0);
  rmSync(copy, { recursive: true });
});
