import type { ExternalPolicyConfig } from "../engine/external-records.ts";
import type { Ports } from "../engine/ports.ts";

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
const mostMounts = 1000;

/** What is known of the calls of a mount, by its uuid, under one configuration. */
export function lastCall(
  ports: Ports,
  mount: string,
  { updated }: Pick<ExternalPolicyConfig, "updated">,
): Calls | undefined {
  const calls = callsOf.get(ports)?.get(mount);
  return calls?.updated === updated ? calls : undefined;
}

/** Remembers how a call ended; `failure`: why there was no valid answer. */
export function noteCall(
  ports: Ports,
  mount: string,
  { updated, failure }: { readonly updated: number; readonly failure?: string },
): void {
  const all = callsOf.get(ports) ?? new Map<string, Calls>();
  callsOf.set(ports, all);
  const before = all.get(mount);
  if (!before && all.size >= mostMounts) all.clear();
  const kept = before?.updated === updated ? before : { succeeded: 0, failed: 0, failure: "" };
  all.set(
    mount,
    failure === undefined
      ? { ...kept, updated, valid: true, succeeded: ports.now() }
      : { ...kept, updated, valid: false, failed: ports.now(), failure },
  );
}

/** What `sys/health` warns of: that the last call of the service of a mount has failed. */
export function policyWarnings(ports: Ports, mount: string): readonly string[] {
  return callsOf.get(ports)?.get(mount)?.valid === false
    ? [
        "an external policy service failed when it was last asked; config/external-policy/check of its mount tells why",
      ]
    : [];
}

/** Forgets what came of the calls of a mount: its configuration was written. */
export function forgetCalls(ports: Ports, mount: string): void {
  callsOf.get(ports)?.delete(mount);
}
