import { CaError } from "../../base/errors.ts";
import { NewerFormatError } from "../../base/newer-format.ts";
import type { Job } from "../../engine/deployment.ts";
import { jobRow } from "../../engine/jobs.ts";
import type { Mount } from "../../engine/mount.ts";
import { mountKey } from "../../engine/mount-records.ts";
import { checkPartitions, grownMembers, withPlacement } from "../../engine/mount-stores.ts";
import { isGrowable, partitionKeys, type PartitionLayout } from "../../engine/partition-layout.ts";
import type { Batch } from "../../engine/ports.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import { belowSys, storedRoute } from "../../engine/sys-records.ts";
import { growthKind as kind, growthOf, type GrowthRow } from "./growth-row.ts";

/**
 * Minimum and maximum number of rows per step. Each step may examine as many rows as all steps
 * before it have moved, so that few commits move many rows.
 */
const [minRows, maxRows] = [100, 1000];
/**
 * Returns the maximum number of rows of the next step. Each failed step halves it, because large
 * rows may exceed a limit of the storage.
 */
const rowsOfStep = ({ moved, failures = 0 }: GrowthRow): number =>
  Math.max(1, Math.floor(Math.min(Math.max(minRows, moved), maxRows) / 2 ** failures));
/** Minimum pause after a step (ms). */
const minPause = 10;
/** Pause after a step, as a multiple of its duration. */
const pauseFactor = 2;

const done = { reply: undefined };

/**
 * Starts moving the rows of a mount to more partitions, or continues a stopped growth. Throws
 * CaError `malformed` if the mount or its storage cannot have `count` partitions, or already has
 * more. Throws CaError `conflict` if the mount is already growing to fewer than `count` partitions.
 */
export async function growMount(mount: Mount, count: number): Promise<void> {
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
    if (running || count === current) return { reply: false };
    if (!isGrowable(mount.store))
      throw new CaError(
        "malformed",
        `invalid count ${count}: the storage of this deployment cannot add partitions to a mount`,
      );
    return { reply: true, batch: growthBatch(mount, config, count) };
  };
  const isNew = await mount.configure(decide);
  if (!isNew) return continueGrowth(mount);
  // the growth has begun, and its job writes the route if this fails
  await writeRoute(mount.storeContext, count).catch(() => undefined);
}
function growthBatch({ ports }: Mount, config: Snapshot, count: number): Batch {
  const { mount } = config;
  const { partitions: from = 1 } = mount.config;
  const now = ports.now();
  const growth: GrowthRow = { to: count, from, isStopped: false, source: 0, after: "", moved: 0 };
  return {
    expect: [[partitionKeys.growth, null]],
    put: [
      [mountKey, withPlacement(mount, grownMembers({ ...mount, partitions: from }, count))],
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
    const growth: GrowthRow = { ...withoutFailure(running.growth), isStopped: false };
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
    const growth: GrowthRow = { ...withoutFailure(running.growth), isStopped: true };
    const expect = [[partitionKeys.growth, running.rev] as const];
    return { ...done, batch: { expect, put: [[partitionKeys.growth, growth]] } };
  });

/** Returns a growth without the error of its last step. */
function withoutFailure({ to, from, isStopped, source, after, moved }: GrowthRow): GrowthRow {
  return { to, from, isStopped, source, after, moved };
}

/**
 * The job that moves the rows of a growing mount, a page at a time, with pauses in which the mount
 * serves requests.
 */
export const growthJob: Job<true> = {
  kind,
  of: "mount",
  budget: 1,
  step: async (mount) => {
    try {
      return await moveStep(mount);
    } catch (error) {
      // a later version has migrated the store and runs its jobs
      if (!(error instanceof NewerFormatError)) await noteFailure(mount, error);
      throw error;
    }
  },
};
/**
 * Moves a page of rows and schedules the next step, or ends the growth. Returns true if the step
 * must be repeated, because another process changed the growth in the meantime: it may have stopped
 * the growth, or only stored an error.
 */
async function moveStep({ store, storeContext, ports, name }: Mount): Promise<true | undefined> {
  const running = await growthOf({ store });
  if (!running || running.growth.isStopped || !isGrowable(store)) return undefined;
  const { growth, rev } = running;
  if (growth.after === "" && growth.source === 0) await writeRoute(storeContext, growth.to);
  const begun = ports.now();
  const next = await store.grow(growth, rowsOfStep(growth));
  const now = ports.now();
  const expect = [[partitionKeys.growth, rev] as const];
  if (!next) {
    if (!(await storeContext.commit({ expect, del: [partitionKeys.growth] }))) return true;
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
    [partitionKeys.growth, { ...withoutFailure(growth), ...next } satisfies GrowthRow] as const,
    jobRow({ due, now }, kind, ""),
  ];
  return (await storeContext.commit({ expect, put })) ? undefined : true;
}
/** Stores the error of a failed step, unless the storage fails. `sys/health` shows the error. */
async function noteFailure({ store, storeContext }: Mount, error: unknown): Promise<void> {
  try {
    const running = await growthOf({ store });
    if (!running || running.growth.isStopped) return;
    const growth: GrowthRow = {
      ...running.growth,
      failures: (running.growth.failures ?? 0) + 1,
      // other messages may contain file names
      error: error instanceof CaError ? error.message : "an unexpected error; the log says why",
    };
    const expect = [[partitionKeys.growth, running.rev] as const];
    await storeContext.commit({ expect, put: [[partitionKeys.growth, growth]] });
  } catch {
    // the job reports the first error, and this one has the same cause
  }
}

/**
 * Writes the number of partitions to the mount's route. A process that reads the routes thus knows
 * all partitions before it reads their logs.
 */
const writeRoute = ({ sys, name }: StoreContext, count: number): Promise<void> =>
  sys.change(async () => {
    for (const [key, { value, rev }] of await sys.store.list(belowSys.routes)) {
      const route = storedRoute(value);
      if (route.uuid !== name || route.partitions === count) continue;
      const put = [[key, { ...route, ...grownMembers(route, count) }] as const];
      return { ...done, batch: { epoch: "next", expect: [[key, rev]], put } };
    }
    return done;
  });
