import { CaError } from "../base/errors.ts";
import { cacheKey } from "../base/memo.ts";
import type { AuditFields } from "./audit-records.ts";
import type { Batch, Ports, Store } from "./ports.ts";
import { mountKey } from "./mount-records.ts";
import { type ConfigSchema, loadSnapshot, type Snapshot } from "./snapshot.ts";
import {
  freshFor,
  type AuditAttachment,
  type Decision,
  type StoreContext,
} from "./store-context.ts";

/**
 * The members of a call that record side effects of a decision: warnings, a lease and audit fields.
 */
interface ReplyEffects {
  readonly reply: {
    warn(warning: string): void;
    lease(id: string, seconds: number): void;
    wrapReply?(reply: unknown, extras?: ReplyExtras): Promise<void>;
  };
  readonly audit: {
    note(...entry: Note): void;
    /**
     * Receives the audit fields of an attempt before its commit. A call without fields marks the
     * start of an attempt.
     */
    draft?(fields?: AuditFields): void;
  };
}
type Note = [fields: Readonly<Record<string, string | number | boolean>>, trace?: string];
/** The members of a response other than its data. */
interface ReplyExtras {
  readonly warnings: readonly string[];
  readonly lease: { readonly id: string; readonly seconds: number } | undefined;
}

/**
 * Computes a decision from one configuration. May be called several times, so it must have no side
 * effects.
 */
export type Decide<T> = (config: Snapshot) => Promise<Decision<T>> | Decision<T>;

/**
 * Buffers the side effects of a decision for a caller. `flush` passes on the warnings, audit fields
 * and leases of the last attempt, so that no effects of a stale configuration are reported.
 * `wrapReply` is called at once, with the buffered warnings and lease.
 */
function bufferEffects<T, C extends ReplyEffects>(
  caller: C,
  decide: (config: Snapshot, caller: C) => ReturnType<Decide<T>>,
): { readonly attempt: Decide<T>; readonly flush: () => void } {
  const notes: Note[] = [];
  const warnings: string[] = [];
  let lease: ReplyExtras["lease"];
  const { reply, audit } = caller;
  const { wrapReply } = reply;
  const buffered = {
    ...caller,
    reply: {
      ...reply,
      warn: (warning: string) => void warnings.push(warning),
      lease: (id: string, seconds: number) => void (lease = { id, seconds }),
      ...(wrapReply ? { wrapReply: (data: unknown) => wrapReply(data, { warnings, lease }) } : {}),
    },
    audit: {
      ...audit,
      note: (...entry: Note) => {
        audit.draft?.(entry[0]);
        notes.push(entry);
      },
    },
  };
  return {
    attempt: (config) => {
      notes.length = warnings.length = 0;
      lease = undefined;
      audit.draft?.();
      return decide(config, buffered);
    },
    flush: () => {
      for (const warning of warnings) reply.warn(warning);
      for (const note of notes) audit.note(...note);
      if (lease) reply.lease(lease.id, lease.seconds);
    },
  };
}

const decideTries = 5;
/** Maximum number of attempts to read a configuration while the mount is being repartitioned. */
const loadTries = 3;
/**
 * Maximum number of attempts to change the configuration. It is high, because all concurrent
 * changes to a row must succeed.
 */
const configureTries = 100;

/** Cached configuration snapshot, shared by all views of the mount. */
interface CachedSnapshot {
  snapshot: Snapshot | undefined;
  checked: number;
  /** Incremented when the snapshot is dropped, so that reads that began earlier are not cached. */
  generation: number;
}

/** The parts of a deployment that a mount needs. */
interface MountSurroundings {
  readonly schema: ConfigSchema;
  /** Returns the current path of the mount. */
  path(): Promise<string | undefined>;
  /** Returns the number of partitions of the mount's store. If absent, there is one partition. */
  partitions?(): number;
}

/** A mount: its store context and its configuration. The mount's endpoints work on this object. */
export class Mount {
  readonly storeContext: StoreContext;
  readonly ports: Ports;
  readonly store: Store;
  /** The mount's UUID. */
  readonly name: string;
  /** The store context of `sys`. */
  readonly sys: StoreContext;
  readonly #surroundings: MountSurroundings;
  readonly #cached: CachedSnapshot;
  /** Whether the next call of `config` queries the store, regardless of the snapshot's age. */
  #confirms: boolean;
  /** The mount behind this view, or this mount if it is not a view. */
  readonly self: Mount;

  /** Creates a mount, or a view of the mount `self`. */
  constructor(
    storeContext: StoreContext,
    surroundings: MountSurroundings,
    self?: Mount,
    confirms = false,
  ) {
    this.#confirms = confirms;
    this.self = self ?? this;
    this.#cached = self ? self.#cached : { snapshot: undefined, checked: 0, generation: 0 };
    this.storeContext = storeContext;
    this.ports = storeContext.ports;
    this.store = storeContext.store;
    this.name = storeContext.name;
    this.sys = storeContext.sys;
    this.#surroundings = surroundings;
  }

  get [cacheKey](): Mount {
    return this.self;
  }
  /** Returns a view for one call; see `StoreContext.forCall`. */
  forCall(attachment: AuditAttachment, sys?: StoreContext): Mount {
    return new Mount(
      this.storeContext.forCall(attachment, sys),
      this.#surroundings,
      this.self,
      this.#confirms,
    );
  }
  /**
   * Returns a view for a job. Its configuration is not older than this call: a job that found
   * nothing to do in an older configuration would be lost.
   */
  forJob(): Mount {
    return new Mount(this.storeContext, this.#surroundings, this.self, true);
  }

  /**
   * Decides with the cached configuration and commits. A commit or a rejection is final only if the
   * store still has the epoch of this configuration. Otherwise the decision is computed again.
   * Throws `busy` after five attempts, or after `configureTries` if `raisesEpoch` is set because
   * the decision may change the epoch.
   */
  async decide<T>(
    decide: Decide<T>,
    { raisesEpoch = false }: { readonly raisesEpoch?: boolean } = {},
  ): Promise<T> {
    return this.#attempt(decide, raisesEpoch ? configureTries : decideTries);
  }

  /**
   * Decides for a caller as `decide` does. The caller receives only the side effects of the last
   * attempt, because earlier attempts used an outdated configuration.
   */
  async decideFor<T, C extends ReplyEffects>(
    caller: C,
    decide: (config: Snapshot, caller: C) => ReturnType<Decide<T>>,
  ): Promise<T> {
    const { attempt, flush } = bufferEffects<T, C>(caller, decide);
    const reply = await this.#attempt(attempt, decideTries);
    flush();
    return reply;
  }

  /**
   * Changes the configuration. Once this resolves, no request is served or rejected based on the
   * old configuration. The batch must expect the rows on which it is based. With `exact`, the whole
   * configuration must be unchanged. A batch that changes nothing is not committed.
   */
  async configure<T>(decide: Decide<T>, options: { readonly exact?: boolean } = {}): Promise<T> {
    const changing: Decide<T> = async (config) => {
      const { reply, batch, done } = await decide(config);
      if (!batch || !(await changes(batch, config))) return { reply };
      return { reply, batch, ...(done ? { done } : {}) };
    };
    const reply = await this.#attempt(changing, configureTries, (batch, config) => ({
      ...inMount(batch, config),
      epoch: "next",
      ...(options.exact ? { onlyAtEpoch: config.epoch } : {}),
    }));
    this.forget();
    return reply;
  }

  /**
   * Changes the configuration for a caller, who receives only the side effects of the last attempt.
   */
  async configureFor<T, C extends ReplyEffects>(
    caller: C,
    decide: (config: Snapshot, caller: C) => ReturnType<Decide<T>>,
    options: { readonly exact?: boolean } = {},
  ): Promise<T> {
    const { attempt, flush } = bufferEffects<T, C>(caller, decide);
    const reply = await this.configure(attempt, options);
    flush();
    return reply;
  }

  /**
   * Returns the configuration, read or confirmed within the last second. Decisions about issuance
   * must not use it.
   */
  async config(): Promise<Snapshot> {
    const now = this.ports.now();
    // if the clock was set back, the age is unknown
    const isOld = now - this.#cached.checked >= freshFor || now < this.#cached.checked;
    if (this.#cached.snapshot && (isOld || this.#confirms)) {
      const snapshot = this.#cached.snapshot;
      if ((await this.storeContext.epoch()) !== snapshot.epoch) this.forget();
      else this.#cached.checked = now;
    }
    this.#confirms = false;
    return this.#cached.snapshot ?? this.#load();
  }

  /**
   * The cached configuration, regardless of its age, or undefined if the next use reads it from the
   * store.
   */
  get cachedConfig(): Snapshot | undefined {
    return this.#cached.snapshot;
  }

  /** Time at which the configuration was last read or confirmed (Unix ms). */
  get checked(): number {
    return this.#cached.checked;
  }

  /** Drops the cached configuration, so that the next use reads it from the store. */
  forget(): void {
    this.#cached.generation++;
    this.#cached.snapshot = undefined;
    this.storeContext.cache.forget();
  }

  async #attempt<T>(
    decide: Decide<T>,
    tries: number,
    seal?: (batch: Batch, config: Snapshot) => Batch,
  ): Promise<T> {
    let previous: Snapshot | undefined;
    const make = async (): Promise<Decision<T> | "again"> => {
      // another request may have cached a newer configuration
      if (previous && this.#cached.snapshot === previous) this.#cached.snapshot = undefined;
      const config = (previous = this.#cached.snapshot ?? (await this.#load()));
      let outcome: Decision<T> | CaError;
      try {
        outcome = await decide(config);
      } catch (error) {
        if (!(error instanceof CaError) || error.code === "storage") {
          // an unreadable row may have been replaced in the meantime, and nothing else would read
          // it again
          this.#cached.snapshot = undefined;
          throw error;
        }
        // a rejection is checked like a reply, and computed again if the configuration is outdated
        outcome = error;
      }
      if (!(outcome instanceof CaError) && outcome.batch) {
        const { batch } = outcome;
        return {
          ...outcome,
          // requires exactly this epoch, because a store with an older epoch has lost its rows or
          // is an old copy
          batch: seal ? seal(batch, config) : { ...batch, onlyAtEpoch: config.epoch },
        };
      }
      if ((await this.storeContext.epoch()) !== config.epoch) return "again";
      if (outcome instanceof CaError) throw outcome;
      return outcome;
    };
    return this.storeContext.change(make, { tries, what: "the configuration" });
  }

  async #load(tries = loadTries): Promise<Snapshot> {
    const [checked, generation] = [this.ports.now(), this.#cached.generation];
    // requests do not share the read, because on Workers a promise of a finished request never
    // settles in another request
    const snapshot = await loadSnapshot(this.store, this.#surroundings.schema);
    if (!snapshot) throw await this.#absence();
    if ((snapshot.mount.config.partitions ?? 1) !== (this.#surroundings.partitions?.() ?? 1)) {
      // the mount may have been repartitioned in the meantime
      if (tries > 1) return this.#load(tries - 1);
      // the mount was restored with a different number of partitions, and this process has its old
      // route
      throw new CaError(
        "storage",
        "the mount was restored with another number of partitions; try again",
      );
    }
    if (generation === this.#cached.generation) this.#cache(snapshot, checked);
    return snapshot;
  }
  /**
   * Returns the error for a store without a mount. The store of a deleted mount still has its
   * epoch, whereas a store that lost its rows has none.
   */
  async #absence(): Promise<CaError> {
    const deletedError = new CaError("no_route", "the mount no longer exists");
    if ((await this.storeContext.epoch()) > 0) return deletedError;
    const path = await this.#surroundings.path();
    return path === undefined
      ? deletedError
      : new CaError(
          "storage",
          `the storage of the mount ${path}/ is empty: restore it from a backup, or delete the mount`,
        );
  }
  #cache(snapshot: Snapshot, checked: number): void {
    if (!this.#cached.snapshot || this.#cached.snapshot.epoch <= snapshot.epoch)
      [this.#cached.snapshot, this.#cached.checked] = [snapshot, checked];
  }
}

/**
 * Reports whether a batch changes anything besides logs. Rows with index values and pages are not
 * part of the configuration, so writing them always counts.
 */
async function changes(
  { put = [], del = [], append = [], clear }: Batch,
  config: Snapshot,
): Promise<boolean> {
  if (clear || append.length > 0 || put.some(([, , index]) => index)) return true;
  for (const [key, value] of put) if (!(await config.isUnchanged(key, value))) return true;
  for (const key of del) if (!(await config.isUnchanged(key, undefined))) return true;
  return false;
}

/** Adds the condition that the row of the mount is unchanged, so that the mount still exists. */
function inMount(batch: Batch, config: Snapshot): Batch {
  const expect = batch.expect ?? [];
  return expect.some(([key]) => key === mountKey)
    ? batch
    : { ...batch, expect: [...expect, [mountKey, config.mountRev]] };
}
