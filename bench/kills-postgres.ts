// Kills the database and the servers that share it, in turn and under mixed load, and checks that
// no acknowledged change is lost: `node bench/kills-postgres.ts --rounds=100 --seed=1`. Takes too
// long for CI.
import { parseArgs } from "node:util";
import { administrator, postgresPrograms, startPostgres } from "../test/support/postgres.ts";
import {
  childrenOf,
  startServer,
  temporaryDirectory,
  type RunningServer,
} from "../test/support/server.ts";
import { newSecrets } from "../test/support/two-servers.ts";
import {
  chance,
  checkAcknowledged,
  mixedLoad,
  prepareMixed,
  type Target,
  type Acknowledged,
} from "./mixed.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string" }, seed: { type: "string" } },
});
const rounds = Number(values.rounds ?? 100);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed}; to repeat this run, use --seed=${seed}`);
const next = chance(seed);

const [programs] = postgresPrograms();
if (!programs) throw new Error("PostgreSQL is not installed");
const postgres = await startPostgres(programs);
const secrets = newSecrets();
const env = { ...secrets, WORKERS: "2", DATABASE_URL: postgres.url() };
const directories = [temporaryDirectory(), temporaryDirectory()];
const start = (at: number): Promise<RunningServer> =>
  startServer({ env, dataDir: directories[at] ?? "" });
const servers = await Promise.all([start(0), start(1)]);
const targetOf = (at: number): Target => ({
  url: servers[at]?.url ?? "",
  token: secrets.SERVICE_ROOT_TOKEN,
  varsToken: secrets.VARS_TOKEN,
});

async function killServer(at: number): Promise<void> {
  await servers[at]?.kill9();
  servers[at] = await start(at);
}
async function killDatabase(): Promise<void> {
  await postgres.kill();
  await postgres.start();
}
/** Kills a backend process of PostgreSQL, which then closes all connections and recovers. */
async function killBackend(): Promise<void> {
  const admin = administrator(postgres);
  const { rows } = await admin.query<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE application_name = 'sealwright'",
  );
  const one = rows[Math.floor(next() * rows.length)];
  if (one) process.kill(one.pid, "SIGKILL");
  await admin.end().catch(() => undefined);
}
function killProcess(at: number): void {
  const all = childrenOf(servers[at]?.pid ?? 0);
  const one = all[Math.floor(next() * all.length)];
  if (one !== undefined) process.kill(one, "SIGKILL");
}
const victims: Readonly<Record<string, () => unknown>> = {
  "the database": killDatabase,
  "a server": () => killServer(next() < 0.5 ? 0 : 1),
  "a process of the database": killBackend,
  "a process of a server": () => killProcess(next() < 0.5 ? 0 : 1),
  "both servers": () => Promise.all([killServer(0), killServer(1)]),
  "the database and a server": () =>
    Promise.all([killDatabase(), killServer(0).catch(() => restart(0))]),
};
/** Restarts a server, and retries while the database is unavailable. */
async function restart(at: number): Promise<void> {
  for (;;)
    try {
      servers[at] = await start(at);
      return;
    } catch {
      await soon();
    }
}
const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

/** Maximum time to wait for a server (ms). */
const giveUpMs = 60_000;
/** Waits until every process of a server responds with data from the database. */
async function waitUntilServing(at: number): Promise<void> {
  const { url, token } = targetOf(at);
  const end = performance.now() + giveUpMs;
  for (let good = 0; good < 4;) {
    const answer = await fetch(`${url}/v1/sys/mounts`, {
      headers: { "x-service-token": token, connection: "close" },
    }).catch(() => undefined);
    good = answer?.ok === true ? good + 1 : 0;
    if (performance.now() > end)
      throw new Error(`server ${at} has not recovered:\n${servers[at]?.output() ?? ""}`);
    if (good === 0) await soon();
  }
}

const told: Acknowledged = await prepareMixed(targetOf(0), 8);
/** Returns the acknowledged changes of a server's callers. Each server has half of the callers. */
const half = (at: number): Acknowledged => ({
  ...told,
  roles: told.roles.filter((_, caller) => caller % 2 === at),
  variables: told.variables.filter((_, caller) => caller % 2 === at),
});

async function killOnce(kill: () => unknown): Promise<void> {
  let left = 5 + Math.floor(next() * 60);
  let [isOver, ready] = [false, (): void => undefined];
  const enough = new Promise<void>((resolve) => (ready = resolve));
  const stretch = {
    next,
    goOn: () => !isOver,
    done: () => void (--left <= 0 && ready()),
  };
  const load = Promise.all([0, 1].map((at) => loadOf(at, stretch)));
  await Promise.race([enough, load]);
  await kill();
  isOver = true;
  await load;
  await Promise.all([waitUntilServing(0), waitUntilServing(1)]);
  for (const at of next() < 0.5 ? [0, 1] : [1, 0]) await checkAcknowledged(targetOf(at), told);
}
/**
 * Runs the load of a server's callers, who switch to the other server if theirs does not respond,
 * as behind a load balancer.
 */
async function loadOf(at: number, stretch: Parameters<typeof mixedLoad>[2]): Promise<void> {
  await mixedLoad(targetOf(at), half(at), stretch);
  if (stretch.goOn()) await mixedLoad(targetOf(1 - at), half(at), stretch);
}

const names = Object.keys(victims);
const begun = performance.now();
for (let round = 1; round <= rounds; round += 1) {
  const name = names[(round - 1) % names.length] ?? "";
  await killOnce(victims[name] ?? (() => undefined));
  if (told.defects.length > 0)
    throw new Error(`round ${round}, ${name} killed: ${told.defects.slice(0, 5).join("; ")}`);
  if (round % 10 === 0) console.log(`${round} rounds`);
}
await checkAcknowledged(targetOf(0), told, true);
await Promise.all(servers.map(({ stop }) => stop()));
await postgres.stop();
const acknowledged = Object.entries(told.counts).map(([kind, count]) => `${count} ${kind}`);
console.log(
  `${rounds} kills in ${Math.round((performance.now() - begun) / 1000)} s; acknowledged: ${acknowledged.join(", ")}; ` +
    `${told.lists.size} CRLs, each number once; lost, changed or issued twice: ${told.defects.length}`,
);
if (told.defects.length > 0) throw new Error(told.defects.join("; "));
process.exit(0);
