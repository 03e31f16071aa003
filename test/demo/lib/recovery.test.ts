import { expect, it } from "vitest";
import { createRecovery, createRefresher, type WindowPort } from "../../../demo/lib/recovery.ts";

/** A window whose clock is moved only by `pass`. */
function fakeWindow() {
  let now = 0;
  let timers: { readonly at: number; readonly run: () => void }[] = [];
  const state = { isVisible: true };
  const port: WindowPort = {
    now: () => now,
    isVisible: () => state.isVisible,
    wait(milliseconds, run) {
      const timer = { at: now + milliseconds, run };
      timers.push(timer);
      return () => void (timers = timers.filter((one) => one !== timer));
    },
  };
  /** Advances the clock by some seconds and runs the timers that become due. */
  const pass = async (seconds: number): Promise<void> => {
    const end = now + seconds * 1000;
    await new Promise((done) => setImmediate(done));
    for (;;) {
      const next = timers.toSorted((a, b) => a.at - b.at)[0];
      if (!next || next.at > end) break;
      timers = timers.filter((one) => one !== next);
      now = next.at;
      next.run();
      // the reply of a probe arrives before the next timer
      await new Promise((done) => setImmediate(done));
    }
    now = end;
  };
  return { port, state, pass, waiting: () => timers.length };
}

it("a lost server is probed after 1, 2, 5 and 10 seconds and then twice a minute until it responds", async () => {
  const { port, pass, waiting } = fakeWindow();
  const tried: number[] = [];
  let responds = false;
  const recovery = createRecovery(port, async () => {
    tried.push(port.now() / 1000);
    return responds;
  });
  recovery.begin();
  recovery.begin();
  await pass(80);
  expect(tried).toEqual([1, 3, 8, 18, 48, 78]);
  responds = true;
  await pass(600);
  expect(tried).toEqual([1, 3, 8, 18, 48, 78, 108]);
  expect(waiting()).toBe(0);
});

it("regaining the network or focus probes at once, and a hidden window probes nothing", async () => {
  const { port, state, pass } = fakeWindow();
  const tried: number[] = [];
  const recovery = createRecovery(port, async () => {
    tried.push(port.now() / 1000);
    throw new Error("no connection");
  });
  recovery.hurry();
  expect(tried).toEqual([]);
  recovery.begin();
  await pass(20);
  state.isVisible = false;
  await pass(600);
  expect(tried).toEqual([1, 3, 8, 18]);
  state.isVisible = true;
  recovery.hurry();
  // a second event before the first probe has a reply
  recovery.hurry();
  await pass(2);
  expect(tried.slice(4)).toEqual([620, 622]);
  recovery.end();
  await pass(600);
  expect(tried.length).toBe(6);
});

it("data is refreshed every minute while the window is visible, and on becoming visible after half a minute", async () => {
  const { port, state, pass } = fakeWindow();
  const refreshed: number[] = [];
  const refresher = createRefresher(port, () => refreshed.push(port.now() / 1000));
  const ticks = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) {
      await pass(10);
      refresher.tick();
    }
  };
  await ticks(13);
  expect(refreshed).toEqual([60, 120]);
  // data that was just loaded needs no refresh
  refresher.note();
  await ticks(5);
  refresher.probe();
  expect(refreshed).toEqual([60, 120, 180]);
  state.isVisible = false;
  await ticks(60);
  expect(refreshed.length).toBe(3);
  state.isVisible = true;
  refresher.probe();
  refresher.probe();
  expect(refreshed.slice(3)).toEqual([780]);
});

it("many changes in other windows cause one refresh; a hidden window refreshes when it becomes visible", async () => {
  const { port, state, pass } = fakeWindow();
  const refreshed: number[] = [];
  const refresher = createRefresher(port, () => refreshed.push(port.now() / 1000));
  for (let i = 0; i < 50; i++) refresher.receive();
  await pass(5);
  expect(refreshed).toEqual([0.3]);
  state.isVisible = false;
  refresher.receive();
  await pass(5);
  expect(refreshed.length).toBe(1);
  state.isVisible = true;
  refresher.probe();
  expect(refreshed.slice(1)).toEqual([10]);
});
