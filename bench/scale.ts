import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCa, sealedVault, type Ca, type Store, type Stores } from "../src/index.ts";
import { startWriter } from "../server/data/database.ts";
import { nodeCrypto } from "../src/node/index.ts";
import { figure, median, round } from "./figures.ts";
import { webRole } from "./server.ts";

/** Number of calls of the stores of a mount's partitions, by partition. */
interface Calls {
  readonly commits: Map<number, number>;
  readonly reads: Map<number, number>;
}
const added = (counts: Map<number, number>, partition: number): void =>
  void counts.set(partition, (counts.get(partition) ?? 0) + 1);
const total = (counts: ReadonlyMap<number, number>): number =>
  [...counts.values()].reduce((sum, count) => sum + count, 0);

/** Returns stores that count the calls of partitions. */
function counted(inner: Stores, calls: Calls): Stores {
  const open = (name: string): Store => {
    const store = inner(name);
    if (!/^[\da-f]{8}-/.test(name)) return store;
    const partition = Number(name.split(".", 2)[1] ?? 0);
    const reading = <T>(result: T): T => {
      added(calls.reads, partition);
      return result;
    };
    return {
      ...store,
      get: (keys) => reading(store.get(keys)),
      list: (prefix, page) => reading(store.list(prefix, page)),
      ...(store.epoch ? { epoch: async () => reading(await store.epoch?.()) ?? 0 } : {}),
      commit: (batch) => {
        added(calls.commits, partition);
        return store.commit(batch);
      },
    };
  };
  return Object.assign(open, { durable: true, partitions: true });
}

/** A mount with partitions, and what its calls took. */
interface Measured {
  readonly partitions: number;
  readonly calls: Calls;
  readonly runs: Readonly<Record<string, (n: number) => Promise<unknown>>>;
  /** Durations of the calls of each kind, ms. */
  readonly times: Record<string, number[]>;
  /** Commits of each kind, in all partitions, in the busiest one, and reads. */
  readonly counts: Record<string, { commits: number; most: number; reads: number }>;
}
async function mountOf(ca: Ca, calls: Calls, partitions: number): Promise<Measured> {
  const path = `with-${partitions}`;
  const config = { partitions, max_lease_ttl: "87600h" };
  await ca.sys.createMount({ path, type: "pki", config });
  const pki = ca.mount(path);
  await pki.generateRoot({ common_name: "Bench Root", key_type: "ec", ttl: "80000h" });
  await pki.writeRole({ name: "web", ...webRole });
  const issue = (n: number) => pki.issue({ role: "web", common_name: `h${n}.example.com` });
  const configure = (n: number) => pki.writeRole({ name: "other", ...webRole, max_ttl: 3600 + n });
  for (let n = 0; n < 50; n++) await issue(n);
  return { partitions, calls, runs: { issue, configure }, times: {}, counts: {} };
}

/** Runs calls of each kind in sequence. A change of the configuration makes the next issue read it. */
async function runRound({ calls, runs, times, counts }: Measured, round: number): Promise<void> {
  for (const [kind, run] of Object.entries(runs)) {
    await runs["issue"]?.(-1);
    for (const some of [calls.commits, calls.reads]) some.clear();
    const count = kind === "issue" ? perRound : perRound / 5;
    for (let n = 0; n < count; n++) {
      const begun = performance.now();
      await run(round * perRound + n);
      (times[kind] ??= []).push(performance.now() - begun);
    }
    const seen = (counts[kind] ??= { commits: 0, most: 0, reads: 0 });
    seen.commits += total(calls.commits);
    seen.most += Math.max(...calls.commits.values());
    seen.reads += total(calls.reads);
  }
}
/** Issues per round and mount. */
const perRound = 50;

/**
 * Measures issues and changes of the configuration in mounts with 1, 4 and 16 partitions, in turn
 * and one call after the other, and counts the calls of stores. The database is that of a server of
 * one process.
 */
export async function benchScale(rounds: number): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "sealwright-bench-"));
  const writer = await startWriter(join(directory, "ca.db"));
  const stores = writer.stores();
  const calls: Calls = { commits: new Map(), reads: new Map() };
  try {
    const vault = sealedVault({ key: new Uint8Array(32), crypto: nodeCrypto });
    const ca = createCa({ stores: counted(stores, calls), vault, crypto: nodeCrypto });
    const mounts: Measured[] = [];
    for (const partitions of [1, 4, 16]) mounts.push(await mountOf(ca, calls, partitions));
    for (let n = 0; n < rounds; n++) for (const mount of mounts) await runRound(mount, n);
    for (const { partitions, times, counts } of mounts)
      for (const [kind, seen] of Object.entries(times)) {
        const { commits, most, reads } = counts[kind] ?? { commits: 0, most: 0, reads: 0 };
        const [all, busiest, read] = [commits, most, reads].map((sum) => round(sum / seen.length));
        figure(
          `${partitions} partitions: ${kind}, p50`,
          `${round(median(seen))} ms; commits ${all}, in the busiest partition ${busiest}; reads ${read}`,
        );
      }
  } finally {
    stores.close();
    await writer.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}
