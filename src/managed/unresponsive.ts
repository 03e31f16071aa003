import type { Ports } from "../engine/ports.ts";

/** Milliseconds for which a keeper that gave no answer in time is not asked again. */
const spared = 10_000;
/** Keepers that are remembered. */
const maxProviders = 1000;

/** Until when keepers are not asked again, by the uuid of their key, Unix milliseconds. */
const silent = new WeakMap<Ports, Map<string, number>>();

/**
 * Whether a keeper was silent a moment ago: whoever needs its signature is refused at once, so that
 * lists that wait one behind the other are not held up by it one after the other.
 */
export function isUnresponsive(ports: Ports, uuid: string): boolean {
  const left = (silent.get(ports)?.get(uuid) ?? 0) - ports.now();
  // a clock that went back makes nobody wait for longer
  return left > 0 && left <= spared;
}

/** Remembers that a keeper gave no answer in time, or that it did. */
export function noteUnresponsive(ports: Ports, uuid: string, late: boolean): void {
  const all = silent.get(ports) ?? new Map<string, number>();
  silent.set(ports, all);
  all.delete(uuid);
  if (!late) return;
  all.set(uuid, ports.now() + spared);
  for (const oldest of all.keys()) {
    if (all.size <= maxProviders) break;
    all.delete(oldest);
  }
}
