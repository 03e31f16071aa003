import { belowSys, storedSys } from "../../engine/sys-records.ts";
import { CaError } from "../../base/errors.ts";
import { withTimeout } from "../../base/with-timeout.ts";
import { kindOf } from "../../engine/store-context.ts";
import { clusterId } from "../../engine/cluster-id.ts";
import type { Deployment } from "../../engine/deployment.ts";
import { wrongKey } from "../../engine/sealing.ts";
import { type Field, flag, int, list, listOf, mapOf, text } from "../../wire/field.ts";
import { systemEndpoint } from "../../wire/endpoint.ts";
import { plain } from "../../wire/style.ts";
import { probeTimeout } from "../partitions/partition-state.ts";
import { probeHealth } from "./degraded.ts";
import { growthFields } from "../partitions/growth-row.ts";

/**
 * Version that the server reports. Clients of this API family use it to detect features (P 9.2).
 */
export const reportedVersion = "2.1.0+ent";
const name = "sealwright";

const notices = kindOf<readonly (readonly [mount: string | undefined, text: string])[]>();
/** Returns the texts of notices about existing mounts, cached for at most one second. */
async function noticesOf(deployment: Deployment): Promise<readonly string[]> {
  const cached = await deployment.sys.cache.recent(notices, "", async () =>
    (await deployment.sys.store.list(belowSys.notices)).map(
      ([key, row]) => [key.split("/")[1], storedSys.notice(row.value).text] as const,
    ),
  );
  if (cached.length === 0) return [];
  const mounts = new Set([...(await deployment.mounts()).values()].map(({ uuid }) => uuid));
  return [
    ...new Set(
      cached.flatMap(([mount = "", warning]) =>
        mount === "sys" || mounts.has(mount) ? [warning] : [],
      ),
    ),
  ];
}

/**
 * Returns the status of the response. Clients know the parameters for the states `active` and
 * `sealed`. Only this server has the parameter for degraded mounts.
 */
function statusOf(
  chosen: Chosen,
  state: { readonly sealed: boolean; readonly degraded?: unknown },
) {
  const [active = 200, broken = active, closed = 503] = [
    requireStatus(chosen, "activecode"),
    requireStatus(chosen, "degradedcode"),
    requireStatus(chosen, "sealedcode"),
  ];
  return state.sealed ? closed : state.degraded ? broken : active;
}
type Chosen = Readonly<
  Partial<Record<"activecode" | "degradedcode" | "sealedcode", number | undefined>>
>;
function requireStatus(chosen: Chosen, name: keyof Chosen): number | undefined {
  const status = chosen[name];
  if (status !== undefined && (status < 200 || status > 599))
    throw new CaError("malformed", `${name} must be a status code from 200 to 599`);
  return status;
}

/**
 * Declares a query parameter with a status code. Values other than integers are rejected without a
 * message (P 9.2).
 */
const code = (doc: string): Field<number | undefined, false> => ({
  required: false,
  json: { type: "integer", description: doc },
  parse: (raw) => {
    if (raw === undefined) return undefined;
    if (typeof raw !== "string" || !/^[+-]?\d+$/.test(raw)) throw new CaError("malformed", "");
    return Number(raw);
  },
});
const otherState = "Ignored: this server is never in that state.";

export const health = systemEndpoint({
  id: "health",
  at: ["GET /health"],
  access: "open",
  style: plain,
  doc: "Reports the health of the server, and which mounts are unavailable.",
  body: {
    activecode: code("Status code of the response, 200 to 599; by default 200."),
    degradedcode: code(
      "Status code while `degraded` lists a mount, 200 to 599; by default `activecode`.",
    ),
    standbycode: code(otherState),
    drsecondarycode: code(otherState),
    performancestandbycode: code(otherState),
    haunhealthycode: code(otherState),
    uninitcode: code(otherState),
    sealedcode: code("Status code while `sealed` is true, 200 to 599; by default 503."),
    removedcode: code(otherState),
    standbyok: flag.default(false, "Has no effect, because this server is never a standby."),
    perfstandbyok: flag.default(false, "Has no effect, because this server is never a standby."),
  },
  reply: {
    initialized: flag.required("Always true."),
    sealed: flag.required(
      "True if the sealing key does not match the stored secrets. All other requests are then rejected.",
    ),
    standby: flag.required("Always false."),
    performance_standby: flag.required("Always false."),
    replication_performance_mode: text.required("Always `disabled`."),
    replication_dr_mode: text.required("Always `disabled`."),
    server_time_utc: int.required("Server time, Unix seconds."),
    version: text.required("Version that clients compare to detect features."),
    enterprise: flag.required("Always true: enterprise operations are included."),
    license: mapOf({
      state: text.required("Always `none`."),
      expiry_time: text.required("Always empty."),
      terminated: flag.required("Always false."),
    }).required("License information: none is needed."),
    cluster_name: text.required("Name of the deployment."),
    cluster_id: text.required("UUID of the deployment; empty while the storage is unreachable."),
    echo_duration_ms: int.required("Always 0: there is a single node."),
    clock_skew_ms: int.required("Always 0: there is a single node."),
    replication_primary_canary_age_ms: int.required("Always 0: nothing is replicated."),
    removed_from_cluster: flag.required("Always false."),
    ha_connection_healthy: flag.required("Always true: there is a single node."),
    last_request_forwarding_heartbeat_ms: int.required("Always 0: requests are not forwarded."),
    warnings: list.optional(
      "Problems that need attention, such as a CRL that could not be rebuilt; absent if there are none.",
    ),
    degraded: listOf({
      mount: text.required(
        "Path of the mount; `sys/` is the shared storage, `/api/v2/` the variables API.",
      ),
      reason: text.required("Description of the problem, one sentence."),
    }).optional(
      "Mounts and APIs that are unavailable, for example because their storage is unreachable. Absent if all are available.",
    ),
    growing: listOf({
      mount: text.required("Path of the mount, with a trailing slash."),
      ...growthFields,
    }).optional(
      "Mounts whose rows are being moved to more partitions, or were until the growth was stopped. Absent if there are none.",
    ),
  },
  run: async (deployment, input, caller) => {
    const state = await stateOf(deployment);
    caller.reply.respond({ status: statusOf(input, state) });
    return state;
  },
});

async function stateOf(deployment: Deployment) {
  if (!(await isKeyRight(deployment)))
    return {
      ...(await healthy(deployment)),
      sealed: true,
      warnings: [wrongKey(deployment.ports.vault).message],
    };
  // the response must not depend on the storage
  const [notices, { degraded, growing, warnings: probeWarnings }, always] = await Promise.all([
    noticesOf(deployment).catch(() => []),
    probeHealth(deployment),
    healthy(deployment),
  ]);
  const warnings = [...notices, ...probeWarnings];
  return {
    ...always,
    ...(warnings.length > 0 ? { warnings } : {}),
    ...(degraded.length > 0 ? { degraded } : {}),
    ...(growing.length > 0 ? { growing } : {}),
  };
}

/**
 * Reports whether the sealing key matches the stored secrets; true if the storage cannot be read.
 */
const isKeyRight = async (deployment: Deployment): Promise<boolean> =>
  // a known result needs no timer, and monitors poll often
  deployment.isKeyKnown ||
  withTimeout(deployment.isKeyRight(), probeTimeout, () => true).catch(() => true);

const clusterOf = (deployment: Deployment): Promise<string> =>
  withTimeout(
    clusterId(deployment.sys, async () => deployment.mounts()),
    probeTimeout,
    () => "",
  ).catch(() => "");

const healthy = async (deployment: Deployment) => ({
  initialized: true,
  sealed: false,
  standby: false,
  performance_standby: false,
  replication_performance_mode: "disabled",
  replication_dr_mode: "disabled",
  server_time_utc: Math.floor(deployment.ports.now() / 1000),
  version: reportedVersion,
  enterprise: true,
  license: { state: "none", expiry_time: "", terminated: false },
  cluster_name: name,
  cluster_id: await clusterOf(deployment),
  echo_duration_ms: 0,
  clock_skew_ms: 0,
  replication_primary_canary_age_ms: 0,
  removed_from_cluster: false,
  ha_connection_healthy: true,
  last_request_forwarding_heartbeat_ms: 0,
});

export const initStatus = systemEndpoint({
  id: "initStatus",
  at: ["GET /init"],
  access: "open",
  style: plain,
  doc: "Reports that the server is initialized, which is always true.",
  body: {},
  reply: { initialized: flag.required("Always true.") },
  run: async () => ({ initialized: true }),
});

export const sealStatus = systemEndpoint({
  id: "sealStatus",
  at: ["GET /seal-status"],
  access: "open",
  style: plain,
  doc: "Reports the seal status and version of the server.",
  body: {},
  reply: {
    type: text.required("Always `shamir`."),
    initialized: flag.required("Always true."),
    sealed: flag.required("Whether the sealing key does not match the stored secrets."),
    t: int.required("Always 1."),
    n: int.required("Always 1."),
    progress: int.required("Always 0."),
    nonce: text.required("Always empty."),
    version: text.required("Version that clients compare to detect features."),
    build_date: text.required("Always empty."),
    migration: flag.required("Always false."),
    cluster_name: text.required("Name of the deployment."),
    cluster_id: text.required("UUID of the deployment; empty while the storage is unreachable."),
    recovery_seal: flag.required("Always false."),
    removed_from_cluster: flag.required("Always false."),
    storage_type: text.required("Name of the storage."),
  },
  run: (deployment) => sealState(deployment),
});

/** Returns the seal status of the server. */
export async function sealState(deployment: Deployment) {
  return {
    type: "shamir",
    initialized: true,
    sealed: !(await isKeyRight(deployment)),
    t: 1,
    n: 1,
    progress: 0,
    nonce: "",
    version: reportedVersion,
    build_date: "",
    migration: false,
    cluster_name: name,
    cluster_id: await clusterOf(deployment),
    recovery_seal: false,
    removed_from_cluster: false,
    storage_type: "sealwright",
  };
}
