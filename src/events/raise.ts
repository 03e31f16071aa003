import { keys } from "../pki/rows/records.ts";
import { importOnce } from "../base/memo.ts";
import type { Mount } from "../engine/mount.ts";
import type { Batch, LogEntry } from "../engine/ports.ts";
import type { ConfigValue, Snapshot } from "../engine/snapshot.ts";
import type { StoreContext } from "../engine/store-context.ts";
import type { NewEvent } from "./event-table.ts";

/** Whether changes are stored as events, because the deployment has sinks for them. */
export const storesEvents: ConfigValue<boolean> = {
  parse: (rows) => rows.get(keys.config("events"))?.value === true,
};

/** Events of a change: what its batch stores for the sinks, and the call after its commit. */
export interface RaisedEvents {
  /** Empty if there are no sinks. */
  readonly log: readonly LogEntry[];
  /** Passes the events to the deployment's callback, if any; never throws. */
  announce(): void;
}

const prepare = importOnce(() => import("./prepare.ts"));

/**
 * Prepares the events of a change in a mount; undefined, without calling `make`, if the deployment
 * has neither sinks nor a callback.
 */
export function raiseEvents(
  { storeContext }: Pick<Mount, "storeContext">,
  config: Snapshot,
  make: () => Promise<readonly NewEvent[]>,
): Promise<RaisedEvents> | undefined {
  const stores = config.get(storesEvents);
  if (!stores && storeContext.features["events"] === undefined) return undefined;
  return raised(storeContext, { path: config.mount.path, stores }, make);
}
async function raised(
  storeContext: StoreContext,
  source: { readonly path: string; readonly stores: boolean },
  make: () => Promise<readonly NewEvent[]>,
): Promise<RaisedEvents> {
  return (await prepare()).prepareEvents(storeContext, source, await make());
}

/** A change that raises events. */
interface Change {
  readonly batch?: Batch;
  readonly done?: (...args: never[]) => void;
}
/** Adds events to the batch of a change, and their announcement to the calls after its commit. */
export function withEvents<C extends Change>(change: C, events: RaisedEvents | undefined): C {
  if (!events) return change;
  const { batch, done } = change;
  const { log } = events;
  return {
    ...change,
    ...(batch || log.length > 0
      ? { batch: { ...batch, ...(log.length > 0 ? { log: [...(batch?.log ?? []), ...log] } : {}) } }
      : {}),
    done: (...args: never[]) => {
      done?.(...args);
      events.announce();
    },
  };
}
