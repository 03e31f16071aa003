import { logKey } from "../base/row-keys.ts";
import type { Deployment } from "../engine/deployment.ts";
import { eventLog } from "./event-log.ts";
import { eventsFlag, eventStores, logMountFailures } from "./event-stores.ts";
import { sinkNames } from "./sink-rows.ts";

/** Number of events to remove per commit. */
const removedAtOnce = 1000;

/** Makes all mounts start or stop storing events. */
export async function observeMounts(
  deployment: Deployment,
  stores: boolean,
  failed = logMountFailures(deployment),
): Promise<void> {
  for (const one of await eventStores(deployment, failed))
    if (one.context !== "sys" && one.name === one.context && one.stores !== stores)
      await observeMount(deployment, one.name, stores).catch(failed);
}

async function observeMount(deployment: Deployment, uuid: string, stores: boolean): Promise<void> {
  const change = stores ? { put: [[eventsFlag, true] as const] } : { del: [eventsFlag] };
  const mount = deployment.mount(uuid);
  // keeps epoch 1, because a mount that the initialization created must still be considered unused
  if (await mount.storeContext.commit({ ...change, onlyAtEpoch: 1 })) mount.forget();
  else await mount.configure(async () => ({ reply: undefined, batch: change }));
}

/**
 * Makes mounts stop storing events after the last sink was deleted, and removes some of the stored
 * events. Resolves with true if more events may be left. Rejects at the end if a mount failed, so
 * that it does not store events forever.
 */
export async function removeEvents(deployment: Deployment): Promise<boolean> {
  const failures: unknown[] = [];
  await observeMounts(deployment, false, (cause) => void failures.push(cause));
  const stores = await eventStores(deployment);
  // a sink that is created later does not receive events up to these numbers
  if ((await sinkNames(deployment.sys.store)).length > 0) {
    await observeMounts(deployment, true);
    return false;
  }
  for (const { store, last } of stores) {
    const rows = await store.list(eventLog, { values: false, limit: removedAtOnce });
    const del = rows.map(([key]) => key).filter((key) => key <= logKey(eventLog, last));
    if (del.length === 0) continue;
    await store.commit({ del });
    return true;
  }
  if (failures.length > 0) throw failures[0];
  return false;
}
