import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../server/build/build-page.ts";
import { identityOf, isAlive } from "../server/data/process-identity.ts";
import { atMost, figure, median, processTree, round } from "./figures.ts";
import {
  chance,
  checkEvents,
  checkAcknowledged,
  maxLogMiB,
  mixedLoad,
  prepareMixed,
  type Target,
  type Acknowledged,
} from "./mixed.ts";
import { scratchDirectory, secretIn, startCheckout, type Program } from "./programs.ts";

/** A server that was started as users start it, and its processes. */
interface Started extends Target {
  readonly npm: Program;
  readonly launcher: number;
}

/** The storage of a server, and the victims other than its processes. */
export interface Storage {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  /** Functions that kill and restart a part of the storage, by name in the report. */
  readonly victims: Readonly<Record<string, () => Promise<void>>>;
  /** Returns the size of the largest write-ahead log (MiB). */
  maxLogMiB(): number;
}

/**
 * Runs `npm start` in its own process group, as a shell does, and waits until the server is ready.
 */
async function npmStart(dataDir: string, env: Storage["env"]): Promise<Started> {
  const npm = await startCheckout(root, { dataDir, env }, true);
  const [launcher = ""] = readFileSync(join(dataDir, "lock"), "utf8").split(/\s/);
  return {
    npm,
    launcher: Number(launcher),
    url: npm.url,
    token: secretIn(dataDir, "root-token"),
    varsToken: secretIn(dataDir, "vars-token"),
  };
}

/** Returns the IDs of the processes that a server has forked. */
const forkedBy = ({ launcher }: Started): readonly number[] =>
  processTree(launcher).filter((pid) => pid !== launcher);

/** A function that returns the IDs of the processes to kill; a negative number is a group's ID. */
type Victim = (started: Started, next: () => number) => readonly number[];
/** Victims whose exit stops the server, which the bench then restarts. */
const ending: Readonly<Record<string, Victim>> = {
  launcher: ({ launcher }) => [launcher],
  npm: ({ npm }) => [npm.pid],
  "the group of npm": ({ npm }) => [-npm.pid],
};
/** Victims that the server itself restarts. */
const restarting: Readonly<Record<string, Victim>> = {
  "one process that serves": (started, next) => {
    const all = forkedBy(started);
    return all.slice(Math.floor(next() * all.length)).slice(0, 1);
  },
  "all processes that serve": forkedBy,
};

const soon = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The state of a run. */
interface Run {
  readonly storage: Storage;
  readonly dataDir: string;
  readonly next: () => number;
  started: Started;
  readonly acknowledged: Acknowledged;
  /** Times from each kill until the server responded again (ms), by victim. */
  readonly away: Record<string, number[]>;
  maxLog: number;
}

/** Waits until the server responds again, after restarting it if it has exited. */
async function waitUntilServing(
  run: Run,
  victim: string,
  killed: readonly string[],
): Promise<void> {
  const { started, dataDir, storage } = run;
  if (victim in ending) {
    // wait until the forked processes have exited with the server
    while (killed.some(isAlive)) await soon(2);
    run.started = await npmStart(dataDir, storage.env);
    return;
  }
  const isServing = async (): Promise<boolean> => {
    const answer = await fetch(`${started.url}/v1/sys/health`).catch(() => undefined);
    return answer?.ok === true;
  };
  while (killed.some(isAlive) || !(await isServing())) await soon(2);
}

async function kill(run: Run, victim: string): Promise<readonly string[]> {
  const own = run.storage.victims[victim];
  if (own) {
    await own();
    return [];
  }
  const all = processTree(run.started.launcher).map(identityOf);
  const pids = { ...ending, ...restarting }[victim]?.(run.started, run.next) ?? [];
  const killed = victim in ending ? all : pids.map(identityOf);
  for (const pid of pids) process.kill(pid, "SIGKILL");
  return killed;
}

async function killOnce(run: Run, victim: string): Promise<void> {
  const { acknowledged, next } = run;
  let left = 5 + Math.floor(next() * 120);
  let ready = (): void => {};
  const enough = new Promise<void>((resolve) => (ready = resolve));
  let over = false;
  const load = mixedLoad(run.started, acknowledged, {
    next,
    goOn: () => !over,
    done: () => void (--left <= 0 && ready()),
  });
  await Promise.race([enough, load]);
  if (left > 0) acknowledged.defects.push(`the load ended before ${victim} was killed`);
  const begun = performance.now();
  const killed = await kill(run, victim);
  over = true;
  await load;
  await waitUntilServing(run, victim, killed);
  (run.away[victim] ??= []).push(performance.now() - begun);
  await checkAcknowledged(run.started, acknowledged);
  await checkEvents(run.started, acknowledged);
  run.maxLog = Math.max(run.maxLog, run.storage.maxLogMiB());
}

async function end({ started }: Run): Promise<void> {
  const launcher = identityOf(started.launcher);
  process.kill(started.launcher, "SIGTERM");
  while (isAlive(launcher)) await soon(5);
}

/** Returns the storage of a server with a SQLite data directory. */
const sqlite = (dataDir: string): Storage => ({
  name: "SQLite",
  env: {},
  victims: {},
  maxLogMiB: () => maxLogMiB(dataDir),
});

/** The options for the bench: rounds, victims and storage. */
export interface KillsOptions {
  readonly rounds: number;
  readonly seed: number;
  /** Number of serving processes. */
  readonly workers: number;
  /** Number of partitions of the mount; by default 1. */
  readonly partitions?: number;
  readonly storageIn?: (dataDir: string) => Storage;
}

/**
 * Kills processes in turn with SIGKILL while callers issue and revoke certificates and write roles
 * and variables. Checks after each kill that no acknowledged change is lost. Takes too long for CI:
 * a round takes a second or two.
 */
export async function benchKills({
  rounds,
  seed,
  workers,
  partitions,
  storageIn = sqlite,
}: KillsOptions): Promise<void> {
  console.log(`       (seed ${seed}; to repeat this run, use --seed=${seed})`);
  const dataDir = scratchDirectory();
  const initial = storageIn(dataDir);
  const storage = { ...initial, env: { WORKERS: String(workers), ...initial.env } };
  const started = await npmStart(dataDir, storage.env);
  const acknowledged = await prepareMixed(started, 8, partitions);
  const run: Run = {
    storage,
    dataDir,
    next: chance(seed),
    started,
    acknowledged,
    away: {},
    maxLog: 0,
  };
  // a single process does not fork
  const own = workers > 1 ? restarting : {};
  const victims = Object.keys({ ...ending, ...own, ...storage.victims });
  try {
    for (let done = 0; done < rounds; done++) {
      const victim = victims[done % victims.length] ?? "";
      await killOnce(run, victim);
      if (acknowledged.defects.length > 0)
        throw new Error(
          `round ${done + 1}, ${victim}: ${acknowledged.defects.slice(0, 5).join("; ")}`,
        );
    }
    await checkAcknowledged(run.started, acknowledged, true);
  } finally {
    await end(run);
  }
  report(run, rounds);
}

function report({ storage, acknowledged, away, maxLog }: Run, rounds: number): void {
  const what = `${storage.name}, ${rounds} kills`;
  for (const [victim, times] of Object.entries(away))
    figure(
      `${victim} killed, ${times.length} times: served again`,
      `p50 ${round(median(times))} ms, slowest ${round(Math.max(...times))} ms`,
    );
  figure(
    `${what}: acknowledged`,
    Object.entries(acknowledged.counts)
      .map(([kind, count]) => `${count} ${kind}`)
      .join(", "),
  );
  figure(
    `${what}: CRLs, each number once`,
    `${acknowledged.lists.size}, up to number ${Math.max(...acknowledged.lists.keys())}`,
  );
  const events = [...acknowledged.events].map(([name, { size }]) => `${size} of ${name}`);
  figure(`${what}: audit events, without a gap`, events.join(", "));
  atMost(`${what}: lost, changed or issued twice`, acknowledged.defects.length, 0, "");
  atMost(`${what}: largest write-ahead log`, maxLog, 64, "MiB");
}
