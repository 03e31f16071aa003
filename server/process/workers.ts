import type { Socket } from "node:net";
import { CaError } from "../../src/base/errors.ts";
import { addCounts, type Counts } from "../../src/index.ts";
import { LaunchError } from "../settings/launch-error.ts";
import type { IssuedTls } from "../data/own-tls.ts";
import type { TlsPair } from "../http/tls-layer.ts";
import type {
  ListenerKind,
  HttpSettings,
  JobName,
  PrimaryCalls,
  ServeSettings,
  ServerCalls,
} from "./calls.ts";
import type { TlsRequest } from "./issue-tls.ts";
import { remoteOver, type Message, type Remote } from "./rpc.ts";

/** A child process that serves clients. */
export interface ForkedProcess {
  readonly pid: number;
  /** Resolves with the signal or the exit code when the process has exited. */
  readonly ended: Promise<string>;
  send(message: Message): void;
  hand(door: ListenerKind, client: Socket): void;
  /** Returns the clients that were passed to the process and that it has not acknowledged. */
  undelivered(): readonly (readonly [client: Socket, door: ListenerKind])[];
  kill(): void;
}

/** The dependencies of {@link Workers}. */
interface WorkersOptions {
  readonly primary: PrimaryCalls;
  /** Starts a process. Calls `received` with each of its messages. */
  fork(received: (message: Message) => void): ForkedProcess;
  /** Reports an unexpected exit in one sentence. */
  report(sentence: string): void;
  pause(milliseconds: number): Promise<void>;
  /** Returns the time of a monotonic clock (ms). */
  elapsed(): number;
}

/** Run time after which an exited process is restarted without a pause (ms). */
const steadyMs = 60_000;
const maxPauseMs = 30_000;
/** Additional time after the grace period in which a process must exit (ms). */
const hangTimeoutMs = 2_000;
/** Maximum number of clients that wait while no process accepts clients. */
const maxWaiting = 1024;
/**
 * Timeout for reading the counts of a process (ms), after which the counts of the last read are
 * used.
 */
const countsTimeoutMs = 1_000;

/**
 * Returns the pause before a restart (ms): none after the first exit, then 1, 2, 4 seconds and so
 * on.
 */
const pauseBefore = (start: number): number =>
  start === 0 ? 0 : Math.min(maxPauseMs, 500 * 2 ** start);

interface Process extends ForkedProcess {
  readonly remote: Remote<ServerCalls>;
  /** Whether the process accepts clients. */
  speaks: boolean;
  serving: boolean;
  /** Counts of the process at the last read. */
  counts: Counts;
}

/** The processes that serve clients. A process that exits is restarted. */
export class Workers {
  readonly #count: number;
  readonly #options: WorkersOptions;
  readonly #running = new Set<Process>();
  #waiting: (readonly [door: ListenerKind, client: Socket])[] = [];
  #turn = 0;
  #speaking: HttpSettings | undefined;
  #pair: TlsPair | undefined;
  #serving: ServeSettings | undefined;
  #leads = false;
  #leader: Process | undefined;
  #now: number | undefined;
  #stopping = false;
  /** Sum of the counts of exited processes, so that no counter decreases. */
  #past: Counts = {};

  constructor(count: number, options: WorkersOptions) {
    this.#count = count;
    this.#options = options;
  }

  /** Starts all processes. Rejects with {@link LaunchError} if a process cannot start. */
  async http(settings: HttpSettings): Promise<void> {
    const all = Array.from({ length: this.#count }, () => this.#start());
    await unlessDead(all, Promise.all(all.map((one) => this.#speak(one, settings))));
    this.#speaking = settings;
    for (const one of all) void this.#watch(one);
  }

  /** Passes a client, from which nothing was read, to the next process (round robin). */
  accept(door: ListenerKind, client: Socket): void {
    const all = [...this.#running].filter(({ speaks }) => speaks);
    const next = all[this.#turn % all.length];
    if (next) {
      this.#turn++;
      next.hand(door, client);
    } else if (this.#stopping || this.#waiting.length === maxWaiting) client.destroy();
    else this.#waiting.push([door, client]);
  }

  /** Presents a certificate on new connections in all processes from now on. */
  async secure(pair: TlsPair): Promise<void> {
    this.#pair = pair;
    // a process that has exited gets the certificate when it is restarted
    const speaking = [...this.#running].filter(({ speaks }) => speaks);
    await Promise.all(
      speaking.map(({ remote }) => remote.call("secure", pair).catch(() => undefined)),
    );
  }

  /** Issues a certificate for the server itself, in one of the processes. */
  issueTls(request: TlsRequest): Promise<IssuedTls> {
    const [one] = [...this.#running].filter(({ serving }) => serving);
    if (one) return one.remote.call("issueTls", request);
    return Promise.reject(new CaError("storage", "no process is serving requests now"));
  }

  /** Starts responding to requests in all processes. */
  async serve(settings: ServeSettings): Promise<void> {
    this.#serving = settings;
    const started = async (one: Process): Promise<void> => {
      try {
        await this.#serve(one, settings);
      } catch (error) {
        // ignore the failure of a process that has exited, because it is restarted
        if (this.#running.has(one)) throw error;
      }
    };
    await Promise.all([...this.#running].map(started));
  }

  /** Makes one process run jobs, and another one if that process exits. */
  lead(): Promise<void> {
    this.#leads = true;
    return this.#elect();
  }

  /** Runs a job in the leading process. */
  run(job: JobName): Promise<void> {
    return this.#byLeader(({ remote }) => remote.call("run", job));
  }

  /** Runs due jobs in the leader. */
  runDue(): Promise<void> {
    return this.#byLeader(({ remote }) => remote.call("runDue", undefined));
  }

  /** Returns the counts of each process. The first counts include those of exited processes. */
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

  /** Forwards the time of a scheduled job (Unix ms) to the leading process. */
  wake(at: number): void {
    void this.#leader?.remote.call("wake", at).catch(() => undefined);
  }

  /** Sets the clock of all processes (Unix ms). */
  async setClock(now: number): Promise<void> {
    this.#now = now;
    await Promise.all([...this.#running].map(({ remote }) => remote.call("setClock", now)));
  }

  /** Stops each process once its clients have their responses, after `graceMs` at the latest. */
  async finish(graceMs: number): Promise<void> {
    this.#stopping = true;
    for (const [, client] of this.#waiting.splice(0)) client.destroy();
    await Promise.all(
      [...this.#running].map(async ({ remote, kill, ended }) => {
        const finished = remote.call("finish", graceMs).catch(() => undefined);
        // a hanging process must not delay the others
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
    const worker: Process = { ...forked, remote, speaks: false, serving: false, counts: {} };
    this.#running.add(worker);
    void worker.ended.then(() => this.#ended(worker));
    return worker;
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

  /** Chooses a serving process to run jobs. */
  async #elect(): Promise<void> {
    if (this.#leader || !this.#leads || this.#stopping) return;
    const [next] = [...this.#running].filter(({ serving }) => serving);
    if (!next) return;
    this.#leader = next;
    // if this fails, the process has exited and another one is chosen
    await next.remote.call("lead", undefined).catch(() => undefined);
  }

  /** Watches a process and restarts it whenever it exits. */
  async #watch(first: Process): Promise<void> {
    const { report, pause, elapsed } = this.#options;
    let [current, deaths, since] = [first, 0, elapsed()];
    for (;;) {
      const how = await current.ended;
      if (this.#stopping) return;
      if (elapsed() - since > steadyMs) deaths = 0;
      report(`A server process ended unexpectedly (${how}); it is being restarted.`);
      await pause(pauseBefore(deaths++));
      if (this.#stopping || !this.#speaking) return;
      since = elapsed();
      current = this.#start();
      await this.#join(current, this.#speaking);
    }
  }

  /** Brings a restarted process into the state of the others. */
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

/** Waits for a call to processes. Rejects with {@link LaunchError} if a process exits first. */
async function unlessDead<T>(all: readonly Process[], call: Promise<T>): Promise<T> {
  const dead = Promise.race(all.map(({ ended }) => ended)).then((how) => {
    throw new LaunchError(`A server process did not start (${how}).`);
  });
  try {
    return await Promise.race([dead, call]);
  } catch (error) {
    // the call rejects with a CaError if the process has exited; report the exit instead
    if (error instanceof CaError) await dead;
    throw error;
  }
}
