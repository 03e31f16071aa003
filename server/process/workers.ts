import type { Socket } from "node:net";
import { CaError } from "../../src/base/errors.ts";
import { addCounts, type Counts } from "../../src/index.ts";
import { LaunchError } from "../cli/settings.ts";
import type { IssuedTls } from "../data/own-tls.ts";
import type { TlsPair } from "../http/tls-layer.ts";
import type {
  Door,
  HttpSettings,
  JobName,
  PrimaryCalls,
  ServeSettings,
  ServerCalls,
} from "./calls.ts";
import type { TlsRequest } from "./issue-tls.ts";
import { remoteOver, type Message, type Remote } from "./rpc.ts";

/** A process that was started to serve. */
export interface Forked {
  readonly pid: number;
  /** Resolves with the signal or the exit code. */
  readonly ended: Promise<string>;
  send(message: Message): void;
  hand(door: Door, client: Socket): void;
  /** The clients that were handed to it and that it has not taken. */
  undelivered(): readonly (readonly [client: Socket, door: Door])[];
  kill(): void;
}

/** Dependencies of the processes. */
export interface WorkersOptions {
  readonly primary: PrimaryCalls;
  /** Starts a process, whose messages go to `received`. */
  fork(received: (message: Message) => void): Forked;
  /** Reports each unexpected end in one sentence. */
  told(sentence: string): void;
  pause(milliseconds: number): Promise<void>;
  /** Milliseconds of a clock that nobody sets. */
  elapsed(): number;
}

/** One that has run for so long gets its next start without a pause. */
const steadyMs = 60_000;
const maxPauseMs = 30_000;
/** Extra time for a process to finish after its clients' grace period, milliseconds. */
const hangTimeoutMs = 2_000;
/** Most clients that wait while no process is there. */
const maxWaiting = 1024;
/** Timeout for the counts of a process, after which its last ones count, milliseconds. */
const countsTimeoutMs = 1_000;

/** None before the first start after a death, then 1, 2, 4 seconds and so on. */
const pauseBefore = (start: number): number =>
  start === 0 ? 0 : Math.min(maxPauseMs, 500 * 2 ** start);

interface Process extends Forked {
  readonly remote: Remote<ServerCalls>;
  /** Whether clients are handed to it. */
  speaks: boolean;
  serving: boolean;
  /** Its counts when they were last read. */
  counts: Counts;
}

/** The processes that serve the clients of one server: one that ends is started again. */
export class Workers {
  readonly #count: number;
  readonly #options: WorkersOptions;
  readonly #running = new Set<Process>();
  #waiting: (readonly [door: Door, client: Socket])[] = [];
  #turn = 0;
  #speaking: HttpSettings | undefined;
  #pair: TlsPair | undefined;
  #serving: ServeSettings | undefined;
  #leads = false;
  #leader: Process | undefined;
  #now: number | undefined;
  #stopping = false;
  /** Counts of processes that have ended, so that no counter decreases. */
  #past: Counts = {};

  constructor(count: number, options: WorkersOptions) {
    this.#count = count;
    this.#options = options;
  }

  /** Starts all of them. Rejects with {@link LaunchError} when one cannot start. */
  async http(settings: HttpSettings): Promise<void> {
    const all = Array.from({ length: this.#count }, () => this.#start());
    await unlessDead(all, Promise.all(all.map((one) => this.#speak(one, settings))));
    this.#speaking = settings;
    for (const one of all) void this.#watch(one);
  }

  /** Hands a client, of which nothing was read yet, to one of them, by turns. */
  accept(door: Door, client: Socket): void {
    const all = [...this.#running].filter(({ speaks }) => speaks);
    const next = all[this.#turn % all.length];
    if (next) {
      this.#turn++;
      next.hand(door, client);
    } else if (this.#stopping || this.#waiting.length === maxWaiting) client.destroy();
    else this.#waiting.push([door, client]);
  }

  /** Has all of them present this certificate on new connections. */
  async secure(pair: TlsPair): Promise<void> {
    this.#pair = pair;
    // one that has ended gets it when it is started again
    const speaking = [...this.#running].filter(({ speaks }) => speaks);
    await Promise.all(
      speaking.map(({ remote }) => remote.call("secure", pair).catch(() => undefined)),
    );
  }

  /** Has one of them issue a certificate for the server itself. */
  issueTls(request: TlsRequest): Promise<IssuedTls> {
    const [one] = [...this.#running].filter(({ serving }) => serving);
    if (one) return one.remote.call("issueTls", request);
    return Promise.reject(new CaError("storage", "no process serves now"));
  }

  /** Has all of them respond from now on. */
  async serve(settings: ServeSettings): Promise<void> {
    this.#serving = settings;
    const started = async (one: Process): Promise<void> => {
      try {
        await this.#serve(one, settings);
      } catch (error) {
        // one that has ended is started again
        if (this.#running.has(one)) throw error;
      }
    };
    await Promise.all([...this.#running].map(started));
  }

  /** Has one of them run jobs from now on, and another one when that has ended. */
  lead(): Promise<void> {
    this.#leads = true;
    return this.#elect();
  }

  /** Has the one that leads run a job. */
  run(job: JobName): Promise<void> {
    return this.#byLeader(({ remote }) => remote.call("run", job));
  }

  /** Has the one that leads run what is due. */
  runDue(): Promise<void> {
    return this.#byLeader(({ remote }) => remote.call("runDue", undefined));
  }

  /** Returns the counts of each process. Those of ended processes are in the first. */
  async counts(): Promise<readonly Counts[]> {
    const all = [...this.#running].filter(({ serving }) => serving);
    await Promise.all(
      all.map(async (one) => {
        const read = one.remote.call("counts", undefined).catch(() => undefined);
        const late = this.#options.pause(countsTimeoutMs).then(() => undefined);
        one.counts = (await Promise.race([read, late])) ?? one.counts;
      }),
    );
    return all.map(({ counts }, i) => (i === 0 ? addCounts([this.#past, counts]) : counts));
  }

  /** Tells the one that leads for when a job was planned, Unix milliseconds. */
  wake(at: number): void {
    void this.#leader?.remote.call("wake", at).catch(() => undefined);
  }

  /** Sets the time of all of them, Unix milliseconds. */
  async setClock(now: number): Promise<void> {
    this.#now = now;
    await Promise.all([...this.#running].map(({ remote }) => remote.call("setClock", now)));
  }

  /** Ends all of them, when their clients have their responses, after `graceMs` at the latest. */
  async finish(graceMs: number): Promise<void> {
    this.#stopping = true;
    for (const [, client] of this.#waiting.splice(0)) client.destroy();
    await Promise.all(
      [...this.#running].map(async ({ remote, kill, ended }) => {
        const finished = remote.call("finish", graceMs).catch(() => undefined);
        // one that hangs does not keep the others from their end
        await Promise.race([finished, this.#options.pause(graceMs + hangTimeoutMs)]);
        kill();
        await ended;
      }),
    );
  }

  #start(): Process {
    const { fork, primary } = this.#options;
    const forked = fork((message) => remote.received(message));
    const remote = remoteOver<ServerCalls>((message) => forked.send(message), primary);
    const made: Process = { ...forked, remote, speaks: false, serving: false, counts: {} };
    this.#running.add(made);
    void made.ended.then(() => this.#ended(made));
    return made;
  }

  #ended(one: Process): void {
    one.remote.lost();
    this.#running.delete(one);
    this.#past = addCounts([this.#past, one.counts]);
    for (const [client, door] of one.undelivered()) this.accept(door, client);
    if (this.#leader !== one) return;
    this.#leader = undefined;
    void this.#elect();
  }

  async #speak(one: Process, settings: HttpSettings): Promise<void> {
    await one.remote.call("http", settings);
    one.speaks = true;
    if (this.#pair) await one.remote.call("secure", this.#pair);
    for (const [door, client] of this.#waiting.splice(0)) this.accept(door, client);
  }

  async #serve(one: Process, settings: ServeSettings): Promise<void> {
    await one.remote.call("serve", settings);
    if (this.#now !== undefined) await one.remote.call("setClock", this.#now);
    one.serving = true;
    await this.#elect();
  }

  /** Lets one of those that serve run the jobs. */
  async #elect(): Promise<void> {
    if (this.#leader || !this.#leads || this.#stopping) return;
    const [next] = [...this.#running].filter(({ serving }) => serving);
    if (!next) return;
    this.#leader = next;
    // one that cannot has ended, and then another is chosen
    await next.remote.call("lead", undefined).catch(() => undefined);
  }

  /** Starts another process whenever one has ended. */
  async #watch(first: Process): Promise<void> {
    const { told, pause, elapsed } = this.#options;
    let [current, deaths, since] = [first, 0, elapsed()];
    for (;;) {
      const how = await current.ended;
      if (this.#stopping) return;
      if (elapsed() - since > steadyMs) deaths = 0;
      told(`A process of the server ended unexpectedly (${how}); it is started again.`);
      await pause(pauseBefore(deaths++));
      if (this.#stopping || !this.#speaking) return;
      since = elapsed();
      current = this.#start();
      await this.#join(current, this.#speaking);
    }
  }

  /** Brings a process that was started later to where the others are. */
  async #join(one: Process, settings: HttpSettings): Promise<void> {
    try {
      await this.#speak(one, settings);
      if (this.#serving) await this.#serve(one, this.#serving);
    } catch {
      one.kill();
    }
  }

  #byLeader<T>(call: (one: Process) => Promise<T>): Promise<T> {
    if (this.#leader) return call(this.#leader);
    return Promise.reject(new CaError("storage", "no process runs jobs now"));
  }
}

/** Waits for a call. Rejects with {@link LaunchError} if one of the processes ends before. */
async function unlessDead<T>(all: readonly Process[], call: Promise<T>): Promise<T> {
  const dead = Promise.race(all.map(({ ended }) => ended)).then((how) => {
    throw new LaunchError(`A process of the server did not start (${how}).`);
  });
  try {
    return await Promise.race([dead, call]);
  } catch (error) {
    // the call of a process that has ended rejects as well
    if (error instanceof CaError) await dead;
    throw error;
  }
}
