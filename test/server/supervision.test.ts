import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { answering, type Runtime } from "../../server/process/runtime.ts";
import { LaunchError } from "../../server/cli/settings.ts";
import { temporaryDirectory } from "../support/server.ts";
import { keepRunning, type Supervised } from "../../server/process/supervision.ts";

/** Lives of a runtime that a test decides on, one after the other. */
interface Stage {
  readonly supervised: Supervised;
  readonly lives: { up(): void; die(how: string): void; stopped: boolean }[];
  readonly started: number[];
  readonly sentences: string[];
  readonly pauses: number[];
  /** Ends the pause that is under way. */
  goOn(): void;
  at(milliseconds: number): void;
  /** Makes every start throw this; undefined: no more. */
  forbid(why: string | undefined): void;
}

function stage(): Stage {
  const [lives, started, sentences, pauses]: [Stage["lives"], number[], string[], number[]] = [
    [],
    [],
    [],
    [],
  ];
  let now = 0;
  let goOn = (): void => {};
  let forbidden: string | undefined;
  const launch = (): Runtime => {
    if (forbidden !== undefined) throw new LaunchError(forbidden);
    const life = { up: (): void => {}, die: (how: string): void => void how, stopped: false };
    const ended = new Promise<string>((resolve) => (life.die = resolve));
    const ready = new Promise<void>((resolve, reject) => {
      life.up = resolve;
      void ended.then((how) => reject(new LaunchError(`workerd did not start (${how}).`)));
    });
    ready.catch(() => undefined);
    const stop = async (): Promise<void> => {
      life.stopped = true;
      life.die("SIGKILL");
    };
    return { pid: lives.push(life), ready, ended, stop };
  };
  const pause = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => ((goOn = resolve), pauses.push(milliseconds)));
  const supervised = keepRunning({
    launch,
    started: (pid) => started.push(pid),
    told: (text) => sentences.push(text),
    pause,
    now: () => now,
  });
  return {
    supervised,
    lives,
    started,
    sentences,
    pauses,
    goOn: () => goOn(),
    at: (time) => void (now = time),
    forbid: (why) => void (forbidden = why),
  };
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await setImmediate();
}

it("a runtime that takes connections and answers none has not started, after a time", async () => {
  const path = join(temporaryDirectory(), "http");
  const sockets: Socket[] = [];
  const runtime = createServer((socket) => void sockets.push(socket.on("error", () => undefined)));
  await new Promise<void>((resolve) => void runtime.listen(path, resolve));
  const never = new Promise<string>(() => undefined);
  expect(await answering(path, never, 50)).toBe("no answer within 0.05 seconds");
  runtime.on(
    "connection",
    (socket: Socket) => void socket.end("HTTP/1.1 501 Not Implemented\r\n\r\n"),
  );
  expect(await answering(path, never, 10_000)).toBeUndefined();
  for (const socket of sockets) socket.destroy();
  runtime.close();
  expect(await answering(join(temporaryDirectory(), "nobody"), never, 20)).toBe(
    "no answer within 0.02 seconds",
  );
});

it("a runtime that does not come up is tried three times, and then its last words are the end", async () => {
  const { supervised, lives, started, sentences } = stage();
  for (const how of ["code 1", "code 2", "code 3"]) {
    await turns();
    lives.at(-1)?.die(how);
  }
  await expect(supervised.ready).rejects.toThrow("workerd did not start (code 3).");
  expect([lives.length, lives.every(({ stopped }) => stopped), started, sentences]).toEqual([
    3,
    true,
    [],
    [],
  ]);
});

it("one that has come up is started again at each death, after none, one, two and at most thirty seconds", async () => {
  const { supervised, lives, started, sentences, pauses, goOn } = stage();
  lives[0]?.up();
  await supervised.ready;
  for (let death = 0; death < 8; death++) {
    await turns();
    lives.at(-1)?.die("SIGSEGV");
    await turns();
    goOn();
    await turns();
    // some never come up again, which is a death like any
    if (death % 2 === 0) lives.at(-1)?.up();
  }
  expect(pauses).toEqual([0, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  expect(lives.slice(0, -1).every(({ stopped }) => stopped)).toBe(true);
  await turns();
  expect(started).toEqual([1, 2, 4, 6, 8]);
  expect(new Set(sentences)).toEqual(
    new Set(["workerd ended unexpectedly (SIGSEGV); it is started again."]),
  );
  await supervised.stop();
});

it("after a minute of life the next start is without a pause again", async () => {
  const { supervised, lives, pauses, goOn, at } = stage();
  lives[0]?.up();
  await supervised.ready;
  for (const time of [1000, 2000, 63_000, 64_000]) {
    await turns();
    at(time);
    lives.at(-1)?.die("SIGKILL");
    await turns();
    goOn();
    await turns();
    lives.at(-1)?.up();
  }
  expect(pauses).toEqual([0, 1000, 0, 1000]);
  await supervised.stop();
});

it("a start that is not even possible is tried again like one that ended at once", async () => {
  const { supervised, lives, sentences, goOn, forbid } = stage();
  lives[0]?.up();
  await supervised.ready;
  forbid("workerd is not installed");
  lives[0]?.die("SIGKILL");
  for (let time = 0; time < 2; time++) {
    await turns();
    goOn();
  }
  await turns();
  forbid(undefined);
  goOn();
  await turns();
  expect([lives.length, sentences.slice(1)]).toEqual([
    2,
    Array(2).fill("workerd ended unexpectedly (workerd is not installed); it is started again."),
  ]);
  await supervised.stop();
});

it("whoever stops it during a pause, or while it starts, is not made to wait, and nothing starts afterwards", async () => {
  const pausing = stage();
  pausing.lives[0]?.up();
  await pausing.supervised.ready;
  await turns();
  pausing.lives[0]?.die("SIGKILL");
  await turns();
  await pausing.supervised.stop();
  pausing.goOn();
  await turns();
  expect([pausing.lives.length, pausing.pauses]).toEqual([1, [0]]);
  const starting = stage();
  await starting.supervised.stop();
  await expect(starting.supervised.ready).rejects.toThrow(LaunchError);
  await turns();
  expect([starting.lives.length, starting.sentences]).toEqual([1, []]);
});
