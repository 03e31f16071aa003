import { CaError } from "../base/errors.ts";
import { importOnce } from "../base/import-once.ts";
import type { AuditLogName } from "../engine/audit-records.ts";
import { carrierOf, type Carrier } from "../engine/carrier.ts";
import type { Unit } from "../engine/unit.ts";
import type { Visit } from "./visit.ts";

/** Loaded with the first event. */
const run = importOnce(() => import("./audited-run.ts"));

/** Whether events are stored: unless a deployment says no. */
const isOn = ({ features }: Unit): boolean => features["audit"] !== false;

/**
 * What puts the event of a call into the batch of its first change; undefined where none is to be
 * stored. Public reads mend what they read, and nobody asked for that.
 */
export function auditOf(
  visit: Visit,
  input: Readonly<Record<string, unknown>>,
): Carrier | undefined {
  const { endpoint, call, deployment } = visit;
  const reads = call.method === "GET" || call.method === "LIST";
  if (!endpoint || endpoint.audits === false || (reads && endpoint.access === "open"))
    return undefined;
  if (!isOn(deployment.sys)) return undefined;
  // a change that is tried again takes one of the share
  let log: AuditLogName | undefined;
  return carrierOf(async () => {
    const { entryOf, logOf } = await run();
    log ??= logOf(visit);
    return entryOf(visit, input, log);
  }, endpoint.audits?.jobs);
}

/** Stores the refusal of a valid token; counts one of an anonymous caller. Never throws. */
export async function auditRefusal(visit: Visit, failure: unknown): Promise<void> {
  try {
    if (failure instanceof CaError && isOn(visit.deployment.sys))
      await (await run()).storeRefusal(visit, failure);
  } catch {
    // The caller gets the refusal anyway.
  }
}
