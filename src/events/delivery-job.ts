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
/**
 * Interval between runs of the job, and time for which a run waits for slow receivers, both in ms.
 */
const [interval, patience] = [10_000, 2000];
/**
 * Age in ms at which a delivery is considered lost, because the host may have ended it silently.
 */
const maxAge = 300_000;

/** A delivery that is running in this process. */
interface Delivery {
  /** Start time in Unix ms. */
  readonly began: number;
  /** Resolves with true if more events may be waiting. Never rejects. */
  readonly done: Promise<boolean>;
}
/** The running deliveries of this process, by sink. */
const deliveriesOf = memoize<StoreContext, readonly [], Map<string, Delivery>>(() => new Map());

/**
 * The job that delivers events. Each run starts a delivery to each sink for which none is running,
 * and schedules the next run as long as there are sinks. It does not wait for a slow receiver,
 * whose delivery continues in the background. The last run removes the stored events.
 */
export const eventDelivery: Job = {
  kind: eventDeliveryKind,
  of: "deployment",
  // the budget limits the removal of events; all deliveries together count as one step
  budget: 100,
  step: async (deployment) => {
    const { sys } = deployment;
    const names = await sinkNames(sys.store);
    if (names.length === 0) return (await removeEvents(deployment)) ? true : undefined;
    // also observe mounts that were created or restored since the last run
    await observeMounts(deployment, true);
    const begun = names.map((name) => begin(deployment, name).done);
    const more = await withTimeout(Promise.all(begun), patience, (): readonly boolean[] => []);
    const now = sys.ports.now();
    const due = now + (more.includes(true) ? 1 : interval);
    await sys.commit({ put: [jobRow({ due, now }, eventDeliveryKind, "all")] });
    return undefined;
  },
};

/** Starts a delivery to a sink, or returns the one that is running. */
function begin(deployment: Deployment, name: string): Delivery {
  const deliveries = deliveriesOf(deployment.sys);
  const now = deployment.ports.now();
  const running = deliveries.get(name);
  if (running && now - running.began < maxAge) return running;
  const done = deliverEvents(deployment, name)
    .catch((cause: unknown) => {
      deployment.ports.log?.({ endpoint: `job ${eventDeliveryKind}`, status: 500, ms: 0, cause });
      return false;
    })
    .finally(() => {
      if (deliveries.get(name) === delivery) deliveries.delete(name);
    });
  const delivery = { began: now, done };
  deliveries.set(name, delivery);
  return delivery;
}
