import { describe, expect, it } from "vitest";
import {
  poolOf,
  validationLimits,
  yielded,
  type RealTime,
  type PoolWork,
} from "../../src/acme/validation/pool.ts";
import { slotsOf, type DueValidation } from "../../src/acme/validation/slots.ts";

const limits = { total: 50, account: 10, slow: 40, minSlotTime: 400 };

/** Returns a clock that tests advance. */
function standing(): RealTime & { pass(milliseconds: number): Promise<void> } {
  let now = 0;
  const calls = new Set<{ readonly at: number; readonly call: () => void }>();
  const settled = async () => {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  };
  return {
    now: () => now,
    after(milliseconds, call) {
      const one = { at: now + milliseconds, call };
      calls.add(one);
      return () => void calls.delete(one);
    },
    async pass(milliseconds) {
      const end = now + milliseconds;
      for (;;) {
        await settled();
        const [first] = [...calls].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (!first) break;
        calls.delete(first);
        now = Math.max(now, first.at);
        first.call();
      }
      now = end;
      await settled();
    },
  };
}

/** Creates a pool of validations, some of which stall until they are aborted. */
function world(stalls: (due: DueValidation) => number = () => Infinity, total = 50) {
  const time = standing();
  const rows: DueValidation[] = [];
  const begun: { readonly id: string; readonly at: number }[] = [];
  const done: { readonly id: string; readonly at: number }[] = [];
  const faults: unknown[] = [];
  let [now, maxRunning] = [0, 0];
  const maxRunningOf = new Map<string, number>();
  const running = new Map<string, number>();
  const works: PoolWork<DueValidation> = {
    maxDuration: 60_000,
    async due(known, wanted, account) {
      const counts = new Map<string, number>();
      return rows.filter(({ id, account: of }) => {
        if (known(id) || (account !== undefined && account !== of)) return false;
        counts.set(of, (counts.get(of) ?? 0) + 1);
        return (counts.get(of) ?? 0) <= wanted;
      });
    },
    work: (due, signal) =>
      new Promise((resolve, reject) => {
        begun.push({ id: due.id, at: time.now() });
        running.set(due.account, (running.get(due.account) ?? 0) + 1);
        now++;
        maxRunning = Math.max(maxRunning, now);
        maxRunningOf.set(
          due.account,
          Math.max(maxRunningOf.get(due.account) ?? 0, running.get(due.account) ?? 0),
        );
        const over = () => {
          now--;
          running.set(due.account, (running.get(due.account) ?? 0) - 1);
        };
        const takes = stalls(due);
        const stored = () => {
          over();
          resolve(async () => {
            done.push({ id: due.id, at: time.now() });
            rows.splice(rows.indexOf(due), 1);
          });
        };
        const callOff = takes === Infinity ? () => undefined : time.after(takes, stored);
        signal.addEventListener("abort", () => {
          callOff();
          if (signal.reason !== yielded) return stored();
          over();
          reject(signal.reason);
        });
      }),
    failed: (cause) => void faults.push(cause),
  };
  const pool = poolOf(works, validationLimits(total), time);
  const add = (account: string, count: number, name = "") => {
    for (let at = 0; at < count; at++) rows.push({ account, id: `${account}/${name}${at}` });
    return pool.startDue();
  };
  const doneAt = (id: string) => done.find((one) => one.id === id)?.at;
  return {
    pool,
    time,
    add,
    begun,
    done,
    doneAt,
    rows,
    faults,
    maxRunningOf,
    get maxRunning() {
      return maxRunning;
    },
  };
}

describe("the validation pool", () => {
  it("runs at most 50 validations at a time, and 10 per account", async () => {
    const { add, time, begun } = world();
    await add("a", 30);
    await time.pass(0);
    expect(begun).toHaveLength(10);
    for (const account of ["b", "c", "d", "e", "f", "g"]) await add(account, 30);
    await time.pass(0);
    expect(begun).toHaveLength(50);
  });

  it("does not start a validation that is already running, however often it is called", async () => {
    const { pool, add, begun, time } = world(() => 50);
    await add("a", 5);
    await Promise.all([pool.startDue(), pool.startDue()]);
    await time.pass(100);
    await pool.startDue();
    expect(begun.map(({ id }) => id)).toEqual(["a/0", "a/1", "a/2", "a/3", "a/4"]);
    expect(pool.isBusy).toBe(false);
  });

  it("completes more validations of an account than it holds in memory", async () => {
    const { pool, add, done, time } = world(() => 10);
    await add("a", 1000);
    await time.pass(5000);
    expect(done).toHaveLength(1000);
    expect(pool.isBusy).toBe(false);
  });

  it.each([500, 30_000])(
    "%i stalled targets of one account do not delay another account",
    async (count) => {
      const { add, time, doneAt } = world(({ account }) => (account === "bad" ? Infinity : 20));
      await add("bad", count);
      await time.pass(10_000);
      await add("good", 1);
      await time.pass(1000);
      expect(doneAt("good/0")).toBe(10_020);
    },
  );

  it.each([0, 100, 450, 5000, 30_000, 100_000])(
    "500 stalled targets of fifty accounts delay another account by less than a second, %i ms after they arrived",
    async (after) => {
      const known = world(({ account }) => (account.startsWith("bad") ? Infinity : 20));
      for (let at = 0; at < 50; at++) await known.add(`bad${at}`, 10);
      await known.time.pass(after);
      await known.add("good", 1);
      await known.time.pass(1000);
      expect(known.doneAt("good/0") ?? Infinity).toBeLessThan(after + 1000);
      expect(known.maxRunning).toBeLessThanOrEqual(50);
    },
  );

  it("gives each account its first turn even with few connections, and never exceeds the limit", async () => {
    const known = world(({ account }) => (account.startsWith("bad") ? Infinity : 20), 4);
    for (let at = 0; at < 50; at++) await known.add(`bad${at}`, 10);
    await known.time.pass(30_000);
    await known.add("good", 1);
    await known.time.pass(1000);
    expect(known.doneAt("good/0") ?? Infinity).toBeLessThan(31_000);
    expect(known.maxRunning).toBeLessThanOrEqual(4);
  });

  it("completes a validation that needs seconds while 500 others stall", async () => {
    const { add, time, doneAt } = world(({ account }) => (account === "good" ? 3000 : Infinity));
    for (let at = 0; at < 50; at++) await add(`bad${at}`, 10);
    await time.pass(1000);
    await add("good", 1);
    await time.pass(60_000);
    expect(doneAt("good/0")).toBeDefined();
  });

  it("preempts a validation without result until it had the full time once", async () => {
    const { add, time, done, begun, pool } = world();
    for (let at = 0; at < 50; at++) await add(`bad${at}`, 10);
    await time.pass(20 * 60_000);
    expect(done).toHaveLength(500);
    expect(pool.isBusy).toBe(false);
    const counts = new Map<string, number>();
    for (const { id } of begun) counts.set(id, (counts.get(id) ?? 0) + 1);
    // 400 ms, then four times as long each, until a minute is exceeded
    expect(Math.max(...counts.values())).toBe(5);
  });

  it("preempts stalled targets of an account in favour of its other validations", async () => {
    const { add, time, doneAt } = world(({ id }) => (id.includes("good") ? 20 : Infinity));
    await add("a", 15);
    await add("a", 1, "good");
    await time.pass(1500);
    expect(doneAt("a/good0")).toBeDefined();
  });

  it("continues after a storage failure, and repeats the validation on the next run", async () => {
    const { time } = world();
    const faults: unknown[] = [];
    let [tries, isBroken] = [0, true];
    const pool = poolOf<DueValidation>(
      {
        maxDuration: 1000,
        due: async (known) => (known("x") || tries > 1 ? [] : [{ id: "x", account: "a" }]),
        work: async () => async () => {
          tries++;
          if (isBroken) throw new Error("disk");
        },
        failed: (cause) => void faults.push(cause),
      },
      limits,
      time,
    );
    await pool.startDue();
    await time.pass(0);
    expect([tries, faults.length, pool.isBusy]).toEqual([1, 1, false]);
    isBroken = false;
    await pool.startDue();
    await time.pass(0);
    expect([tries, faults.length]).toEqual([2, 1]);
  });
});

describe("validation slots", () => {
  it("go to the account whose last turn was longest ago", () => {
    const slots = slotsOf<DueValidation>({ ...limits, total: 1 });
    for (const id of ["a1", "a2", "b1", "c1"]) slots.add({ id, account: id.slice(0, 1) });
    const order: string[] = [];
    for (;;) {
      const turn = slots.startNext(0);
      if (!turn) break;
      order.push(turn.begins.due.id);
      slots.free(turn.begins.due.id);
    }
    expect(order).toEqual(["a1", "b1", "c1", "a2"]);
    expect(slots.accounts).toBe(0);
  });

  it("are not taken from a validation within its minimum time, nor by an account that has as many", () => {
    const slots = slotsOf<DueValidation>({ ...limits, total: 2 });
    slots.add({ id: "a1", account: "a" });
    slots.add({ id: "b1", account: "b" });
    expect([slots.startNext(0)?.begins.due.id, slots.startNext(0)?.begins.due.id]).toEqual([
      "a1",
      "b1",
    ]);
    slots.add({ id: "c1", account: "c" });
    expect(slots.startNext(399)).toBeUndefined();
    expect(slots.soonest(399)).toBe(400);
    expect(slots.startNext(400)).toMatchObject({
      begins: { due: { id: "c1" } },
      yields: { due: { id: "a1" } },
    });
    slots.add({ id: "c2", account: "c" });
    expect(slots.startNext(500)).toBeUndefined();
    expect(slots.startNext(800)).toMatchObject({ yields: { due: { id: "c1" } } });
  });
});
