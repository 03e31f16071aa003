import { Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { LaunchError } from "../../server/settings/launch-error.ts";
import type { ListenerKind } from "../../server/process/calls.ts";
import type { Message } from "../../server/process/rpc.ts";
import { Workers, type ForkedProcess } from "../../server/process/workers.ts";

/** A process controlled by the test. */
interface Life {
  /** Names of the calls it received. */
  readonly calls: string[];
  readonly clients: Socket[];
  die(how: string): void;
  killed: boolean;
}
/** The processes of a server, in order of their start. */
interface Stage {
  readonly all: Workers;
  readonly lives: Life[];
  readonly sentences: string[];
  readonly pauses: number[];
  /** Ends the pauses in progress. */
  goOn(): void;
  /** Sets the time in milliseconds. */
  at(elapsed: number): void;
  /** Replies of each process to `counts`. */
  readonly counts: Record<string, number>;
  /** Leaves calls with these names unanswered from now on. */
  silent(...names: readonly string[]): void;
}

const clientCertificates = { requested: false, port: undefined, header: false };
const settings = { host: "a", trustedProxies: [], clientCertificates, workers: 1, tls: false };
const served = { variables: {}, storage: { file: "f", writer: "w" }, version: "", started: 0 };

function stage(count: number): Stage {
  const [lives, sentences, pauses]: [Life[], string[], number[]] = [[], [], []];
  const goOn: (() => void)[] = [];
  let elapsed = 0;
  const silent = new Set<string>();
  const counts: Record<string, number> = {};
  const fork = (received: (message: Message) => void): ForkedProcess => {
    let die = (how: string): void => void how;
    const ended = new Promise<string>((resolve) => (die = resolve));
    const handed = new Map<Socket, ListenerKind>();
    const life: Life = { calls: [], clients: [], killed: false, die };
    lives.push(life);
    return {
      pid: lives.length,
      ended,
      send(message) {
        if (!("call" in message)) return;
        life.calls.push(message.name);
        if (!silent.has(message.name))
          received({
            reply: message.call,
            value: message.name === "counts" ? { ...counts } : undefined,
          });
      },
      hand(door, client) {
        life.clients.push(client);
        handed.set(client, door);
      },
      undelivered: () => [...handed],
      kill() {
        life.killed = true;
        die("SIGKILL");
      },
    };
  };
  const all = new Workers(count, {
    primary: {
      run: async () => undefined,
      wake: () => undefined,
      setClock: async () => undefined,
      counts: async () => [],
      backup: async () => undefined,
      lostWriter: () => undefined,
    },
    fork,
    report: (sentence) => sentences.push(sentence),
    pause: (milliseconds) => {
      pauses.push(milliseconds);
      return new Promise((resolve) => void goOn.push(resolve));
    },
    elapsed: () => elapsed,
  });
  return {
    all,
    lives,
    sentences,
    pauses,
    counts,
    goOn() {
      for (const one of goOn.splice(0)) one();
    },
    at: (time) => void (elapsed = time),
    silent: (...names) => {
      for (const name of names) silent.add(name);
    },
  };
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await setImmediate();
}

it("a process that dies during startup fails the start with its exit code", async () => {
  const { all, lives, silent } = stage(2);
  silent("http");
  const started = all.http(settings);
  lives[1]?.die("code 3");
  await expect(started).rejects.toThrow(
    new LaunchError("A server process did not start (code 3)."),
  );
});

it("a process that dies repeatedly is restarted after 0, 1, 2 and up to 30 seconds", async () => {
  const { all, lives, sentences, pauses, goOn } = stage(1);
  await all.http(settings);
  await all.serve(served);
  for (let death = 0; death < 8; death++) {
    await turns();
    lives.at(-1)?.die("SIGSEGV");
    await turns();
    goOn();
    await turns();
  }
  expect(pauses).toEqual([0, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  expect(lives).toHaveLength(9);
  for (const { calls } of lives) expect(calls).toEqual(["http", "serve"]);
  expect(new Set(sentences)).toEqual(
    new Set(["A server process ended unexpectedly (SIGSEGV); it is being restarted."]),
  );
});

it("a process that ran for a minute is restarted without a delay", async () => {
  const { all, lives, pauses, goOn, at } = stage(1);
  await all.http(settings);
  await all.serve(served);
  for (const time of [1000, 2000, 63_000, 64_000]) {
    await turns();
    at(time);
    lives.at(-1)?.die("SIGKILL");
    await turns();
    goOn();
  }
  expect(pauses).toEqual([0, 1000, 0, 1000]);
});

it("one process leads, and another takes over when it dies", async () => {
  const { all, lives, goOn } = stage(3);
  await all.http(settings);
  await all.serve(served);
  const leading = () => lives.flatMap(({ calls }, at) => (calls.includes("lead") ? [at] : []));
  expect(leading()).toEqual([]);
  await all.lead();
  expect(leading()).toEqual([0]);
  lives[0]?.die("SIGKILL");
  await turns();
  expect(leading()).toEqual([0, 1]);
  goOn();
  await turns();
  await all.run({ store: "s", kind: "k", id: "" });
  expect([leading(), lives.map(({ calls }) => calls.includes("run"))]).toEqual([
    [0, 1],
    [false, true, false, false],
  ]);
});

it("a job is rejected if no process leads or the leading one dies", async () => {
  const { all, lives, silent } = stage(1);
  await all.http(settings);
  await all.serve(served);
  const job = { store: "s", kind: "k", id: "" };
  await expect(all.run(job)).rejects.toMatchObject({ code: "storage" });
  await all.lead();
  silent("run");
  const running = all.run(job);
  lives[0]?.die("SIGKILL");
  await expect(running).rejects.toMatchObject({ code: "storage" });
});

it("clients are distributed in turn, wait for a process, and are handed to another one if unacknowledged", async () => {
  const { all, lives, goOn } = stage(2);
  const [early, ...later] = Array.from({ length: 4 }, () => new Socket());
  if (!early) throw new TypeError("a client");
  all.accept("port", early);
  await all.http(settings);
  for (const client of later) all.accept("port", client);
  const clients = () => lives.map((life) => life.clients.length);
  expect([lives[0]?.clients[0] === early, clients()]).toEqual([true, [2, 2]]);
  lives[0]?.die("SIGKILL");
  await turns();
  expect(clients()).toEqual([2, 4]);
  lives[1]?.die("SIGKILL");
  await turns();
  goOn();
  await turns();
  expect(clients().slice(2)).toEqual([4, 0]);
});

it("shutdown does not wait for starting or hanging processes, and nothing starts afterwards", async () => {
  const pausing = stage(1);
  await pausing.all.http(settings);
  pausing.lives[0]?.die("SIGKILL");
  await turns();
  await pausing.all.finish(100);
  pausing.goOn();
  await turns();
  expect(pausing.lives).toHaveLength(1);
  const hanging = stage(2);
  await hanging.all.http(settings);
  hanging.silent("finish");
  const finished = hanging.all.finish(100);
  await turns();
  expect(hanging.pauses).toEqual([2100, 2100]);
  hanging.goOn();
  await finished;
  expect(hanging.lives.map(({ killed }) => killed)).toEqual([true, true]);
  expect(hanging.sentences).toEqual([]);
});

it("counters include those of dead processes", async () => {
  const { all, lives, counts } = stage(2);
  await all.http(settings);
  await all.serve(served);
  counts.requests = 3;
  expect(await all.counts()).toEqual([{ requests: 3 }, { requests: 3 }]);
  lives[0]?.die("SIGSEGV");
  await turns();
  counts.requests = 4;
  const after = await all.counts();
  expect(after.reduce((sum, { requests = 0 }) => sum + requests, 0)).toBeGreaterThanOrEqual(7);
});
