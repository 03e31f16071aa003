import { atMost, figure } from "./figures.ts";
import { chance, checkAcknowledged, maxLogMiB, mixedLoad, prepareMixed } from "./mixed.ts";
import { scratchDirectory, secretIn, startBuilt } from "./programs.ts";

/** Runs a mixed load for some minutes, and prints the maximum size of the write-ahead log. */
export async function benchLog({
  minutes,
  seed,
}: {
  readonly minutes: number;
  readonly seed: number;
}): Promise<void> {
  const dataDir = scratchDirectory();
  const server = await startBuilt({ dataDir });
  let maxSeen = 0;
  const measure = (): void => void (maxSeen = Math.max(maxSeen, maxLogMiB(dataDir)));
  const watch = setInterval(measure, 100);
  try {
    const target = {
      url: server.url,
      token: secretIn(dataDir, "root-token"),
      varsToken: secretIn(dataDir, "vars-token"),
    };
    const acknowledged = await prepareMixed(target, 16);
    const end = performance.now() + minutes * 60_000;
    await mixedLoad(target, acknowledged, {
      next: chance(seed),
      goOn: () => performance.now() < end && acknowledged.defects.length === 0,
      done: () => undefined,
    });
    await checkAcknowledged(target, acknowledged);
    figure(
      `${minutes} minutes: acknowledged`,
      Object.entries(acknowledged.counts)
        .map(([kind, count]) => `${count} ${kind}`)
        .join(", "),
    );
    atMost(
      `${minutes} minutes: defects`,
      acknowledged.defects.length,
      0,
      "",
      acknowledged.defects[0],
    );
    atMost(`${minutes} minutes: largest write-ahead log`, maxSeen, 64, "MiB");
  } finally {
    clearInterval(watch);
    await server.stop();
  }
}
