import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../worker/build/build.ts";
import { identityOf, isAlive } from "../server/data/process-identity.ts";
import { bundleOf, temporaryDirectory } from "../test/support/server.ts";
import { atMost, figure, median, processTree, round } from "./figures.ts";
import {
  chance,
  checkTold,
  largestLogMiB,
  mixedLoad,
  prepareMixed,
  type Target,
  type Told,
} from "./mixed.ts";

/** A server as a user starts it, and its processes. */
interface Started extends Target {
  readonly npm: ChildProcess;
  readonly launcher: number;
}

/** Starts `npm start` in a group of its own, as a shell does, and waits until it serves. */
async function npmStart(dataDir: string): Promise<Started> {
  const bundle = await bundleOf(join(root, "worker/index.ts"));
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: dataDir,
    PORT: "0",
    DATA_DIR: dataDir,
    WORKER_BUNDLE: bundle,
  };
  const npm = spawn("npm", ["start"], {
    cwd: root,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const url = await new Promise<string>((resolve, reject) => {
    let output = "";
    const take = (chunk: Buffer): void => {
      output += chunk.toString("utf8");
      const found = /^Sealwright serves (\S+)$/m.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    };
    npm.stdout.on("data", take);
    npm.stderr.on("data", take);
    npm.once("exit", (code) => reject(new Error(`npm ended with ${code}: ${output}`)));
  });
  const secret = (name: string): string => readFileSync(join(dataDir, name), "utf8").trim();
  return {
    npm,
    launcher: noted(dataDir)[0],
    url,
    token: secret("root-token"),
    varsToken: secret("vars-token"),
  };
}

/** The launcher, and the group of its runtime, by their ids. */
function noted(dataDir: string): readonly [launcher: number, group: number] {
  const [launcher = 0, group = 0] = readFileSync(join(dataDir, "lock"), "utf8")
    .split("\n")
    .map((line) => Number(line.split(" ")[0]));
  return [launcher, group];
}

function workerdIn(group: number): number {
  const found = processTree(group).find(
    (pid) =>
      existsSync(`/proc/${pid}/comm`) &&
      readFileSync(`/proc/${pid}/comm`, "latin1").trim() === "workerd",
  );
  if (found === undefined) throw new Error("no workerd in its group");
  return found;
}

/** What is killed, as `kill` takes it: an id, or that of a group with a minus before it. */
type Victim = (started: Started, group: number) => readonly number[];
/** With these ends the launcher, and a new one is started. */
const ending: Readonly<Record<string, Victim>> = {
  launcher: ({ launcher }) => [launcher],
  npm: ({ npm }) => [npm.pid ?? 0],
  "npm's group": ({ npm }) => [-(npm.pid ?? 0)],
  "both groups": ({ npm }, group) => [-group, -(npm.pid ?? 0)],
};
/** After these it starts the runtime again. */
const restarting: Readonly<Record<string, Victim>> = {
  workerd: (_, group) => [workerdIn(group)],
  "workerd's group": (_, group) => [-group],
  watcher: (_, group) =>
    processTree(group)
      .filter((pid) => pid !== group && pid !== workerdIn(group))
      .slice(0, 1),
};
const victims: Readonly<Record<string, Victim>> = { ...ending, ...restarting };

const soon = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * Waits until somebody serves again: a launcher that is started once the last one has ended, or the
 * same one with a new runtime.
 */
async function again(
  started: Started,
  dataDir: string,
  launcher: string,
  group: number,
  victim: string,
): Promise<Started> {
  if (victim in ending) {
    while (isAlive(launcher)) await soon(2);
    return npmStart(dataDir);
  }
  while (noted(dataDir)[1] === group || !(await fetch(`${started.url}/v1/sys/health`)).ok)
    await soon(2);
  return started;
}

interface Seen {
  started: Started;
  readonly told: Told;
  /** Milliseconds from each kill until it served again, by victim. */
  readonly away: Record<string, number[]>;
  largestLog: number;
}

async function killOnce(
  seen: Seen,
  dataDir: string,
  victim: string,
  next: () => number,
): Promise<void> {
  const { told } = seen;
  let left = 5 + Math.floor(next() * 120);
  let ready = (): void => {};
  const enough = new Promise<void>((resolve) => (ready = resolve));
  let over = false;
  const load = mixedLoad(seen.started, told, {
    next,
    goOn: () => !over,
    done: () => void (--left <= 0 && ready()),
  });
  await Promise.race([enough, load]);
  if (left > 0) told.defects.push(`the load ended before ${victim} was killed`);
  const launcher = identityOf(seen.started.launcher);
  const [, group] = noted(dataDir);
  const pids = victims[victim]?.(seen.started, group) ?? [];
  const begun = performance.now();
  for (const pid of pids) process.kill(pid, "SIGKILL");
  over = true;
  await load;
  seen.started = await again(seen.started, dataDir, launcher, group, victim);
  (seen.away[victim] ??= []).push(performance.now() - begun);
  await checkTold(seen.started, told);
  seen.largestLog = Math.max(seen.largestLog, largestLogMiB(dataDir));
}

async function end({ started }: Seen): Promise<void> {
  const launcher = identityOf(started.launcher);
  process.kill(started.launcher, "SIGTERM");
  while (isAlive(launcher)) await soon(5);
}

/**
 * Kills each process in turn with SIGKILL while callers issue, revoke and write roles and
 * variables, and looks after each whether anything acknowledged was lost. Not for CI: a round takes
 * a second or two.
 */
export async function benchKills({
  rounds,
  seed,
}: {
  readonly rounds: number;
  readonly seed: number;
}): Promise<void> {
  console.log(`       (seed ${seed}; again with --seed=${seed})`);
  const next = chance(seed);
  const dataDir = temporaryDirectory();
  const started = await npmStart(dataDir);
  const seen: Seen = { started, told: await prepareMixed(started, 8), away: {}, largestLog: 0 };
  const names = Object.keys(victims);
  try {
    for (let done = 0; done < rounds; done++) {
      const victim = names[done % names.length] ?? "";
      await killOnce(seen, dataDir, victim, next);
      if (seen.told.defects.length > 0)
        throw new Error(
          `round ${done + 1}, ${victim} killed: ${seen.told.defects.slice(0, 5).join("; ")}`,
        );
    }
    await checkTold(seen.started, seen.told, true);
  } finally {
    await end(seen);
  }
  const { told, away } = seen;
  for (const [victim, times] of Object.entries(away))
    figure(
      `${victim} killed, ${times.length} times: served again`,
      `p50 ${round(median(times))} ms, slowest ${round(Math.max(...times))} ms`,
    );
  figure(
    `${rounds} kills: acknowledged`,
    Object.entries(told.counts)
      .map(([kind, count]) => `${count} ${kind}`)
      .join(", "),
  );
  figure(
    `${rounds} kills: lists, each number once`,
    `${told.lists.size}, up to number ${Math.max(...told.lists.keys())}`,
  );
  atMost(`${rounds} kills: lost, changed or given twice`, told.defects.length, 0, "");
  atMost(`${rounds} kills: largest write-ahead log`, seen.largestLog, 64, "MiB");
}
