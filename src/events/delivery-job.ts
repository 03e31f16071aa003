import { memoize } from "../base/memo.ts";
import { withTimeout } from "../base/with-timeout.ts";
import type { Deployment, Job } from "../engine/deployment.ts";
import { jobRow } from "../engine/jobs.ts";
import type { StoreContext } from "../engine/store-context.ts";
import { deliverEvents } from "./delivery.ts";
import { observeMounts, removeEvents } from "./observed-mounts.ts";
import { sinkNames } from "./sink-rows.ts";

/** Kind of the job that delivers events. */
export const eventDeliveryKind = "event-delivery";
/** Interval of deliveries, and how long a run waits for slow receivers (ms). */
const [interval, patience] = [10_000, 2000];
/** Age at which a delivery counts as lost (ms), because its host may have ended it silently. */
const maxAge = 300_000;

/** A delivery that is running in this engine. */
interface Delivery {
  /** Start time in Unix milliseconds. */
  readonly began: number;
  /** Resolves with whether more events may be waiting; never rejects. */
  readonly done: Promise<boolean>;
}
/** Deliveries of this engine, by sink. */
const deliveriesOf = memoize<StoreContext, readonly [], Map<string, Delivery>>(() => new Map());

/**
 * Starts the deliveries of all sinks that are not running yet, and schedules the next run as long
 * as there are sinks. A run does not wait for a slow receiver, whose delivery continues in the
 * background. The last run removes the stored events.
 */
export const eventDelivery: Job = {
  kind: eventDeliveryKind,
  of: "deployment",
  // for removing events; deliveries take one step
  budget: 100,
  step: async (ca) => {
    const { sys } = ca;
    const names = await sinkNames(sys.store);
    if (names.length === 0) return (await removeEvents(ca)) ? true : undefined;
    // includes mounts that were created or restored since the last run
    await observeMounts(ca, true);
    const begun = names.map((name) => begin(ca, name).done);
    const more = await withTimeout(Promise.all(begun), patience, (): readonly boolean[] => []);
    const now = sys.ports.now();
    const due = now + (more.includes(true) ? 1 : interval);
    await sys.commit({ put: [jobRow({ due, now }, eventDeliveryKind, "all")] });
    return undefined;
  },
};

/** Starts the delivery of a sink, or returns the running one. */
function begin(ca: Deployment, name: string): Delivery {
  const deliveries = deliveriesOf(ca.sys);
  const now = ca.ports.now();
  const running = deliveries.get(name);
  if (running && now - running.began < maxAge) return running;
  const done = deliverEvents(ca, name)
    .catch((cause: unknown) => {
      ca.ports.log?.({ endpoint: `job ${eventDeliveryKind}`, status: 500, ms: 0, cause });
      return false;
    })
    .finally(() => {
      if (deliveries.get(name) === delivery) deliveries.delete(name);
    });
  const delivery = { began: now, done };
  deliveries.set(name, delivery);
  return delivery;
}
