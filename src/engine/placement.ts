/**
 * Where a row of a partitioned mount is: in the partition of this number, or in the partition of
 * the batch that writes it.
 */
type Place = number | "batch";

/** Where the rows of a partitioned mount are. Partition 0 is the mount's own store. */
export interface Placement {
  /** Number of partitions. */
  readonly count: number;
  /** Returns where the row with a key is. */
  placeOf(key: string): Place;
  /** Returns the partitions in which keys may begin with a prefix, in ascending order. */
  partitionsBelow(prefix: string): readonly number[];
}

/** Maximum number of partitions. */
export const maxPartitions = 64;

/**
 * Rows that are not in the mount's own store, by the prefix of their keys: they are spread by the
 * rest of the key, or are in the partition of the batch that writes them. With `only`, a rule is
 * limited to keys that contain this text. No prefix begins with another one.
 */
export type PlacementRules = readonly (readonly [
  prefix: string,
  place: "spread" | "batch",
  only?: string,
])[];

/**
 * Returns where the rows of a mount are. `count`: 1, 4, 16 or 64. Rows without a rule exist once
 * per mount, and are in its own store.
 */
export function placementOf(rules: PlacementRules, count: number): Placement {
  const all = Array.from({ length: count }, (_, partition) => partition);
  return {
    count,
    placeOf(key) {
      const rule = rules.find(
        ([prefix, , only = ""]) => key.startsWith(prefix) && key.includes(only),
      );
      if (!rule) return 0;
      const [prefix, place] = rule;
      return place === "batch" ? place : spreadOf(key.slice(prefix.length)) % count;
    },
    partitionsBelow: (prefix) =>
      rules.some(([rule]) => rule.startsWith(prefix) || prefix.startsWith(rule)) ? all : [0],
  };
}

/**
 * Returns the last hexadecimal digit of a key in a partition, for keys whose last digit is free;
 * undefined if none leads there, as for three of four keys of 64 partitions.
 */
export const digitIn = (
  { placeOf }: Placement,
  partition: Place,
  keyWith: (digit: string) => string,
): string | undefined =>
  [..."0123456789abcdef"].find((digit) => placeOf(keyWith(digit)) === partition);

/**
 * Returns a number from 0 to 63, whose remainder is the partition of a row. It is a hash of the
 * text up to the last character, combined with the last hexadecimal digit. Choosing the
 * last digit selects one of 16 partitions: that of a serial number is reserved for this (D 4). A
 * power of two as the number of partitions divides each partition when it grows.
 */
export function spreadOf(text: string): number {
  // FNV-1a, 32 bits
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length - 1; at++)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  const mixed = hash ^ (hash >>> 15) ^ (hash >>> 7);
  const digit = Number.parseInt(text.slice(-1), 16);
  return (mixed ^ (Number.isNaN(digit) ? 0 : digit)) & (maxPartitions - 1);
}
