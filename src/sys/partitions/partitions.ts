import { CaError } from "../../base/errors.ts";
import { isGrowable } from "../../engine/partition-layout.ts";
import { storesWithLogs } from "../../engine/partition-stores.ts";
import { maxPartitions } from "../../engine/placement.ts";
import type { Deployment } from "../../engine/deployment.ts";
import type { Mount } from "../../engine/mount.ts";
import { systemEndpoint } from "../../wire/endpoint.ts";
import { flag, int, listOf, mapOf, text } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { growMount, stopGrowth } from "./growth.ts";
import { growthFields, growthOf, growthState } from "./growth-row.ts";
import { mountAt, trimTrailingSlashes } from "../mounts/mounts.ts";
import { partitionSize } from "./partition-size.ts";
import { partitionState, partitionStates, probeTimeout } from "./partition-state.ts";

/** Returns the mount at the given path. Throws CaError `no_mount` if there is none. */
async function partitionedMount(deployment: Deployment, path: string): Promise<Mount> {
  const mount = await mountAt(deployment, path);
  if (mount) return mount;
  throw new CaError("no_mount", `No secret engine mount at ${trimTrailingSlashes(path)}/`);
}

/** Reports whether a mount with `count` partitions that is not growing can get more partitions. */
async function canGrow(mount: Mount, count: number): Promise<boolean> {
  if (count >= maxPartitions || !isGrowable(mount.store)) return false;
  try {
    await mount.config();
    return true;
  } catch {
    // the mount cannot be read
    return false;
  }
}

export const readPartitions = systemEndpoint({
  id: "readPartitions",
  at: ["GET /mounts/:path+/partitions"],
  access: "token",
  style: envelope,
  doc: "Returns the partitions of a mount, over which its certificates are spread.",
  body: {},
  reply: {
    count: int.required("Number of partitions."),
    can_grow: flag.required(
      "Whether a POST with a larger number is accepted: not while the mount is growing, nor on storage that cannot add partitions.",
    ),
    growth: mapOf({
      ...growthFields,
      moved: int.required("Number of rows moved so far."),
    }).optional(
      "Progress of a growth; absent if all rows have been moved, or if partition 0 cannot be read.",
    ),
    partitions: listOf({
      number: int.required(
        "Number of the partition. Partition 0 has the configuration and all rows that are not spread.",
      ),
      store: text.required("Name of the partition's store, as in audit events."),
      state: text.required(
        "State of the partition: `empty` if its rows are missing, `unreachable` if it cannot be read.",
        [...partitionStates],
      ),
      rows: int.optional(
        "Estimated number of rows in the partition, at most a minute old; absent if unknown.",
      ),
      bytes: int.optional(
        "Estimated size of the partition's rows in bytes, at most a minute old. On Workers, the size of the whole database; on SQLite, without indexes.",
      ),
    }).required("Details of each partition."),
  },
  refuses: ["no_mount"],
  run: async (deployment, { path }) => {
    const mount = await partitionedMount(deployment, path);
    const running = await growthOf(mount).catch(() => undefined);
    const partitions = await Promise.all(
      storesWithLogs(mount).map(async ({ name, store }, number) => ({
        number,
        store: name,
        state: await partitionState(store, probeTimeout),
        ...(await partitionSize(store, deployment.ports.now(), probeTimeout)),
      })),
    );
    const { growth } = running ?? {};
    const count = partitions.length;
    return {
      count,
      can_grow: growth === undefined && (await canGrow(mount, count)),
      ...(growth && { growth: { ...growthState(growth), moved: growth.moved } }),
      partitions,
    };
  },
});

export const growPartitions = systemEndpoint({
  id: "growPartitions",
  at: ["POST /mounts/:path+/partitions"],
  access: "token",
  style: envelope,
  doc: "Increases the number of partitions of a mount, or continues a stopped growth. The mount serves requests while its rows are moved.",
  body: { count: int.requiredOr(0, "New number of partitions: 4, 16 or 64.") },
  reply: {},
  audits: { plain: ["count"] },
  refuses: ["no_mount", "malformed", "conflict"],
  run: async (deployment, { path, count }) => {
    await growMount(await partitionedMount(deployment, path), count);
    return undefined;
  },
});

export const stopPartitions = systemEndpoint({
  id: "stopPartitions",
  at: ["DELETE /mounts/:path+/partitions"],
  access: "token",
  style: envelope,
  doc: "Stops the redistribution of rows to additional partitions. Rows stay where they are, and the mount continues to serve requests.",
  body: {},
  reply: {},
  refuses: ["no_mount", "conflict"],
  run: async (deployment, { path }) => {
    await stopGrowth(await partitionedMount(deployment, path));
    return undefined;
  },
});
