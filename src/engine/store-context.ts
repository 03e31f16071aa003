import { CaError } from "../base/errors.ts";
import { pause } from "../base/event-loop.ts";
import { Cache } from "./cache.ts";
import type { AuditAttachment } from "./audit-attachment.ts";
import { runDue, runJob, wakeFor, type JobSteps } from "./jobs.ts";
import type { Batch, Committed, Ports, Store } from "./ports.ts";
import { runsOf, type Run } from "./runs.ts";

/** The outcome of a decision: the reply, and the change to commit, if any. */
export interface Decision<T> {
  readonly reply: T;
  readonly batch?: Batch;
  /** Called after the batch was committed, if there is one. */
  readonly done?: (committed?: Committed) => void;
}
/** How often a change is retried. */
interface Retry {
  /** Default 500: the most writers expected to contend for one row; one succeeds per round. */
  readonly tries?: number;
  /** Name of what keeps changing, for the error. Default: "the resource". */
  readonly what?: string;
}

/** Maximum delay between two attempts of a change, and before another change's first one, ms. */
const [retryMs, yieldMs] = [4, 8];

/** Settings of features, by name; only the feature itself reads its own. */
export type Features = Readonly<Record<string, unknown>>;
/** The parts of a deployment that a store context needs. */
interface Surroundings {
  readonly features: Features;
  /** Returns the steps of a kind of job on a store context. */
  steps(storeContext: StoreContext, kind: string): Promise<JobSteps>;
  /** The store context of `sys`; absent if this is the one. */
  readonly sys?: StoreContext;
}

/** Returns the store context or mount behind a view. */
export const selfOf = <V extends { readonly self: V }>(view: V): V => view.self;

/** The view of a store context for one call. */
interface CallView {
  readonly self: StoreContext;
  readonly sys: StoreContext | undefined;
  readonly attachment: AuditAttachment;
}

/** One store with its cache, its jobs and its commits. */
export class StoreContext {
  readonly ports: Ports;
  readonly store: Store;
  /** Name of the store: a mount's uuid, `sys`, or the name of an API beside the mounts. */
  readonly name: string;
  /** The store context of `sys`; itself if this is the one. */
  readonly sys: StoreContext;
  readonly features: Features;
  readonly cache: Cache;
  /** Runs a job. Equal calls share a run, and jobs of one kind run one at a time. */
  readonly run: Run;
  /** The store context behind this view; itself if this is no view. Caches use it as their key. */
  readonly self: StoreContext;
  readonly #attachment: AuditAttachment | undefined;
  readonly #steps: Surroundings["steps"];
  #unwrittenAt: number | undefined;
  /** Number of changes that are being retried. */
  #retrying = 0;

  /** Opens the store `name`, or makes the view of a store context for one call. */
  constructor(ports: Ports, name: string, { features, steps, sys }: Surroundings, view?: CallView) {
    this.ports = ports;
    this.name = name;
    this.features = features;
    this.self = view?.self ?? this;
    this.sys = (view ? view.sys : sys) ?? this;
    this.#attachment = view?.attachment;
    this.#steps = steps;
    this.store = view?.self.store ?? ports.stores(name);
    this.cache = view?.self.cache ?? new Cache(() => ports.now());
    this.run =
      view?.self.run ?? runsOf(async (kind, id) => runJob(this, await steps(this, kind), kind, id));
  }

  /**
   * Returns a view for one call: the first change of the call includes its audit entry. `sys`: the
   * view of the store context of `sys` for the same call. Cheap.
   */
  forCall(attachment: AuditAttachment, sys?: StoreContext): StoreContext {
    const { ports, name, features, self } = this;
    const view = {
      self,
      sys: sys ?? (this.sys === this ? undefined : this.sys.forCall(attachment)),
      attachment,
    };
    return new StoreContext(ports, name, { features, steps: this.#steps }, view);
  }

  /**
   * Time of the last commit if the storage failed it (Unix ms); undefined once another one has
   * succeeded.
   */
  get unwrittenAt(): number | undefined {
    return this.self.#unwrittenAt;
  }

  /** Commits a batch to the store and sets the clock for its jobs; see `Store.commit`. */
  commit(batch: Batch): Promise<Committed | undefined> {
    return this.#attachment
      ? this.#attachment.commit(this.name, batch, (whole) => this.self.#commit(whole))
      : this.#commit(batch);
  }
  async #commit(batch: Batch): Promise<Committed | undefined> {
    let done;
    try {
      done = await this.store.commit(batch);
      this.#unwrittenAt = undefined;
    } catch (error) {
      // the commit may have been applied nevertheless
      this.cache.changed(keysOf(batch));
      // a full disk rejects only changes, so health checks learn about it from failed commits
      this.#unwrittenAt = this.ports.now();
      throw error;
    }
    if (!done) return undefined;
    this.cache.changed(keysOf(batch));
    wakeFor(this.ports, batch);
    return done;
  }

  /**
   * Computes a change from the current rows and commits it. Retries if an expected row was changed
   * concurrently, or if `make` returns "again". Throws `busy` after the last try.
   */
  async change<T>(
    make: () => Promise<Decision<T> | "again">,
    { tries = 500, what = "the resource" }: Retry = {},
  ): Promise<T> {
    const { self } = this;
    // One of the concurrent writers succeeds per round. New calls wait a moment, because otherwise
    // calls that already failed could lose to them forever.
    if (self.#retrying > 0) await self.#moment(yieldMs);
    let isRetrying = false;
    try {
      for (let attempt = 0; attempt < tries; attempt++) {
        const made = await make();
        if (made === "again") continue;
        const committed = made.batch && (await this.commit(made.batch));
        if (!made.batch || committed) {
          made.done?.(committed);
          return made.reply;
        }
        if (!isRetrying) self.#retrying++;
        isRetrying = true;
        // random delays, so that the writers do not collide again
        if (attempt >= 2) await self.#moment(retryMs);
      }
      throw new CaError("busy", `${what} keeps changing; try again`);
    } finally {
      if (isRetrying) self.#retrying--;
    }
  }

  /** Waits for a random part of `maxMs` milliseconds. */
  async #moment(maxMs: number): Promise<void> {
    const [chance = 0] = this.ports.random(1);
    await pause((maxMs * chance) / 256);
  }

  /** Returns the current epoch of the store. */
  async epoch(): Promise<number> {
    if (this.store.epoch) return this.store.epoch();
    const [row] = await this.store.get(["epoch"]);
    return typeof row?.value === "number" ? row.value : 0;
  }

  /** Runs a job now, where the rows live; resolves after a run that began later than this call. */
  async once(kind: string, id: string): Promise<void> {
    if (this.ports.once) await this.ports.once(this.name, kind, id);
    else await this.run(kind, id);
    this.cache.forget();
  }
  /** Runs the due jobs and returns when the next one is due (Unix ms). */
  tick(): Promise<number | undefined> {
    return runDue(this, this.run);
  }
}

/** Returns the keys of the rows that a batch changes. */
const keysOf = ({ put = [], del = [] }: Batch): readonly string[] => [
  ...put.map(([key]) => key),
  ...del,
];
