import { describe, expect, it } from "vitest";
import { CaError, memoryStore, type Store } from "../../../src/index.ts";
import { partitionKeys } from "../../../src/engine/partition-layout.ts";
import { authority, type Authority } from "../../support/authority.ts";

/** Returns an authority with a mount `big` of 130 certificates, and faults of its stores. */
async function withMany() {
  const inner = memoryStore();
  const gets: (readonly string[])[] = [];
  const faults: { copy?: Error } = {};
  const open = (name: string): Store => {
    const store = inner(name);
    return {
      ...store,
      get: (keys) => {
        if (!name.includes(".")) gets.push([name, ...keys]);
        return store.get(keys);
      },
      commit: async (batch) => {
        if (faults.copy && name.endsWith(".2")) throw faults.copy;
        return store.commit(batch);
      },
    };
  };
  const stores = Object.assign(open, { durable: false as const, partitions: true });
  const a = authority({ stores });
  await a.sys.createMount({ path: "big", type: "pki" });
  const big = a.ca.mount("big");
  await big.generateRoot({ common_name: "Root CA", key_type: "ec", ttl: "700h" });
  await big.writeRole({ name: "web", key_type: "ed25519", allow_any_name: true, ttl: "24h" });
  for (let n = 0; n < 130; n++) await big.issue({ role: "web", common_name: "a.test" });
  const { uuid } = await a.sys.readMount({ path: "big" });
  return { ...a, uuid, gets, faults };
}
async function step({ ca, clock }: Authority): Promise<void> {
  clock.now += 20;
  await ca.tick();
}
/** Returns the growths and the warnings that health reports to anonymous callers. */
async function health(a: Authority): Promise<readonly [growing: unknown, warnings: unknown]> {
  a.clock.advance(1);
  const { status, json } = await a.call("GET", "sys/health", undefined, { token: "" });
  expect(status).toBe(200);
  return [json["growing"], json["warnings"]];
}
/** Returns the metrics of growths. */
async function metrics(a: Authority): Promise<readonly string[]> {
  a.clock.advance(1);
  const { text } = await a.call("GET", "sys/metrics?format=prometheus");
  return text.split("\n").filter((line) => line.startsWith("sealwright_growth_"));
}

describe("sys/health and metrics", () => {
  it("show a growth that runs, is stopped and continues, until it is complete", async () => {
    const a = await withMany();
    expect([await health(a), await metrics(a)]).toEqual([[undefined, undefined], []]);
    await a.ca.sys.growPartitions({ path: "big", count: 4 });
    await step(a);
    const { growth } = await a.ca.sys.readPartitions({ path: "big" });
    const percent = growth?.percent ?? 0;
    expect(percent).toBeGreaterThan(0);
    const shown = { mount: "big/", from: 1, to: 4, percent };
    expect(await health(a)).toEqual([[{ ...shown, state: "moving" }], undefined]);
    expect(await metrics(a)).toEqual([
      `sealwright_growth_percent{mount="big",from="1",to="4"} ${percent}`,
      'sealwright_growth_stopped{mount="big"} 0',
      'sealwright_growth_failing{mount="big"} 0',
    ]);
    await a.ca.sys.stopPartitions({ path: "big" });
    expect(await health(a)).toEqual([[{ ...shown, state: "stopped" }], undefined]);
    expect(await metrics(a)).toContain('sealwright_growth_stopped{mount="big"} 1');
    await a.ca.sys.growPartitions({ path: "big", count: 4 });
    for (let n = 0; n < 50; n++) await step(a);
    expect([await health(a), await metrics(a)]).toEqual([[undefined, undefined], []]);
  });

  it("show the last error of a growth, and warn after five failures in a row", async () => {
    const a = await withMany();
    await a.ca.sys.growPartitions({ path: "big", count: 4 });
    a.faults.copy = new CaError("storage", "the disk is full");
    const warnings: unknown[] = [];
    for (let n = 0; n < 5; n++) {
      await step(a);
      const [growing, warned] = await health(a);
      expect(growing).toMatchObject([{ state: "moving", error: "the disk is full" }]);
      warnings.push(warned);
      a.clock.advance(600);
    }
    expect(await metrics(a)).toContain('sealwright_growth_failing{mount="big"} 1');
    const why = "The growth of the mount big/ to 4 partitions keeps failing: the disk is full";
    expect(warnings).toEqual([undefined, undefined, undefined, undefined, [why]]);
    // an error without a code may contain file names
    a.faults.copy = new Error("/var/lib/sealwright.db");
    // after failures, a step examines so few rows that it may copy none
    for (let n = 0; n < 5; n++) {
      await step(a);
      a.clock.advance(600);
    }
    expect((await a.ca.sys.readPartitions({ path: "big" })).growth?.error).toBe(
      "an unexpected error; the log says why",
    );
    delete a.faults.copy;
    a.clock.advance(600);
    await step(a);
    expect(await health(a)).toEqual([
      [{ mount: "big/", state: "moving", from: 1, to: 4, percent: expect.any(Number) }],
      undefined,
    ]);
  });

  it("read the growth together with the row of the mount, without further reads", async () => {
    const a = await withMany();
    await health(a);
    a.gets.length = 0;
    await health(a);
    const withGrowth = a.gets.filter((keys) => keys.includes(partitionKeys.growth));
    expect(withGrowth.map(([store]) => store)).toContain(a.uuid);
    expect(withGrowth.filter((keys) => !keys.includes("mount"))).toEqual([]);
  });
});

describe("GET sys/mounts/:path/partitions", () => {
  it("returns whether the mount can get more partitions", async () => {
    const a = await withMany();
    const canGrow = async () => (await a.ca.sys.readPartitions({ path: "big" })).can_grow;
    expect(await canGrow()).toBe(true);
    await a.ca.sys.growPartitions({ path: "big", count: 4 });
    expect(await canGrow()).toBe(false);
    await a.ca.sys.stopPartitions({ path: "big" });
    expect(await canGrow()).toBe(false);
    await a.sys.createMount({ path: "most", type: "pki", config: { partitions: 64 } });
    expect((await a.ca.sys.readPartitions({ path: "most" })).can_grow).toBe(false);
  });
});
