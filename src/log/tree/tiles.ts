import { concat } from "../../base/bytes.ts";
import { emptyRoot, hashesIn, hashLength, hashNode, rootOfPerfect, type Digest } from "./hash.ts";

/** Number of hashes in a full tile (C2SP tlog-tiles). */
export const tileWidth = 256;

/** A tile: the hashes of consecutive subtrees of 256^level entries each. */
export interface Tile {
  readonly level: number;
  readonly index: number;
  /** The concatenated hashes. */
  readonly bytes: Uint8Array;
}
/** The right edge of a tree, which suffices to append to the tree and to compute its root. */
export interface TreeEdge {
  readonly size: number;
  /**
   * The partial tile of each level, without gaps; empty for a level on which all tiles are full.
   */
  readonly partial: readonly Uint8Array[];
}
/** The edge of the empty tree. */
export const emptyTree: TreeEdge = { size: 0, partial: [] };

/** Appends leaf hashes to a tree. Returns the new edge and the tiles that became full. */
export function appendLeaves(
  { size, partial }: TreeEdge,
  leaves: readonly Uint8Array[],
  digest?: Digest,
): { readonly edge: TreeEdge; readonly full: readonly Tile[] } {
  const levels = partial.map((bytes) => [...hashesIn(bytes)]);
  const full: Tile[] = [];
  let count = size;
  for (const leaf of leaves) {
    count += 1;
    let [hash, covers] = [leaf, 1];
    for (let level = 0; ; level += 1) {
      const tile = (levels[level] ??= []);
      tile.push(hash);
      covers *= tileWidth;
      if (tile.length < tileWidth) break;
      full.push({ level, index: Math.floor(count / covers) - 1, bytes: concat(tile) });
      hash = rootOfPerfect(tile, digest);
      levels[level] = [];
    }
  }
  return { edge: { size: count, partial: levels.map(concat) }, full };
}

/** Returns the root of a tree, given its right edge. */
export const rootOf = ({ partial }: TreeEdge, digest?: Digest): Uint8Array =>
  joinSubtrees(
    partial.toReversed().flatMap((bytes) => perfectSubtrees(hashesIn(bytes), digest)),
    digest,
  );

/** Returns the roots of the perfect subtrees of which a partial tile consists, largest first. */
function perfectSubtrees(hashes: readonly Uint8Array[], digest?: Digest): readonly Uint8Array[] {
  const roots: Uint8Array[] = [];
  let at = 0;
  for (let span = tileWidth / 2; span >= 1; span /= 2)
    if (at + span <= hashes.length) {
      roots.push(rootOfPerfect(hashes.slice(at, at + span), digest));
      at += span;
    }
  return roots;
}
/** Returns the root of adjacent subtrees of decreasing size. */
export function joinSubtrees(roots: readonly Uint8Array[], digest?: Digest): Uint8Array {
  let joined = roots.at(-1) ?? emptyRoot();
  for (const root of roots.slice(0, -1).toReversed()) joined = hashNode(root, joined, digest);
  return joined;
}

/**
 * Returns the number of hashes that a tile has in a tree of a given size, or 0 if the tree has no
 * such tile.
 */
export function widthIn(size: number, level: number, index: number): number {
  const hashes = Math.floor(size / tileWidth ** level);
  return Math.max(0, Math.min(tileWidth, hashes - index * tileWidth));
}

/**
 * The position and width of a tile, as in its path. The level "entries" represents the entry bundle
 * of a level 0 tile.
 */
export interface TileName {
  readonly level: number | "entries";
  readonly index: number;
  readonly width: number;
}
/** Returns the path of a tile under `tile/`: `0/x001/234`, with `.p/<width>` if it is partial. */
export function tilePath({ level, index, width }: TileName): string {
  const digits = String(index);
  const padded = digits.padStart(3 * Math.ceil(digits.length / 3), "0");
  const parts = padded.match(/\d{3}/g) ?? [];
  const path = parts.map((part, i) => (i < parts.length - 1 ? `x${part}` : part)).join("/");
  return `${level}/${path}${width === tileWidth ? "" : `.p/${width}`}`;
}
const pathForm = /^(entries|0|[1-9]\d?)\/((?:x\d{3}\/){0,4}\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;
/**
 * Parses the path of a tile under `tile/`. Returns undefined if the path is not in canonical form.
 */
export function parseTilePath(path: string): TileName | undefined {
  const [, level = "", index = "", width] = pathForm.exec(path) ?? [];
  const name: TileName = {
    level: level === "entries" ? level : Number(level),
    index: Number(index.replace(/\D/g, "")),
    width: width === undefined ? tileWidth : Number(width),
  };
  return (name.level === "entries" || name.level < 64) && tilePath(name) === path
    ? name
    : undefined;
}

/** Reads the first `width` hashes of a tile, concatenated. */
export type ReadTile = (level: number, index: number, width: number) => Promise<Uint8Array>;
/**
 * Wraps a reader so that each tile of a tree is read only once, with its full width in that tree.
 */
export function tilesOf(size: number, read: ReadTile): ReadTile {
  const tiles = new Map<string, Promise<Uint8Array>>();
  return async (level, index, width) => {
    const id = `${level}/${index}`;
    const tile = tiles.get(id) ?? read(level, index, widthIn(size, level, index));
    tiles.set(id, tile);
    const bytes = await tile;
    if (bytes.length < width * hashLength)
      throw new TypeError(`tile ${id}: must have at least ${width} hashes`);
    return bytes.subarray(0, width * hashLength);
  };
}
