import { availableParallelism } from "node:os";
import { atLeast, atMost, figure, round } from "./figures.ts";
import { maxP99, printRounds } from "./http.ts";
import {
  floorKinds,
  medianOf,
  ratio,
  roundsOf,
  spread,
  subjectKinds,
  type Kinds,
} from "./kinds.ts";
import { startFloor, type Program } from "./programs.ts";
import { startSubject } from "./server.ts";

/** Maximum CPU time to issue a certificate with several serving processes, relative to one. */
const maxMore = 1.1;
const connections = ["issue", "issue x8", "issue x1"] as const;

/** Measures issuing with one, two and, given enough cores, four serving processes. */
export async function benchProcesses(length: {
  readonly seconds: number;
  readonly rounds: number;
}): Promise<void> {
  const counts = [1, 2, ...(availableParallelism() >= 4 ? [4] : [])];
  const started: Program[] = [];
  try {
    const kinds: Record<string, Kinds[string]> = {};
    for (const workers of counts) {
      const [floor, subject] = [await startFloor(workers), await startSubject({ workers })];
      started.push(floor, subject);
      const all = { ...floorKinds(floor), ...(await subjectKinds(subject)) };
      for (const name of connections)
        for (const kind of [name, name.replace("issue", "floor")]) {
          const chosen = all[kind];
          if (chosen) kinds[`${kind}, WORKERS=${workers}`] = chosen;
        }
    }
    printTargets(await roundsOf(kinds, length), counts);
  } finally {
    for (const one of started) await one.stop();
  }
}

function printTargets(seen: Awaited<ReturnType<typeof roundsOf>>, counts: readonly number[]): void {
  for (const name of Object.keys(seen)) printRounds("processes", seen, name);
  const rate = ({ rps }: { readonly rps: number }): number => rps;
  for (const workers of counts) {
    for (const name of connections) {
      const of = (kind: string): string => `${kind}, WORKERS=${workers}`;
      const [kind, by] = [of(name), of(name.replace("issue", "floor"))];
      atLeast(
        `${kind}, relative to the floor`,
        ratio(seen, kind, by, rate),
        0.65,
        spread(seen, kind, by, rate),
      );
    }
    const p99 = medianOf(seen, `issue, WORKERS=${workers}`, (one) => one.p99);
    atMost(`WORKERS=${workers}: p99 of issue`, p99, maxP99, "ms");
    if (workers === 1) continue;
    for (const name of connections) {
      const [kind, one] = [`${name}, WORKERS=${workers}`, `${name}, WORKERS=1`];
      const cpu = ({ cpu: ms }: { readonly cpu: number }): number => ms;
      const [more, range] = [ratio(seen, kind, one, cpu), spread(seen, kind, one, cpu)];
      figure(`${kind}: rate, relative to WORKERS=1`, round(ratio(seen, kind, one, rate)));
      const label = `${kind}: CPU time, relative to WORKERS=1`;
      if (name === "issue") atMost(label, more, maxMore, "", range);
      else figure(label, `${round(more)} (${range})`);
    }
  }
}
