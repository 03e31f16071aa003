/** A set kept in order. */
export interface Sorted<T> {
  add(item: T): void;
  remove(item: T): void;
  /** The items in order, from the first that is not before `item`. Valid until the next change. */
  from(item?: T): Iterable<T>;
  /** The items before `item`, the last one first. Valid until the next change. */
  before(item: T): Iterable<T>;
  clear(): void;
}

/**
 * Items lie in blocks of at most so many: an addition moves those of one block, however many there
 * are in all.
 */
const maxBlockSize = 1024;

/** A sorted set under `compare`; equal items are one item, and the caller never adds one twice. */
export function sortedSet<T>(compare: (a: T, b: T) => number): Sorted<T> {
  // no block is empty, but the only one
  const blocks: T[][] = [[]];
  /** How many of the first of `count` are before an item, by what one of them is compared by. */
  const search = (count: number, isBefore: (at: number) => boolean): number => {
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(middle)) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  /** The block that holds an item or is to hold it, and its place there. */
  const find = (item: T): readonly [block: number, at: number] => {
    const block = search(blocks.length - 1, (at) => compare(blocks[at]?.at(-1) as T, item) < 0);
    const items = blocks[block] ?? [];
    return [block, search(items.length, (at) => compare(items[at] as T, item) < 0)];
  };
  return {
    add(item) {
      const [block, at] = find(item);
      const items = blocks[block] ?? [];
      items.splice(at, 0, item);
      if (items.length > maxBlockSize) blocks.splice(block + 1, 0, items.splice(maxBlockSize / 2));
    },
    remove(item) {
      const [block, at] = find(item);
      const items = blocks[block] ?? [];
      if (at >= items.length || compare(items[at] as T, item) !== 0) return;
      items.splice(at, 1);
      if (items.length === 0 && blocks.length > 1) blocks.splice(block, 1);
    },
    *from(item) {
      const [first, start] = item === undefined ? [0, 0] : find(item);
      for (let block = first, at = start; block < blocks.length; block++, at = 0)
        for (const items = blocks[block] ?? []; at < items.length; at++) yield items[at] as T;
    },
    *before(item) {
      const [last, end] = find(item);
      for (let block = last, at = end; block >= 0; at = blocks[--block]?.length ?? 0)
        for (const items = blocks[block] ?? []; at > 0;) yield items[--at] as T;
    },
    clear() {
      blocks.splice(0, blocks.length, []);
    },
  };
}
