import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { cpSync, existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../../server/build/build-page.ts";
import { identityOf, isAlive } from "../../server/data/process-identity.ts";
import { placesOfMachine } from "../support/nodes.ts";
import { allExited, childrenOf, temporaryDirectory } from "../support/server.ts";

/** Starts `npm start` like a user, and returns its processes. */
async function npmStart(): Promise<{
  readonly npm: ChildProcess;
  readonly dataDir: string;
  readonly processes: readonly string[];
}> {
  const dataDir = temporaryDirectory();
  const npm = spawn("npm", ["start"], {
    cwd: root,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: dataDir,
      PORT: "0",
      DATA_DIR: dataDir,
      WORKERS: "2",
      DEMO_DIR: dataDir,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise<void>((resolve, reject) => {
    let output = "";
    npm.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      if (/^Sealwright serves /m.test(output)) resolve();
    });
    npm.once("exit", (code) => reject(new Error(`npm ended with ${code}: ${output}`)));
  });
  const pid = Number.parseInt(readFileSync(join(dataDir, "lock"), "utf8"), 10);
  const processes = [pid, ...childrenOf(pid)].map(identityOf);
  expect(processes.map(isAlive)).toEqual([true, true, true]);
  return { npm, dataDir, processes };
}

it.each(["SIGTERM", "SIGINT", "SIGKILL"] as const)(
  "%s to npm leaves no process and no lock file",
  async (signal) => {
    const { npm, dataDir, processes } = await npmStart();
    npm.kill(signal);
    await allExited(processes);
    expect(existsSync(join(dataDir, "lock"))).toBe(false);
  },
);

it("`npm ci` in a checkout prints no warnings with any installed npm", () => {
  const checkout = temporaryDirectory();
  for (const name of ["package.json", "package-lock.json", ".npmrc", "tools/node/package.json"])
    cpSync(join(root, name), join(checkout, name));
  const { status, stderr } = spawnSync("npm", ["ci", "--dry-run", "--offline"], {
    cwd: checkout,
    env: { PATH: placesOfMachine().join(delimiter), HOME: checkout },
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
});
