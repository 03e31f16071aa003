import { acmeValidation } from "../../src/acme/rows/prefixes.ts";
import type { Ca } from "../../src/index.ts";
import type { Lease, PostgresStores } from "../../src/postgres/index.ts";
import type { JobName } from "./calls.ts";
import { jobTimer, type JobTimer } from "./jobs.ts";
import type { Report } from "./server-log.ts";

/** Runs the jobs of all stores in this process. */
export interface Jobs {
  /** Runs a job now. */
  run(job: JobName): Promise<void>;
  /** Notifies the scheduler that a job is due at `at` (Unix ms). */
  wake(at: number): void;
  /** Runs due jobs. */
  runDue(): Promise<void>;
  /** Stops running due jobs. `run` still works. */
  stop(): Promise<void>;
  /** Releases all resources. */
  close(): Promise<void>;
}

/** The authority whose jobs run, and its clock (Unix ms). */
interface JobsOptions {
  readonly ca: Ca;
  now(): number;
  readonly report: Report;
}

const timerOf = ({ ca, now, report }: JobsOptions): JobTimer =>
  jobTimer({
    tick: () => ca.tick(),
    now,
    failed: (cause) => report("error", "Jobs failed.", cause),
  });

/** Runs the jobs of stores that are used only by this server. */
export function ownJobs(options: JobsOptions): Jobs {
  const timer = timerOf(options);
  // do not wait for the first run, which may take long
  void timer.start();
  return {
    run: ({ store, kind, id }) => options.ca.run(store, kind, id),
    wake: (at) => timer.wake(at),
    runDue: () => timer.run(),
    stop: async () => timer.stop(),
    close: async () => undefined,
  };
}

/** Interval at which a server tries to become the leader (ms). */
const leadMs = 1_000;

/**
 * Runs the jobs of stores that several servers share. The leader runs due jobs. A job for which a
 * request waits, such as the CRL after a revocation, runs on the server that handles the request.
 */
export class SharedJobs implements Jobs {
  readonly #stores: PostgresStores;
  readonly #options: JobsOptions;
  /** Present while this server is the leader. */
  #timer: JobTimer | undefined;
  #lease: Lease | undefined;
  #retry: NodeJS.Timeout | undefined;
  /** The last reported failure, which is not reported again. */
  #printed: string | undefined;
  #stopped = false;

  /** @param stores stores that only this authority uses */
  constructor(stores: PostgresStores, options: JobsOptions) {
    this.#stores = stores;
    this.#options = options;
    stores.watch((due) => this.#timer?.wake(due));
  }

  /** Becomes the leader, or keeps trying to. Resolves after the first attempt. */
  async start(): Promise<void> {
    const lease = await this.#take();
    if (this.#stopped) return lease?.release();
    if (lease) this.#lead(lease);
    else this.#retry = setTimeout(() => void this.start(), leadMs);
  }

  async run({ store, kind, id }: JobName): Promise<void> {
    // a follower does nothing: the job's row is already due, so the leader will run it
    if (kind === acmeValidation && !this.#timer) return;
    await this.#options.ca.run(store, kind, id);
  }
  wake(at: number): void {
    this.#timer?.wake(at);
  }
  async runDue(): Promise<void> {
    await this.#timer?.run();
  }
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#retry);
    this.#timer?.stop();
    await this.#lease?.release();
  }
  async close(): Promise<void> {
    await this.#stores.close();
  }

  async #take(): Promise<Lease | undefined> {
    try {
      const lease = await this.#stores.lead("jobs");
      this.#printed = undefined;
      return lease;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (why !== this.#printed && !this.#stopped)
        this.#options.report("error", `Jobs are not running: ${why}.`);
      this.#printed = why;
      return undefined;
    }
  }

  #lead(lease: Lease): void {
    const timer = timerOf(this.#options);
    [this.#lease, this.#timer] = [lease, timer];
    void timer.start();
    void lease.lost.then(() => {
      timer.stop();
      this.#lease = this.#timer = undefined;
      if (!this.#stopped) void this.start();
    });
  }
}
