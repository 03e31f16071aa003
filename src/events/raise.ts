import { keys } from "../pki/rows/records.ts";
import { importOnce } from "../base/memo.ts";
import type { Mount } from "../engine/mount.ts";
import type { Batch, LogEntry } from "../engine/ports.ts";
import type { ConfigValue, Snapshot } from "../engine/snapshot.ts";
import type { StoreContext } from "../engine/store-context.ts";
import type { NewEvent } from "./event-table.ts";

/** Whether changes in a mount are stored as events, because the deployment has sinks. */
export const storesEvents: ConfigValue<boolean> = {
  parse: (rows) => rows.get(keys.config("events"))?.value === true,
};

/**
 * The events of a change: the log entries to store with it, and the function to call after its
 * commit.
 */
export interface RaisedEvents {
  /** Log entries for the batch of the change. Empty if there are no sinks. */
  readonly log: readonly LogEntry[];
  /** Passes the events to the deployment's callback, if any. Never throws. */
  announce(): void;
}

const prepare = importOnce(() => import("./prepare.ts"));

/**
 * Prepares the events of a change in a mount. If the deployment has neither sinks nor a callback,
 * returns undefined without calling `make`.
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
/** Returns a change that also stores and announces events. */
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
