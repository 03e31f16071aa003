import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { placementOf } from "../src/engine/placement-rules.ts";
import { partitionName } from "../src/engine/partition-stores.ts";
import type { Ca, Stores } from "../src/index.ts";
import { pkiPlacement } from "../src/pki/config/row-placement.ts";
import { storedPki } from "../src/pki/rows/records.ts";
import { partitionedStore } from "../src/store/partitions/partitioned-store.ts";
import { cpuOf, figure, median, round } from "./figures.ts";
import { generateRevocations } from "./generated-revocations.ts";
import { seedRevoked } from "./revoked.ts";
import { clear, counted, newCalls, total, type Calls } from "./scale.ts";
import { webRole, withCa } from "./server.ts";

/** Options of the benchmark of CRLs in a mount with partitions. */
export interface ShardOptions {
  /** Number of revocations in each mount. */
  readonly revoked: number;
  readonly shards: number;
  /** Numbers of partitions, one for each mount. */
  readonly partitions: readonly number[];
  /** Number of measured revocations and rebuilds of all CRLs. */
  readonly rounds: number;
}
const path = "big";
const mib = (bytes: number): string => `${round(bytes / 2 ** 20)} MiB`;

/** Creates a mount with shards, and with a few revocations in each partition. */
async function createMount(
  ca: Ca,
  stores: Stores,
  { partitions, shards }: { readonly partitions: number; readonly shards: number },
) {
  const config = { partitions, max_lease_ttl: "87600h" };
  await ca.sys.createMount({ path, type: "pki", config });
  const pki = ca.mount(path);
  await pki.generateRoot({ common_name: "Bench Root", key_type: "ec", ttl: "80000h" });
  await pki.writeUrls({ crl_distribution_points: ["http://ca.example.com/v1/big/crl"] });
  await pki.writeCrlConfig({ auto_rebuild: true, shards });
  await pki.writeRole({ name: "web", ...webRole, ttl: "9000h" });
  const { uuid: mount } = await ca.sys.readMount({ path });
  const all = Array.from({ length: partitions }, (_, at) => stores(partitionName(mount, at)));
  const store = partitionedStore(all, placementOf(pkiPlacement, partitions));
  // creates the index columns of every partition
  await seedRevoked(store, { count: 32 * partitions, shards });
  const [first] = await store.list("revoked/", { limit: 1 });
  const { shard: _, ...row } = storedPki.revoked(first?.[1].value);
  return { mount, row };
}

/** Measures rebuilding all CRLs. */
async function measureBuilds(name: string, rounds: number, rotate: () => Promise<unknown>) {
  const timed = async () => {
    const begun = performance.now();
    const cpu = (await cpuOf(rotate)) / 1e6;
    return { wall: (performance.now() - begun) / 1000, cpu };
  };
  let peak = 0;
  const before = process.memoryUsage().rss;
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 20);
  const first = await timed();
  const rest: Awaited<ReturnType<typeof timed>>[] = [];
  for (let n = 0; n < rounds; n++) rest.push(await timed());
  clearInterval(timer);
  const text = `${round(median(rest.map(({ wall }) => wall)))} s, CPU ${round(median(rest.map(({ cpu }) => cpu)))} s`;
  figure(`${name}: all CRLs again, p50`, text);
  figure(`${name}: all CRLs, first`, `${round(first.wall)} s, CPU ${round(first.cpu)} s`);
  figure(`${name}: resident memory`, `${mib(before)}, peak ${mib(peak)}`);
}

/** Counts the calls of a revocation, and measures its duration. */
async function measureRevocations(
  name: string,
  { ca, calls, partitions, rounds }: { ca: Ca; calls: Calls; partitions: number; rounds: number },
): Promise<void> {
  const pki = ca.mount(path);
  const perPartition = new Map<number, number>();
  const times: number[] = [];
  let [commits, reads, busiest] = [0, 0, 0];
  for (let n = 0; n < rounds; n++) {
    const { serial_number } = await pki.issue({ role: "web", common_name: `h${n}.example.com` });
    clear(calls);
    const begun = performance.now();
    await pki.revoke({ serial_number });
    times.push(performance.now() - begun);
    commits += total(calls.commit);
    reads += total(calls.read) + total(calls.list);
    const called = new Set(
      Object.values(calls).flatMap((counts: Map<number, number>) => [...counts.keys()]),
    );
    called.delete(0);
    busiest = Math.max(busiest, called.size);
    for (const [partition, count] of calls.commit)
      perPartition.set(partition, (perPartition.get(partition) ?? 0) + count);
  }
  figure(`${name}: a revocation, p50`, `${round(median(times))} ms`);
  figure(
    `${name}: calls of a revocation`,
    `${round(commits / rounds)} commits, ${round(reads / rounds)} reads; of at most ${busiest} partitions besides the first`,
  );
  const counts = Array.from({ length: partitions }, (_, at) => perPartition.get(at) ?? 0);
  figure(`${name}: commits by partition`, counts.join(" "));
}

/**
 * Measures the CRLs of mounts with different numbers of partitions on SQLite: rebuilding all, and
 * the calls of a revocation whose CRL is built on schedule or at once.
 */
export async function benchShards(options: ShardOptions): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "sealwright-bench-"));
  try {
    for (const partitions of options.partitions) await benchMount(directory, partitions, options);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
async function benchMount(
  directory: string,
  partitions: number,
  options: ShardOptions,
): Promise<void> {
  const { shards, revoked, rounds } = options;
  const file = join(directory, `${partitions}.db`);
  const calls = newCalls();
  const name = `${partitions} partitions, ${revoked} revocations in ${shards} shards`;
  const mount = await withCa(file, (ca, stores) => createMount(ca, stores, { partitions, shards }));
  const begun = performance.now();
  generateRevocations({ file, ...mount, partitions, shards, count: revoked });
  const written = `${round((performance.now() - begun) / 1000)} s, ${mib(statSync(file).size)}`;
  figure(`${name}: to write them`, written);
  const run = async (ca: Ca) => {
    const pki = ca.mount(path);
    await measureBuilds(name, Math.min(rounds, 5), () => pki.rotateCrl({}));
    const of = { ca, calls, partitions, rounds };
    await measureRevocations(`${name}, auto_rebuild`, of);
    await pki.writeCrlConfig({ auto_rebuild: false });
    await measureRevocations(`${name}, CRL built at once`, of);
    figure(`${name}: largest CRL`, mib(await largestCrl(ca, shards)));
  };
  await withCa(file, run, (stores) => counted(stores, calls));
}
async function largestCrl(ca: Ca, shards: number): Promise<number> {
  let largest = 0;
  for (let shard = 0; shard < shards; shard++) {
    const url = `http://bench/v1/${path}/crl/shard/${shards}-${shard}`;
    const response = await ca.fetch(new Request(url));
    if (!response.ok) throw new Error(`${url}: ${response.status}`);
    largest = Math.max(largest, (await response.arrayBuffer()).byteLength);
  }
  return largest;
}
