import { boundsInSeconds, type Family, familiesOf } from "./families.ts";
import type { Deployment } from "../../engine/deployment.ts";
import { gaugeSample, type Sample } from "../../engine/metrics.ts";
import { CaError } from "../../base/errors.ts";
import { addCounts } from "../../engine/meter.ts";
import type { RawReply } from "../../wire/endpoint.ts";
import { encodeDocument } from "./document.ts";
import { storeSamples } from "./gauges.ts";

/** Media type of the Prometheus text format. */
export const expositionType = "text/plain; version=0.0.4; charset=utf-8";

const escapeHelp = (text: string): string =>
  text.replaceAll("`", "").replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
const escapeValue = (text: string): string =>
  text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');

function line(
  name: string,
  names: readonly string[],
  labels: readonly string[],
  value: number,
): string {
  const pairs = labels.map((label, i) => `${names[i] ?? ""}="${escapeValue(label)}"`).join();
  return `${name}${pairs === "" ? "" : `{${pairs}}`} ${value}\n`;
}

/** Encodes metrics in the Prometheus text format, version 0.0.4. */
export const encodeExposition = (families: readonly Family[]): string =>
  families.map(encodeFamily).join("");

function encodeFamily(family: Family): string {
  const { name, help, labels: names, type } = family;
  const head = `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`;
  if (type !== "histogram")
    return head + family.values.map(([labels, value]) => line(name, names, labels, value)).join("");
  const lines = family.values.flatMap(([labels, { buckets, sum }]) => [
    ...buckets.map((count, i) => {
      const le = String(boundsInSeconds[i] ?? "+Inf");
      return line(`${name}_bucket`, [...names, "le"], [...labels, le], count);
    }),
    line(`${name}_sum`, names, labels, sum),
    line(`${name}_count`, names, labels, buckets.at(-1) ?? 0),
  ]);
  return head + lines.join("");
}

/** Returns the gauges of the server. Omits gauges that are unknown or cannot be read. */
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

/** Encodes the metrics of a server. Rejects with `malformed` if the format is unknown. */
export async function metricsReport(deployment: Deployment, format: string): Promise<RawReply> {
  if (format !== "" && format !== "prometheus")
    throw new CaError("malformed", `format: expected prometheus, got "${format.slice(0, 64)}"`);
  const { meter, server, now } = deployment.ports;
  const counts = (await server?.counts?.()) ?? [meter?.counts() ?? {}];
  const samples = [
    ...(await serverSamples(deployment, counts.length)),
    ...(await storeSamples(deployment)),
  ];
  const paths = await pathsByStore(deployment);
  const families = familiesOf(addCounts(counts), samples, (store) => paths.get(store));
  if (format === "prometheus") return { type: expositionType, bytes: encodeExposition(families) };
  const times = { now: now(), since: server?.started ?? now() };
  return { type: "application/json", bytes: encodeDocument(families, times) };
}

async function pathsByStore(deployment: Deployment): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ["sys", "sys"],
    ...deployment.secretOwners.map(
      ({ store, path }) => [store, path.replace(/^\/|\/$/g, "")] as const,
    ),
    ...[...(await deployment.mounts())].map(([path, { uuid }]) => [uuid, path] as const),
  ]);
}
