import { CaError } from "../base/errors.ts";
import { pause } from "../base/event-loop.ts";
import { Cache } from "./cache.ts";
import type { Carrier } from "./audit-attachment.ts";
import { runDue, runJob, wakeFor, type UnitSteps } from "./jobs.ts";
import type { Batch, Committed, Ports, Store } from "./ports.ts";
import { runsOf, type Run } from "./runs.ts";

/** What a decision wants: the reply, and the change to commit, if any. */
export interface Decision<T> {
  readonly reply: T;
  readonly batch?: Batch;
  /** Called once the batch is in the store, where there is one. */
  readonly done?: (committed?: Committed) => void;
}
/** How often a change is made again. */
interface Retry {
  /** 500 unless said, as many as ever write one row at once: each round one succeeds. */
  readonly tries?: number;
  /** What keeps changing, for the refusal; "the resource" unless said. */
  readonly what?: string;
}

/** Longest wait between two attempts of a change, and before the first one of another, ms. */
const [retryMs, yieldMs] = [4, 8];

/** Settings of features, each read by its own feature alone. */
export type Features = Readonly<Record<string, unknown>>;
/** What a unit is part of. */
interface Surroundings {
  readonly features: Features;
  /** The work of a kind on a unit. */
  steps(unit: Unit, kind: string): Promise<UnitSteps>;
  /** The unit of what all mounts share; absent where this is it. */
  readonly sys?: Unit;
}

/** Returns the unit, or the mount, that a view belongs to. */
export const selfOf = <V extends { readonly self: V }>(view: V): V => view.self;

/** A unit as one call sees it. */
interface Seen {
  readonly self: Unit;
  readonly sys: Unit | undefined;
  readonly carrier: Carrier;
}

/** One store, with what is kept of it, its jobs and its commits. */
export class Unit {
  readonly ports: Ports;
  readonly store: Store;
  /** Name of the store: a mount's uuid, `sys`, or that of an API beside the mounts. */
  readonly name: string;
  /** The unit of what all mounts share; its own is itself. */
  readonly sys: Unit;
  readonly features: Features;
  readonly cache: Cache;
  /** Runs a job here. Equal calls share a run, and of one kind there is one at a time. */
  readonly run: Run;
  /** What this is a view of; itself where it is none. What is kept by units is kept by this. */
  readonly self: Unit;
  readonly #carrier: Carrier | undefined;
  readonly #steps: Surroundings["steps"];
  #unwrittenAt: number | undefined;
  /** Number of changes that are being retried. */
  #retrying = 0;

  /** Opens the store of a name; `seen`: is one, as a call sees it. */
  constructor(ports: Ports, name: string, { features, steps, sys }: Surroundings, seen?: Seen) {
    this.ports = ports;
    this.name = name;
    this.features = features;
    this.self = seen?.self ?? this;
    this.sys = (seen ? seen.sys : sys) ?? this;
    this.#carrier = seen?.carrier;
    this.#steps = steps;
    this.store = seen?.self.store ?? ports.stores(name);
    this.cache = seen?.self.cache ?? new Cache(() => ports.now());
    this.run =
      seen?.self.run ?? runsOf(async (kind, id) => runJob(this, await steps(this, kind), kind, id));
  }

  /**
   * The same as one call sees it, at no cost to speak of: what the call changes first carries what
   * is to be told of it. `sys`: the unit of what all mounts share, as the call sees it.
   */
  seenBy(carrier: Carrier, sys?: Unit): Unit {
    const { ports, name, features, self } = this;
    const seen = {
      self,
      sys: sys ?? (this.sys === this ? undefined : this.sys.seenBy(carrier)),
      carrier,
    };
    return new Unit(ports, name, { features, steps: this.#steps }, seen);
  }

  /**
   * When the last commit failed in the storage, Unix milliseconds; undefined once one has succeeded
   * since.
   */
  get unwrittenAt(): number | undefined {
    return this.self.#unwrittenAt;
  }

  /** Commits a batch to the store and sets the clock for its jobs; see `Store.commit`. */
  commit(batch: Batch): Promise<Committed | undefined> {
    return this.#carrier
      ? this.#carrier.commit(this.name, batch, (whole) => this.self.#commit(whole))
      : this.#commit(batch);
  }
  async #commit(batch: Batch): Promise<Committed | undefined> {
    let done;
    try {
      done = await this.store.commit(batch);
      this.#unwrittenAt = undefined;
    } catch (error) {
      // it may have been applied all the same
      this.cache.changed(keysOf(batch));
      // a disk that is full refuses changes only: whoever asks for the state of the unit learns it
      // from those that failed
      this.#unwrittenAt = this.ports.now();
      throw error;
    }
    if (!done) return undefined;
    this.cache.changed(keysOf(batch));
    wakeFor(this.ports, batch);
    return done;
  }

  /**
   * Makes a change from the rows as they are now, and again when one that the batch expects was
   * changed meanwhile, or `make` saw that and says "again". Throws `busy` after the last try.
   */
  async change<T>(
    make: () => Promise<Decision<T> | "again">,
    { tries = 500, what = "the resource" }: Retry = {},
  ): Promise<T> {
    const { self } = this;
    // Each round one of those who write the same succeeds. Whoever has failed is older than whoever
    // begins, and would lose to them for ever where they are many.
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
        // at different times, so that they do not meet again and again
        if (attempt >= 2) await self.#moment(retryMs);
      }
      throw new CaError("busy", `${what} keeps changing; try again`);
    } finally {
      if (isRetrying) self.#retrying--;
    }
  }

  /** Waits for a part of `maxMs` milliseconds, by chance. */
  async #moment(maxMs: number): Promise<void> {
    const [chance = 0] = this.ports.random(1);
    await pause((maxMs * chance) / 256);
  }

  /** The epoch that the store holds. */
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
  /** Runs the jobs that are due and tells when the next one is, Unix milliseconds. */
  tick(): Promise<number | undefined> {
    return runDue(this, this.run);
  }
}

/** The keys of what a batch changes. */
const keysOf = ({ put = [], del = [] }: Batch): readonly string[] => [
  ...put.map(([key]) => key),
  ...del,
];
