import { afterEach, describe, expect, it, vi } from "vitest";
import type { Job } from "../../src/engine/deployment.ts";
import { jobKeys, jobRow } from "../../src/engine/jobs.ts";
import { Mounts } from "../../src/engine/mounts.ts";
import type { LogEvent, Ports } from "../../src/engine/ports.ts";
import type { StoreContext } from "../../src/engine/store-context.ts";
import { sealedVault } from "../../src/keys/sealed.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { clockAt, seeded } from "../support/authority.ts";

afterEach(() => void vi.useRealTimers());

/**
 * Returns a store context with jobs of the test, and a function that restarts it over the same
 * store.
 */
function storeContextWith(...jobs: readonly Job[]) {
  const clock = clockAt();
  const events: LogEvent[] = [];
  const ports: Ports = {
    stores: memoryStore(),
    now: () => clock.now,
    random: seeded(1),
    vault: sealedVault({ key: new Uint8Array(32), random: seeded(2) }),
    authenticate: async () => undefined,
    log: (event) => void events.push(event),
  };
  const open = (): StoreContext => new Mounts(ports, { types: [], jobs }).storeContext("u");
  const plan = (kind: string, id = "x") =>
    open().commit({ put: [jobRow({ due: clock.now, now: clock.now }, kind, id)] });
  const rows = async () => (await ports.stores("u").list("job/")).map(([, { value }]) => value);
  return { clock, events, open, plan, rows };
}
/** Returns a job that counts to `end`, with `budget` steps per run. */
function counting(end: number, budget: number, seen: number[] = []): Job {
  return {
    kind: "count",
    of: "storeContext",
    budget,
    step: async (_, __, progress) => {
      const next = typeof progress === "number" ? progress + 1 : 1;
      seen.push(next);
      return next < end ? next : undefined;
    },
  };
}
const noting = (kind: string, ran: string[]): Job => ({
  kind,
  of: "storeContext",
  budget: 1,
  step: async (_, id) => void ran.push(`${kind} ${id}`),
});

describe("a job", () => {
  it("ends its run after its budget of steps, and continues from its progress, in another process too", async () => {
    const seen: number[] = [];
    const { clock, open, plan, rows } = storeContextWith(counting(5, 2, seen));
    await plan("count");
    expect(await open().tick()).toBe(clock.now + 1);
    expect([seen, await rows()]).toEqual([
      [1, 2],
      [{ kind: "count", id: "x", planned: clock.now, progress: 2 }],
    ]);
    clock.now += 1;
    await open().tick();
    clock.now += 1;
    expect(await open().tick()).toBeUndefined();
    expect([seen, await rows()]).toEqual([[1, 2, 3, 4, 5], []]);
  });

  it("that fails between two steps continues from its progress", async () => {
    const tried: unknown[] = [];
    const { clock, events, open, plan } = storeContextWith({
      kind: "fail",
      of: "storeContext",
      budget: 10,
      step: async (_, __, progress) => {
        tried.push(progress);
        if (progress === "half" && tried.length < 4) throw new Error("not yet");
        return progress === undefined ? "half" : undefined;
      },
    });
    await plan("fail");
    expect(await open().tick()).toBe(clock.now + 30_000);
    clock.now += 30_000;
    expect(await open().tick()).toBe(clock.now + 60_000);
    clock.now += 60_000;
    expect(await open().tick()).toBeUndefined();
    expect(tried).toEqual([undefined, "half", "half", "half"]);
    expect(events.map(({ endpoint }) => endpoint)).toEqual(["job fail", "job fail"]);
  });

  it("that is cancelled while it runs is not rescheduled", async () => {
    const job = counting(5, 2);
    const { open, plan, rows } = storeContextWith({
      ...job,
      of: "storeContext",
      step: async (storeContext: StoreContext, id: string, progress: unknown) => {
        await storeContext.commit({ del: await jobKeys(storeContext.store, "count", "x") });
        return counting(5, 2).step(storeContext as never, id, progress);
      },
    });
    await plan("count");
    expect([await open().tick(), await rows()]).toEqual([undefined, []]);
  });

  it("with two rows, of which another process completes one, is continued for the other", async () => {
    const { clock, open, plan, rows } = storeContextWith({
      ...counting(4, 2),
      of: "storeContext",
      step: async (storeContext: StoreContext, id: string, progress: unknown) => {
        if (progress === undefined) await storeContext.commit({ del: first });
        return counting(4, 2).step(storeContext as never, id, progress);
      },
    });
    await plan("count");
    const first = await jobKeys(open().store, "count", "x");
    clock.now += 1;
    await plan("count");
    expect(await open().tick()).toBe(clock.now + 1);
    expect(await rows()).toEqual([{ kind: "count", id: "x", planned: clock.now, progress: 2 }]);
  });

  it("that is scheduled again while it runs is run again", async () => {
    const ran: string[] = [];
    const { clock, open, plan } = storeContextWith({
      kind: "again",
      of: "storeContext",
      budget: 1,
      step: async () => {
        ran.push("run");
        if (ran.length === 1) await plan("again");
      },
    });
    await plan("again");
    expect(await open().tick()).toBe(clock.now);
    expect([await open().tick(), ran.length]).toEqual([undefined, 2]);
  });

  it("that the host runs without a row gets one only if work is left", async () => {
    const { clock, open, rows } = storeContextWith(counting(3, 2), counting(3, 2));
    await open().once("count", "x");
    expect(await rows()).toEqual([{ kind: "count", id: "x", planned: clock.now, progress: 2 }]);
    clock.now += 1;
    await open().once("count", "x");
    expect(await rows()).toEqual([]);
  });
});

describe("kinds of jobs", () => {
  it("do not delay each other, even if one fails or has many steps", async () => {
    const ran: string[] = [];
    const { clock, open, plan } = storeContextWith(noting("late", ran), {
      kind: "bad",
      of: "storeContext",
      budget: 1,
      step: () => Promise.reject(new Error("never")),
    });
    for (let i = 0; i < 150; i++) await plan("bad", String(i));
    clock.now += 1;
    await plan("late");
    await open().tick();
    expect(ran).toEqual(["late x"]);
  });

  it("are not awaited if they take long, and are not started a second time", async () => {
    const ran: string[] = [];
    let begun = 0;
    const { clock, open, plan } = storeContextWith(noting("quick", ran), {
      kind: "slow",
      of: "storeContext",
      budget: 1,
      step: () => new Promise(() => void begun++),
    });
    await plan("slow");
    await plan("quick");
    vi.useFakeTimers();
    const storeContext = open();
    const first = storeContext.tick();
    await vi.advanceTimersByTimeAsync(30_000);
    expect([await first, ran]).toEqual([clock.now + 30_000, ["quick x"]]);
    await plan("quick", "y");
    const second = storeContext.tick();
    await vi.advanceTimersByTimeAsync(30_000);
    expect([await second, ran, begun]).toEqual([clock.now + 30_000, ["quick x", "quick y"], 1]);
  });
});
