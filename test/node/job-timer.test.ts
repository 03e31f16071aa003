import { expect, it } from "vitest";
import { jobTimer } from "../../src/node/index.ts";

/** A fake clock with timers, which tests advance. */
function standing() {
  const state = { now: 1000, timers: new Map<symbol, { at: number; run: () => void }>() };
  const schedule = (milliseconds: number, run: () => void) => {
    const id = Symbol("timer");
    state.timers.set(id, { at: state.now + milliseconds, run });
    return () => void state.timers.delete(id);
  };
  const advance = async (to: number) => {
    state.now = to;
    for (const [id, { at, run }] of state.timers)
      if (at <= to) {
        state.timers.delete(id);
        run();
      }
    await new Promise((resolve) => setImmediate(resolve));
  };
  const due = () => [...state.timers.values()].map(({ at }) => at);
  return { schedule, advance, due, now: () => state.now };
}

it("the job timer runs due jobs at startup, at the time that tick returns, and earlier after wake", async () => {
  const clock = standing();
  const runs: number[] = [];
  const timer = jobTimer(clock);
  timer.wake(1);
  await timer.start({
    tick: async () => {
      runs.push(clock.now());
      return clock.now() + 5000;
    },
  });
  expect([runs, clock.due()]).toEqual([[1000], [6000]]);
  timer.wake(9000);
  timer.wake(2000);
  expect(clock.due()).toEqual([2000]);
  await clock.advance(2000);
  expect([runs, clock.due()]).toEqual([[1000, 2000], [7000]]);
  timer.stop();
  timer.wake(3000);
  expect(clock.due()).toEqual([]);
});

it("the job timer runs at least once a day, and ten seconds after a failure, which it reports", async () => {
  const clock = standing();
  const errors: unknown[] = [];
  const timer = jobTimer({ ...clock, onError: (error) => void errors.push(error) });
  let tick = async (): Promise<number | undefined> => undefined;
  await timer.start({ tick: () => tick() });
  expect(clock.due()).toEqual([1000 + 86_400_000]);
  tick = () => Promise.reject(new Error("no storage"));
  await clock.advance(1000 + 86_400_000);
  expect(errors).toEqual([new Error("no storage")]);
  expect(clock.due()).toEqual([clock.now() + 10_000]);
});

it("start rejects if the first run fails, and the job timer retries", async () => {
  const clock = standing();
  const timer = jobTimer(clock);
  await expect(timer.start({ tick: () => Promise.reject(new Error("no")) })).rejects.toThrow("no");
  expect(clock.due()).toEqual([11_000]);
});

it("only the node that leads runs jobs; another takes over when it stops, and a node that lost the lead asks for it again", async () => {
  const clock = standing();
  let holder: { readonly lose: () => void } | undefined;
  const lead = async () => {
    if (holder) return undefined;
    let lose = (): void => undefined;
    const lost = new Promise<void>((resolve) => {
      lose = () => {
        holder = undefined;
        resolve();
      };
    });
    holder = { lose };
    return { lost, release: async () => lose() };
  };
  const runs: string[] = [];
  const node = async (name: string) => {
    const timer = jobTimer({ ...clock, lead });
    await timer.start({ tick: async () => void runs.push(name) });
    return timer;
  };
  const first = await node("a");
  const second = await node("b");
  expect(runs).toEqual(["a"]);
  second.wake(2000);
  await clock.advance(2000);
  expect(runs).toEqual(["a"]);
  first.stop();
  await clock.advance(3000);
  await clock.advance(12_000);
  expect(runs).toEqual(["a", "b"]);
  holder?.lose();
  await clock.advance(12_000);
  await clock.advance(12_000);
  expect(runs).toEqual(["a", "b", "b"]);
  second.stop();
});

it("the job timer reports a failure to become leader, and retries", async () => {
  const clock = standing();
  const errors: unknown[] = [];
  let tries = 0;
  const runs: number[] = [];
  const timer = jobTimer({
    ...clock,
    onError: (error) => void errors.push(error),
    lead: async () => {
      if (++tries < 3) throw new Error("no connection");
      return { lost: new Promise(() => undefined), release: async () => undefined };
    },
  });
  const ca = { tick: async () => void runs.push(clock.now()) };
  await expect(timer.start(ca)).rejects.toThrow("no connection");
  await clock.advance(11_000);
  await clock.advance(21_000);
  expect([runs, errors]).toEqual([[21_000], [new Error("no connection")]]);
  timer.stop();
});
