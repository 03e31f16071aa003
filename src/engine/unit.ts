import { CaError } from "../base/errors.ts";
import { sharedRuns, type Run } from "../base/shared-runs.ts";
import type { Batch, Ports, Store } from "./ports.ts";
import { keys, type MountRoute } from "./records.ts";
import type { Resealed, SealedSecret } from "./sealing.ts";
import { loadSnapshot, type Snapshot } from "./snapshot.ts";
import { runDue, wakeFor } from "./jobs.ts";
import type { MountOptions } from "./new-mount.ts";

/** What a decision wants: the reply, and the change to commit, if any. */
export interface Decision<T> {
  readonly reply: T;
  readonly batch?: Batch;
}
/**
 * Computes a decision from one configuration. May run several times: it must change nothing itself.
 */
export type Make<T> = (config: Snapshot) => Promise<Decision<T>> | Decision<T>;

/** How long what was read may be used without asking the store (D 4, Freshness), milliseconds. */
export const freshFor = 1000;
const decideTries = 5;
/** Writers of configuration retry more often: ten that change one row at once must all succeed. */
const configureTries = 25;

/**
 * Work that time or a change demands. It may run twice: each run starts from the rows as they are.
 */
export interface Job {
  readonly kind: string;
  run(ca: Mount, id: string): Promise<void>;
  /**
   * Rows for the store `sys`, asked for before the mount of `ca` is removed: what is to be done
   * when it is gone.
   */
  removal?(ca: Mount): Promise<readonly (readonly [key: string, value: unknown])[]>;
}
/** Something beside the mounts that keeps secrets sealed in a store of its own. */
export interface Keeper {
  /** Path of its calls, with a slash at the end. */
  readonly path: string;
  /**
   * What keeps it from its work, in one sentence; undefined when nothing does. Rejects where its
   * store cannot be read.
   */
  fault(deployment: Deployment): Promise<string | undefined>;
  /** Seals its secrets anew under the current sealing key. */
  reseal(deployment: Deployment): Promise<Resealed>;
  /** Its stored secrets. */
  secrets(deployment: Deployment): AsyncIterable<SealedSecret>;
}
/** Where the paths of mounts lead. */
export type Routes = ReadonlyMap<string, MountRoute>;
/** What one engine may know of the others. */
export interface Deployment {
  readonly ports: Ports;
  readonly keepers: readonly Keeper[];
  readonly sys: Mount;
  /** The engine over the store of a name. */
  engine(name: string): Mount;
  /**
   * Throws CaError `storage` while the sealing key is another one than that of the stored secrets.
   */
  demandKey(): Promise<void>;
  /** Whether the sealing key opens what is stored. Rejects where that cannot be found out. */
  isKeyRight(): Promise<boolean>;
  /** Where the mounts' paths lead, at most a second old. */
  mounts(): Promise<Routes>;
  /** The same, asked of the store now. */
  readMounts(): Promise<Routes>;
  /** The path that leads to the mount of a uuid now. */
  pathOf(uuid: string): Promise<string | undefined>;
  /** Makes a mount (D 2). Throws `already_exists`. */
  createMount(path: string, options: MountOptions): Promise<void>;
  /** Removes a mount and all it holds. */
  deleteMount(path: string): Promise<void>;
}

/** One mount over its store: what each handler receives as `ca`. */
export class Mount {
  readonly ports: Ports;
  readonly store: Store;
  /** Name of the store: the mount's uuid, or `sys`. */
  readonly name: string;
  readonly deployment: Deployment;
  readonly #jobs: readonly Job[];
  readonly #runs: Run;
  #snapshot: Snapshot | undefined;
  #checked = 0;
  /**
   * When the last change failed in the storage, Unix milliseconds; undefined once one has succeeded
   * since.
   */
  unwrittenAt: number | undefined;
  /** Grows when what was read is dropped: what was asked for before is older than that. */
  #generation = 0;
  /**
   * What features keep between calls, each under its own key, at most `freshFor` old unless they
   * say otherwise.
   */
  readonly memory = new Map<string, unknown>();

  constructor(deployment: Deployment, name: string, jobs: readonly Job[]) {
    this.deployment = deployment;
    this.ports = deployment.ports;
    this.name = name;
    this.store = deployment.ports.stores(name);
    this.#jobs = jobs;
    this.#runs = sharedRuns((kind, id) => this.#run(kind, id));
  }

  /**
   * Computes with the configuration at hand and commits. A commit or a refusal is final only if the
   * store still holds its epoch; otherwise all of it is done again, five times at most, then
   * `busy`.
   */
  async decide<T>(make: Make<T>): Promise<T> {
    // exactly: a store that has gone back behind what was read from it has lost its rows, or is an
    // old copy
    return this.#attempt(make, decideTries, (batch, config) => ({ ...batch, at: config.epoch }));
  }

  /**
   * Writes configuration: once it returns, nobody is served or refused by the old one. A batch
   * expects the rows it read; `exact` expects all configuration unchanged. A batch that says what
   * the rows say already is not written.
   */
  async configure<T>(make: Make<T>, options: { readonly exact?: boolean } = {}): Promise<T> {
    const changing: Make<T> = async (config) => {
      const { reply, batch } = await make(config);
      return batch && (await changes(batch, config)) ? { reply, batch } : { reply };
    };
    const reply = await this.#attempt(changing, configureTries, (batch, config) => ({
      ...inMount(batch, config),
      epoch: "next",
      ...(options.exact ? { at: config.epoch } : {}),
    }));
    this.forget();
    return reply;
  }

  /**
   * The configuration, read or confirmed at most a second ago. For answers that decide no issuance.
   */
  async config(): Promise<Snapshot> {
    const now = this.ports.now();
    // a clock that went back says nothing about how old this is
    if (this.#snapshot && (now - this.#checked >= freshFor || now < this.#checked)) {
      const held = this.#snapshot;
      if ((await this.#epoch()) !== held.epoch) this.forget();
      else this.#checked = now;
    }
    return this.#load();
  }

  /** Drops what was read: the next use asks the store. */
  forget(): void {
    this.#generation++;
    this.#snapshot = undefined;
    this.memory.clear();
  }

  /** A value that may be up to a second old. */
  async fresh<T>(key: string, load: () => Promise<T>): Promise<T> {
    const now = this.ports.now();
    // only this method writes below "fresh/", and a key belongs to one feature with one type
    const held = this.memory.get(`fresh/${key}`) as
      | { readonly at: number; readonly value: T }
      | undefined;
    if (held && now - held.at < freshFor && now >= held.at) return held.value;
    return this.keep(`fresh/${key}`, load, (value) => ({ at: now, value }));
  }
  /**
   * Loads, and keeps in `memory` what `entry` makes of the value, unless what was read has been
   * dropped meanwhile. Never keeps a promise: see `#load`.
   */
  async keep<T>(key: string, load: () => Promise<T>, entry: (value: T) => unknown): Promise<T> {
    const generation = this.#generation;
    const value = await load();
    if (generation === this.#generation) this.memory.set(key, entry(value));
    return value;
  }

  /** Runs a job now, where the rows live; resolves after a run that began later than this call. */
  async once(kind: string, id: string): Promise<void> {
    if (this.ports.once) await this.ports.once(this.name, kind, id);
    else await this.run(kind, id);
    this.#generation++;
    this.memory.clear();
  }
  /** Runs a job in this engine, sharing one run with equal calls. */
  run(kind: string, id: string): Promise<void> {
    return this.#runs(kind, id);
  }
  /** Runs the jobs that are due and tells when the next one is, Unix milliseconds. */
  tick(): Promise<number | undefined> {
    return runDue(this, (kind, id) => this.run(kind, id));
  }

  async #run(kind: string, id: string): Promise<void> {
    const job = this.#jobs.find((known) => known.kind === kind);
    if (!job) throw new TypeError(`no job ${kind}`);
    await job.run(this, id);
  }

  async #attempt<T>(
    make: Make<T>,
    tries: number,
    seal: (batch: Batch, config: Snapshot) => Batch,
  ): Promise<T> {
    for (let attempt = 0; attempt < tries; attempt++) {
      const config = await this.#load();
      const made = await outcome(make, config).catch((error: unknown) => {
        // what failed may have changed since it was read, and nothing else would read it again
        this.#snapshot = undefined;
        throw error;
      });
      if ("refusal" in made || !made.batch) {
        if ((await this.#epoch()) === config.epoch) {
          if ("refusal" in made) throw made.refusal;
          return made.reply;
        }
      } else if (await this.#commit(seal(made.batch, config))) {
        wakeFor(this.ports, made.batch);
        return made.reply;
      }
      // another request may have read a newer one meanwhile
      if (this.#snapshot === config) this.#snapshot = undefined;
    }
    throw new CaError("busy", "the configuration keeps changing; try again");
  }

  /**
   * A disk that is full refuses changes only: whoever asks for the state of the mount learns it
   * from those that failed.
   */
  async #commit(batch: Batch): Promise<{ readonly epoch: number } | undefined> {
    try {
      const done = await this.store.commit(batch);
      this.unwrittenAt = undefined;
      return done;
    } catch (error) {
      this.unwrittenAt = this.ports.now();
      throw error;
    }
  }

  async #epoch(): Promise<number> {
    if (this.store.epoch) return this.store.epoch();
    const [row] = await this.store.get(["epoch"]);
    return typeof row?.value === "number" ? row.value : 0;
  }

  async #load(): Promise<Snapshot> {
    if (this.#snapshot) return this.#snapshot;
    const [checked, generation] = [this.ports.now(), this.#generation];
    // requests that find nothing each read for themselves: on Workers a promise of one request
    // never settles for another once the first has ended
    const snapshot = await loadSnapshot(this.store);
    if (!snapshot) throw await this.#absence();
    if (generation === this.#generation) this.#keep(snapshot, checked);
    return snapshot;
  }
  /**
   * What is wrong where a store holds no mount: a removed one has left its epoch, and one that lost
   * its rows has not.
   */
  async #absence(): Promise<CaError> {
    const gone = new CaError("no_route", "the mount is gone");
    if ((await this.#epoch()) > 0) return gone;
    const path = await this.deployment.pathOf(this.name);
    return path === undefined
      ? gone
      : new CaError(
          "storage",
          `the storage of the mount ${path}/ is empty: restore it from a backup, or delete the mount`,
        );
  }
  #keep(snapshot: Snapshot, checked: number): void {
    if (!this.#snapshot || this.#snapshot.epoch <= snapshot.epoch)
      [this.#snapshot, this.#checked] = [snapshot, checked];
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
async function outcome<T>(make: Make<T>, config: Snapshot): Promise<Outcome<T>> {
  try {
    return await make(config);
  } catch (error) {
    // a refusal is judged like a result: one that an old configuration made is made again
    if (error instanceof CaError && error.code !== "storage") return { refusal: error };
    throw error;
  }
}

/** What `sys` and the variables API have instead of a mount. */
export type Unit = Mount;
