import { setTimeout as sleep } from "node:timers/promises";
import { createCa, memoryStore, type Ca, type Store, type Stores } from "../src/index.ts";
import { atMost, figure, median, round } from "./figures.ts";
import { liveBytes } from "./live-bytes.ts";
import { seedRevoked } from "./revoked.ts";
import { webRole } from "./server.ts";

/** An authority with a memory store whose commits are observed. */
interface Subject {
  readonly ca: Ca;
  readonly store: Store;
  /** Called for each commit that stores pieces of a CRL, with their size. */
  watch: ((bytes: number) => void) | undefined;
}
async function subject(): Promise<Subject> {
  const inner = memoryStore();
  const opened = new Map<string, Store>();
  const holder: { watch: Subject["watch"] } = { watch: undefined };
  const stores: Stores = (name) => {
    const store = inner(name);
    opened.set(name, store);
    return {
      ...store,
      commit: (batch) => {
        const pieces = (batch.put ?? []).filter(([key]) => key.startsWith("crl/"));
        if (pieces.length > 0)
          // the values of pieces are bytes
          holder.watch?.(pieces.reduce((sum, [, piece]) => sum + (piece as Uint8Array).length, 0));
        return store.commit(batch);
      },
    };
  };
  const ca = createCa({ stores, sealingKey: new Uint8Array(32) });
  await ca.pki.generateRoot({ common_name: "Bench Root", key_type: "ec", ttl: "87600h" });
  await ca.pki.writeRole({ name: "web", ...webRole, ttl: "9000h" });
  const [name = ""] = [...opened.keys()].filter((one) => one !== "sys");
  return Object.assign(holder, { ca, store: inner(name) });
}

/** Returns the durations of `count` calls (ms). */
async function timesOf(count: number, run: () => Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const begun = performance.now();
    await run();
    times.push(performance.now() - begun);
  }
  return times;
}
/** Returns the median duration of revoking one certificate (ms). */
async function revoking({ ca }: Subject, count: number): Promise<number> {
  const serials: string[] = [];
  for (let i = 0; i < count; i++)
    serials.push((await ca.pki.issue({ role: "web", common_name: "h.example.com" })).serial_number);
  const times = await timesOf(count, () => ca.pki.revoke({ serial_number: serials.pop() ?? "" }));
  return median(times);
}

/** Measures revoking one certificate when many are already revoked, and building their CRLs. */
export async function benchRevocation(max: number): Promise<void> {
  const first: { on?: number } = {};
  for (const count of [1000, 10_000, 100_000, 1_000_000].filter((one) => one <= max))
    await benchOne(count, first);
  if (max >= 1_000_000) await benchShards(1_000_000, 16);
}
async function benchOne(count: number, first: { on?: number }): Promise<void> {
  const one = await subject();
  await seedRevoked(one.store, { count });
  await one.ca.pki.writeCrlConfig({ auto_rebuild: true });
  const [full = Number.NaN] = await timesOf(1, () => one.ca.pki.rotateCrl({}));
  await revoking(one, 20);
  const on = await revoking(one, 41);
  first.on ??= on;
  const [what, times] = [`${count} revoked: one more, auto_rebuild`, on / first.on];
  atMost(`${what} on`, times, 2, "times that at 1000", `${round(on)} ms`);
  await one.ca.pki.writeCrlConfig({ enable_delta: true });
  await revoking(one, 100);
  const delta = median(await timesOf(5, () => one.ca.pki.rotateDeltaCrl({})));
  figure(`${count} revoked: a delta of 100 entries`, `${round(delta)} ms`);
  await one.ca.pki.writeCrlConfig({ auto_rebuild: false, enable_delta: false });
  const off = await revoking(one, count > 100_000 ? 5 : 15);
  figure(`${what} off`, `${round(off)} ms`);
  const list = median(await timesOf(5, () => one.ca.pki.rotateCrl({})));
  const text = `${round(list)} ms, the first time ${round(full)}`;
  if (count === 100_000) atMost(`${count} revoked: a complete CRL`, list, 20, "ms", text);
  else figure(`${count} revoked: a complete CRL`, text);
  const { liveBytes, maxBytes } = await liveMemory(one);
  atMost(
    `${count} revoked: memory that a complete CRL takes`,
    liveBytes / maxBytes,
    3,
    "times the CRL",
    `${round(liveBytes / 2 ** 20)} MiB`,
  );
}
/** Measures building the CRLs of many shards, one after another. */
async function benchShards(count: number, shards: number): Promise<void> {
  const one = await subject();
  await one.ca.pki.writeUrls({ crl_distribution_points: ["http://ca.example.com/v1/pki/crl"] });
  await one.ca.pki.writeCrlConfig({ auto_rebuild: true, shards });
  await seedRevoked(one.store, { count, shards });
  const rotate = () => one.ca.pki.rotateCrl({});
  const [full = Number.NaN] = await timesOf(1, rotate);
  const times = await timesOf(5, rotate);
  const what = `${count} revoked in ${shards} shards: all CRLs`;
  atMost(what, median(times), 500, "ms", `the first time ${round(full)}`);
  const { liveBytes } = await liveMemory(one);
  atMost(`${what}, memory`, liveBytes / 2 ** 20, 128, "MiB");
}
/**
 * Returns the maximum live memory that storing CRLs adds, and the size of the longest CRL, in
 * bytes.
 */
async function liveMemory(
  one: Subject,
): Promise<{ readonly liveBytes: number; readonly maxBytes: number }> {
  liveBytes();
  await sleep(100);
  const before = liveBytes();
  const seen = { liveBytes: 0, maxBytes: 0 };
  one.watch = (bytes) => {
    seen.liveBytes = Math.max(seen.liveBytes, liveBytes() - before);
    seen.maxBytes = Math.max(seen.maxBytes, bytes);
  };
  await one.ca.pki.rotateCrl({});
  one.watch = undefined;
  return seen;
}
