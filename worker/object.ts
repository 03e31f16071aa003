/// <reference path="./cloudflare.d.ts" />
import { DurableObject } from "cloudflare:workers";
import type { AlarmInvocationInfo, DurableObjectState } from "@cloudflare/workers-types";
import type { Page, Store } from "../src/ports.ts";
import { rowsIn, type PackedBatch, type PackedList, type PackedRow, type Rows } from "./rows.ts";
import { durable, failureOf, storeOf, type Failure, type PackedStore, type Remote } from "./store.ts";

/** What runs the jobs of one store. */
export interface Jobs {
  /** Runs what is due, and tells when it wants to be called next (Unix milliseconds), if earlier than the first job row says. */
  tick(): Promise<number | undefined>;
  /** Runs one job now. */
  run(kind: string, id: string): Promise<void>;
}
/** The object class as the runtime makes it. `store` is for use inside the object only. */
export type MountClass<Env> = new (ctx: DurableObjectState, env: Env) => DurableObject<Env> &
  Remote & { readonly store: Store; alarm(info?: AlarmInvocationInfo): Promise<void> };

/** Begin of the keys of jobs: `job/<due, milliseconds, 15 digits>/<kind>/<id>`. */
const jobPrefix = "job/";
/** A job that is still due after its run is tried again after this many milliseconds. */
const retryMs = 1000;
/** The platform repeats a failed alarm six times, then drops it; the last time is ours. */
const platformRetries = 5;
const lastRetryMs = 60_000;

/**
 * The class of the objects that hold stores: rows, jobs, one alarm at the due time of the first job. Compute happens elsewhere, except in jobs.
 * `jobsOf` gives what runs the jobs of the store of a name; it is called once in the life of an object, and only when there is a job.
 */
export function mountObject<Env>(jobsOf: (env: Env, name: string, store: Store) => Jobs): MountClass<Env> {
  return class extends DurableObject<Env> {
    readonly store: Store;
    readonly #rows: Rows;
    readonly #packed: PackedStore;
    readonly #share = sharedRuns((kind, id) => this.#jobs().run(kind, id));
    #name: string | undefined;
    #known: Jobs | undefined;
    /** When the alarm is set to ring. */
    #armed = Infinity;

    constructor(ctx: DurableObjectState, env: Env) {
      super(ctx, env);
      this.#rows = rowsIn(ctx.storage);
      this.#packed = durable(ctx.storage, this.#rows, (batches) => this.#arm(earliest(batches)));
      this.store = storeOf(this.#packed);
      const name = this.#rows.meta("name");
      if (typeof name === "string") this.#name = name;
      void ctx.blockConcurrencyWhile(async () => {
        this.#armed = (await ctx.storage.getAlarm()) ?? Infinity;
        this.#arm(this.#firstDue());
      });
    }

    get(keys: readonly string[]): Promise<readonly (PackedRow | null)[]> {
      return this.#packed.get(keys);
    }

    list(prefix: string, page: Page): Promise<PackedList> {
      return this.#packed.list(prefix, page);
    }

    commit(name: string, batch: PackedBatch): Promise<number | null> {
      this.#remember(name);
      return this.#packed.commit(batch);
    }

    async once(name: string, kind: string, id: string): Promise<Failure | null> {
      this.#remember(name);
      try {
        await this.#share(kind, id);
        return null;
      } catch (error) {
        return failureOf(error);
      }
    }

    async alarm(info?: AlarmInvocationInfo): Promise<void> {
      this.#armed = Infinity;
      let next: number | undefined;
      try {
        next = this.#name === undefined ? undefined : await this.#jobs().tick();
      } catch (error) {
        if ((info?.retryCount ?? 0) < platformRetries) throw error;
        this.#arm(Date.now() + lastRetryMs);
        return;
      }
      const now = Date.now();
      const due = Math.min(next ?? Infinity, this.#firstDue());
      this.#arm(due <= now ? now + retryMs : due);
    }

    #jobs(): Jobs {
      if (this.#name === undefined) throw new TypeError("an object without a name has no jobs");
      this.#known ??= jobsOf(this.env, this.#name, this.store);
      return this.#known;
    }

    #remember(name: string): void {
      if (this.#name === name) return;
      if (this.#name !== undefined) throw new TypeError("the object belongs to another store");
      this.#rows.setMeta("name", name);
      this.#name = name;
    }

    #firstDue(): number {
      const [job] = this.#rows.list(jobPrefix, { limit: 1, values: false }).rows;
      return job ? dueOf(job[0]) : Infinity;
    }

    #arm(at: number): void {
      if (at >= this.#armed) return;
      void this.ctx.storage.setAlarm(at);
      this.#armed = at;
    }
  };
}

function earliest(batches: readonly PackedBatch[]): number {
  let due = Infinity;
  for (const { put } of batches) {
    for (const [key] of put ?? []) if (key.startsWith(jobPrefix)) due = Math.min(due, dueOf(key));
  }
  return due;
}

function dueOf(key: string): number {
  const due = Number.parseInt(key.slice(jobPrefix.length), 10);
  return Number.isNaN(due) ? Infinity : due;
}

/** Shares runs: calls that arrive while an equal one runs wait together for the next run. Each caller's run began after its call. */
export function sharedRuns(run: (kind: string, id: string) => Promise<void>): (kind: string, id: string) => Promise<void> {
  const running = new Map<string, { readonly now: Promise<void>; next?: Promise<void> }>();
  const begin = (key: string, kind: string, id: string): Promise<void> => {
    const now = Promise.resolve()
      .then(() => run(kind, id))
      .finally(() => {
        if (!running.get(key)?.next) running.delete(key);
      });
    running.set(key, { now });
    return now;
  };
  return (kind, id) => {
    const key = `${kind}/${id}`;
    const current = running.get(key);
    if (!current) return begin(key, kind, id);
    const again = (): Promise<void> => begin(key, kind, id);
    current.next ??= current.now.then(again, again);
    return current.next;
  };
}
