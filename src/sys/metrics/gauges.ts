import { memoize } from "../../base/memo.ts";
import { withTimeout } from "../../base/with-timeout.ts";
import type { Deployment } from "../../engine/deployment.ts";
import { gaugeSample, type Sample } from "../../engine/metrics.ts";
import { storesWithLogs } from "../../engine/partition-stores.ts";
import { sysKeys } from "../../engine/sys-records.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import { eventStores, waitingEvents } from "../../events/event-stores.ts";
import { belowEventSinks, eventSinkKeys, storedEvents } from "../../events/sink-rows.ts";
import { sinkLag } from "../audit/sink-lag.ts";
import { probeHealth } from "../health/degraded.ts";
import { partitionSize } from "../partitions/partition-size.ts";
import { partitionState, probeTimeout } from "../partitions/partition-state.ts";
import { jobState } from "../health/job-state.ts";

/** Lifetime of a store's cached samples in milliseconds. */
const sampleTtl = 15_000;
/**
 * Maximum number of stores to read per request, so that the cost does not grow with the number of
 * mounts.
 */
const maxReads = 32;

/** Cached samples of a store. */
interface CachedSamples {
  /** Time at which the samples were read (Unix milliseconds). */
  readonly at: number;
  readonly samples: readonly Sample[];
}
/** Caches of samples by store name, one for each deployment. */
const cacheOf = memoize<StoreContext, readonly [], Map<string, CachedSamples>>(() => new Map());

/** Returns the gauges of all stores. Reads only the stores with the oldest samples. */
export async function storeSamples(deployment: Deployment): Promise<readonly Sample[]> {
  const cache = cacheOf(deployment.sys);
  const readers = await readersByStore(deployment);
  for (const name of cache.keys()) if (!readers.has(name)) cache.delete(name);
  const now = deployment.ports.now();
  const readAt = (name: string): number => cache.get(name)?.at ?? -Infinity;
  const expired = [...readers]
    // the clock may have been set back
    .filter(([name]) => now - readAt(name) >= sampleTtl || now < readAt(name))
    .toSorted(([a], [b]) => readAt(a) - readAt(b))
    .slice(0, maxReads);
  await Promise.all(
    expired.map(async ([name, read]) => {
      // a store that cannot be read has no samples; the metric `sealwright_degraded` reports it
      const samples = await withTimeout(read(), probeTimeout, () => []).catch(() => []);
      cache.set(name, { at: now, samples });
    }),
  );
  return [
    ...(await healthSamples(deployment)),
    ...[...cache.values()].flatMap(({ samples }) => samples),
  ];
}

type Reader = () => Promise<readonly Sample[]>;
async function readersByStore(deployment: Deployment): Promise<ReadonlyMap<string, Reader>> {
  const used = await deployment.sys.store.get(
    deployment.secretOwners.map(({ store }) => sysKeys.used(store)),
  );
  const owners = deployment.secretOwners.filter((_, at) => used[at]).map(({ store }) => store);
  const jobs = (name: string) => jobSamples(deployment.storeContext(name));
  const mounts = [...(await deployment.mounts()).values()].map(
    ({ uuid, type }): [string, Reader] => [
      uuid,
      async () => [
        ...(await jobs(uuid)),
        ...(await partitionSamples(deployment.storeContext(uuid))),
        ...((await deployment.types.get(type)?.gauges?.(deployment.mount(uuid))) ?? []),
      ],
    ],
  );
  return new Map<string, Reader>([
    [
      "sys",
      async () => [
        ...(await jobs("sys")),
        ...(await sinkSamples(deployment)),
        ...(await eventSamples(deployment)),
      ],
    ],
    ...owners.map((name): [string, Reader] => [name, () => jobs(name)]),
    ...mounts,
  ]);
}

const secondsSince = (time: number | undefined, now: number): number =>
  time === undefined ? 0 : Math.max(0, now - time) / 1000;

async function jobSamples({ name, store, ports }: StoreContext): Promise<readonly Sample[]> {
  const now = ports.now();
  const { waiting, due, failed, oldest } = await jobState(store, now);
  return [
    gaugeSample("jobs", [name, "waiting"], waiting),
    gaugeSample("jobs", [name, "due"], due),
    gaugeSample("jobs", [name, "failed"], failed),
    gaugeSample("overdue", [name], secondsSince(oldest, now)),
  ];
}

/**
 * Returns the size of each partition of a mount and, if there are several, whether each is ready.
 */
async function partitionSamples(storeContext: StoreContext): Promise<readonly Sample[]> {
  const stores = storesWithLogs(storeContext);
  const now = storeContext.ports.now();
  const samples = stores.map(async ({ store }, partition): Promise<readonly Sample[]> => {
    const labels = [storeContext.name, String(partition)] as const;
    const [state, size] = await Promise.all([
      stores.length > 1 ? partitionState(store, probeTimeout) : undefined,
      partitionSize(store, now, probeTimeout),
    ]);
    return [
      ...(state ? [gaugeSample("partitionReady", labels, state === "ready" ? 1 : 0)] : []),
      ...(size ? [gaugeSample("partitionRows", labels, size.rows)] : []),
      ...(size?.bytes === undefined ? [] : [gaugeSample("partitionBytes", labels, size.bytes)]),
    ];
  });
  return (await Promise.all(samples)).flat();
}

async function sinkSamples(deployment: Deployment): Promise<readonly Sample[]> {
  const lag = await sinkLag(deployment);
  if (!lag) return [];
  return [
    gaugeSample("sinkEvents", [], lag.events),
    gaugeSample("sinkAge", [], secondsSince(lag.oldest, deployment.ports.now())),
  ];
}

/**
 * Returns the numbers of waiting and lost events for each sink. If there are no sinks, reads the
 * store only once.
 */
async function eventSamples(deployment: Deployment): Promise<readonly Sample[]> {
  const { store } = deployment.sys;
  const rows = await store.list(belowEventSinks);
  if (rows.length === 0) return [];
  const names = rows.map(([key]) => key.slice(belowEventSinks.length));
  const [states, stores] = await Promise.all([
    store.get(names.map(eventSinkKeys.state)),
    eventStores(deployment),
  ]);
  return rows.flatMap(([, { value }], at) => {
    const { cursors, lost } = storedEvents.state(states[at]?.value);
    const name = [names[at] ?? ""] as const;
    const waiting = storedEvents.sink(value).enabled ? waitingEvents(stores, cursors) : 0;
    return [gaugeSample("eventsWaiting", name, waiting), gaugeSample("eventsLost", name, lost)];
  });
}

/**
 * Returns for each mount and API whether `sys/health` lists it as degraded, and the state of the
 * growths that `sys/health` lists.
 */
async function healthSamples(deployment: Deployment): Promise<readonly Sample[]> {
  const { degraded, growing } = await probeHealth(deployment);
  const broken = new Set(degraded.map(({ mount }) => mount));
  const stores: readonly (readonly [store: string, path: string])[] = [
    ["sys", "sys/"],
    ...deployment.secretOwners.map(({ store, path }) => [store, path] as const),
    ...[...(await deployment.mounts())].map(([path, { uuid }]) => [uuid, `${path}/`] as const),
  ];
  const storeOf = new Map(stores.map(([store, path]) => [path, store]));
  return [
    ...stores.map(([store, path]) => gaugeSample("degraded", [store], broken.has(path) ? 1 : 0)),
    ...growing.flatMap(({ mount, from, to, percent, state, error }) => {
      const store = storeOf.get(mount);
      if (store === undefined) return [];
      return [
        gaugeSample("growthPercent", [store, String(from), String(to)], percent),
        gaugeSample("growthStopped", [store], state === "stopped" ? 1 : 0),
        gaugeSample("growthFailing", [store], error === undefined ? 0 : 1),
      ];
    }),
  ];
}
