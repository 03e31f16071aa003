import { CaError } from "../base/errors.ts";
import { freshFor } from "./cache.ts";
import type { AuditAttachment } from "./audit-attachment.ts";
import type { Batch, Ports, Store } from "./ports.ts";
import { keys } from "./records.ts";
import { loadSnapshot, type Snapshot } from "./snapshot.ts";
import type { Decision, StoreContext } from "./store-context.ts";
import { withFinalAttempt, type ReplyEffects } from "./reply-effects.ts";

/**
 * Computes a decision from one configuration. May run several times: it must change nothing itself.
 */
export type Decide<T> = (config: Snapshot) => Promise<Decision<T>> | Decision<T>;

const decideTries = 5;
/** Writers of configuration retry more often: all that change one row at once must succeed. */
const configureTries = 100;

/** What is held of a mount's configuration, shared by all views of it. */
interface Held {
  snapshot: Snapshot | undefined;
  checked: number;
  /** Grows when what was read is dropped: what was asked for before is older than that. */
  generation: number;
}

/**
 * A mount over its store context, with its configuration. The handlers of its endpoints get it.
 */
export class Mount {
  readonly storeContext: StoreContext;
  readonly ports: Ports;
  readonly store: Store;
  /** The mount's uuid. */
  readonly name: string;
  /** The store context of `sys`. */
  readonly sys: StoreContext;
  readonly #path: () => Promise<string | undefined>;
  readonly #held: Held;
  /** Whether the next use of the configuration asks the store, however recently it was read. */
  #confirms: boolean;
  /** What this is a view of; itself where it is none. What is kept by mounts is kept by this. */
  readonly self: Mount;

  /** `path`: the path that leads to the mount now. `self`: it is a view of this one. */
  constructor(
    storeContext: StoreContext,
    path: () => Promise<string | undefined>,
    self?: Mount,
    confirms = false,
  ) {
    this.#confirms = confirms;
    this.self = self ?? this;
    this.#held = self ? self.#held : { snapshot: undefined, checked: 0, generation: 0 };
    this.storeContext = storeContext;
    this.ports = storeContext.ports;
    this.store = storeContext.store;
    this.name = storeContext.name;
    this.sys = storeContext.sys;
    this.#path = path;
  }

  /** Returns a view for one call; see `StoreContext.forCall`. */
  forCall(attachment: AuditAttachment, sys?: StoreContext): Mount {
    return new Mount(
      this.storeContext.forCall(attachment, sys),
      this.#path,
      this.self,
      this.#confirms,
    );
  }
  /**
   * The same for a job: the configuration that it gets is not older than this call, because a job
   * that ends itself by an older one is lost.
   */
  forJob(): Mount {
    return new Mount(this.storeContext, this.#path, this.self, true);
  }

  /**
   * Computes with the configuration at hand and commits. A commit or a refusal is final only if the
   * store still holds its epoch; otherwise all of it is done again, five times at most, then
   * `busy`.
   */
  async decide<T>(decide: Decide<T>): Promise<T> {
    // exactly: a store that has gone back behind what was read from it has lost its rows, or is an
    // old copy
    return this.#attempt(decide, decideTries, (batch, config) => ({
      ...batch,
      onlyAtEpoch: config.epoch,
    }));
  }

  /**
   * The same for a caller. Of the warnings, leases and notes only those of the attempt that counts
   * are given on: the others speak of a replaced configuration.
   */
  decideFor<T, C extends ReplyEffects>(
    caller: C,
    decide: (config: Snapshot, caller: C) => ReturnType<Decide<T>>,
  ): Promise<T> {
    return withFinalAttempt(caller, decide, (attempt: Decide<T>) => this.decide(attempt));
  }

  /**
   * Writes configuration: once it returns, nobody is served or refused by the old one. A batch
   * expects the rows it read; `exact` expects all configuration unchanged. A batch that says what
   * the rows say already is not written.
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

  /** The same for a caller, who hears the attempt that counts alone. */
  configureFor<T, C extends ReplyEffects>(
    caller: C,
    decide: (config: Snapshot, caller: C) => ReturnType<Decide<T>>,
    options: { readonly exact?: boolean } = {},
  ): Promise<T> {
    return withFinalAttempt(caller, decide, (attempt: Decide<T>) =>
      this.configure(attempt, options),
    );
  }

  /**
   * The configuration, read or confirmed at most a second ago. For answers that decide no issuance.
   */
  async config(): Promise<Snapshot> {
    const now = this.ports.now();
    // a clock that went back says nothing about how old this is
    const isOld = now - this.#held.checked >= freshFor || now < this.#held.checked;
    if (this.#held.snapshot && (isOld || this.#confirms)) {
      const held = this.#held.snapshot;
      if ((await this.storeContext.epoch()) !== held.epoch) this.forget();
      else this.#held.checked = now;
    }
    this.#confirms = false;
    return this.#load();
  }

  /** The configuration at hand, of any age; undefined where the next use reads it. */
  get atHand(): Snapshot | undefined {
    return this.#held.snapshot;
  }

  /** When the configuration was last read or confirmed, Unix milliseconds. */
  get checked(): number {
    return this.#held.checked;
  }

  /** Drops what was read: the next use asks the store. */
  forget(): void {
    this.#held.generation++;
    this.#held.snapshot = undefined;
    this.storeContext.cache.forget();
  }

  async #attempt<T>(
    decide: Decide<T>,
    tries: number,
    seal: (batch: Batch, config: Snapshot) => Batch,
  ): Promise<T> {
    let tried: Snapshot | undefined;
    const make = async (): Promise<Decision<T> | "again"> => {
      // another request may have read a newer one meanwhile
      if (tried && this.#held.snapshot === tried) this.#held.snapshot = undefined;
      const config = (tried = await this.#load());
      const made = await outcome(decide, config).catch((error: unknown) => {
        // what failed may have changed since it was read, and nothing else would read it again
        this.#held.snapshot = undefined;
        throw error;
      });
      if (!("refusal" in made) && made.batch) return { ...made, batch: seal(made.batch, config) };
      if ((await this.storeContext.epoch()) !== config.epoch) return "again";
      if ("refusal" in made) throw made.refusal;
      return made;
    };
    return this.storeContext.change(make, { tries, what: "the configuration" });
  }

  async #load(): Promise<Snapshot> {
    if (this.#held.snapshot) return this.#held.snapshot;
    const [checked, generation] = [this.ports.now(), this.#held.generation];
    // requests that find nothing each read for themselves: on Workers a promise of one request
    // never settles for another once the first has ended
    const snapshot = await loadSnapshot(this.store);
    if (!snapshot) throw await this.#absence();
    if (generation === this.#held.generation) this.#keep(snapshot, checked);
    return snapshot;
  }
  /**
   * What is wrong where a store holds no mount: a removed one has left its epoch, and one that lost
   * its rows has not.
   */
  async #absence(): Promise<CaError> {
    const gone = new CaError("no_route", "the mount is gone");
    if ((await this.storeContext.epoch()) > 0) return gone;
    const path = await this.#path();
    return path === undefined
      ? gone
      : new CaError(
          "storage",
          `the storage of the mount ${path}/ is empty: restore it from a backup, or delete the mount`,
        );
  }
  #keep(snapshot: Snapshot, checked: number): void {
    if (!this.#held.snapshot || this.#held.snapshot.epoch <= snapshot.epoch)
      [this.#held.snapshot, this.#held.checked] = [snapshot, checked];
  }
}

/**
 * Whether a batch changes anything. What carries index values or is added to is no configuration.
 */
async function changes(
  { put = [], del = [], append = [], clear }: Batch,
  config: Snapshot,
): Promise<boolean> {
  if (clear || append.length > 0 || put.some(([, , index]) => index)) return true;
  for (const [key, value] of put) if (!(await config.says(key, value))) return true;
  for (const key of del) if (!(await config.says(key, undefined))) return true;
  return false;
}

/** A change of a mount's configuration expects the mount to be there still. */
function inMount(batch: Batch, config: Snapshot): Batch {
  const expect = batch.expect ?? [];
  return expect.some(([key]) => key === keys.mount)
    ? batch
    : { ...batch, expect: [...expect, [keys.mount, config.mountRev]] };
}

type Outcome<T> = Decision<T> | { readonly refusal: CaError };
async function outcome<T>(decide: Decide<T>, config: Snapshot): Promise<Outcome<T>> {
  try {
    return await decide(config);
  } catch (error) {
    // a refusal is judged like a result: one that an old configuration made is made again
    if (error instanceof CaError && error.code !== "storage") return { refusal: error };
    throw error;
  }
}
