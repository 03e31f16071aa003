import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { identityOf, isAlive } from "../../server/data/process-identity.ts";
import {
  childrenOf,
  startServer,
  temporaryDirectory,
  type RunningServer,
} from "../support/server.ts";
import { apiOf, makeAuthority } from "../http/api.ts";
import { crlOf } from "../http/crl.ts";
import { rolesOf, writeRole } from "./roles.ts";

/** Resolves when a server has `count` processes again, other than those in `gone`. */
async function untilRestarted(
  { pid, output }: RunningServer,
  gone: readonly number[],
  count: number,
): Promise<void> {
  await expect.poll(() => childrenOf(pid).filter((one) => !gone.includes(one)).length).toBe(count);
  await expect.poll(output).toContain("it is being restarted.\n");
}

it("a killed process is restarted, and the server answers meanwhile", async () => {
  const server = await startServer({ env: { WORKERS: "2" } });
  for (let round = 0; round < 4; round++) {
    const [victim = 0] = childrenOf(server.pid);
    process.kill(victim, "SIGKILL");
    await untilRestarted(server, [victim], 2);
    // connections of the killed process break; a new one reaches the other
    await writeRole(server, `r${round}`);
  }
  expect(await rolesOf(server)).toEqual(["r0", "r1", "r2", "r3"]);
  const told = server.output().match(/^A server process ended .*$/gm);
  expect(told).toEqual(
    Array(4).fill("A server process ended unexpectedly (SIGKILL); it is being restarted."),
  );
  expect(await server.stop()).toBe(0);
});

it("jobs run once each, even after the process that ran them was killed", async () => {
  const server = await startServer({ env: { WORKERS: "2", SEALWRIGHT_TEST_CLOCK: "1" } });
  const at = (now: number) =>
    fetch(`${server.url}/test/clock`, { method: "PUT", body: JSON.stringify({ now }) });
  const api = apiOf(server);
  const begun = Date.parse("2030-01-01T00:00:00Z");
  expect((await at(begun)).status).toBe(204);
  await makeAuthority(api);
  // CRLs are valid for 72 hours, and are signed again 12 hours before they expire
  expect((await api("POST", "pki/config/crl", { auto_rebuild: true })).status).toBe(200);
  const number = async () => (await crlOf(api)).number;
  let last = await number();
  for (let round = 1; round <= 3; round++) {
    const [victim = 0] = childrenOf(server.pid);
    process.kill(victim, "SIGKILL");
    await untilRestarted(server, [victim], 2);
    expect((await at(begun + round * 61 * 3_600_000)).status).toBe(204);
    expect(await number()).toBe(last + 1);
    last++;
  }
  expect(await server.stop()).toBe(0);
});

it("killing all processes at once loses nothing that was acknowledged", async () => {
  const server = await startServer({ env: { WORKERS: "3" } });
  await writeRole(server, "a");
  const all = childrenOf(server.pid);
  expect(all).toHaveLength(3);
  for (const pid of all) process.kill(pid, "SIGKILL");
  await untilRestarted(server, all, 3);
  await expect.poll(() => rolesOf(server).catch(() => [])).toEqual(["a"]);
  expect(await server.stop()).toBe(0);
});

it("SIGTERM stops a server that is still starting", async () => {
  const dataDir = temporaryDirectory();
  const start = startServer({ dataDir, env: { WORKERS: "2" } });
  const ended = expect(start).rejects.toThrow(/ended with 0:\n$/);
  await expect.poll(() => readdirSync(dataDir), { interval: 1 }).toContain("lock");
  const server = Number.parseInt(readFileSync(join(dataDir, "lock"), "utf8"), 10);
  const identity = identityOf(server);
  process.kill(server, "SIGTERM");
  await ended;
  expect(isAlive(identity)).toBe(false);
  expect(readdirSync(dataDir).filter((name) => /lock|run|socket|address/.test(name))).toEqual([]);
});

it("too low a limit of open files is reported in one sentence", async () => {
  const within = ["sh", "-c", 'ulimit -n 100; exec "$@"', "sh"];
  await expect(startServer({ within })).rejects.toThrow(
    /ended with 1:\nThe limit of open files is 100, but at least 128 are required; raise it with ulimit -n\.\n$/,
  );
});
