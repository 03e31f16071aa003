import { equalBytes } from "../../base/bytes.ts";
import { hashesIn, hashNode, rootOfPerfect } from "./hash.ts";
import { joinSubtrees, tileWidth, tilesOf, type ReadTile } from "./tiles.ts";

/** Returns the largest power of two below `count`, which must be at least 2. */
function splitOf(count: number): number {
  let power = 1;
  while (power * 2 < count) power *= 2;
  return power;
}

/**
 * Returns the root of the perfect subtree of `span` entries that begins at `start`. `span` is a
 * power of two.
 */
async function perfectRoot(read: ReadTile, start: number, span: number): Promise<Uint8Array> {
  let [level, covers] = [0, 1];
  while (covers * tileWidth <= span) [level, covers] = [level + 1, covers * tileWidth];
  const [first, count] = [start / covers, span / covers];
  const [tile, at] = [Math.floor(first / tileWidth), first % tileWidth];
  return rootOfPerfect(hashesIn(await read(level, tile, at + count)).slice(at));
}

/**
 * Returns the root of the entries from `start` (at which a subtree of the tree begins) to `end`
 * (exclusive).
 */
async function rangeRoot(read: ReadTile, start: number, end: number): Promise<Uint8Array> {
  const roots: Uint8Array[] = [];
  for (let at = start; at < end;) {
    const span = splitOf(end - at + 1);
    roots.push(await perfectRoot(read, at, span));
    at += span;
  }
  return joinSubtrees(roots);
}

/** Returns the root of the tree of the first `size` entries. */
export const rootAt = (size: number, read: ReadTile): Promise<Uint8Array> =>
  rangeRoot(tilesOf(size, read), 0, size);

/**
 * Returns the inclusion proof for an entry in the tree of the given size (RFC 6962 section 2.1.1).
 */
export async function inclusionProof(
  index: number,
  size: number,
  readTile: ReadTile,
): Promise<readonly Uint8Array[]> {
  const read = tilesOf(size, readTile);
  const proof: Uint8Array[] = [];
  let [start, end] = [0, size];
  while (end - start > 1) {
    const middle = start + splitOf(end - start);
    proof.push(
      await (index < middle ? rangeRoot(read, middle, end) : rangeRoot(read, start, middle)),
    );
    [start, end] = index < middle ? [start, middle] : [middle, end];
  }
  return proof.reverse();
}

/** Returns the consistency proof between the trees of the two sizes (RFC 6962 section 2.1.2). */
export async function consistencyProof(
  first: number,
  second: number,
  readTile: ReadTile,
): Promise<readonly Uint8Array[]> {
  if (first === 0 || first === second) return [];
  const read = tilesOf(second, readTile);
  const proof: Uint8Array[] = [];
  let [start, end] = [0, second];
  while (end !== first) {
    const middle = start + splitOf(end - start);
    proof.push(
      await (first <= middle ? rangeRoot(read, middle, end) : rangeRoot(read, start, middle)),
    );
    [start, end] = first <= middle ? [start, middle] : [middle, end];
  }
  // the verifier knows the root of the first tree, but not the root of a part of that tree
  if (start > 0) proof.push(await rangeRoot(read, start, end));
  return proof.reverse();
}

const isOdd = (n: number): boolean => n % 2 === 1;
const half = (n: number): number => Math.floor(n / 2);

/** A leaf hash, and the tree that should include it. */
interface Inclusion {
  readonly leaf: Uint8Array;
  readonly index: number;
  readonly size: number;
  readonly root: Uint8Array;
}
/**
 * Reports whether an inclusion proof is valid for an entry and a tree (RFC 9162 section 2.1.3.2).
 */
export function provesInclusion(
  { leaf, index, size, root }: Inclusion,
  proof: readonly Uint8Array[],
): boolean {
  if (!(index >= 0 && index < size)) return false;
  let [node, last, hash] = [index, size - 1, leaf];
  for (const other of proof) {
    if (last === 0) return false;
    if (isOdd(node) || node === last) {
      hash = hashNode(other, hash);
      while (!isOdd(node) && node !== 0) [node, last] = [half(node), half(last)];
    } else hash = hashNode(hash, other);
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && equalBytes(hash, root);
}

/** The size and root of a tree. */
export interface TreeHead {
  readonly size: number;
  readonly root: Uint8Array;
}
/**
 * Reports whether a consistency proof shows that the second tree begins with the first tree (RFC
 * 9162 section 2.1.4.2).
 */
export function provesConsistency(
  first: TreeHead,
  second: TreeHead,
  proof: readonly Uint8Array[],
): boolean {
  if (first.size > second.size) return false;
  if (first.size === second.size) return proof.length === 0 && equalBytes(first.root, second.root);
  if (first.size === 0) return proof.length === 0;
  let [node, last] = [first.size - 1, second.size - 1];
  while (isOdd(node)) [node, last] = [half(node), half(last)];
  const [start, ...rest] = node === 0 ? [first.root, ...proof] : proof;
  if (!start) return false;
  let [before, after] = [start, start];
  for (const other of rest) {
    if (last === 0) return false;
    if (isOdd(node) || node === last) {
      [before, after] = [hashNode(other, before), hashNode(other, after)];
      while (!isOdd(node) && node !== 0) [node, last] = [half(node), half(last)];
    } else after = hashNode(after, other);
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && equalBytes(before, first.root) && equalBytes(after, second.root);
}
