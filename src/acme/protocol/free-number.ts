import type { Mount } from "../../engine/mount.ts";

/**
 * Returns a random number below `max` that is not among the ends of some keys below a prefix, so
 * that concurrent batches that each put the key of one rarely conflict and never exceed `max`.
 * There must be fewer than `max` keys.
 */
export function freeNumber(
  { ports }: Pick<Mount, "ports">,
  prefix: string,
  { keys, max }: { readonly keys: readonly string[]; readonly max: number },
): number {
  const usedKeys = new Set(keys);
  // after `max` was lowered, keys from it on count too: each reserves a free number below
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
