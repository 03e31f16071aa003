import { join } from "node:path";
import { createCa, sealedVault, type Ca } from "../src/index.ts";
import { nodeCrypto, sqliteStore } from "../src/node/index.ts";
import { atMost, figure, median, round } from "./figures.ts";
import { scratchDirectory } from "./programs.ts";
import { webRole } from "./server.ts";

/** Maximum CPU time of an issue whose mount has a log, relative to one without. */
const maxCpu = 1.05;
/** Concurrent issues, as many as the connections of other benches. */
const lanes = 32;

/**
 * Compares the CPU time of issues with and without a log: two authorities in this process, each
 * with a file of its own, issue in turn. Only signing runs on other threads; all count.
 */
export async function benchLogCpu(options: {
  readonly rounds: number;
  readonly certificates: number;
}): Promise<void> {
  const { rounds, certificates } = options;
  const authorities = { without: await authorityIn(false), with: await authorityIn(true) };
  const seen: Readonly<Record<keyof typeof authorities, number[]>> = { without: [], with: [] };
  const names = ["without", "with"] as const;
  for (let n = -1; n < rounds; n++)
    for (const name of n % 2 === 0 ? names : names.toReversed()) {
      const used = await cpuOf(authorities[name], certificates);
      // the first round compiles
      if (n >= 0) seen[name].push(used);
    }
  const ratios = seen.with.map((used, n) => used / (seen.without[n] ?? Number.NaN));
  for (const name of names)
    figure(`an issue ${name} a log: CPU time`, `${round(median(seen[name]))} us`);
  atMost(
    "an issue with a log: CPU time, relative to one without",
    median(seen.with) / median(seen.without),
    maxCpu,
    "",
    `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`,
  );
}

/** Creates an authority in a new file, with a root, a role and possibly a log. */
async function authorityIn(log: boolean): Promise<Ca> {
  const ca = createCa({
    stores: sqliteStore(join(scratchDirectory(), "log-cpu.db")),
    vault: sealedVault({ key: new Uint8Array(32), crypto: nodeCrypto }),
    crypto: nodeCrypto,
  });
  if (log) await ca.pki.writeLogConfig({ enabled: true, origin: "bench.test/log" });
  await ca.pki.generateRoot({ common_name: "Bench Root", key_type: "ec", ttl: "87600h" });
  await ca.pki.writeRole({ name: "web", ...webRole, allowed_domains: ["example.com"] });
  return ca;
}

/** Returns the CPU time per issue in microseconds, with all jobs that the issues made necessary. */
async function cpuOf(ca: Ca, certificates: number): Promise<number> {
  const { user, system } = process.cpuUsage();
  let left = certificates;
  const lane = async (): Promise<void> => {
    while (left-- > 0) await ca.pki.issue({ role: "web", common_name: `h${left}.example.com` });
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const due = await ca.tick();
  if (due !== undefined && due - Date.now() < 2000) {
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - Date.now())));
    await ca.tick();
  }
  const used = process.cpuUsage({ user, system });
  return (used.user + used.system) / certificates;
}
