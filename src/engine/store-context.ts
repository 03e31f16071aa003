import { CaError } from "../base/errors.ts";
import { pause } from "../base/event-loop.ts";
import { cacheKey } from "../base/memo.ts";
import { runDue, runJob, runsOf, wakeFor, type JobSteps, type Run } from "./jobs.ts";
import type { Batch, Committed, Ports, Store, LogEntry } from "./ports.ts";
import { jobPrefix } from "../base/row-keys.ts";

/** Maximum age in ms of values that are used without querying the store (D 4, Freshness). */
export const freshFor = 1000;

/** A kind of cached values. All values have one type, and are used in one place in the code. */
interface Kind<T> {
  /** Maximum number of values; a full cache is cleared. */
  readonly maxEntries: number;
  /**
   * Key prefixes of the rows from which the values are computed. A change to such a row drops the
   * values.
   */
  readonly below: readonly string[];
  /** Never set; it only makes the type depend on `T`. */
  readonly of?: T;
}
/** Returns a new kind of cached values. For `below`, see `Kind.below`. */
export const kindOf = <T>(maxEntries = 5000, below: readonly string[] = []): Kind<T> => ({
  maxEntries,
  below,
});

interface CachedValue {
  readonly at: number;
  readonly value: unknown;
}
interface Values {
  readonly byId: Map<string, CachedValue>;
  swept: number;
}

/** A value that is not cached and must be loaded. */
interface Missing<T> {
  readonly kind: Kind<T>;
  readonly values: Values;
  readonly now: number;
  readonly id: string;
}

/** Cache of values from a store: `recent` ones for a second, `lasting` ones until dropped. */
class Cache {
  readonly #clock: Pick<Ports, "now">;
  #kinds = new Map<Kind<unknown>, Values>();

  constructor(clock: Pick<Ports, "now">) {
    this.#clock = clock;
  }

  /**
   * Returns a value from the cache, at most a second old, or loads it. `undefined` is never cached,
   * so that a new value is visible at once.
   */
  recent<T>(kind: Kind<T>, id: string, load: () => Promise<T>): Promise<T> | T {
    const now = this.#clock.now();
    const values = this.#valuesOf(kind);
    // only this method stores values, and all values of a kind have the same type
    const cached = values.byId.get(id) as { readonly at: number; readonly value: T } | undefined;
    return cached && isFresh(cached.at, now)
      ? cached.value
      : this.#load({ kind, values, now, id }, load);
  }
  async #load<T>({ kind, values, now, id }: Missing<T>, load: () => Promise<T>): Promise<T> {
    // caches the value and not the promise, because on Workers promises of other requests may never
    // settle
    const value = await load();
    if (value === undefined) return value;
    sweep(values, now);
    if (values.byId.size >= kind.maxEntries) values.byId.clear();
    // if the cache was cleared in the meantime, nothing reads these values
    values.byId.set(id, { at: now, value });
    return value;
  }

  /**
   * Returns the cached result of `make`, which is called again only once the result has been
   * dropped.
   */
  lasting<T>(kind: Kind<T>, make: () => T): T {
    const values = this.#valuesOf(kind);
    const cached = values.byId.get("") as { readonly value: T } | undefined;
    if (cached) return cached.value;
    const value = make();
    values.byId.set("", { at: this.#clock.now(), value });
    return value;
  }

  /**
   * Drops the values that were computed from rows with these keys, so that this process sees its
   * own writes.
   */
  changed(keys: readonly string[]): void {
    for (const kind of this.#kinds.keys())
      if (kind.below.some((prefix) => keys.some((key) => key.startsWith(prefix))))
        this.#kinds.delete(kind);
  }

  /**
   * Drops the values that were computed from rows that another process changed, and all values of
   * kinds without prefixes.
   */
  changedElsewhere(keys: readonly string[]): void {
    this.changed(keys);
    for (const kind of this.#kinds.keys()) if (kind.below.length === 0) this.#kinds.delete(kind);
  }

  /** Drops all values, including values that are being loaded. */
  forget(): void {
    this.#kinds = new Map();
  }

  /** IDs of the cached values. */
  get ids(): readonly string[] {
    return [...this.#kinds.values()].flatMap(({ byId }) => [...byId.keys()]);
  }

  #valuesOf(kind: Kind<unknown>): Values {
    let values = this.#kinds.get(kind);
    if (!values) {
      values = { byId: new Map(), swept: -Infinity };
      this.#kinds.set(kind, values);
    }
    return values;
  }
}

/** Reports whether a value is fresh. If the clock was set back, its age is unknown. */
const isFresh = (at: number, now: number): boolean => now - at < freshFor && now >= at;
/**
 * Drops expired values, at most once a second, so that secrets and long lists do not stay in
 * memory.
 */
function sweep(values: Values, now: number): void {
  if (isFresh(values.swept, now)) return;
  values.swept = now;
  for (const [id, { at }] of values.byId) if (!isFresh(at, now)) values.byId.delete(id);
}

/** The outcome of a decision: the result, and the change to commit, if any. */
export interface Decision<T> {
  readonly reply: T;
  readonly batch?: Batch;
  /** Called once the batch has been committed, or at once if there is none. */
  readonly done?: (committed?: Committed) => void;
}
/** Options for the retries of a change. */
interface Retry {
  /**
   * Maximum number of attempts. The default is 500, the expected maximum number of concurrent
   * writers of one row, one of which succeeds per round.
   */
  readonly tries?: number;
  /** Name of the contended resource for the error message, by default "the resource". */
  readonly what?: string;
}

/**
 * Maximum delays in ms: between two attempts at a change, and before the first attempt while other
 * changes are being retried.
 */
const [retryMs, yieldMs] = [4, 8];

/** Settings of features, by name. Each feature reads only its own settings. */
export type Features = Readonly<Record<string, unknown>>;
/** The parts of a deployment that a store context needs. */
interface Surroundings {
  readonly features: Features;
  /** The store. If absent, the store with the context's name is opened. */
  readonly store?: Store;
  /** Returns the steps for jobs of the given kind, bound to a store context. */
  steps(storeContext: StoreContext, kind: string): Promise<JobSteps>;
  /** The store context of `sys`; absent when that context itself is created. */
  readonly sys?: StoreContext;
}

/** The members of a store context that is a view for one call. */
interface CallView {
  readonly self: StoreContext;
  readonly sys: StoreContext | undefined;
  readonly attachment: AuditAttachment;
}

/** A store with its cache and its jobs. */
export class StoreContext {
  readonly ports: Ports;
  readonly store: Store;
  /** Name of the store: a mount's UUID, `sys`, or the name of another API's store. */
  readonly name: string;
  /** The store context of `sys`, which may be this store context. */
  readonly sys: StoreContext;
  readonly features: Features;
  readonly cache: Cache;
  /** Runs a job. Calls for the same job share a run; jobs of one kind run one at a time. */
  readonly run: Run;
  /** The store context behind this view, or this store context itself if it is not a view. */
  readonly self: StoreContext;
  readonly #attachment: AuditAttachment | undefined;
  readonly #steps: Surroundings["steps"];
  #unwrittenAt: number | undefined;
  /** Number of changes that are being retried. */
  #retrying = 0;

  /** Opens a store by name, or creates a view of a store context for one call. */
  constructor(
    ports: Ports,
    name: string,
    { features, steps, sys, store }: Surroundings,
    view?: CallView,
  ) {
    this.ports = ports;
    this.name = name;
    this.features = features;
    this.self = view?.self ?? this;
    this.sys = (view ? view.sys : sys) ?? this;
    this.#attachment = view?.attachment;
    this.#steps = steps;
    this.store = view?.self.store ?? store ?? ports.stores(name);
    this.cache = view?.self.cache ?? new Cache(ports);
    this.run =
      view?.self.run ?? runsOf(async (kind, id) => runJob(this, await steps(this, kind), kind, id));
  }

  /**
   * Returns a view for one call, in which the call's first change includes its audit entry. `sys`
   * is the view of the `sys` store context for the same call. Views are cheap to create.
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

  get [cacheKey](): StoreContext {
    return this.self;
  }
  /** Time of the last commit (Unix ms) if it failed with a storage error, otherwise undefined. */
  get unwrittenAt(): number | undefined {
    return this.self.#unwrittenAt;
  }

  /** Commits a batch to the store and schedules its jobs; see `Store.commit`. */
  commit(batch: Batch): Promise<Committed | undefined> {
    return this.#attachment
      ? this.#attachment.commit(batch, (whole) => this.self.#commit(whole))
      : this.#commit(batch);
  }
  async #commit(batch: Batch): Promise<Committed | undefined> {
    let done;
    try {
      done = await this.store.commit(batch);
      this.#unwrittenAt = undefined;
    } catch (error) {
      // the commit may have been applied although it failed
      this.cache.changed(keysOf(batch));
      // if the disk is full, only writes fail; health checks detect this by `unwrittenAt`
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
   * concurrently or `make` returns "again". Throws `busy` after the last attempt.
   */
  async change<T>(
    make: () => Promise<Decision<T> | "again">,
    { tries = 500, what = "the resource" }: Retry = {},
  ): Promise<T> {
    const { self } = this;
    // One of the concurrent writers succeeds per round. New calls wait a moment, because otherwise
    // they could keep winning over calls that have already failed.
    if (self.#retrying > 0) await self.#moment(yieldMs);
    let isRetrying = false;
    try {
      for (let attempt = 0; attempt < tries; attempt++) {
        const decision = await make();
        if (decision === "again") continue;
        const committed = decision.batch && (await this.commit(decision.batch));
        if (!decision.batch || committed) {
          decision.done?.(committed);
          return decision.reply;
        }
        if (!isRetrying) self.#retrying++;
        isRetrying = true;
        // the delays are random, so that the writers do not collide again
        if (attempt >= 2) await self.#moment(retryMs);
      }
      throw new CaError("busy", `${what} keeps changing; try again`);
    } finally {
      if (isRetrying) self.#retrying--;
    }
  }

  /** Waits for a random time of at most `maxMs` milliseconds. */
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

  /**
   * Runs a job at once, in the place where the rows are. Resolves after a run that began after this
   * call.
   */
  async once(kind: string, id: string): Promise<void> {
    if (this.ports.once) await this.ports.once(this.name, kind, id);
    else await this.run(kind, id);
    this.cache.forget();
  }
  /**
   * Runs the due jobs, and returns the time at which the next job is due (Unix ms). If `store` is
   * the store of a partition, runs only its jobs.
   */
  tick(store = this.store): Promise<number | undefined> {
    return runDue({ ports: this.ports, store }, this.run);
  }
}

/** Returns the keys of the rows that a batch changes. */
const keysOf = ({ put = [], del = [] }: Batch): readonly string[] => [
  ...put.map(([key]) => key),
  ...del,
];

/** Commits a batch. Returns undefined if a condition did not hold. */
type Commit<T> = (batch: Batch) => Promise<T | undefined>;
/**
 * The audit entry of a call, which is added to the batch of the call's first change in any store.
 * It is computed just before this batch is committed.
 */
export class AuditAttachment {
  /** Whether a committed change included the entry. */
  isDelivered = false;
  /** Whether the call has ended. Later changes do not include the entry. */
  isEnded = false;
  readonly #entryOf: () => Promise<LogEntry>;
  readonly #jobs: boolean;
  #underWay: Promise<unknown> | undefined;

  /** If `jobs` is true, scheduling a job counts as a change. */
  constructor(entryOf: () => Promise<LogEntry>, jobs = false) {
    this.#entryOf = entryOf;
    this.#jobs = jobs;
  }

  /** Commits a batch of the call, with the audit entry if this is the call's first change. */
  async commit<T>(batch: Batch, commit: Commit<T>): Promise<T | undefined> {
    // of several concurrent commits, only the first one that succeeds includes the entry
    while (this.#underWay) await this.#underWay.catch(() => undefined);
    if (this.isDelivered || this.isEnded || !isChange(batch, this.#jobs)) return commit(batch);
    const own = this.#deliver(batch, commit);
    this.#underWay = own;
    try {
      return await own;
    } finally {
      this.#underWay = undefined;
    }
  }
  async #deliver<T>(batch: Batch, commit: Commit<T>): Promise<T | undefined> {
    const entry = await this.#entryOf();
    const done = await commit({ ...batch, log: [...(batch.log ?? []), entry] });
    this.isDelivered ||= done !== undefined;
    return done;
  }
}

/**
 * Reports whether a batch changes something for the caller. A batch with `log` does, even if the
 * list is empty. If `jobs` is true, so does scheduling a job.
 */
function isChange(
  { put = [], del = [], append = [], log, clear, epoch, upkeep = [] }: Batch,
  jobs: boolean,
): boolean {
  if (epoch === "next" || log !== undefined || clear === true || append.length > 0) return true;
  for (const [key] of put)
    if (key.startsWith(jobPrefix) ? jobs : !upkeep.includes(key)) return true;
  return del.some((key) => !key.startsWith(jobPrefix));
}
