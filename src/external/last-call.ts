import type { ExternalPolicyConfig } from "../engine/external-records.ts";
import { kindOf } from "../engine/cache.ts";
import type { Mount } from "../engine/mount.ts";
import type { Ports } from "../engine/ports.ts";
import { belowSys, sysKeys, type NoticeRow } from "../engine/sys-records.ts";

/** What came of the calls of one mount's policy service, in this process. */
interface Calls {
  /** Of which configuration: another one begins anew. */
  readonly updated: number;
  /** When the last valid answer came, Unix milliseconds; 0: never. */
  readonly succeeded: number;
  /** Whether the last answer was a valid one. */
  readonly valid: boolean;
  /** When there was no valid answer last, Unix milliseconds, and why; 0: never. */
  readonly failed: number;
  readonly failure: string;
}
const callsOf = new WeakMap<Ports, Map<string, Calls>>();
/** Mounts that are remembered. */
const maxMounts = 1000;

/** What is known of the calls of a mount, by its uuid, under one configuration. */
export function lastCall(
  ports: Ports,
  mount: string,
  { updated }: Pick<ExternalPolicyConfig, "updated">,
): Calls | undefined {
  const calls = callsOf.get(ports)?.get(mount);
  return calls?.updated === updated ? calls : undefined;
}

interface Ended {
  /** Of the configuration that was asked by. */
  readonly updated: number;
  /** Why there was no valid answer; absent where there was one. */
  readonly failure?: string;
}
/**
 * Remembers how a call ended, and has `sys/health` of every isolate warn of a failure until there
 * is an answer. `told`: whether it warns, as {@link isFailureReported} says. What cannot be told
 * takes no answer away.
 */
export async function noteCall(
  { self: ca }: Mount,
  ended: Ended,
  { told }: Noticed,
): Promise<void> {
  remember(ca.ports, ca.name, ended);
  const failed = ended.failure !== undefined;
  if (told === failed) return;
  try {
    if (!failed || (await isInForce(ca, ended))) await tell(ca, failed);
  } catch {
    // the next call tells it
  }
}
function remember(ports: Ports, mount: string, { updated, failure }: Ended): void {
  const all = callsOf.get(ports) ?? new Map<string, Calls>();
  callsOf.set(ports, all);
  const before = all.get(mount);
  // what was configured meanwhile has calls of its own
  if (before && before.updated > updated) return;
  if (!before && all.size >= maxMounts) all.clear();
  const kept = before?.updated === updated ? before : { succeeded: 0, failed: 0, failure: "" };
  all.set(
    mount,
    failure === undefined
      ? { ...kept, updated, valid: true, succeeded: ports.now() }
      : { ...kept, updated, valid: false, failed: ports.now(), failure },
  );
}

interface Noticed {
  readonly told: boolean;
}
const notices = kindOf<Noticed>(maxMounts, [belowSys.notices]);
const noticeOf = (mount: string): string => sysKeys.notice(mount, "external-policy", "call");
/** Whether `sys/health` warns of a mount's service, as known at most a second ago. */
export const isFailureReported = ({ self: { sys, name } }: Mount): Promise<Noticed> =>
  sys.cache.recent(notices, name, async () => ({
    told: (await sys.store.get([noticeOf(name)]))[0] !== undefined,
  }));
/** Whether what was asked by is the configuration still. */
const isInForce = (ca: Mount, { updated }: Ended): Promise<boolean> =>
  ca.decide(({ externalPolicy }) => ({ reply: externalPolicy.updated === updated }));
async function tell({ sys, name }: Mount, failed: boolean): Promise<void> {
  const key = noticeOf(name);
  // whoever asks sys/health needs no token: neither the mount nor why
  const notice: NoticeRow = {
    text: "an external policy service failed when it was last asked; config/external-policy/check of its mount tells why",
  };
  await sys.commit(failed ? { put: [[key, notice]] } : { del: [key] });
}

/** Forgets what came of the calls of a mount: its configuration was written. */
export async function forgetCalls({ self: ca }: Mount): Promise<void> {
  callsOf.get(ca.ports)?.delete(ca.name);
  try {
    const [row] = await ca.sys.store.get([noticeOf(ca.name)]);
    if (row) await tell(ca, false);
  } catch {
    // what was written is written; the next answer takes the warning back
  }
}
