import { rfc3339nano } from "../base/duration.ts";
import { uuid } from "../base/ids.ts";
import type { StoreContext } from "../engine/store-context.ts";
import type { CaEvent, NewEvent } from "./event-table.ts";
import { eventEntry } from "./event-log.ts";
import { eventListener } from "./event-listener.ts";
import type { RaisedEvents } from "./raise.ts";

/** Adds the members that all events have. `path` is the path of the mount, or `sys`. */
export const completeEvent = (
  { ports }: Pick<StoreContext, "ports">,
  path: string,
  event: NewEvent,
): CaEvent => ({
  specversion: "1.0",
  id: uuid(ports.random),
  source: `${ports.publicUrl ?? ""}/v1/${path}`,
  time: rfc3339nano(ports.now()),
  datacontenttype: "application/json",
  ...event,
});

/** Completes events, and returns log entries for them if there are sinks. */
export function prepareEvents(
  storeContext: StoreContext,
  { path, stores }: { readonly path: string; readonly stores: boolean },
  drafts: readonly NewEvent[],
): RaisedEvents {
  const events = drafts.map((event) => completeEvent(storeContext, path, event));
  return {
    log: stores ? events.map(eventEntry) : [],
    announce: () => announce(storeContext, events),
  };
}

/** Passes events to the callback. Logs its errors. */
function announce(storeContext: StoreContext, events: readonly CaEvent[]): void {
  const listener = eventListener(storeContext);
  if (!listener) return;
  const failed = (cause: unknown): void =>
    storeContext.ports.log?.({ endpoint: "event callback", status: 500, ms: 0, cause });
  for (const event of events)
    try {
      // do not wait: the change is stored, so the caller must receive the response
      void Promise.resolve(listener(event)).catch(failed);
    } catch (error) {
      failed(error);
    }
}
