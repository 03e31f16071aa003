import { rmSync } from "node:fs";
import { atMost, figure, median, round } from "./figures.ts";
import { workers } from "./flags.ts";
import { scratchDirectory, startBuilt } from "./programs.ts";
import { asSubject, prepare } from "./server.ts";

/** Times since the program was started (ms). */
interface Start {
  /** Time until the port accepts connections and the server responds. */
  readonly answers: number;
  /** Time until the first certificate is issued. */
  readonly issued: number;
}

async function measureStart(dataDir: string, count: number, first: boolean): Promise<Start> {
  const begun = performance.now();
  const program = await startBuilt({ dataDir, env: { WORKERS: String(count) } });
  const answers = performance.now() - begun;
  try {
    const { call } = asSubject(program, dataDir);
    if (first) await prepare(call);
    await call("issue/web", { common_name: "first.example.com" });
    return { answers, issued: performance.now() - begun };
  } finally {
    await program.stop();
  }
}

/**
 * Measures the time from the start of the built server until it responds, and until it has issued
 * the first certificate, both for a new deployment (including the creation of root and roles) and
 * for a restart.
 */
export async function benchStart(): Promise<void> {
  // build first, because the build is not part of the measurement
  await measureStart(scratchDirectory(), 1, true);
  for (const count of new Set([1, workers])) {
    const seen: { readonly [name: string]: Start[] } = { new: [], again: [] };
    for (let i = 0; i < 7; i++) {
      const dataDir = scratchDirectory();
      seen["new"]?.push(await measureStart(dataDir, count, true));
      seen["again"]?.push(await measureStart(dataDir, count, false));
      rmSync(dataDir, { recursive: true, force: true });
    }
    for (const [name, starts] of Object.entries(seen)) {
      const what = `WORKERS=${count}: start, ${name}`;
      figure(`${what}: serves`, `${round(median(starts.map(({ answers }) => answers)))} ms`);
      const times = starts.map(({ issued }) => issued);
      const range = `${round(Math.min(...times))} to ${round(Math.max(...times))}`;
      atMost(`${what}: the first certificate`, median(times), 600, "ms", range);
    }
  }
}
