import { join } from "node:path";
import { createCa, sealedVault, type Ca } from "../src/index.ts";
import { nodeCrypto, sqliteStore } from "../src/node/index.ts";
import { atMost, cpuOf, figure, round } from "./figures.ts";
import { scratchDirectory } from "./programs.ts";
import { webRole } from "./server.ts";

/** Maximum CPU time of an issuance in a mount with a log, relative to a mount without one. */
const maxCpu = 1.05;
/** Number of concurrent issuances, which equals the number of connections in other benches. */
const lanes = 32;
/**
 * Number of rounds between two runs of the job. Each run then adds the entries of about one busy
 * second.
 */
const roundsPerRun = 4;
/**
 * Number of warm-up rounds, which are not measured because compilation adds about 10 % to their CPU
 * time.
 */
const warmUp = 6 * roundsPerRun;
/**
 * Quantile of the rounds that is used as the figure. Other work on the machine only adds CPU time,
 * so the fastest rounds differ less between runs than the median.
 */
const quantile = 0.1;

/** An authority, and the CPU times that were measured in it. */
interface Subject {
  readonly ca: Ca;
  /** CPU time of an issuance in each round (µs). */
  readonly issues: number[];
  /** CPU time of each run of the jobs, per issuance since the previous run (µs). */
  readonly jobs: number[];
}

/**
 * Compares the CPU time of issuances with and without a log. Two authorities in this process, each
 * with its own file, issue in turn. Signing runs on other threads, whose CPU time counts too.
 */
export async function benchLogCpu({
  rounds,
  certificates,
}: {
  readonly rounds: number;
  readonly certificates: number;
}): Promise<void> {
  let ahead = 0;
  const now = (): number => Date.now() + ahead;
  const subject = async (log: boolean): Promise<Subject> => ({
    ca: await authorityIn(log, now),
    issues: [],
    jobs: [],
  });
  const [without, logged] = [await subject(false), await subject(true)];
  for (let n = -warmUp; n < rounds; n++) {
    const pair = n % 2 === 0 ? [without, logged] : [logged, without];
    for (const { ca, issues } of pair) {
      const used = await cpuOf(() => issueAll(ca, certificates));
      if (n >= 0) issues.push(used / certificates);
    }
    if ((n + warmUp + 1) % roundsPerRun !== 0) continue;
    // makes the jobs due
    ahead += 2000;
    for (const { ca, jobs } of pair) {
      const used = await cpuOf(() => ca.tick());
      if (n >= 0) jobs.push(used / (roundsPerRun * certificates));
    }
  }
  const sum = ({ issues, jobs }: Subject): number => low(issues) + low(jobs);
  figure("an issuance without a log: CPU time", `${round(sum(without))} us`);
  figure(
    "an issuance with a log: CPU time",
    `${round(sum(logged))} us`,
    `${round(low(logged.jobs))} us of them to add its entry to the tree`,
  );
  atMost(
    "an issuance with a log: CPU time, relative to one without",
    sum(logged) / sum(without),
    maxCpu,
    "",
    `${certificates * rounds} issuances each`,
  );
}
/** Returns the lowest decile of figures. */
const low = (figures: readonly number[]): number =>
  figures.toSorted((a, b) => a - b)[Math.floor(quantile * (figures.length - 1))] ?? Number.NaN;

/** Creates an authority in a new file, with a root, a role and possibly a log. */
async function authorityIn(log: boolean, now: () => number): Promise<Ca> {
  const ca = createCa({
    stores: sqliteStore(join(scratchDirectory(), "log-cpu.db")),
    vault: sealedVault({ key: new Uint8Array(32), crypto: nodeCrypto }),
    crypto: nodeCrypto,
    now,
  });
  if (log) await ca.pki.writeLogConfig({ enabled: true, origin: "bench.test/log" });
  await ca.pki.generateRoot({ common_name: "Bench Root", key_type: "ec", ttl: "87600h" });
  await ca.pki.writeRole({ name: "web", ...webRole, allowed_domains: ["example.com"] });
  return ca;
}

/** Issues certificates, some of them concurrently. */
async function issueAll(ca: Ca, certificates: number): Promise<void> {
  let left = certificates;
  const lane = async (): Promise<void> => {
    while (left-- > 0) await ca.pki.issue({ role: "web", common_name: `h${left}.example.com` });
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
