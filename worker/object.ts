// importers of this file need the ambient module, which cannot be imported
// oxlint-disable-next-line typescript/triple-slash-reference
/// <reference path="./cloudflare.d.ts" />
import { DurableObject } from "cloudflare:workers";
import type {
  AlarmInvocationInfo,
  DurableObjectState,
  DurableObjectStorage,
} from "@cloudflare/workers-types";
import type { Page, Store, StoreSize } from "../src/engine/ports.ts";
import { clockOf, earliestDue, handleAlarm, type Clock } from "./alarm.ts";
import type { GroupHooks } from "../src/store/sql/group.ts";
import { objectTime, type ObjectTime } from "./object-time.ts";
import { ownerOf, type Jobs, type StoreOwner } from "./owner.ts";
import type {
  PackedBatch,
  PackedDone,
  PackedExport,
  PackedExportRow,
  PackedList,
  PackedListThenGet,
  PackedRow,
} from "../src/store/sql/packed.ts";
import { rowsIn, type Rows } from "../src/store/sql/rows.ts";
import { storeOf } from "../src/store/sql/store.ts";
import { durableRows, failureOf, type Failure, type RemoteStore } from "./store.ts";

export type { Jobs } from "./owner.ts";
/**
 * The Durable Object class that the runtime instantiates. `store` may only be used inside the
 * object.
 */
export type MountClass<Env> = new (
  ctx: DurableObjectState,
  env: Env,
) => DurableObject<Env> &
  Required<RemoteStore> & {
    readonly store: Store;
    alarm(info?: AlarmInvocationInfo): Promise<void>;
  };

/**
 * Returns the class of the Durable Objects that contain stores: rows, jobs, and an alarm at the due
 * time of the first job. Except in jobs, computation happens in the Worker. `jobsOf` returns the
 * job runner of a named store; it is called at most once for each object, when there is a job.
 * Methods receive the caller's time as `at`, because the object's own time may be ahead
 * (`object-time.ts`).
 */
export function mountObject<Env>(
  jobsOf: (env: Env, name: string, store: Store, time: ObjectTime) => Jobs,
): MountClass<Env> {
  return class extends DurableObject<Env> {
    readonly store: Store;
    readonly #of: Contents;

    constructor(ctx: DurableObjectState, env: Env) {
      super(ctx, env);
      this.#of = contentsOf(ctx, (name) => jobsOf(env, name, this.store, this.#of.time));
      this.store = storeOf(this.#of.packed);
    }

    get(keys: readonly string[], at?: number): RequestedRows<PackedRow> {
      return this.#of.at(at).packed.get(keys);
    }
    getWithIndex(keys: readonly string[], at?: number): RequestedRows<PackedExportRow> {
      return this.#of.at(at).packed.getWithIndex(keys);
    }
    list(...[prefix, page, at, key]: ListQuery): Promise<PackedList | PackedListThenGet> {
      const { packed } = this.#of.at(at);
      return key === undefined ? packed.list(prefix, page) : packed.listThenGet(prefix, page, key);
    }
    async commit(name: string, batch: PackedBatch, at?: number): Promise<PackedDone> {
      return this.#of.at(at).owned(name).commit(batch);
    }
    async exported(name: string, ...[id, maxRows, at]: ExportQuery): Promise<PackedExport | null> {
      return this.#of.at(at).owned(name).exported(id, maxRows);
    }
    epoch(at?: number): Promise<number> {
      return this.#of.at(at).packed.epoch();
    }
    size(at?: number): Promise<StoreSize | undefined> {
      return this.#of.at(at).packed.size();
    }

    async once(name: string, kind: string, id: string, at?: number): Promise<Failure | null> {
      return this.#of.at(at).once(name, kind, id);
    }

    async drop(name: string, at?: number): Promise<void> {
      this.#of.at(at).owned(name);
      await this.#of.empty();
    }

    alarm(info?: AlarmInvocationInfo): Promise<void> {
      return this.#of.ring(info?.retryCount ?? 0);
    }
  };
}

/** The rows with the requested keys; null for a row that does not exist. */
type RequestedRows<R> = Promise<readonly (R | null)[]>;
/** The arguments of a listing. */
type ListQuery = readonly [prefix: string, page: Page, at?: number, key?: string];
/** The arguments of an export that follow the store's name. */
type ExportQuery = readonly [id: string | null, maxRows: number, at?: number];

/** The state of a Durable Object, and the operations on it. */
interface Contents {
  readonly packed: ReturnType<typeof durableRows>;
  /**
   * Returns the rows, after checking the store name that the caller sent. Throws TypeError if it is
   * the name of another store.
   */
  owned(name: string): ReturnType<typeof durableRows>;
  /** Records the caller's time, and returns the same object. */
  at(time: number | undefined): Contents;
  once(name: string, kind: string, id: string): Promise<Failure | null>;
  ring(retries: number): Promise<void>;
  readonly time: ObjectTime;
  empty(): Promise<void>;
}
function contentsOf(ctx: DurableObjectState, jobsOf: (name: string) => Jobs): Contents {
  const { storage } = ctx;
  const rows = rowsIn(storage);
  const time = objectTime(() => clock.corrected());
  const clock = clockOf(storage, rows, time.now);
  const owner = ownerOf(rows, jobsOf);
  const packed = durableRows(storage, rows, attendingOf(owner, clock));
  void ctx.blockConcurrencyWhile(() => clock.load());
  const contents: Contents = {
    packed,
    at(caller) {
      time.recordCaller(caller);
      return contents;
    },
    owned(name) {
      owner.claim(name);
      return packed;
    },
    once(name, kind, id) {
      owner.claim(name);
      return failure(async () => owner.jobs()?.run(kind, id));
    },
    ring: (retries) => handleAlarm(clock, owner, retries, time.now),
    time,
    empty: () => emptied(storage, rows, owner, clock),
  };
  return contents;
}

/** Runs a job and resolves with its serialized error, or with null if it succeeded. */
const failure = (run: () => Promise<void>): Promise<Failure | null> =>
  run().then(() => null, failureOf);

function attendingOf(owner: StoreOwner, clock: Clock): GroupHooks {
  return {
    takenOver() {
      owner.check();
      clock.recordFired();
      clock.arm(clock.firstDue());
    },
    applied(batches) {
      owner.storeName();
      clock.arm(earliestDue(batches));
    },
  };
}

async function emptied(
  storage: DurableObjectStorage,
  rows: Rows,
  owner: StoreOwner,
  clock: Clock,
): Promise<void> {
  await storage.deleteAlarm();
  await storage.deleteAll();
  rows.forget();
  owner.leave();
  clock.recordFired();
}
