/**
 * Location of a row in a partitioned mount: the number of a partition, or `batch` for the partition
 * of the batch that writes the row.
 */
type Place = number | "batch";

/**
 * The assignment of a partitioned mount's rows to its partitions. Partition 0 is the mount's own
 * store.
 */
export interface Placement {
  /** Number of partitions. */
  readonly count: number;
  /** Returns the location of the row with the given key. */
  placeOf(key: string): Place;
  /** Returns the partitions that may have keys with the given prefix, in ascending order. */
  partitionsBelow(prefix: string): readonly number[];
}

/** The placement of a store's rows, which is absent if the mount has one partition. */
interface PlacedStore {
  readonly placement?: Placement | undefined;
}

/** Maximum number of partitions. */
export const maxPartitions = 64;

/**
 * Distribution of the rows with a prefix. Rows without the required slot or digit are in the
 * mount's own store.
 * - `spread`: by a hash of the rest of the key;
 * - `slot`: by the slot in the key;
 * - `id`: by the slot of the ID with which the rest of the key begins;
 * - `digit`: by one base64url digit of the rest of the key;
 * - `batch`: in the partition of the batch that writes the row.
 */
export type Rule = "spread" | "slot" | "id" | { readonly digit: number } | "batch";
/**
 * The rows that are not in the mount's own store, by key prefix. A rule with `only` applies only to
 * keys that contain this string. No prefix begins with another prefix.
 */
export type PlacementRules = readonly (readonly [prefix: string, rule: Rule, only?: string])[];

/** Returns the key prefixes of the rows that are distributed over all partitions. */
export const spreadPrefixes = (rules: PlacementRules): readonly string[] =>
  rules.flatMap(([prefix, place]) => (place === "batch" ? [] : [prefix]));

/**
 * Returns the slot of a string, to be used in the key of a `slot` row. For every number of
 * partitions, this row is in the same partition as the `spread` row with the string.
 */
export const slotOf = (text: string): string => slotText(spreadOf(text));
/** Returns the part of a key for a slot, from 0 to 63. */
export const slotText = (slot: number): string => `~${String(slot).padStart(2, "0")}`;
/** Reports whether two rows are in the same partition. */
export const areTogether = ({ placement }: PlacedStore, key: string, other: string): boolean =>
  placement?.placeOf(key) === placement?.placeOf(other);

/** Reports whether the rows with a key prefix are in several partitions. */
export const isSpread = ({ placement }: PlacedStore, prefix: string): boolean =>
  (placement?.partitionsBelow(prefix).length ?? 1) > 1;

/** Reports whether a row is in the mount's own store. */
export const isAtHome = ({ placement }: PlacedStore, key: string): boolean =>
  (placement?.placeOf(key) ?? 0) === 0;

/**
 * Returns the preconditions whose rows are in the same partition as the row `key`. A batch that
 * writes this row cannot have the other preconditions.
 */
export function rowsBeside<T extends readonly [key: string, ...rest: readonly unknown[]]>(
  { placement }: PlacedStore,
  key: string,
  rows: readonly T[],
): readonly T[] {
  const place = placement?.placeOf(key);
  return rows.filter(([other]) => placement?.placeOf(other) === place);
}

/**
 * Returns a hexadecimal digit that, as the last digit of a key, places the key in a partition. Use
 * it only for keys whose last digit can be chosen freely. Returns undefined if there is no such
 * digit, as for three out of four keys with 64 partitions.
 */
export const digitIn = (
  { placeOf }: Placement,
  partition: Place,
  keyWith: (digit: string) => string,
): string | undefined =>
  [..."0123456789abcdef"].find((digit) => placeOf(keyWith(digit)) === partition);

/**
 * Returns a number from 0 to 63 that, modulo the number of partitions, is the partition of a row.
 * The number is a hash of the string without its last character, XORed with the last hexadecimal
 * digit. Therefore the last digit, which serial numbers reserve for this purpose (D 4), selects one
 * of 16 partitions. Because the numbers of partitions are powers of two, growth splits each
 * partition and never moves rows from one old partition to another.
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
