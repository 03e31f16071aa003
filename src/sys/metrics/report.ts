import { CaError } from "../../base/errors.ts";
import type { Deployment } from "../../engine/deployment.ts";
import { addCounts } from "../../engine/meter.ts";
import type { RawReply } from "../../wire/endpoint.ts";
import { encodeDocument } from "./document.ts";
import { encodeExposition, expositionType } from "./exposition.ts";
import { familiesOf } from "./families.ts";
import { storeSamples } from "./gauges.ts";
import { serverSamples } from "./server-gauges.ts";

/** Encodes the metrics of a server. Throws `malformed` for an unknown format. */
export async function metricsReport(ca: Deployment, format: string): Promise<RawReply> {
  if (format !== "" && format !== "prometheus")
    throw new CaError("malformed", `format: expected prometheus, got "${format.slice(0, 64)}"`);
  const { meter, server, now } = ca.ports;
  const counts = (await server?.counts?.()) ?? [meter?.counts() ?? {}];
  const samples = [...(await serverSamples(ca, counts.length)), ...(await storeSamples(ca))];
  const paths = await pathsByStore(ca);
  const families = familiesOf(addCounts(counts), samples, (store) => paths.get(store));
  if (format === "prometheus") return { type: expositionType, bytes: encodeExposition(families) };
  const times = { now: now(), since: server?.started ?? now() };
  return { type: "application/json", bytes: encodeDocument(families, times) };
}

async function pathsByStore(ca: Deployment): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ["sys", "sys"],
    ...ca.secretOwners.map(({ store, path }) => [store, path.replace(/^\/|\/$/g, "")] as const),
    ...[...(await ca.mounts())].map(([path, { uuid }]) => [uuid, path] as const),
  ]);
}
