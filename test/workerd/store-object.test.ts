import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { DurableObjectNamespace, DurableObjectState } from "@cloudflare/workers-types";
import { afterEach, describe, expect, it, vi } from "vitest";
import { CaError } from "../../src/base/errors.ts";
import { encode } from "../../src/base/encoding.ts";
import { groupCommit } from "../../src/store/sql/group.ts";
import { mountObject, type Jobs } from "../../worker/object.ts";
import { rowsIn } from "../../src/store/sql/rows.ts";
import { remoteOnce, remoteStore } from "../../worker/store.ts";

const { MOUNT } = env as { MOUNT: DurableObjectNamespace };
let opened = 0;
const job = (due: number, id = "x"): string => `job/${String(due).padStart(15, "0")}/crl/${id}`;
/** A time after the end of the test, but within the maximum delay of an object's alarm. */
const far = Date.now() + 43_200_000;
const quiet: Jobs = { tick: async () => undefined, run: async () => {} };

/** Creates objects of the tested class on real storage, beside the deployed class. */
async function withObject<R>(
  jobs: Jobs,
  run: (
    make: () => Promise<InstanceType<ReturnType<typeof mountObject>>>,
    state: DurableObjectState,
    made: string[],
  ) => Promise<R>,
): Promise<R> {
  const stub = MOUNT.get(MOUNT.idFromName(`object-${(opened += 1)}`));
  return runInDurableObject(stub, async (_, state) => {
    const made: string[] = [];
    const Class = mountObject<unknown>((_env, name) => {
      made.push(name);
      return jobs;
    });
    const make = async () => {
      const object = new Class(state, {});
      await state.blockConcurrencyWhile(async () => {});
      return object;
    };
    return run(make, state, made);
  });
}

afterEach(() => void vi.restoreAllMocks());

describe("the alarm of an object", () => {
  it("is set for the earliest committed job, and only ever moved to an earlier time", async () => {
    await withObject(quiet, async (make, { storage }) => {
      const object = await make();
      const { store } = object;
      await store.commit({ put: [["a", 1]] });
      expect(await storage.getAlarm()).toBeNull();
      await store.commit({
        put: [
          [job(far + 500, "b"), 1],
          [job(far + 300, "a"), 1],
        ],
      });
      expect(await storage.getAlarm()).toBe(far + 300);
      await store.commit({ put: [[job(far + 400), 1]] });
      expect(await storage.getAlarm()).toBe(far + 300);
      await object.commit("m", { put: [[job(far + 100), encode(1)]] });
      expect(await storage.getAlarm()).toBe(far + 100);
    });
  });

  it("is not set for a job whose batch did not apply", async () => {
    await withObject(quiet, async (make, { storage }) => {
      const { store } = await make();
      await Promise.all([
        store.commit({ expect: [["none", 1]], put: [[job(far), 1]] }),
        store.commit({ put: [["a", 1]] }),
      ]);
      expect(await storage.getAlarm()).toBeNull();
    });
  });

  it("is at most a day away, and is reset if a clock that was ahead had set it", async () => {
    const day = 86_400_000;
    await withObject(quiet, async (make, { storage }) => {
      const object = await make();
      await object.commit("m", { put: [[job(far + 9000 * day), encode(1)]] });
      const soon = (ms: number) => (at: number | null) =>
        at !== null && Math.abs(at - Date.now() - ms) < 60_000;
      expect(await storage.getAlarm()).toSatisfy(soon(day));
      vi.spyOn(Date, "now").mockReturnValue(far + 900 * day);
      await object.alarm();
      vi.restoreAllMocks();
      expect(await storage.getAlarm()).toBe(far + 901 * day);
      await object.commit("m", { put: [["a", encode(1)]] });
      expect(await storage.getAlarm()).toSatisfy(soon(0));
      await storage.setAlarm(far + 901 * day);
      await make();
      expect(await storage.getAlarm()).toSatisfy(soon(0));
    });
  });

  it("is set again when the object restarts without one", async () => {
    await withObject(quiet, async (make, { storage }) => {
      await (await make()).store.commit({ put: [[job(far), 1]] });
      await storage.deleteAlarm();
      await make();
      expect(await storage.getAlarm()).toBe(far);
    });
  });

  it("runs the due jobs of the object's store, then waits for the next one", async () => {
    let ticks = 0;
    const jobs: Jobs = { ...quiet, tick: async () => void (ticks += 1) };
    await withObject(jobs, async (make, { storage }, made) => {
      const first = await make();
      await first.commit("mount-7", {
        put: [
          [job(far), encode(1)],
          [job(far + 9), encode(1)],
        ],
      });
      const again = await make();
      await again.store.commit({ del: [job(far)] });
      await again.alarm();
      expect([ticks, made]).toEqual([1, ["mount-7"]]);
      expect(await storage.getAlarm()).toBe(far + 9);
    });
  });

  it("is set to the time that the engine requests, if that is before the first job", async () => {
    const wanted = [far - 50, far + 50, undefined];
    await withObject({ ...quiet, tick: async () => wanted.shift() }, async (make, { storage }) => {
      const object = await make();
      await object.commit("m", { put: [[job(far), encode(1)]] });
      for (const at of [far - 50, far, far]) {
        await object.alarm();
        expect(await storage.getAlarm()).toBe(at);
      }
      await object.store.commit({ clear: true });
      await storage.deleteAlarm();
      await object.alarm();
      expect(await storage.getAlarm()).toBeNull();
    });
  });

  it("fires again after a second, not at once, for a job that stays due", async () => {
    await withObject(quiet, async (make, { storage }) => {
      const object = await make();
      await object.commit("m", { put: [[job(far), encode(1)]] });
      vi.spyOn(Date, "now").mockReturnValue(far + 5);
      await object.alarm();
      expect(await storage.getAlarm()).toBe(far + 1005);
    });
  });

  it("leaves a failure to the platform's retries, and rearms itself after the last one", async () => {
    const failing: Jobs = { ...quiet, tick: () => Promise.reject(new Error("broken")) };
    await withObject(failing, async (make, { storage }) => {
      const object = await make();
      await object.commit("m", { put: [["a", encode(1)]] });
      await expect(object.alarm({ retryCount: 0, isRetry: false } as never)).rejects.toThrow(
        "broken",
      );
      const before = Date.now();
      await object.alarm({ retryCount: 5, isRetry: true } as never);
      expect(await storage.getAlarm()).toBeGreaterThanOrEqual(before + 60_000);
    });
  });

  it("does nothing in an object without writes", async () => {
    await withObject(quiet, async (make, _, made) => {
      await (await make()).alarm();
      expect(made).toEqual([]);
    });
  });
});

describe("a batch that changes nothing", () => {
  /** The batch with which the health check tests whether storage accepts writes. */
  const trial = async (
    object: Awaited<ReturnType<Parameters<Parameters<typeof withObject>[1]>[0]>>,
  ) => {
    const [row] = await object.get(["mount"]);
    return { expect: [["mount", row?.[0] ?? null]], del: ["health"] } as const;
  };
  it("writes nothing, even as the first batch after a restart", async () => {
    await withObject(quiet, async (make, { storage }) => {
      const meta = () => [...storage.sql.exec("SELECT name, value FROM meta ORDER BY name").raw()];
      await (await make()).commit("m", { epoch: "next", put: [["mount", encode(1)]] });
      const before = meta();
      const object = await make();
      expect(await object.commit("m", await trial(object))).toBe(1);
      expect(await object.commit("m", {})).toBe(1);
      expect(await object.commit("m", { at: 7, put: [["x", encode(1)]] })).toBeNull();
      expect(meta()).toEqual(before);
      expect(await object.commit("m", { del: ["mount"] })).toBe(1);
      expect(meta()).not.toEqual(before);
    });
  });

  it("creates no tables in an empty object", async () => {
    await withObject(quiet, async (make, { storage }) => {
      const before = storage.sql.databaseSize;
      const object = await make();
      expect(await object.commit("m", { expect: [["mount", 1]], del: ["health"] })).toBeNull();
      expect(await object.commit("m", { at: 7, del: ["health"] })).toBeNull();
      expect(storage.sql.databaseSize).toBe(before);
    });
  });

  it("is still rejected by storage that accepts no writes", async () => {
    await withObject(quiet, async (make, state) => {
      await (await make()).commit("m", { epoch: "next", put: [["mount", encode(1)]] });
      const object = await make();
      const batch = await trial(object);
      const { storage } = state;
      const sql = Object.create(storage.sql) as typeof storage.sql;
      // like SQLite: the first statement that may write fails
      sql.exec = ((query: string, ...bindings: readonly string[]) => {
        if (/^(DELETE|INSERT|UPDATE)/.test(query))
          throw new Error("attempt to write a readonly database");
        return storage.sql.exec(query, ...bindings);
      }) as typeof sql.exec;
      const readonly = {
        sql,
        sync: () => storage.sync(),
        transactionSync: <T>(closure: () => T): T => storage.transactionSync(closure),
      };
      const commit = groupCommit(readonly, rowsIn(readonly));
      await expect(commit(batch)).rejects.toMatchObject({ code: "storage" });
      expect(await object.commit("m", batch)).toBe(1);
    });
  });
});

describe("an object whose database another process also writes", () => {
  it("continues from the epoch, rows, revisions and alarm of the other process", async () => {
    await withObject(quiet, async (make, { storage }) => {
      const [one, other] = [await make(), await make()];
      expect(await one.commit("m", { epoch: "next", put: [[job(far), encode(1)]] })).toBe(1);
      await one.commit("m", { put: [["mine", encode(1)]] });
      const large = encode(new Uint8Array(3_000_000).fill(5));
      expect(
        await other.commit("m", { epoch: "next", del: [job(far)], put: [["large", large]] }),
      ).toBe(2);
      expect([await one.epoch(), await one.get(["epoch"])]).toEqual([
        2,
        await other.get(["epoch"]),
      ]);
      expect(await one.commit("m", { at: 1, put: [["stale", encode(1)]] })).toBeNull();
      expect(await one.commit("m", { epoch: 1, put: [["stale", encode(1)]] })).toBeNull();
      expect((await one.get(["large"]))[0]?.[1]).toEqual(large);
      // the alarm of a deleted job must not prevent one for a later job
      await storage.setAlarm(Date.now() + 80_000_000);
      await one.commit("m", { put: [[job(far + 7000), encode(1)]] });
      expect(await storage.getAlarm()).toBe(far + 7000);
      const revisions: number[] = [];
      for (const writer of [one, other, one, other]) {
        await writer.commit("m", { put: [["x", encode(1)]] });
        revisions.push((await writer.get(["x"]))[0]?.[0] ?? 0);
      }
      expect(revisions).toEqual([...new Set(revisions)].sort((a, b) => a - b));
    });
  });
});

describe("dropping an object", () => {
  it("frees its storage, alarm and owner, and rejects batches based on earlier reads", async () => {
    await withObject(quiet, async (make, { storage }) => {
      const object = await make();
      await object.commit("m", {
        epoch: "next",
        put: [
          ["mount", encode(1)],
          [job(far), encode(1)],
          ["large", encode(new Uint8Array(5_000_000))],
        ],
      });
      const [row] = await object.get(["mount"]);
      expect(storage.sql.databaseSize).toBeGreaterThan(5_000_000);
      await expect(object.drop("another")).rejects.toThrow(TypeError);
      await object.drop("m");
      expect([storage.sql.databaseSize < 20_000, await storage.getAlarm()]).toEqual([true, null]);
      for (const one of [object, await make()]) {
        expect(await one.get(["mount", "epoch"])).toEqual([null, null]);
        expect([await one.epoch(), await one.list("", {})]).toEqual([0, { rows: [], more: false }]);
        expect(await one.commit("m", { at: 1, put: [["a", encode(1)]] })).toBeNull();
        expect(
          await one.commit("m", {
            epoch: "next",
            expect: [["mount", row?.[0] ?? 0]],
            put: [["mount", encode(2)]],
          }),
        ).toBeNull();
      }
      expect(await (await make()).commit("m", { put: [["a", encode(1)]] })).toBe(0);
      await expect((await make()).commit("another", {})).rejects.toThrow(TypeError);
    });
  });

  it("an empty object allocates no storage for reads", async () => {
    await withObject(quiet, async (make, { storage }) => {
      const object = await make();
      const before = storage.sql.databaseSize;
      await object.get(["mount"]);
      await object.list("", {});
      await object.epoch();
      await object.once("m", "crl", "x");
      expect(storage.sql.databaseSize).toBe(before);
    });
  });
});

describe("calls to an object", () => {
  it("once returns a CaError of the job to the Worker unchanged, and any other error as `storage` without its message", async () => {
    const errors: unknown[] = [
      new CaError("unusable_issuer", "issuer has no key"),
      new Error("secret detail"),
    ];
    await withObject({ ...quiet, run: () => Promise.reject(errors.shift()) }, async (make) => {
      const object = await make();
      await expect(remoteOnce(() => object, "m", "crl", "i")).rejects.toMatchObject({
        code: "unusable_issuer",
        message: "issuer has no key",
      });
      await expect(remoteOnce(() => object, "m", "crl", "i")).rejects.toMatchObject({
        code: "storage",
        message: "the job failed",
      });
    });
  });

  it("once runs the job on the object's own store, which has earlier commits", async () => {
    const name = `object-${(opened += 1)}`;
    const stub = MOUNT.get(MOUNT.idFromName(name));
    await runInDurableObject(stub, async (_, state) => {
      const Class = mountObject<unknown>((_env, _name, store) => ({
        ...quiet,
        run: async (kind, id) => {
          const [row] = await store.get(["a"]);
          await store.commit({ put: [[`done/${kind}/${id}`, row?.value]] });
        },
      }));
      const object = new Class(state, {});
      const store = remoteStore(() => object, "m");
      await store.commit({ put: [["a", 5]] });
      await remoteOnce(() => object, "m", "crl", "i");
      expect((await store.get(["done/crl/i"]))[0]?.value).toBe(5);
    });
  });

  it("reads are retried if the platform marks the error as retryable, commits never", async () => {
    const calls: string[] = [];
    const restarting = (what: string) => () => {
      calls.push(what);
      return Promise.reject(Object.assign(new Error("restarting"), { retryable: true }));
    };
    const store = remoteStore(
      () => ({
        get: restarting("get"),
        list: restarting("list"),
        commit: restarting("commit"),
        once: restarting("once"),
      }),
      "m",
    );
    for (const call of [() => store.get(["a"]), () => store.list("a"), () => store.commit({})])
      await expect(call()).rejects.toMatchObject({ code: "storage" });
    expect(calls).toEqual(["get", "get", "list", "list", "commit"]);
  });
});
