// whoever imports this file needs the ambient module, which has no exports to import
// oxlint-disable-next-line typescript/triple-slash-reference
/// <reference path="./cloudflare.d.ts" />
import { DurableObject } from "cloudflare:workers";
import type {
  AlarmInvocationInfo,
  DurableObjectState,
  DurableObjectStorage,
} from "@cloudflare/workers-types";
import { dueOf, jobPrefix } from "../src/base/job-key.ts";
import type { Page, Store } from "../src/engine/ports.ts";
import type { Attending } from "./group.ts";
import type { PackedBatch, PackedExport, PackedList, PackedRow } from "./packed.ts";
import { rowsIn, type Rows } from "./rows.ts";
import { durable, failureOf, storeOf, type Failure, type Remote } from "./store.ts";

/** What runs the jobs of one store. */
export interface Jobs {
  /**
   * Runs what is due, and tells when it wants to be called next (Unix milliseconds), if earlier
   * than the first job row says.
   */
  tick(): Promise<number | undefined>;
  /** Runs one job now; equal calls may share a run that begins after them. */
  run(kind: string, id: string): Promise<void>;
}
/** The object class as the runtime makes it. `store` is for use inside the object only. */
export type MountClass<Env> = new (
  ctx: DurableObjectState,
  env: Env,
) => DurableObject<Env> &
  Required<Remote> & { readonly store: Store; alarm(info?: AlarmInvocationInfo): Promise<void> };

/** A job that is still due after its run is tried again after this many milliseconds. */
const retryMs = 1000;
/** The platform repeats a failed alarm six times, then drops it; the last time is ours. */
const platformRetries = 5;
const lastRetryMs = 60_000;
/**
 * No alarm is set to a later time than this from now: one that lies much farther away is that of a
 * clock which was ahead.
 */
const longestWaitMs = 86_400_000;

/**
 * The class of the objects that hold stores: rows, jobs, one alarm at the due time of the first
 * job. Compute happens elsewhere, except in jobs. `jobsOf` gives what runs the jobs of the store of
 * a name; it is called once in the life of an object, and only when there is a job.
 */
export function mountObject<Env>(
  jobsOf: (env: Env, name: string, store: Store) => Jobs,
): MountClass<Env> {
  return class extends DurableObject<Env> {
    readonly store: Store;
    readonly #empty: () => Promise<void>;
    readonly #packed: ReturnType<typeof durable>;
    readonly #owner: Owner;
    readonly #clock: Clock;

    constructor(ctx: DurableObjectState, env: Env) {
      super(ctx, env);
      const rows = rowsIn(ctx.storage);
      this.#clock = clockOf(ctx.storage, rows);
      this.#empty = () => emptied(ctx.storage, rows, this.#owner, this.#clock);
      this.#owner = ownerOf(rows, (name) => jobsOf(env, name, this.store));
      this.#packed = durable(ctx.storage, rows, attendingOf(this.#owner, this.#clock));
      this.store = storeOf(this.#packed);
      void ctx.blockConcurrencyWhile(() => this.#clock.load());
    }

    get(keys: readonly string[]): Promise<readonly (PackedRow | null)[]> {
      return this.#packed.get(keys);
    }

    list(prefix: string, page: Page): Promise<PackedList> {
      return this.#packed.list(prefix, page);
    }

    async commit(name: string, batch: PackedBatch): Promise<number | null> {
      this.#owner.is(name);
      return this.#packed.commit(batch);
    }

    async exported(name: string, id: string | null, most: number): Promise<PackedExport | null> {
      this.#owner.is(name);
      return this.#packed.exported(id, most);
    }

    epoch(): Promise<number> {
      return this.#packed.epoch();
    }

    async once(name: string, kind: string, id: string): Promise<Failure | null> {
      this.#owner.is(name);
      try {
        await this.#owner.jobs()?.run(kind, id);
        return null;
      } catch (error) {
        return failureOf(error);
      }
    }

    async drop(name: string): Promise<void> {
      this.#owner.is(name);
      await this.#empty();
    }

    alarm(info?: AlarmInvocationInfo): Promise<void> {
      return ring(this.#clock, this.#owner, info?.retryCount ?? 0);
    }
  };
}

function attendingOf(owner: Owner, clock: Clock): Attending {
  return {
    takenOver() {
      owner.check();
      clock.rang();
      clock.arm(clock.firstDue());
    },
    applied(batches) {
      owner.keep();
      clock.arm(earliest(batches));
    },
  };
}

async function emptied(
  storage: DurableObjectStorage,
  rows: Rows,
  owner: Owner,
  clock: Clock,
): Promise<void> {
  await storage.deleteAlarm();
  await storage.deleteAll();
  rows.forget();
  owner.leave();
  clock.rang();
}

/** The alarm of an object. */
interface Clock {
  /** Reads when the alarm is set to, and sets it when a job has none. */
  load(): Promise<void>;
  /** Sets the alarm, unless it is set to an earlier time; Infinity for none. */
  arm(at: number): void;
  /** It has rung: it is set no more. */
  rang(): void;
  /** When the first job is due, else Infinity. */
  firstDue(): number;
}

function clockOf(storage: DurableObjectStorage, rows: Rows): Clock {
  // kept in memory, so that a commit need not read it
  let armed = Infinity;
  const clock: Clock = {
    async load() {
      armed = (await storage.getAlarm()) ?? Infinity;
      clock.arm(clock.firstDue());
    },
    arm(at) {
      const now = Date.now();
      const astray = armed !== Infinity && armed > now + 2 * longestWaitMs;
      // what waits for a time that never was is looked at soon
      const wanted = Math.min(astray ? now + retryMs : at, now + longestWaitMs);
      if (at === Infinity ? !astray : wanted >= armed) return;
      void storage.setAlarm(wanted);
      armed = wanted;
    },
    rang: () => void (armed = Infinity),
    firstDue() {
      // rows of a later format are no business of this version: nothing is to be run
      if (rows.newer()) return Infinity;
      const [job] = rows.list(jobPrefix, { limit: 1, values: false }).rows;
      return job ? dueOf(job[0]) : Infinity;
    },
  };
  return clock;
}

/** Whose rows an object holds: a fact kept beside them, because an alarm comes without a name. */
interface Owner {
  /** Remembers the name. Throws TypeError when it was another. */
  is(name: string): void;
  /** Stores the name, inside the transaction of a commit. */
  keep(): void;
  /** Looks whether the name is stored still. */
  check(): void;
  /** The rows are nobody's any more. */
  leave(): void;
  /** What runs its jobs; undefined while nobody has named it. */
  jobs(): Jobs | undefined;
}

function ownerOf(rows: Rows, jobsOf: (name: string) => Jobs): Owner {
  const kept = rows.meta("name");
  let owner = typeof kept === "string" ? kept : undefined;
  let stored = owner !== undefined;
  let jobs: Jobs | undefined;
  return {
    is(name) {
      if (owner === name) return;
      if (owner !== undefined) throw new TypeError("the object belongs to another store");
      owner = name;
    },
    keep() {
      if (stored || owner === undefined) return;
      rows.setMeta("name", owner);
      stored = true;
    },
    check: () => void (stored = rows.meta("name") === owner),
    leave() {
      owner = jobs = undefined;
      stored = false;
    },
    jobs() {
      if (owner !== undefined) jobs ??= jobsOf(owner);
      return jobs;
    },
  };
}

async function ring(clock: Clock, owner: Owner, retries: number): Promise<void> {
  clock.rang();
  let next: number | undefined;
  try {
    next = await owner.jobs()?.tick();
  } catch (error) {
    if (retries < platformRetries) throw error;
    clock.arm(Date.now() + lastRetryMs);
    return;
  }
  const now = Date.now();
  const due = Math.min(next ?? Infinity, clock.firstDue());
  clock.arm(due <= now ? now + retryMs : due);
}

function earliest(batches: readonly PackedBatch[]): number {
  let due = Infinity;
  for (const { put } of batches) {
    for (const [key] of put ?? []) if (key.startsWith(jobPrefix)) due = Math.min(due, dueOf(key));
  }
  return due;
}
