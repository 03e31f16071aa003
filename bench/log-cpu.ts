import { join } from "node:path";
import { createCa, sealedVault, type Ca } from "../src/index.ts";
import { nodeCrypto, sqliteStore } from "../src/node/index.ts";
import { atMost, figure, round } from "./figures.ts";
import { scratchDirectory } from "./programs.ts";
import { webRole } from "./server.ts";

/** Maximum CPU time of an issue whose mount has a log, relative to one without. */
const maxCpu = 1.05;
/** Concurrent issues, as many as the connections of other benches. */
const lanes = 32;
/** Rounds between two runs of the job, which then adds the entries of about a busy second. */
const roundsPerRun = 4;
/** First rounds, in which most of the code is compiled: that adds a tenth to the CPU time. */
const warmUp = 6 * roundsPerRun;
/**
 * Share of the rounds below the figure. Other work on the machine only adds CPU time, so that the
 * fastest rounds differ less between runs than their median.
 */
const quantile = 0.1;

/** An authority of the bench. */
interface Subject {
  readonly ca: Ca;
  /** CPU time of an issue in microseconds, by round. */
  readonly issues: number[];
  /** CPU time of the jobs for each issue before them. */
  readonly jobs: number[];
}

/**
 * Compares the CPU time of issues with and without a log: two authorities in this process, each
 * with a file of its own, issue in turn. Only signing runs on other threads; all count.
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
    // the jobs are due
    ahead += 2000;
    for (const { ca, jobs } of pair) {
      const used = await cpuOf(() => ca.tick());
      if (n >= 0) jobs.push(used / (roundsPerRun * certificates));
    }
  }
  const sum = ({ issues, jobs }: Subject): number => low(issues) + low(jobs);
  figure("an issue without a log: CPU time", `${round(sum(without))} us`);
  figure(
    "an issue with a log: CPU time",
    `${round(sum(logged))} us`,
    `${round(low(logged.jobs))} us of them to add its entry to the tree`,
  );
  atMost(
    "an issue with a log: CPU time, relative to one without",
    sum(logged) / sum(without),
    maxCpu,
    "",
    `${certificates * rounds} issues each`,
  );
}
/** Returns the lower decile of figures. */
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

/** Issues certificates, some at the same time. */
async function issueAll(ca: Ca, certificates: number): Promise<void> {
  let left = certificates;
  const lane = async (): Promise<void> => {
    while (left-- > 0) await ca.pki.issue({ role: "web", common_name: `h${left}.example.com` });
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** Returns the CPU time that this process needs for some work, in microseconds. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
