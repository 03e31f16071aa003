import { atMost, figure } from "./figures.ts";
import { chance, checkAcknowledged, maxLogMiB, mixedLoad, prepareMixed } from "./mixed.ts";
import { scratchDirectory, secretIn, startBuilt } from "./programs.ts";

/** Runs mixed load for some minutes, and prints the maximum size of the write-ahead log. */
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
  const look = (): void => void (maxSeen = Math.max(maxSeen, maxLogMiB(dataDir)));
  const watch = setInterval(look, 100);
  try {
    const target = {
      url: server.url,
      token: secretIn(dataDir, "root-token"),
      varsToken: secretIn(dataDir, "vars-token"),
    };
    const told = await prepareMixed(target, 16);
    const end = performance.now() + minutes * 60_000;
    await mixedLoad(target, told, {
      next: chance(seed),
      goOn: () => performance.now() < end && told.defects.length === 0,
      done: () => undefined,
    });
    await checkAcknowledged(target, told);
    figure(
      `${minutes} minutes: acknowledged`,
      Object.entries(told.counts)
        .map(([kind, count]) => `${count} ${kind}`)
        .join(", "),
    );
    atMost(`${minutes} minutes: defects`, told.defects.length, 0, "", told.defects[0]);
    atMost(`${minutes} minutes: largest write-ahead log`, maxSeen, 64, "MiB");
  } finally {
    clearInterval(watch);
    await server.stop();
  }
}
