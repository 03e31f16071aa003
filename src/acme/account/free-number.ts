import type { Mount } from "../../engine/mount.ts";

/**
 * Returns a random number below `max` that is not among the ends of some keys below a prefix, so
 * that concurrent batches that each put the key of one rarely conflict and never exceed `max`.
 * Some number must be free.
 */
export function freeNumber(
  { ports }: Pick<Mount, "ports">,
  prefix: string,
  { keys, max }: { readonly keys: readonly string[]; readonly max: number },
): number {
  const taken = new Set(keys);
  let number = new DataView(ports.random(4).slice().buffer).getUint32(0) % max;
  while (taken.has(prefix + number)) number = (number + 1) % max;
  return number;
}
