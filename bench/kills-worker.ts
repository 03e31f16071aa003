// Kills the runtime of a deployed Worker under mixed load, and checks that no acknowledged change
// is lost: `node bench/kills-worker.ts --rounds=100 --partitions=4 --seed=1`. Not for CI.
import { parseArgs } from "node:util";
import { startDeployed } from "../test/support/deployed.ts";
import { temporaryDirectory } from "../test/support/server.ts";
import { median, round } from "./figures.ts";
import {
  chance,
  checkAcknowledged,
  checkEvents,
  mixedLoad,
  prepareMixed,
  type Acknowledged,
} from "./mixed.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string" },
    partitions: { type: "string" },
    seed: { type: "string" },
  },
});
const rounds = Number(values.rounds ?? 100);
const partitions = Number(values.partitions ?? 4);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed}; to repeat this run, use --seed=${seed}`);
const next = chance(seed);

const dataDir = temporaryDirectory();
const start = () => startDeployed({ dataDir, env: { VARS_RATE_LIMIT: "0" } });
let worker = await start();
const told: Acknowledged = await prepareMixed(worker, 8, partitions);
/** Time from each kill until the Worker responded again (ms). */
const away: number[] = [];

async function killOnce(): Promise<void> {
  let left = 5 + Math.floor(next() * 60);
  let [isOver, ready] = [false, (): void => undefined];
  const enough = new Promise<void>((resolve) => (ready = resolve));
  const load = mixedLoad(worker, told, {
    next,
    goOn: () => !isOver,
    done: () => void (--left <= 0 && ready()),
  });
  await Promise.race([enough, load]);
  if (left > 0) told.defects.push("the load ended before the kill");
  const begun = performance.now();
  await worker.kill9();
  isOver = true;
  await load;
  worker = await start();
  away.push(performance.now() - begun);
  await checkAcknowledged(worker, told);
  await checkEvents(worker, told);
}

const begun = performance.now();
for (let done = 1; done <= rounds; done++) {
  await killOnce();
  if (told.defects.length > 0)
    throw new Error(`round ${done}: ${told.defects.slice(0, 5).join("; ")}`);
  if (done % 10 === 0) console.log(`${done} rounds`);
}
await checkAcknowledged(worker, told, true);
await worker.stop();
const acknowledged = Object.entries(told.counts).map(([kind, count]) => `${count} ${kind}`);
const events = [...told.events.values()].reduce((sum, { size }) => sum + size, 0);
console.log(
  `${rounds} kills with ${partitions} partitions in ${Math.round((performance.now() - begun) / 1000)} s; ` +
    `served again after p50 ${round(median(away))} ms; acknowledged: ${acknowledged.join(", ")}; ` +
    `${events} audit events of ${told.events.size} logs without a gap; ` +
    `${told.lists.size} CRLs, each number once; lost, changed or issued twice: ${told.defects.length}`,
);
if (told.defects.length > 0) throw new Error(told.defects.join("; "));
process.exit(0);
