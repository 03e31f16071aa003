import type { Ports } from "../engine/ports.ts";

/** Time for which an unresponsive provider is not called again (ms). */
const spared = 10_000;
/** Limit of remembered providers. */
const maxProviders = 1000;

/** Ends of these times by key UUID (Unix ms). */
const unresponsive = new WeakMap<Ports, Map<string, number>>();

/**
 * Reports whether a provider timed out recently. Its signatures fail immediately then, so that
 * queued CRLs do not wait for it one after the other.
 */
export function isUnresponsive(ports: Ports, uuid: string): boolean {
  const left = (unresponsive.get(ports)?.get(uuid) ?? 0) - ports.now();
  // a clock set back must not extend the wait
  return left > 0 && left <= spared;
}

/** Remembers that a provider timed out, or that it responded. */
export function noteUnresponsive(ports: Ports, uuid: string, late: boolean): void {
  const all = unresponsive.get(ports) ?? new Map<string, number>();
  unresponsive.set(ports, all);
  all.delete(uuid);
  if (!late) return;
  all.set(uuid, ports.now() + spared);
  for (const oldest of all.keys()) {
    if (all.size <= maxProviders) break;
    all.delete(oldest);
  }
}
