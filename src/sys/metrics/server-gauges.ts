import type { Deployment } from "../../engine/deployment.ts";
import { gaugeSample, type Sample } from "../../engine/metrics.ts";

/** Returns the gauges of the server, without those that are unknown or cannot be read now. */
export async function serverSamples(
  { ports }: Deployment,
  processes: number,
): Promise<readonly Sample[]> {
  const { server, stores } = ports;
  const [backup, size] = await Promise.all([
    server?.backup?.().catch(() => undefined),
    stores.size?.().catch(() => undefined),
  ]);
  const samples = [gaugeSample("processes", [], processes)];
  if (server)
    samples.push(
      gaugeSample("info", [server.version], 1),
      gaugeSample("started", [], Math.floor(server.started / 1000)),
    );
  if (size !== undefined) samples.push(gaugeSample("size", [], size));
  if (backup) samples.push(gaugeSample("backupFailed", [], backup.failed ? 1 : 0));
  if (backup?.succeeded !== undefined)
    samples.push(gaugeSample("backupDone", [], Math.floor(backup.succeeded / 1000)));
  return samples;
}
