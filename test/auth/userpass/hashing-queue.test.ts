import { describe, expect, it } from "vitest";
import { hashingQueue } from "../../../src/auth/userpass/hashing-queue.ts";

/** Returns a queue with a fake clock, which `pass` advances. */
function world() {
  let now = 0;
  let timers: { readonly at: number; readonly fire: () => void }[] = [];
  const wait = (milliseconds: number) =>
    new Promise<void>((fire) => {
      timers.push({ at: now + milliseconds, fire });
    });
  const queue = hashingQueue({ now: () => now, pause: wait });
  const run = <T>(work: () => Promise<T>, network = "192.0.2.1", method = "m") =>
    queue.check({ network, method }, work);
  const settle = async () => {
    for (let n = 0; n < 20; n++) await Promise.resolve();
  };
  const pass = async (milliseconds: number) => {
    for (const end = now + milliseconds; now < end;) {
      now++;
      const due = timers.filter(({ at }) => at <= now);
      timers = timers.filter(({ at }) => at > now);
      for (const { fire } of due) fire();
      await settle();
    }
  };
  /** Drops the timers of waiting requests, as if the requests had been aborted. */
  const abandon = () => void (timers = []);
  const { noteFailure } = queue;
  return { run, pass, wait, settle, abandon, noteFailure, now: () => now };
}
type World = ReturnType<typeof world>;
const busy = {
  code: "busy",
  retryAfter: 1,
  message: "too many password checks are pending; try again",
};
/** Fills the queue behind a check in progress, and returns a function that completes that check. */
function filled(
  { run }: World,
  waiting: number,
  networkOf: (i: number) => string = () => "192.0.2.1",
) {
  let done = (): void => undefined;
  const first = run(() => new Promise<void>((resolve) => (done = resolve)), "192.0.2.99");
  const all = Array.from({ length: waiting }, (_, i) => run(async () => i, networkOf(i)));
  const settled = Promise.allSettled([first, ...all]);
  return { done: () => done(), settled };
}
const never = () => new Promise<never>(() => undefined);

describe("the queue of password checks", () => {
  it("runs one check at a time in the order of arrival, and pauses after each", async () => {
    const { run, pass, wait, now } = world();
    const log: string[] = [];
    const check = (name: string, milliseconds: number) =>
      run(async () => {
        log.push(`${name} begins at ${now()}`);
        await wait(milliseconds);
        log.push(`${name} ends at ${now()}`);
      });
    const all = [check("a", 50), check("b", 2), check("c", 5000)];
    await pass(8000);
    await Promise.all(all);
    await Promise.all([check("d", 1), pass(1)]);
    expect(log).toEqual([
      "a begins at 0",
      "a ends at 50",
      "b begins at 100",
      "b ends at 102",
      "c begins at 130",
      "c ends at 5130",
      "d begins at 8000",
      "d ends at 8001",
    ]);
  });

  it("rejects logins while 128 are waiting, and accepts them again once it is shorter", async () => {
    const it = world();
    const { done, settled } = filled(it, 128);
    await expect(it.run(async () => undefined)).rejects.toMatchObject(busy);
    done();
    await it.settle();
    await it.pass(5000);
    expect((await settled).every(({ status }) => status === "fulfilled")).toBe(true);
    expect(await it.run(async () => "checked")).toBe("checked");
  });

  it("alternates between networks, and within one between methods, regardless of how many wait for each", async () => {
    const { run, pass } = world();
    const log: string[] = [];
    const from = (network: string, method: string) =>
      run(async () => void log.push(`${network} ${method}`), network, method);
    const all = [
      ...Array.from({ length: 5 }, () => from("a", "m")),
      from("a", "n"),
      from("b", "m"),
      from("b", "m"),
      from("c", "n"),
    ];
    await pass(1000);
    await Promise.all(all);
    // the first check found an empty queue
    expect(log).toEqual(["a m", "b m", "c n", "a n", "b m", "a m", "a m", "a m", "a m"]);
  });

  it("serves a waiting login before those of networks that arrive later, even if these were never served", async () => {
    const { run, pass } = world();
    const log: string[] = [];
    const from = (network: string) => run(async () => void log.push(network), network);
    await from("a");
    const all = [from("b"), from("c"), from("a")];
    await pass(50);
    for (let n = 0; n < 10; n++) {
      all.push(from(`new ${n}`));
      await pass(20);
    }
    await pass(1000);
    await Promise.all(all);
    expect(log.slice(0, 4)).toEqual(["a", "b", "c", "a"]);
    expect(log).toHaveLength(14);
  });

  it("rejects a login of the network with the most waiting logins, not one of another network", async () => {
    const it = world();
    const { done, settled } = filled(it, 128);
    const other = it.run(async () => "checked", "198.51.100.1");
    await expect(it.run(async () => undefined)).rejects.toMatchObject(busy);
    await it.pass(20);
    done();
    await it.pass(60);
    expect(await other).toBe("checked");
    await it.pass(5000);
    const refused = (await settled).filter(({ status }) => status === "rejected");
    expect(refused).toMatchObject([{ reason: busy }]);
  });

  it("rejects a login of the method with the most waiting logins, not one of another method, within a network", async () => {
    const it = world();
    it.noteFailure("192.0.2.1");
    const { done, settled } = filled(it, 128);
    const other = it.run(async () => "checked", "192.0.2.1", "n");
    await it.pass(20);
    done();
    await it.pass(100);
    expect(await other).toBe("checked");
    await it.pass(5000);
    const refused = (await settled).filter(({ status }) => status === "rejected");
    expect(refused).toMatchObject([{ reason: busy }]);
  });

  it("gives networks without failed logins every other turn, and room when networks with failures fill it", async () => {
    const it = world();
    const networks = Array.from({ length: 128 }, (_, i) => `198.51.100.${i}`);
    for (const network of networks) it.noteFailure(network);
    const { done, settled } = filled(it, 128, (i) => networks[i] ?? "");
    const clean = [1, 2].map((i) => it.run(async () => i, `203.0.113.${i}`));
    // a login from a network with failures is rejected
    await expect(it.run(async () => 0, "198.51.100.7")).rejects.toMatchObject(busy);
    await it.pass(20);
    done();
    // three turns, of which one is for the networks with failures
    await it.pass(150);
    expect(await Promise.all(clean)).toEqual([1, 2]);
    await it.pass(6000);
    await settled;
  });

  it("forgets a failed login after five minutes", async () => {
    const it = world();
    it.noteFailure("198.51.100.1");
    await it.pass(300_001);
    const { done, settled } = filled(it, 128, (i) => `203.0.113.${i}`);
    await expect(it.run(async () => 0, "198.51.100.1")).rejects.toMatchObject(busy);
    done();
    await it.pass(6000);
    await settled;
  });

  it("continues after a failed check, and after aborted requests", async () => {
    const { run, pass, abandon } = world();
    await expect(run(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    void run(never);
    void run(async () => undefined);
    abandon();
    await pass(30_000);
    const later = run(async () => "checked");
    await pass(50);
    expect(await later).toBe("checked");
  });

  it("continues soon if the next request is aborted while the thread pauses", async () => {
    const { run, pass, abandon } = world();
    await run(async () => undefined);
    void run(async () => undefined);
    abandon();
    let checked = false;
    void run(async () => {
      checked = true;
    });
    await pass(2100);
    expect(checked).toBe(true);
  });
});
