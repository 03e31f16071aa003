import { acmeValidation } from "../../src/acme/rows/records.ts";
import type { Ca } from "../../src/index.ts";
import type { Lease, PostgresStores } from "../../src/postgres/index.ts";
import type { JobName } from "./calls.ts";
import { jobTimer, type JobTimer } from "./jobs.ts";
import type { Report } from "./server-log.ts";

/** The jobs of all stores, in the process that runs them. */
export interface Jobs {
  /** Runs a job now. */
  run(job: JobName): Promise<void>;
  /** Reports that a job is planned for this time, Unix milliseconds. */
  wake(at: number): void;
  /** Runs due jobs. */
  runDue(): Promise<void>;
  /** Stops running due jobs; `run` still works. */
  stop(): Promise<void>;
  /** Releases its resources. */
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

/** Runs the jobs of stores that only this server uses. */
export function ownJobs(options: JobsOptions): Jobs {
  const timer = timerOf(options);
  // the first run may take long: do not wait for it
  void timer.start();
  return {
    run: ({ store, kind, id }) => options.ca.run(store, kind, id),
    wake: (at) => timer.wake(at),
    runDue: () => timer.run(),
    stop: async () => timer.stop(),
    close: async () => undefined,
  };
}

/** Interval at which a server tries to take the lead, milliseconds. */
const leadMs = 1_000;

/**
 * Runs the jobs of stores shared by several servers. The server with the lead runs due jobs. Jobs
 * that a request waits for, such as a CRL after a revocation, run on the server of the request.
 */
export class SharedJobs implements Jobs {
  readonly #stores: PostgresStores;
  readonly #options: JobsOptions;
  /** Present while this server has the lead. */
  #timer: JobTimer | undefined;
  #lease: Lease | undefined;
  #retry: NodeJS.Timeout | undefined;
  /** The last failure that was printed. */
  #printed: string | undefined;
  #stopped = false;

  /** `stores`: used only by this authority. */
  constructor(stores: PostgresStores, options: JobsOptions) {
    this.#stores = stores;
    this.#options = options;
    stores.watch((due) => this.#timer?.wake(due));
  }

  /** Takes the lead, or waits for it. Resolves after the first attempt. */
  async start(): Promise<void> {
    const lease = await this.#take();
    if (this.#stopped) return lease?.release();
    if (lease) this.#lead(lease);
    else this.#retry = setTimeout(() => void this.start(), leadMs);
  }

  async run({ store, kind, id }: JobName): Promise<void> {
    // its row is due already, and wakes the leading server
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
        this.#options.report("error", `No jobs run: ${why}.`);
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
