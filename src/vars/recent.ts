import type { Engine } from "../engine.ts";
import { freshFor } from "../engine.ts";

/** Most entries of one cache; a full one begins anew. */
const most = 5000;
interface Held {
  readonly at: number;
  readonly value: Promise<unknown>;
}

/** A value that may be up to a second old. What cannot be found is asked again each time, so that whatever is made is there at once. `Engine.forget` drops it. */
export async function recent<T>(ca: Engine, kind: string, id: string, load: () => Promise<T | undefined>): Promise<T | undefined> {
  const now = ca.ports.now();
  const cache = cacheOf(ca, kind);
  const held = cache.get(id);
  // one kind belongs to one place in the code, with one type
  if (held && now - held.at < freshFor && now >= held.at) return held.value as Promise<T | undefined>;
  if (cache.size >= most) cache.clear();
  const value = load();
  const entry: Held = { at: now, value };
  cache.set(id, entry);
  const drop = () => cache.get(id) === entry && cache.delete(id);
  try {
    const loaded = await value;
    if (loaded === undefined) drop();
    return loaded;
  } catch (error) {
    drop();
    throw error;
  }
}
function cacheOf(ca: Engine, kind: string): Map<string, Held> {
  const key = `vars/${kind}`;
  // only this function writes below "vars/"
  const known = ca.memory.get(key) as Map<string, Held> | undefined;
  if (known) return known;
  const cache = new Map<string, Held>();
  ca.memory.set(key, cache);
  return cache;
}
