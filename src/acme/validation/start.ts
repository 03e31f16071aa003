import { challengerOf } from "./host-decision.ts";
import { acmeSettings } from "../rows/deployment-settings.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Ports } from "../../engine/ports.ts";
import { acmeValidation } from "../rows/prefixes.ts";
import { attempt } from "./attempt.ts";
import { validationJobRow } from "./authz-put.ts";
import { dueRows, type DueRow } from "./due-rows.ts";
import { poolOf, validationLimits, type Pool } from "./pool.ts";

/** The pool of a mount, and the job that takes over its work if the process ends. */
interface MountPool {
  readonly pool: Pool;
  /** Due time of the watch job, Unix milliseconds. */
  watched: number;
  /** True while a query on behalf of a request is running. */
  isQuerying: boolean;
}
/**
 * Pools by store name. They are kept apart from store contexts, which may be dropped and recreated.
 */
const poolsByStore = new WeakMap<Ports, Map<string, MountPool>>();

/** Maximum duration of an attempt in ms (B 5.10). */
const maxAttemptDuration = 60_000;
/**
 * Maximum duration of a host's decision in ms. No connection is open during a decision, so many may
 * wait, and none is preempted.
 */
const maxDecisionDuration = 600_000;
const decisionLimits = { total: 1000, account: 100, slow: 1000, minSlotTime: maxDecisionDuration };

function mountPoolOf(mount: Mount): MountPool {
  const ofPorts = poolsByStore.get(mount.ports) ?? new Map<string, MountPool>();
  poolsByStore.set(mount.ports, ofPorts);
  const one = ofPorts.get(mount.name) ?? {
    pool: validationPool(mount.self),
    watched: 0,
    isQuerying: false,
  };
  ofPorts.set(mount.name, one);
  return one;
}

function validationPool(mount: Mount): Pool {
  const { ports } = mount;
  const isDecided = challengerOf(mount.storeContext) !== undefined;
  return poolOf<DueRow>(
    {
      maxDuration: isDecided ? maxDecisionDuration : maxAttemptDuration,
      due: (isQueued, max, account) =>
        dueRows(mount.store, { now: ports.now(), isQueued, max, account }),
      work: (due, signal) => attempt(mount, due, signal),
      failed: (cause) =>
        ports.log?.({ endpoint: `job ${acmeValidation}`, status: 500, ms: 0, cause }),
    },
    isDecided ? decisionLimits : validationLimits(acmeSettings(mount.storeContext).connections),
  );
}

/** Interval (ms) at which to check for work left behind by a process that has ended. */
const watch = 20_000;

/** Starts due validations of a mount. Resolves when all of them run or wait for a slot. */
export async function startDue(mount: Mount): Promise<void> {
  const one = mountPoolOf(mount);
  await one.pool.startDue();
  if (!one.pool.isBusy) return;
  const now = mount.ports.now();
  // a `watched` further ahead was set before the clock was set back, and cannot be trusted
  if (one.watched > now && one.watched <= now + 2 * watch) return;
  const due = (Math.floor(now / watch) + 2) * watch;
  const row = validationJobRow(due, now);
  // repeated if the configuration changes meanwhile; no row is stored for a deleted mount
  await mount.self.decide(() => ({ reply: undefined, batch: { put: [row] } }));
  one.watched = due;
}

/**
 * Starts due validations of a mount, unless all validations with the given IDs already run or wait.
 * Runs one query at a time; the next request finds the validations that the query misses.
 */
export async function startMissed(mount: Mount, ids: readonly string[]): Promise<void> {
  const one = mountPoolOf(mount);
  if (one.isQuerying || ids.every((id) => one.pool.isQueued(id))) return;
  one.isQuerying = true;
  try {
    await startDue(mount);
  } finally {
    one.isQuerying = false;
  }
}
