import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startServer } from "../test/support/server.ts";
import { atMost, figure } from "./figures.ts";
import { chance, checkTold, largestLogMiB, mixedLoad, prepareMixed } from "./mixed.ts";

/** Mixed load for some minutes, and the largest write-ahead log that was seen meanwhile. */
export async function benchLog({
  minutes,
  seed,
}: {
  readonly minutes: number;
  readonly seed: number;
}): Promise<void> {
  const server = await startServer();
  let largest = 0;
  const look = (): void => void (largest = Math.max(largest, largestLogMiB(server.dataDir)));
  const watch = setInterval(look, 100);
  try {
    const target = {
      ...server,
      varsToken: readFileSync(join(server.dataDir, "vars-token"), "utf8").trim(),
    };
    const told = await prepareMixed(target, 16);
    const end = performance.now() + minutes * 60_000;
    await mixedLoad(target, told, {
      next: chance(seed),
      goOn: () => performance.now() < end && told.defects.length === 0,
      done: () => undefined,
    });
    await checkTold(target, told);
    figure(
      `${minutes} minutes: acknowledged`,
      Object.entries(told.counts)
        .map(([kind, count]) => `${count} ${kind}`)
        .join(", "),
    );
    atMost(`${minutes} minutes: defects`, told.defects.length, 0, "", told.defects[0]);
    atMost(`${minutes} minutes: largest write-ahead log`, largest, 64, "MiB");
  } finally {
    clearInterval(watch);
    await server.stop();
  }
}
