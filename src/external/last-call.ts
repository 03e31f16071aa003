import { externalPolicyConfig, type ExternalPolicyConfig } from "./rows/records.ts";
import { kindOf } from "../engine/store-context.ts";
import type { Mount } from "../engine/mount.ts";
import type { Ports } from "../engine/ports.ts";
import { belowSys, sysKeys, type NoticeRow } from "../engine/sys-records.ts";

/** The outcomes of a mount's policy calls in this process. */
interface Calls {
  /** Time of the configuration's last change. A change resets the outcomes. */
  readonly updated: number;
  /** Time of the last valid response (Unix ms), or 0 if there was none. */
  readonly succeeded: number;
  /** Whether the last response was valid. */
  readonly valid: boolean;
  /** Time of the last failure (Unix ms, or 0 if there was none), and its reason. */
  readonly failed: number;
  readonly failure: string;
}
const callsOf = new WeakMap<Ports, Map<string, Calls>>();
/** Maximum number of mounts whose outcomes are remembered. */
const maxMounts = 1000;

/**
 * Returns the outcomes of a mount's policy calls under the given configuration, if there were any.
 * `mount` is the UUID of the mount.
 */
export function lastCall(
  ports: Ports,
  mount: string,
  { updated }: Pick<ExternalPolicyConfig, "updated">,
): Calls | undefined {
  const calls = callsOf.get(ports)?.get(mount);
  return calls?.updated === updated ? calls : undefined;
}

interface CallResult {
  /** Time of the last change to the configuration that the call used. */
  readonly updated: number;
  /** The reason why there was no valid response. Absent if there was one. */
  readonly failure?: string;
}
/**
 * Records the outcome of a call. After a failure, `sys/health` of every isolate warns until a call
 * succeeds. `warns` is the result of {@link isFailureReported}, that is, whether `sys/health`
 * already warns. If the outcome cannot be recorded, the request still succeeds.
 */
export async function noteCall(
  { self: mount }: Mount,
  ended: CallResult,
  { warns }: Noticed,
): Promise<void> {
  remember(mount.ports, mount.name, ended);
  const failed = ended.failure !== undefined;
  if (warns === failed) return;
  try {
    if (!failed || (await isInForce(mount, ended))) await recordOutcome(mount, failed);
  } catch {
    // the next call will record its outcome
  }
}
function remember(ports: Ports, mount: string, { updated, failure }: CallResult): void {
  const all = callsOf.get(ports) ?? new Map<string, Calls>();
  callsOf.set(ports, all);
  const before = all.get(mount);
  // ignore the outcome of a call with an older configuration
  if (before && before.updated > updated) return;
  if (!before && all.size >= maxMounts) all.clear();
  const counts = before?.updated === updated ? before : { succeeded: 0, failed: 0, failure: "" };
  all.set(
    mount,
    failure === undefined
      ? { ...counts, updated, valid: true, succeeded: ports.now() }
      : { ...counts, updated, valid: false, failed: ports.now(), failure },
  );
}

interface Noticed {
  readonly warns: boolean;
}
const notices = kindOf<Noticed>(maxMounts, [belowSys.notices]);
const noticeOf = (mount: string): string => sysKeys.notice(mount, "external-policy", "call");
/**
 * Reports whether `sys/health` warns about a mount's policy service. The result may be up to a
 * second old.
 */
export const isFailureReported = ({ self: { sys, name } }: Mount): Promise<Noticed> | Noticed =>
  sys.cache.recent(notices, name, async () => ({
    warns: (await sys.store.get([noticeOf(name)]))[0] !== undefined,
  }));
/** Reports whether the configuration of the call is still current. */
const isInForce = (mount: Mount, { updated }: CallResult): Promise<boolean> =>
  mount.decide((config) => ({ reply: config.get(externalPolicyConfig).updated === updated }));
async function recordOutcome({ sys, name }: Mount, failed: boolean): Promise<void> {
  const key = noticeOf(name);
  // sys/health needs no token: disclose neither the mount nor the reason
  const notice: NoticeRow = {
    text: "the last request to an external policy service failed; config/external-policy/check of its mount reports the reason",
  };
  await sys.commit(failed ? { put: [[key, notice]] } : { del: [key] });
}

/** Discards the outcomes of a mount's policy calls after the policy configuration was written. */
export async function forgetCalls({ self: mount }: Mount): Promise<void> {
  callsOf.get(mount.ports)?.delete(mount.name);
  try {
    const [row] = await mount.sys.store.get([noticeOf(mount.name)]);
    if (row) await recordOutcome(mount, false);
  } catch {
    // the configuration is written; the next valid response clears the warning
  }
}
