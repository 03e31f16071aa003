import { mountKey } from "../../engine/mount-records.ts";
import { partitionKeys } from "../../engine/partition-layout.ts";
import { withTimeout } from "../../base/with-timeout.ts";
import { sysSteps } from "../../engine/sys-format.ts";
import { mountSteps } from "../../engine/snapshot.ts";
import { formatKey, formatOf, refuseNewer } from "../../engine/format.ts";
import { NewerFormatError } from "../../base/newer-format.ts";
import type { Deployment, MountType, Routes } from "../../engine/deployment.ts";
import type { Store } from "../../engine/ports.ts";
import { type MountRoute, sysKeys, storedRoute } from "../../engine/sys-records.ts";
import type { Mount } from "../../engine/mount.ts";
import { kindOf, type StoreContext } from "../../engine/store-context.ts";
import { sinkJobKind } from "../audit/sink-kind.ts";
import {
  growthKind,
  growthState,
  storedGrowth,
  type GrowthRow,
  type GrowthState,
} from "../partitions/growth-row.ts";
import { jobState, stuckAfter } from "./job-state.ts";
import { partitionState, probeTimeout } from "../partitions/partition-state.ts";

/** A mount, or an API outside the mounts, that is unavailable. */
interface Degraded {
  /**
   * Path with a trailing slash; `sys/` for the system's own store. The path of an API begins with a
   * slash.
   */
  readonly mount: string;
  /** Reason why the mount or API is unavailable, in one sentence. */
  readonly reason: string;
}

/** A mount whose rows are being moved to more partitions, or were until the growth was stopped. */
interface GrowingMount extends GrowthState {
  /** Path with a trailing slash. */
  readonly mount: string;
}

/**
 * Maximum number of mounts to probe per round, so that the cost does not depend on the number of
 * mounts. The next round continues with the remaining mounts.
 */
const maxPerRound = 32;
const interval = 1000;
/**
 * Time in ms for which a store counts as degraded after a failed commit, unless a later commit
 * succeeds. It is limited, because space on a full disk may have been freed in the meantime.
 */
const remembered = 300_000;

/** Results of all probes so far. */
interface ProbeResults {
  /** Start of the last round (Unix milliseconds). */
  at: number;
  /** Path of the last probed mount. */
  last: string;
  readonly reasons: Map<string, string>;
  /** Warnings about working mounts, by path. */
  readonly warnings: Map<string, readonly string[]>;
  /** Running and stopped growths, by path. */
  readonly growths: Map<string, GrowthRow>;
}
/** The current state of all mounts and APIs. */
interface HealthReport {
  readonly degraded: readonly Degraded[];
  readonly growing: readonly GrowingMount[];
  /** Warnings about working mounts, one sentence each. */
  readonly warnings: readonly string[];
}
const probeResults = kindOf<ProbeResults>();

/**
 * Returns the degraded and the growing mounts sorted by path, and all warnings. Because callers
 * need no token, probes run at most once a second; concurrent requests get the latest results.
 */
export async function probeHealth(deployment: Deployment): Promise<HealthReport> {
  const results = deployment.sys.cache.lasting(probeResults, () => ({
    at: -Infinity,
    last: "",
    reasons: new Map(),
    warnings: new Map(),
    growths: new Map(),
  }));
  const now = deployment.ports.now();
  if (now - results.at >= interval || now < results.at) {
    results.at = now;
    await probeRound(deployment, results);
  }
  return {
    degraded: [...results.reasons].map(([mount, reason]) => ({ mount, reason })).sort(byMount),
    growing: [...results.growths]
      .map(([mount, growth]) => ({ mount, ...growthState(growth) }))
      .sort(byMount),
    warnings: [...new Set([...results.warnings.values()].flat())],
  };
}

const byMount = (a: { readonly mount: string }, b: { readonly mount: string }): number =>
  a.mount < b.mount ? -1 : 1;

async function probeRound(deployment: Deployment, results: ProbeResults): Promise<void> {
  const routes = await withTimeout(routesOf(deployment), probeTimeout, () => unread).catch(
    whyUnread,
  );
  recordResult(results, "sys/", typeof routes === "string" ? routes : undefined);
  if (typeof routes === "string") return;
  const { secretOwners } = deployment;
  const current = new Set([
    "sys/",
    ...secretOwners.map(({ path }) => path),
    ...[...routes.keys()].map((path) => `${path}/`),
  ]);
  for (const values of [results.reasons, results.warnings, results.growths])
    for (const mount of values.keys()) if (!current.has(mount)) values.delete(mount);
  const paths = [...routes.keys()].sort();
  const next = paths.findIndex((path) => path > results.last);
  const probed = [...paths.slice(Math.max(next, 0)), ...paths.slice(0, Math.max(next, 0))].slice(
    0,
    maxPerRound,
  );
  results.last = probed.at(-1) ?? "";
  const ofMounts = probed.map((path) =>
    probeMount(deployment, results, { path, route: routes.get(path) ?? storedRoute(undefined) }),
  );
  await Promise.all([
    ...ofMounts,
    ...secretOwners.map(async (owner) =>
      recordResult(results, owner.path, await boundedFault(owner.fault(deployment))),
    ),
    noteJobs(deployment, results),
    noteBackup(deployment, results),
  ]);
}
/** Records the state of a mount, its growth and its warnings. */
async function probeMount(
  deployment: Deployment,
  results: ProbeResults,
  { path, route }: { readonly path: string; readonly route: MountRoute },
): Promise<void> {
  const { uuid, type, restoring } = route;
  const kind = deployment.types.get(type);
  const mount = `${path}/`;
  const noteGrowth = (growth: GrowthRow | undefined): void => {
    if (growth) results.growths.set(mount, growth);
    else results.growths.delete(mount);
  };
  if (restoring) noteGrowth(undefined);
  const reason = restoring
    ? halfway
    : await boundedFault(inspect(deployment.storeContext(uuid), kind?.secret, noteGrowth));
  recordResult(results, mount, reason);
  const failing = growthWarnings(mount, results.growths.get(mount));
  const others = reason ? [] : await warningsOf(deployment.mount(uuid), kind, failing.length > 0);
  results.warnings.set(mount, [...failing, ...others]);
}
/**
 * Returns the routes of all mounts. Does not initialize the deployment, because the caller may be
 * anonymous.
 */
async function routesOf(deployment: Deployment): Promise<Routes> {
  await refuseNewer(deployment.sys.store, sysSteps);
  return deployment.storedRoutes();
}
function recordResult({ reasons }: ProbeResults, mount: string, reason: string | undefined): void {
  if (reason === undefined) reasons.delete(mount);
  else reasons.set(mount, reason);
}

const unread = "storage cannot be read";
const whyUnread = (error: unknown): string =>
  error instanceof NewerFormatError ? error.message : unread;
const unwritten = "storage cannot be written to: nothing can be issued, revoked or configured";
const empty = "storage is empty: restore it from a backup, or delete the mount";
const removed = "deletion of the mount was not completed: delete it again";
const halfway =
  "restore of the mount was not completed: send the remaining parts, or delete the mount";
const foreign = "the sealing key cannot decrypt the keys of this mount";

/** Resolves to the fault that a probe finds, or to a message if the probe fails or times out. */
const boundedFault = (fault: Promise<string | undefined>): Promise<string | undefined> =>
  withTimeout(fault, probeTimeout, () => "storage does not respond").catch(whyUnread);
/**
 * Returns the reason why a mount cannot work, or undefined if it can. Passes the mount's growth to
 * `noteGrowth`.
 */
async function inspect(
  { store, ports, name, unwrittenAt }: StoreContext,
  secret: MountType["secret"] | undefined,
  noteGrowth: (growth: GrowthRow | undefined) => void,
): Promise<string | undefined> {
  const [mount, epoch, format, growth, sealed] = await store.get([
    mountKey,
    "epoch",
    formatKey,
    partitionKeys.growth,
    ...(secret ? [secret.key] : []),
  ]);
  noteGrowth(growth && storedGrowth(growth.value));
  formatOf(format, mountSteps);
  // a deleted mount leaves its epoch in the store
  if (!mount) return epoch ? removed : empty;
  if (
    secret &&
    sealed?.value instanceof Uint8Array &&
    !(await opens(ports.vault.unseal(sealed.value, secret.binding(name))))
  )
    return foreign;
  if (unwrittenAt !== undefined && ports.now() - unwrittenAt < remembered) return unwritten;
  const lost = await partitionFault(store);
  if (lost !== undefined) return lost;
  // tries a commit that changes nothing, which a read-only store rejects
  return store.commit({ expect: [[mountKey, mount.rev]], del: [neverWritten] }).then(
    () => undefined,
    () => unwritten,
  );
}
/**
 * Returns why a partition of a mount is unavailable, or undefined if all partitions are available.
 */
async function partitionFault({ partitions = [] }: Store): Promise<string | undefined> {
  const states = await Promise.all(
    partitions.slice(1).map((partition) => partitionState(partition, probeTimeout)),
  );
  const at = states.findIndex((state) => state !== "ready");
  if (at < 0) return undefined;
  return states[at] === "empty"
    ? `storage of partition ${at + 1} is empty: restore the mount from a backup, or delete it`
    : `storage of partition ${at + 1} cannot be read: its certificates are unavailable, and nothing can be configured`;
}
/**
 * Returns the warnings of a mount, or none if it cannot be read in time. `isGrowthFailing` is true
 * if another warning already reports the failing growth.
 */
async function warningsOf(
  mount: Mount,
  type: MountType | undefined,
  isGrowthFailing: boolean,
): Promise<readonly string[]> {
  const reported = isGrowthFailing ? [growthKind] : [];
  const all = [
    type?.warnings?.(mount) ?? Promise.resolve([]),
    jobWarnings(mount.storeContext, reported),
  ];
  return (await Promise.all(all.map(inTime))).flat();
}
/** Returns a warning with the last error if the growth of a mount keeps failing. */
function growthWarnings(mount: string, growth: GrowthRow | undefined): readonly string[] {
  if (!growth) return [];
  const { to, failures = 0, error = "" } = growth;
  return failures < stuckAfter
    ? []
    : [`The growth of the mount ${mount} to ${to} partitions keeps failing: ${error}`];
}
const inTime = (warnings: Promise<readonly string[]>): Promise<readonly string[]> =>
  withTimeout(warnings, probeTimeout, () => []).catch(() => []);

/** Adds a warning if the server's last daily backup failed. */
async function noteBackup({ ports }: Deployment, { warnings }: ProbeResults): Promise<void> {
  const backup = await (ports.server?.backup?.() ?? Promise.resolve(undefined)).catch(
    () => undefined,
  );
  warnings.set("backup", backup?.failed ? ["The last daily backup failed; the log says why."] : []);
}

/** Adds the warnings about jobs of stores that belong to no mount. */
async function noteJobs(deployment: Deployment, { warnings }: ProbeResults): Promise<void> {
  const { sys, secretOwners } = deployment;
  // does not open unused stores
  const used = await sys.store
    .get(secretOwners.map(({ store }) => sysKeys.used(store)))
    .catch(() => []);
  const others = secretOwners.filter((_, at) => used[at]);
  const all = [
    ["sys/", sys] as const,
    ...others.map((one) => [one.path, deployment.storeContext(one.store)] as const),
  ];
  await Promise.all(
    all.map(async ([path, of]) => warnings.set(path, await inTime(jobWarnings(of)))),
  );
}

/** Time for which a job may be overdue before it counts as late, in ms. */
const maxOverdue = 900_000;
/**
 * Returns warnings about jobs that keep failing or are late. `reported` lists job kinds that have
 * their own warning.
 */
async function jobWarnings(
  { store, ports }: StoreContext,
  reported: readonly string[] = [],
): Promise<readonly string[]> {
  const now = ports.now();
  const { stuck, oldest } = await jobState(store, now);
  // the audit sink has its own warning, with the cause
  if ([...stuck].some((kind) => kind !== sinkJobKind && !reported.includes(kind)))
    return ["A background job keeps failing; the log says why."];
  return oldest !== undefined && now - oldest > maxOverdue
    ? ["A background job is more than 15 minutes late."]
    : [];
}
const neverWritten = "health";
const opens = (secret: Promise<unknown>): Promise<boolean> =>
  secret.then(
    () => true,
    () => false,
  );
