import { CaError } from "../base/errors.ts";
import type { Mount } from "../engine/mount.ts";
import { kindOf } from "../engine/store-context.ts";
import { entriesAfter, missingEntry } from "./rows/entries.ts";
import { entryPrefix, logKeys, numberOf, storedLogState, type LogState } from "./rows/records.ts";
import { encodeBundle } from "./tree/entry.ts";
import { hashLength } from "./tree/hash.ts";
import { tileWidth, widthIn, type ReadTile, type TileName } from "./tree/tiles.ts";

const states = kindOf<LogState>(1, [logKeys.state]);
/** Returns the tree of a mount's log, from a cache that is at most a second old. */
export const recentState = (mount: Mount): Promise<LogState> | LogState =>
  mount.storeContext.cache.recent(states, "", async () => {
    // reading the epoch makes the store notice new partitions whose entries may be in the tree
    const [row] = await mount.store.get([logKeys.state, "epoch"]);
    return storedLogState(row?.value);
  });

/** Returns a function that reads the tiles of a tree. */
export const tileReader =
  (mount: Mount, { size, partial }: LogState): ReadTile =>
  async (level, index, width) => {
    if (widthIn(size, level, index) < tileWidth)
      return (partial[level] ?? new Uint8Array()).subarray(0, width * hashLength);
    const [row] = await mount.store.get([logKeys.tile(level, index)]);
    if (!(row?.value instanceof Uint8Array))
      throw new CaError("storage", `tile ${level}/${index} of the log is missing from storage`);
    return row.value.subarray(0, width * hashLength);
  };

/**
 * Returns the content of a tile or bundle. Throws `not_found` if the tree has no such tile of at
 * least this width.
 */
export async function readTile(
  mount: Mount,
  state: LogState,
  { level, index, width }: TileName,
): Promise<Uint8Array> {
  const isEntries = level === "entries";
  if (widthIn(state.size, isEntries ? 0 : level, index) < width) throw new CaError("not_found", "");
  if (!isEntries) return tileReader(mount, state)(level, index, width);
  return encodeBundle(await entriesFrom(mount, state, index * tileWidth, width));
}

/** Returns `count` entries of the tree, starting at an index. */
export async function entriesFrom(
  mount: Mount,
  state: LogState,
  start: number,
  count: number,
): Promise<readonly Uint8Array[]> {
  const { spread, segments } = state;
  if (spread) return (await import("./spread.ts")).spreadEntries(mount.store, spread, start, count);
  const numbers = Array.from({ length: count }, (_, i) => numberOf(segments ?? [], start + i));
  const [first = 0] = numbers;
  const entries = await entriesAfter({ store: mount.store, prefix: entryPrefix }, first - 1, count);
  const byNumber = new Map(entries.map(({ number, bytes }) => [number, bytes]));
  return numbers.map((number, i) => byNumber.get(number) ?? missingEntry(start + i));
}
