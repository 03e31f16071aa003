import type { Mount } from "../../engine/mount.ts";

/**
 * Returns a random number below `max` with which no key under a prefix ends. Concurrent batches
 * that each put a key with such a number rarely conflict, and never store more than `max` keys in
 * total. There must be fewer than `max` keys.
 */
export function freeNumber(
  { ports }: Pick<Mount, "ports">,
  prefix: string,
  { keys, max }: { readonly keys: readonly string[]; readonly max: number },
): number {
  const usedKeys = new Set(keys);
  // after `max` was lowered, keys with higher numbers count too, so each reserves a free number
  // below `max`
  let above = keys.filter((key) => Number(key.slice(prefix.length)) >= max).length;
  let end = max;
  while (end + above > max) {
    end -= 1;
    if (usedKeys.has(prefix + end)) above += 1;
  }
  let number = new DataView(ports.random(4).slice().buffer).getUint32(0) % end;
  while (usedKeys.has(prefix + number)) number = (number + 1) % end;
  return number;
}
