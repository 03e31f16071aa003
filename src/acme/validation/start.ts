import { acmeSettings } from "../../engine/acme-settings.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Ports } from "../../engine/ports.ts";
import { keys } from "../../engine/records.ts";
import { acmeValidation } from "../rows/records.ts";
import { attempt } from "./attempt.ts";
import { validationJobRow } from "./authz-put.ts";
import { dueRows, type DueRow } from "./due-rows.ts";
import { poolOf, validationLimits, type Pool } from "./pool.ts";

/** The pool of a mount, and the look that is planned for the case that it is lost. */
interface Held {
  readonly pool: Pool;
  /** Unix milliseconds. */
  watched: number;
  /** Whether a request has had it look, and it does. */
  looks: boolean;
}
/** Keyed by store name: store contexts may be dropped and recreated, pools must not be. */
const held = new WeakMap<Ports, Map<string, Held>>();

/** Milliseconds that one attempt may take (B 5.10). */
const maxAttemptDuration = 60_000;
/**
 * Milliseconds that a host has for its decision. Nothing is connected to meanwhile, so that many
 * may wait for one and none needs to make room.
 */
const maxDecisionDuration = 600_000;
const decisionLimits = { total: 1000, account: 100, slow: 1000, patience: maxDecisionDuration };

function heldOf(ca: Mount): Held {
  const ofPorts = held.get(ca.ports) ?? new Map<string, Held>();
  held.set(ca.ports, ofPorts);
  const one = ofPorts.get(ca.name) ?? { pool: validationPool(ca.self), watched: 0, looks: false };
  ofPorts.set(ca.name, one);
  return one;
}

function validationPool(ca: Mount): Pool {
  const { ports } = ca;
  const isDecided = !ports.dial && ports.challenger !== undefined;
  return poolOf<DueRow>(
    {
      maxDuration: isDecided ? maxDecisionDuration : maxAttemptDuration,
      due: (known, max, account) => dueRows(ca.store, { now: ports.now(), known, max, account }),
      work: (due, signal) => attempt(ca, due, signal),
      failed: (cause) =>
        ports.log?.({ endpoint: `job ${acmeValidation}`, status: 500, ms: 0, cause }),
    },
    isDecided ? decisionLimits : validationLimits(acmeSettings(ca.storeContext).connections),
  );
}

/** Milliseconds between two looks for what was under way in an engine that has ended. */
const watch = 20_000;

/** Starts what is due of a mount, and resolves while it is under way. */
export async function startDue(ca: Mount): Promise<void> {
  const one = heldOf(ca);
  await one.pool.look();
  if (!one.pool.isBusy) return;
  const now = ca.ports.now();
  // a clock that went back says nothing
  if (one.watched > now && one.watched <= now + 2 * watch) return;
  const due = (Math.floor(now / watch) + 2) * watch;
  const { mountRev } = await ca.config();
  const done = await ca.storeContext.commit({
    expect: [[keys.mount, mountRev]],
    put: [validationJobRow(due, now)],
  });
  if (done) one.watched = due;
}

/**
 * Starts what is due of a mount, unless all that has these ids is under way. One look at a time,
 * however many requests ask for one: what it misses the next request has found.
 */
export async function startMissed(ca: Mount, ids: readonly string[]): Promise<void> {
  const one = heldOf(ca);
  if (one.looks || ids.every((id) => one.pool.knows(id))) return;
  one.looks = true;
  try {
    await startDue(ca);
  } finally {
    one.looks = false;
  }
}
