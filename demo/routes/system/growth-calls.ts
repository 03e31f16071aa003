import type { HealthReply } from "../../../src/client/sys.ts";
import { call, typed } from "../../api/call.ts";
import { requestOf } from "../../api/endpoint.ts";
import * as sys from "../../api/endpoints/sys.ts";
import { request, type Reply } from "../../api/transport.ts";

/** Pause in ms between a response with the progress of a growth and the next request. */
export const refreshPause = 2000;

/** The numbers of partitions that a mount can have. */
export const partitionCounts: readonly number[] = [1, 4, 16, 64];

/** The progress of a mount's growth to more partitions. */
export type MountGrowth = NonNullable<HealthReply["growing"]>[number];

/**
 * Returns the growth of all growing mounts by path, from one request. Returns none if the server is
 * too old or responds with an unexpected status.
 */
export async function growingMounts(): Promise<ReadonlyMap<string, MountGrowth>> {
  const { verb, path } = requestOf(sys.health);
  // the response has no envelope
  const reply = await request(verb, path, undefined, true).catch(() => undefined);
  const growing = reply ? (typed(sys.health, reply).data.growing ?? []) : [];
  return new Map(growing.map((one) => [one.mount.replace(/\/$/, ""), one]));
}

/** Starts or continues moving the rows of a mount to more partitions. */
export const growMount = (path: string, count: number): Promise<Reply<unknown>> =>
  call(sys.growPartitions, { path, count });
/** Stops moving the rows of a mount. */
export const stopGrowth = (path: string): Promise<Reply<unknown>> =>
  call(sys.stopPartitions, { path });
