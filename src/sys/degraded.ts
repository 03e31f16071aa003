import { mountKey } from "../engine/mount-records.ts";
import { withTimeout } from "../base/with-timeout.ts";
import { sysSteps } from "../engine/sys-format.ts";
import { mountSteps } from "../engine/snapshot.ts";
import { formatKey, formatOf, refuseNewer } from "../engine/format.ts";
import { NewerFormatError } from "../base/newer-format.ts";
import type { Deployment, MountType, Routes } from "../engine/deployment.ts";
import type { Store } from "../engine/ports.ts";
import { sysKeys, storedRoute } from "../engine/sys-records.ts";
import type { Mount } from "../engine/mount.ts";
import { kindOf, type StoreContext } from "../engine/store-context.ts";
import { sinkJobKind } from "./audit/sink-kind.ts";
import { jobState } from "./job-state.ts";
import { partitionState } from "./partition-state.ts";

/** A mount, or an API outside the mounts, that is unavailable, with the reason. */
interface Degraded {
  /**
   * Its path with a trailing slash; `sys/` for the system's own store. The path of an API begins
   * with a slash.
   */
  readonly mount: string;
  /** One sentence. */
  readonly reason: string;
}

/** Timeout of a probe of a store, ms. */
export const probeTimeout = 2000;
/**
 * Mounts probed per round, so that the cost does not depend on their number; the next round
 * continues with the others.
 */
const maxPerRound = 32;
const interval = 1000;
/**
 * Milliseconds for which a failed commit marks its store as degraded if no later commit was tried;
 * a full disk may have been freed by then.
 */
const remembered = 300_000;

/** The results of all probes so far. */
interface ProbeResults {
  /** Start of the last round (Unix ms). */
  at: number;
  /** Path of the last probed mount. */
  last: string;
  readonly reasons: Map<string, string>;
  /** Warnings of working mounts, by path. */
  readonly warnings: Map<string, readonly string[]>;
}
/** The current results. */
interface HealthReport {
  readonly degraded: readonly Degraded[];
  /** Warnings about working mounts, one sentence each. */
  readonly warnings: readonly string[];
}
const probeResults = kindOf<ProbeResults>();

/**
 * Returns the degraded mounts by path, and all warnings. Callers need no token, so probes run at
 * most once a second; concurrent calls get the latest results.
 */
export async function probeHealth(ca: Deployment): Promise<HealthReport> {
  const results = ca.sys.cache.lasting(probeResults, () => ({
    at: -Infinity,
    last: "",
    reasons: new Map(),
    warnings: new Map(),
  }));
  const now = ca.ports.now();
  if (now - results.at >= interval || now < results.at) {
    results.at = now;
    await probeRound(ca, results);
  }
  return {
    degraded: [...results.reasons]
      .map(([mount, reason]) => ({ mount, reason }))
      .sort((a, b) => (a.mount < b.mount ? -1 : 1)),
    warnings: [...new Set([...results.warnings.values()].flat())],
  };
}

async function probeRound(ca: Deployment, results: ProbeResults): Promise<void> {
  const routes = await withTimeout(routesOf(ca), probeTimeout, () => unread).catch(whyUnread);
  recordResult(results, "sys/", typeof routes === "string" ? routes : undefined);
  if (typeof routes === "string") return;
  const { secretOwners } = ca;
  const current = new Set([
    "sys/",
    ...secretOwners.map(({ path }) => path),
    ...[...routes.keys()].map((path) => `${path}/`),
  ]);
  for (const byMount of [results.reasons, results.warnings])
    for (const mount of byMount.keys()) if (!current.has(mount)) byMount.delete(mount);
  const paths = [...routes.keys()].sort();
  const next = paths.findIndex((path) => path > results.last);
  const probed = [...paths.slice(Math.max(next, 0)), ...paths.slice(0, Math.max(next, 0))].slice(
    0,
    maxPerRound,
  );
  results.last = probed.at(-1) ?? "";
  const ofMounts = probed.map(async (path) => {
    const { uuid, type, restoring } = routes.get(path) ?? storedRoute(undefined);
    const kind = ca.types.get(type);
    const reason = restoring
      ? halfway
      : await boundedFault(inspect(ca.storeContext(uuid), kind?.secret));
    recordResult(results, `${path}/`, reason);
    results.warnings.set(`${path}/`, reason ? [] : await warningsOf(ca.mount(uuid), kind));
  });
  await Promise.all([
    ...ofMounts,
    ...secretOwners.map(async (owner) =>
      recordResult(results, owner.path, await boundedFault(owner.fault(ca))),
    ),
    noteJobs(ca, results),
    noteBackup(ca, results),
  ]);
}
/** Returns the routes of mounts, without creating the installation for anonymous callers. */
async function routesOf(ca: Deployment): Promise<Routes> {
  await refuseNewer(ca.sys.store, sysSteps);
  return ca.storedRoutes();
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

/** Returns the fault of a mount, or that the probe failed or timed out. */
const boundedFault = (fault: Promise<string | undefined>): Promise<string | undefined> =>
  withTimeout(fault, probeTimeout, () => "storage does not respond").catch(whyUnread);
/** Returns why a mount cannot work; undefined if it can. */
async function inspect(
  { store, ports, name, unwrittenAt }: StoreContext,
  secret: MountType["secret"] | undefined,
): Promise<string | undefined> {
  const [mount, epoch, format, sealed] = await store.get([
    mountKey,
    "epoch",
    formatKey,
    ...(secret ? [secret.key] : []),
  ]);
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
  // a commit without changes, which a read-only store rejects
  return store.commit({ expect: [[mountKey, mount.rev]], del: [neverWritten] }).then(
    () => undefined,
    () => unwritten,
  );
}
/** Returns which partition of a mount cannot work; undefined if all can. */
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
/** Returns the warnings of a mount, if it can be read in time. */
async function warningsOf(mount: Mount, type: MountType | undefined): Promise<readonly string[]> {
  const all = [type?.warnings?.(mount) ?? Promise.resolve([]), jobWarnings(mount.storeContext)];
  return (await Promise.all(all.map(inTime))).flat();
}
const inTime = (warnings: Promise<readonly string[]>): Promise<readonly string[]> =>
  withTimeout(warnings, probeTimeout, () => []).catch(() => []);

/** Adds a warning if the last daily backup of the server failed. */
async function noteBackup({ ports }: Deployment, { warnings }: ProbeResults): Promise<void> {
  const backup = await (ports.server?.backup?.() ?? Promise.resolve(undefined)).catch(
    () => undefined,
  );
  warnings.set("backup", backup?.failed ? ["The last daily backup failed; the log says why."] : []);
}

/** Adds the warnings about jobs of stores that belong to no mount. */
async function noteJobs(ca: Deployment, { warnings }: ProbeResults): Promise<void> {
  const { sys, secretOwners } = ca;
  // unused stores are not opened
  const used = await sys.store
    .get(secretOwners.map(({ store }) => sysKeys.used(store)))
    .catch(() => []);
  const others = secretOwners.filter((_, at) => used[at]);
  const all = [
    ["sys/", sys] as const,
    ...others.map((one) => [one.path, ca.storeContext(one.store)] as const),
  ];
  await Promise.all(
    all.map(async ([path, of]) => warnings.set(path, await inTime(jobWarnings(of)))),
  );
}

/** Time after which a due job counts as stuck, milliseconds. */
const maxOverdue = 900_000;
/** Returns warnings about jobs that keep failing, or that are never run. */
async function jobWarnings({ store, ports }: StoreContext): Promise<readonly string[]> {
  const now = ports.now();
  const { stuck, oldest } = await jobState(store, now);
  // the audit sink has its own warning, with the cause
  if ([...stuck].some((kind) => kind !== sinkJobKind))
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
