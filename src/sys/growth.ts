import { CaError } from "../base/errors.ts";
import type { Deployment, Job } from "../engine/deployment.ts";
import { jobRow } from "../engine/jobs.ts";
import type { Mount } from "../engine/mount.ts";
import { mountKey, type MountRow } from "../engine/mount-records.ts";
import { checkPartitions } from "../engine/mount-stores.ts";
import {
  type GrowthProgress,
  isGrowable,
  partitionKeys,
  type PartitionLayout,
} from "../engine/partition-layout.ts";
import type { Batch } from "../engine/ports.ts";
import { rowReader } from "../engine/row-reader.ts";
import type { Snapshot } from "../engine/snapshot.ts";
import type { StoreContext } from "../engine/store-context.ts";
import { belowSys, storedRoute } from "../engine/sys-records.ts";
import { rowPrefixes } from "../pki/rows/records.ts";

/**
 * Returns the position of a serial number in the range of generated serial numbers, as a fraction.
 */
const serialFraction = (serial: string): number =>
  Math.min(1, Math.max(Number.parseInt(serial.slice(0, 8).padEnd(8, "0"), 16) / 0x8000_0000, 1e-6));

/** A running or stopped growth, stored in the mount's store. */
interface GrowthRow extends GrowthProgress {
  readonly to: number;
  readonly from: number;
  readonly isStopped: boolean;
}
const storedGrowth = rowReader<GrowthRow>({
  to: 1,
  from: 1,
  isStopped: false,
  source: 0,
  after: "",
  moved: 0,
});
/**
 * Returns the growth of a mount with the revision of its row; undefined if no growth is running or
 * stopped.
 */
export async function growthOf({ store }: Pick<Mount, "store">) {
  // reading the epoch makes the store notice a growth that another process began
  const [row] = await store.get([partitionKeys.growth, "epoch"]);
  return row && { growth: storedGrowth(row.value), rev: row.rev };
}

/**
 * Returns the progress of a growth in percent, estimated from the position of the last moved row.
 */
export function growthPercent({ source, after, from }: GrowthRow): number {
  const certs = rowPrefixes.certs;
  const isInCerts = after.startsWith(certs);
  // certificates are moved first, and most rows are certificates
  const within = isInCerts ? 0.9 * serialFraction(after.slice(certs.length)) : after ? 0.9 : 0;
  return Math.min(99, Math.floor(((source + within) / from) * 100));
}

const kind = "partition-growth";
/** Number of rows per step, and minimum pause after a step (ms). */
const [rowsPerStep, minPause] = [100, 10];
/** Pause after a step, as a multiple of its duration. */
const pauseFactor = 2;

const done = { reply: undefined };

/**
 * Starts moving the rows of a mount to more partitions, or continues a stopped growth. Throws
 * CaError `malformed` if the mount or its storage cannot have `count` partitions, or already has
 * more. Throws CaError `conflict` if the mount is already growing to fewer than `count` partitions.
 */
export async function growMount(
  mount: Mount,
  types: Deployment["types"],
  count: number,
): Promise<void> {
  checkPartitions(mount.ports, count);
  const decide = async (config: Snapshot) => {
    const current = config.mount.config.partitions ?? 1;
    const running = await growthOf(mount);
    if (count < current)
      throw new CaError(
        "malformed",
        `invalid count ${count}: the mount has ${current} partitions; for fewer, back it up, delete it and restore it with partitions=${count}`,
      );
    if (running && count > running.growth.to)
      throw new CaError(
        "conflict",
        `the mount is already growing to ${running.growth.to} partitions: wait until the growth is complete`,
      );
    if (running || count === current) return done;
    if (!isGrowable(mount.store))
      throw new CaError(
        "malformed",
        `invalid count ${count}: the storage of this deployment cannot add partitions to a mount`,
      );
    await types.get(config.mount.type)?.requireGrowable?.(config);
    return { ...done, batch: growthBatch(mount, config, count) };
  };
  // whether the mount may grow depends on other rows of the configuration
  await mount.configure(decide, { exact: true });
  await continueGrowth(mount);
}
function growthBatch({ ports }: Mount, config: Snapshot, count: number): Batch {
  const { config: settings, ...rest } = config.mount;
  const { partitions: from = 1 } = settings;
  const now = ports.now();
  const growth: GrowthRow = { to: count, from, isStopped: false, source: 0, after: "", moved: 0 };
  return {
    expect: [[partitionKeys.growth, null]],
    put: [
      [mountKey, { ...rest, config: { ...settings, partitions: count } } satisfies MountRow],
      [partitionKeys.layout, { count, from } satisfies PartitionLayout],
      [partitionKeys.growth, growth],
      jobRow({ due: now, now }, kind, ""),
    ],
  };
}
/** Continues a stopped growth. */
const continueGrowth = ({ storeContext, ports, store }: Mount): Promise<void> =>
  storeContext.change(async () => {
    const running = await growthOf({ store });
    if (!running?.growth.isStopped) return done;
    const now = ports.now();
    const expect = [[partitionKeys.growth, running.rev] as const];
    const growth: GrowthRow = { ...running.growth, isStopped: false };
    const put = [[partitionKeys.growth, growth] as const, jobRow({ due: now, now }, kind, "")];
    return { ...done, batch: { expect, put } };
  });

/**
 * Stops a growth. Rows stay where they are. Throws CaError `conflict` if no growth is running or
 * stopped.
 */
export const stopGrowth = ({ storeContext, store }: Mount): Promise<void> =>
  storeContext.change(async () => {
    const running = await growthOf({ store });
    if (!running)
      throw new CaError("conflict", "the mount is not growing: no rows are being moved");
    if (running.growth.isStopped) return done;
    const growth: GrowthRow = { ...running.growth, isStopped: true };
    const expect = [[partitionKeys.growth, running.rev] as const];
    return { ...done, batch: { expect, put: [[partitionKeys.growth, growth]] } };
  });

/**
 * The job that moves the rows of a growing mount, a page at a time, with pauses in which the mount
 * serves requests.
 */
export const growthJob: Job = {
  kind,
  of: "mount",
  budget: 1,
  step: async ({ store, storeContext, ports, name }) => {
    const running = await growthOf({ store });
    if (!running || running.growth.isStopped || !isGrowable(store)) return undefined;
    const { growth, rev } = running;
    if (growth.after === "" && growth.source === 0) await writeRoute(storeContext, growth.to);
    const begun = ports.now();
    const next = await store.grow(growth, rowsPerStep);
    const now = ports.now();
    const expect = [[partitionKeys.growth, rev] as const];
    if (!next) {
      const isLast = await storeContext.commit({ expect, del: [partitionKeys.growth] });
      // another process may have ended it
      if (!isLast) return undefined;
      ports.log?.({
        endpoint: `job ${kind}`,
        status: 200,
        ms: now - begun,
        fields: { mount: name, partitions: growth.to, moved: growth.moved },
      });
      return undefined;
    }
    const due = now + Math.max(minPause, pauseFactor * (now - begun));
    const put = [
      [partitionKeys.growth, { ...growth, ...next } satisfies GrowthRow] as const,
      jobRow({ due, now }, kind, ""),
    ];
    // not applied if the growth was stopped in the meantime
    await storeContext.commit({ expect, put });
    return undefined;
  },
};

/**
 * Writes the number of partitions to the mount's route, so that the server knows it right after a
 * restart.
 */
const writeRoute = ({ sys, name }: StoreContext, count: number): Promise<void> =>
  sys.change(async () => {
    for (const [key, { value, rev }] of await sys.store.list(belowSys.routes)) {
      const route = storedRoute(value);
      if (route.uuid !== name || route.partitions === count) continue;
      const put = [[key, { ...route, partitions: count }] as const];
      return { ...done, batch: { epoch: "next", expect: [[key, rev]], put } };
    }
    return done;
  });
