/** A set kept in order: additions wait until the next look, so that many of them cost one sort. */
export interface Sorted<T> {
  add(item: T): void;
  remove(item: T): void;
  /** The items in order. Valid until the next change. */
  items(): readonly T[];
  /** Position of the first item that is not before `item`. */
  find(item: T): number;
  clear(): void;
}

/** Up to so many additions are cheaper put in place one by one than by sorting everything. */
const few = 64;

/** A sorted set under `compare`; equal items are one item, and the caller never adds one twice. */
export function sorted<T>(compare: (a: T, b: T) => number): Sorted<T> {
  const placed: T[] = [];
  let waiting: T[] = [];
  const find = (item: T): number => {
    let low = 0;
    let high = placed.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(placed[middle] as T, item) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const settle = (): void => {
    if (waiting.length === 0) return;
    if (waiting.length > few) {
      for (const item of waiting) placed.push(item);
      placed.sort(compare);
    } else {
      for (const item of waiting) placed.splice(find(item), 0, item);
    }
    waiting = [];
  };
  return {
    add: (item) => void waiting.push(item),
    remove(item) {
      settle();
      const at = find(item);
      if (at < placed.length && compare(placed[at] as T, item) === 0) placed.splice(at, 1);
    },
    items() {
      settle();
      return placed;
    },
    find(item) {
      settle();
      return find(item);
    },
    clear() {
      placed.length = 0;
      waiting = [];
    },
  };
}
