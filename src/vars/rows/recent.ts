import type { Unit } from "../../engine/unit.ts";
import { freshFor } from "../../engine/unit.ts";

/** Most entries of one cache; a full one begins anew. */
const most = 5000;
interface Held {
  readonly at: number;
  readonly value: unknown;
}

/**
 * A value that may be up to a second old. What cannot be found is asked again each time, so that
 * whatever is made is there at once. `Unit.forget` drops it.
 */
export async function recent<T>(
  ca: Unit,
  kind: string,
  id: string,
  load: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const now = ca.ports.now();
  const cache = cacheOf(ca, kind);
  const held = cache.get(id);
  // one kind belongs to one place in the code, with one type
  if (held && now - held.at < freshFor && now >= held.at) return held.value as T;
  // the value is kept, never the promise: on Workers one that another request waits for may never
  // settle. A cache that was forgotten meanwhile is written in vain.
  const value = await load();
  if (value === undefined) return undefined;
  dropOld(ca, kind, cache, now);
  if (cache.size >= most) cache.clear();
  cache.set(id, { at: now, value });
  return value;
}
/**
 * Drops what is too old to be used, at most once a second: tokens and long lists of sizes do not
 * stay for longer.
 */
function dropOld(ca: Unit, kind: string, cache: Map<string, Held>, now: number): void {
  const key = `vars/swept/${kind}`;
  const swept = ca.memory.get(key);
  if (typeof swept === "number" && now - swept < freshFor && now >= swept) return;
  ca.memory.set(key, now);
  for (const [id, { at }] of cache) if (now - at >= freshFor || now < at) cache.delete(id);
}
function cacheOf(ca: Unit, kind: string): Map<string, Held> {
  const key = `vars/${kind}`;
  // only this function writes below "vars/"
  const known = ca.memory.get(key) as Map<string, Held> | undefined;
  if (known) return known;
  const cache = new Map<string, Held>();
  ca.memory.set(key, cache);
  return cache;
}
