import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startServer, temporaryDirectory, type RunningServer } from "../support/server.ts";
import { groupOf, processesWith, runtimeOf } from "./runtime-processes.ts";

const entry = new URL("launcher-worker.js", import.meta.url).pathname;

const pidOf = (found: string | undefined): number => {
  expect(found).toMatch(/^[0-9]+$/);
  return Number(found);
};
/** Which process or group is killed, as `kill(1)` is told, for each that the launcher starts. */
const victims: Readonly<Record<string, (server: RunningServer) => number>> = {
  workerd: (server) => pidOf(runtimeOf(server).processes.workerd),
  "its watcher": (server) => pidOf(runtimeOf(server).processes.watcher),
  "the shell over both": (server) => pidOf(runtimeOf(server).group),
  "all three": (server) => -pidOf(runtimeOf(server).group),
};

/**
 * Asks until the launcher has noted another runtime and that one answers; tells what was answered
 * before.
 */
async function untilServedAnew(
  server: RunningServer,
  group: string,
): Promise<{ readonly text: string; readonly before: readonly Response[] }> {
  const before: Response[] = [];
  for (;;) {
    const anew = groupOf(server) !== group;
    const answer = await fetch(`${server.url}/rows`);
    const text = await answer.text();
    if (answer.ok && anew) return { text, before };
    // one of its processes may answer for a moment after another was killed
    if (!answer.ok) before.push(answer);
  }
}

it.each(Object.entries(victims))(
  "when %s is killed the launcher starts the runtime again, and nothing acknowledged is lost",
  async (_, victim) => {
    const server = await startServer({ entry });
    const { directory, group } = runtimeOf(server);
    expect(await (await fetch(`${server.url}/add?a`)).text()).toBe("1");
    process.kill(victim(server), "SIGKILL");
    const { text, before } = await untilServedAnew(server, group);
    expect(JSON.parse(text)).toEqual(["?a"]);
    for (const answer of before)
      if (answer.status !== 502)
        expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await (await fetch(`${server.url}/add?b`)).text()).toBe("2");
    expect(server.output()).toMatch(/^workerd ended unexpectedly \(.+\); it is started again\.$/m);
    expect(await server.stop()).toBe(0);
    await expect.poll(() => processesWith(directory)).toEqual([]);
  },
);

it("a runtime that can never start ends the launcher with one sentence", async () => {
  const dataDir = temporaryDirectory();
  const bundle = join(temporaryDirectory(), "broken.js");
  writeFileSync(bundle, "export default {");
  const start = startServer({ entry, dataDir, env: { WORKER_BUNDLE: bundle } });
  await expect(start).rejects.toThrow(
    /ended with 1:\nworkerd did not start \(code 1\): [^\n]+\.\n$/,
  );
  expect(readdirSync(dataDir).filter((name) => /^(?:lock|address)/.test(name))).toEqual([]);
});

it("SIGTERM ends a launcher whose runtime has not come up yet", async () => {
  const [dataDir, parent] = [temporaryDirectory(), temporaryDirectory()];
  const bundle = join(temporaryDirectory(), "endless.js");
  writeFileSync(bundle, "for (;;);");
  const start = startServer({ entry, dataDir, env: { WORKER_BUNDLE: bundle, TMPDIR: parent } });
  const ended = expect(start).rejects.toThrow(/ended with 0:\n$/);
  const directory = `${parent}/sealwright-`;
  while (processesWith(directory).length < 3) await new Promise((resolve) => setImmediate(resolve));
  process.kill(Number.parseInt(readFileSync(join(dataDir, "lock"), "utf8"), 10), "SIGTERM");
  await ended;
  expect([readdirSync(dataDir).sort(), readdirSync(parent)]).toEqual([
    ["objects", "root-token", "sealing-key", "vars-token"],
    [],
  ]);
  await expect.poll(() => processesWith(directory)).toEqual([]);
});

it("too little address space is told in one sentence", async () => {
  const within = ["sh", "-c", 'ulimit -v 8000000; exec "$@"', "sh"];
  await expect(startServer({ entry, within })).rejects.toThrow(
    /ended with 1:\nworkerd did not start \([^)]+\): it may not use enough memory [^\n]+\.\n$/,
  );
});

it("too few files that may be open are told in one sentence", async () => {
  const within = ["sh", "-c", 'ulimit -n 100; exec "$@"', "sh"];
  await expect(startServer({ entry, within })).rejects.toThrow(
    /ended with 1:\nOnly 100 files may be open at once \(ulimit -n\), and at least 128 are needed\.\n$/,
  );
});

it("a runtime directory that somebody removes ends the launcher with one sentence", async () => {
  const server = await startServer({ entry, env: { TMPDIR: temporaryDirectory() } });
  const { directory } = runtimeOf(server);
  rmSync(directory, { recursive: true });
  await expect.poll(() => processesWith(directory)).toEqual([]);
  expect(await server.stop()).toBe(1);
  expect(server.output()).toMatch(/^\S+ was removed while it was used; set TMPDIR [^\n]+\.$/m);
});

it("runtime directories that nobody holds are removed at the next start, others are left", async () => {
  const parent = temporaryDirectory();
  const directory = (name: string, old: boolean): string => {
    const path = mkdtempSync(join(parent, name));
    if (name === "sealwright-") writeFileSync(join(path, "lock.db"), "");
    if (old && name === "sealwright-")
      utimesSync(join(path, "lock.db"), 1_700_000_000, 1_700_000_000);
    return path;
  };
  const [stale, young, others] = [
    directory("sealwright-", true),
    directory("sealwright-", false),
    directory("somebody-", true),
  ];
  const first = await startServer({ entry, env: { TMPDIR: parent } });
  const held = runtimeOf(first).directory;
  utimesSync(join(held, "lock.db"), 1_700_000_000, 1_700_000_000);
  expect([stale, young, others, held].map((path) => existsSync(path))).toEqual([
    false,
    true,
    true,
    true,
  ]);
  const second = await startServer({ entry, env: { TMPDIR: parent } });
  expect([existsSync(held), (await fetch(`${first.url}/rows`)).status]).toEqual([true, 200]);
  const { group, directory: left } = runtimeOf(second);
  // all of them at once: nobody is left to clean up
  process.kill(-Number(group), "SIGSTOP");
  process.kill(second.pid, "SIGKILL");
  process.kill(-Number(group), "SIGKILL");
  await second.kill9();
  utimesSync(join(left, "lock.db"), 1_700_000_000, 1_700_000_000);
  const third = await startServer({ entry, env: { TMPDIR: parent } });
  expect(existsSync(left)).toBe(false);
  await Promise.all([first.stop(), third.stop()]);
  rmSync(parent, { recursive: true });
});

it.each([
  ["without SQLite", "with it", "--no-experimental-sqlite", ""],
  ["with SQLite", "without it", "", "--no-experimental-sqlite"],
])("the runtime directory of a Node %s is held against one %s", async (...given) => {
  const [, , held, coming] = given;
  const parent = temporaryDirectory();
  const start = (options: string) =>
    startServer({ entry, env: { TMPDIR: parent, NODE_OPTIONS: options } });
  const first = await start(held);
  const { directory } = runtimeOf(first);
  utimesSync(join(directory, "lock.db"), 1_700_000_000, 1_700_000_000);
  const second = await start(coming);
  expect([existsSync(directory), (await fetch(`${first.url}/rows`)).status]).toEqual([true, 200]);
  await Promise.all([first.stop(), second.stop()]);
  rmSync(parent, { recursive: true });
});
