import type { Deployment } from "../engine/deployment.ts";
import { eventsFlag, eventStores } from "./event-stores.ts";

/** Makes all mounts store their events, or none of them. Mounts that already do so are skipped. */
export async function observeMounts(ca: Deployment, stores: boolean): Promise<void> {
  for (const one of await eventStores(ca))
    if (one.name !== "sys" && one.stores !== stores) await observeMount(ca, one.name, stores);
}

async function observeMount(ca: Deployment, uuid: string, stores: boolean): Promise<void> {
  const change = stores ? { put: [[eventsFlag, true] as const] } : { del: [eventsFlag] };
  const mount = ca.mount(uuid);
  // a mount of the first start stays unused: its epoch does not change
  if (await mount.storeContext.commit({ ...change, onlyAtEpoch: 1 })) mount.forget();
  else await mount.configure(async () => ({ reply: undefined, batch: change }));
}
