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

/** Returns the part of the range of generated serial numbers that is not above one. */
const serialFraction = (serial: string): number =>
  Math.min(1, Math.max(Number.parseInt(serial.slice(0, 8).padEnd(8, "0"), 16) / 0x8000_0000, 1e-6));

/** A running or stopped growth, in the mount's own store. */
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
/** Returns the growth of a mount with its revision; undefined if all rows are where they belong. */
export async function growthOf({ store }: Pick<Mount, "store">) {
  // with the epoch the store also notices a growth that another process began
  const [row] = await store.get([partitionKeys.growth, "epoch"]);
  return row && { growth: storedGrowth(row.value), rev: row.rev };
}

/** Returns the part of the work that is done, in percent, by the position of the last moved row. */
export function growthPercent({ source, after, from }: GrowthRow): number {
  const certs = rowPrefixes.certs;
  const isInCerts = after.startsWith(certs);
  // certificates come first, and are most of the rows
  const within = isInCerts ? 0.9 * serialFraction(after.slice(certs.length)) : after ? 0.9 : 0;
  return Math.min(99, Math.floor(((source + within) / from) * 100));
}

const kind = "partition-growth";
/** Rows per step, and minimum pause after it in ms. */
const [rowsPerStep, minPause] = [100, 10];
/** Pause after a step, as a multiple of its duration. */
const pauseFactor = 2;

const done = { reply: undefined };

/**
 * Begins to move the rows of a mount to more partitions, or continues. Throws CaError `malformed`
 * or `conflict`.
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
        `the mount is already getting ${running.growth.to} partitions: wait until it has them`,
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
    expect: [
      [mountKey, config.mountRev],
      [partitionKeys.growth, null],
    ],
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

/** Stops a growth: rows stay where they are. Throws CaError `conflict` if none is running. */
export const stopGrowth = ({ storeContext, store }: Mount): Promise<void> =>
  storeContext.change(async () => {
    const running = await growthOf({ store });
    if (!running) throw new CaError("conflict", "no rows of the mount are being moved");
    if (running.growth.isStopped) return done;
    const growth: GrowthRow = { ...running.growth, isStopped: true };
    const expect = [[partitionKeys.growth, running.rev] as const];
    return { ...done, batch: { expect, put: [[partitionKeys.growth, growth]] } };
  });

/**
 * Moves the rows of a mount that gets more partitions: a page at a time, with pauses in which the
 * mount serves.
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
      await storeContext.commit({ expect, del: [partitionKeys.growth] });
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
    // not applied if the growth was stopped meanwhile
    await storeContext.commit({ expect, put });
    return undefined;
  },
};

/** Writes the number of partitions into the mount's route, so that a restart knows it at once. */
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
