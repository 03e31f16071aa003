import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Ca, Store, Stores } from "../src/index.ts";
import { atMost, figure, median, round } from "./figures.ts";
import { liveBytes } from "./live-bytes.ts";
import { webRole, withCa } from "./server.ts";

/** The number of calls to the stores of a mount's partitions, by kind and partition. */
export type Calls = Readonly<Record<"commit" | "list" | "read", Map<number, number>>>;
/** Returns empty counts. */
export const newCalls = (): Calls => ({ commit: new Map(), list: new Map(), read: new Map() });
/** Sets all counts to 0. */
export const clear = (calls: Calls): void =>
  Object.values(calls).forEach((counts) => counts.clear());
/** Returns the sum of the counts of all partitions. */
export const total = (counts: ReadonlyMap<number, number>): number =>
  [...counts.values()].reduce((sum, count) => sum + count, 0);

/** Wraps stores so that calls to the stores of partitions are counted. */
export function counted(inner: Stores, calls: Calls): Stores {
  const open = (name: string): Store => {
    const store = inner(name);
    if (!/^[\da-f]{8}-/.test(name)) return store;
    const partition = Number(name.split(".", 2)[1] ?? 0);
    const called = <T>(kind: keyof Calls, result: T): T => {
      calls[kind].set(partition, (calls[kind].get(partition) ?? 0) + 1);
      return result;
    };
    return {
      ...store,
      get: (keys) => called("read", store.get(keys)),
      // listings of revocations do not count as listings of certificates
      list: (prefix, page) =>
        called(prefix.startsWith("cert/") ? "list" : "read", store.list(prefix, page)),
      ...(store.epoch ? { epoch: async () => called("read", await store.epoch?.()) ?? 0 } : {}),
      commit: (batch) => called("commit", store.commit(batch)),
    };
  };
  return Object.assign(open, { durable: true, partitions: true });
}

/** The measured calls, and the number of calls of each kind per round. */
const perRound = { issue: 50, change: 10, search: 10 } as const;
type Kind = keyof typeof perRound;
const kinds = ["issue", "change", "search"] as const satisfies readonly Kind[];

/**
 * The durations of calls of one kind, and the maximum number of store calls that any of them made.
 */
interface Seen {
  /** Median duration of each round (ms). */
  readonly medians: number[];
  commits: number;
  /** Largest number of commits in one partition. */
  busiest: number;
  reads: number;
  /** Largest number of listings of certificates in one partition. */
  lists: number;
}
/** A measured mount with its partitions. */
interface Subject {
  readonly partitions: number;
  readonly calls: Calls;
  readonly runs: Readonly<Record<Kind, (n: number) => Promise<unknown>>>;
  readonly seen: Readonly<Record<Kind, Seen>>;
}
const newSeen = (): Seen => ({ medians: [], commits: 0, busiest: 0, reads: 0, lists: 0 });

async function subjectOf(ca: Ca, calls: Calls, partitions: number): Promise<Subject> {
  const path = `with-${partitions}`;
  const config = { partitions, max_lease_ttl: "87600h" };
  await ca.sys.createMount({ path, type: "pki", config });
  const pki = ca.mount(path);
  await pki.generateRoot({ common_name: "Bench Root", key_type: "ec", ttl: "80000h" });
  await pki.writeRole({ name: "web", ...webRole });
  const runs = {
    issue: (n: number) => pki.issue({ role: "web", common_name: `h${n}.example.com` }),
    change: (n: number) => pki.writeRole({ name: "other", ...webRole, max_ttl: 3600 + n }),
    search: () => pki.searchCerts({ name: "h", limit: 20 }),
  };
  // 50 certificates per partition on average
  for (let n = 0; n < 50 * partitions; n++) await runs.issue(n);
  return {
    partitions,
    calls,
    runs,
    seen: { issue: newSeen(), change: newSeen(), search: newSeen() },
  };
}

/**
 * Runs the calls of each kind in sequence. After a change of the configuration, the next issuance
 * reads the configuration again.
 */
async function runRound({ calls, runs, seen }: Subject, n: number): Promise<void> {
  for (const kind of kinds) {
    await runs.issue(-1);
    const of = seen[kind];
    const times: number[] = [];
    for (let call = 0; call < perRound[kind]; call++) {
      clear(calls);
      const begun = performance.now();
      await runs[kind](n * perRound[kind] + call);
      times.push(performance.now() - begun);
      of.commits = Math.max(of.commits, total(calls.commit));
      of.busiest = Math.max(of.busiest, ...calls.commit.values());
      of.reads = Math.max(of.reads, total(calls.read));
      of.lists = Math.max(of.lists, ...calls.list.values());
    }
    of.medians.push(median(times));
  }
}

/**
 * Prints the duration of calls of one kind, relative to the mount with one partition, as the median
 * over the rounds.
 */
function printRatio(kind: Kind, { partitions, seen }: Subject, one: Subject): void {
  const { medians } = seen[kind];
  const ratios = medians.map((time, at) => time / (one.seen[kind].medians[at] ?? Number.NaN));
  const range = `${round(Math.min(...ratios))} to ${round(Math.max(...ratios))}`;
  const text = `${round(median(ratios))} times one partition (${range}); ${round(median(medians))} ms`;
  figure(`${partitions} partitions: ${kind}, p50`, text);
}
function printCounts({ partitions, seen: { issue, change, search } }: Subject): void {
  const of = `${partitions} partitions: `;
  atMost(`${of}commits of an issuance`, issue.commits, 1, "");
  atMost(`${of}other calls of an issuance`, issue.reads + issue.lists, 0, "");
  atMost(`${of}commits of a change`, change.commits, partitions, "");
  atMost(`${of}commits of a change in one partition`, change.busiest, 1, "");
  atMost(`${of}listings of a search page in one partition`, search.lists, 1, "");
}

/** Measures the live memory of this thread before and after many issuances. */
async function printMemory({ partitions, runs }: Subject): Promise<void> {
  const [least, most] = [1000, 4000];
  for (let n = 0; n < least; n++) await runs.issue(n);
  const before = liveBytes();
  for (let n = least; n < most; n++) await runs.issue(n);
  const each = (liveBytes() - before) / (most - least);
  atMost(`${partitions} partitions: memory added by an issuance`, each, 200, "bytes");
}

/**
 * Measures issuances, configuration changes and search pages on mounts with 1, 4 and 16 partitions,
 * and counts the calls to stores. Calls run one at a time, alternating between the mounts. The
 * database is opened as a server with one process does.
 */
export async function benchScale(rounds: number): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "sealwright-bench-"));
  const calls = newCalls();
  try {
    await withCa(
      join(directory, "ca.db"),
      (ca) => compareMounts(ca, calls, rounds),
      (stores) => counted(stores, calls),
    );
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
async function compareMounts(ca: Ca, calls: Calls, rounds: number): Promise<void> {
  const subjects: Subject[] = [];
  for (const partitions of [1, 4, 16]) subjects.push(await subjectOf(ca, calls, partitions));
  for (let n = 0; n < rounds; n++) for (const subject of subjects) await runRound(subject, n);
  for (const subject of subjects) {
    for (const kind of kinds) printRatio(kind, subject, subjects[0] ?? subject);
    printCounts(subject);
    await printMemory(subject);
  }
}
