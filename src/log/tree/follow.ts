import { equalBytes } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { countCosignatures, type WitnessPolicy } from "./cosignature.ts";
import { parseCheckpoint, type Checkpoint } from "./checkpoint.ts";
import { parseBundle, parseEntry, type Entry } from "./entry.ts";
import { hashLeaf, hashLength } from "./hash.ts";
import { isSignedBy, parseNote, type Note, type NoteKey } from "./note.ts";
import { appendLeaves, rootOf, tilePath, tileWidth, widthIn, type TreeEdge } from "./tiles.ts";

/** The files of a log, by their paths in tlog-tiles. */
export interface LogSource {
  /** Returns the signed checkpoint. */
  checkpoint(): Promise<string>;
  /** Returns the tile with a path below `tile/`. */
  tile(path: string): Promise<Uint8Array>;
}

/**
 * The ways in which a log can break its promise:
 *
 * - `signature`: its checkpoint is not signed by its key, or is of another log;
 * - `shrunk`: its tree is smaller than before;
 * - `fork`: its tree does not contain the tree from before unchanged;
 * - `tree`: its tiles or entries do not lead to the root in its checkpoint;
 * - `witnesses`: too few of the required witnesses cosigned its checkpoint.
 */
export type LogFault = "signature" | "shrunk" | "fork" | "tree" | "witnesses";
/** The result of following a log. */
export interface FollowResult {
  readonly fault?: { readonly kind: LogFault; readonly message: string };
  /** The checkpoint that was read, as a note: evidence of a fault if `checkpoint` is present. */
  readonly note: string;
  /** Its contents, if it has a valid signature. */
  readonly checkpoint?: Checkpoint;
}

/** The key of a log, and the last checkpoint of it that the follower verified. */
export interface FollowStart {
  readonly key: NoteKey;
  readonly previous?: Checkpoint | undefined;
  /** The witnesses that must have cosigned the present checkpoint; absent: none. */
  readonly witnesses?: WitnessPolicy | undefined;
}

/**
 * Follows a log from the last verified checkpoint to the present one: verifies its signature, that
 * the tree contains the earlier one unchanged, and that it consists of the entries, each of which
 * `visit` receives. What `visit` throws is no fault of the log, and is thrown.
 */
export async function followLog(
  source: LogSource,
  { key, previous, witnesses }: FollowStart,
  visit: (entry: Entry, index: number) => void = () => undefined,
): Promise<FollowResult> {
  const text = await source.checkpoint();
  const unsigned = (message: string): FollowResult => ({
    fault: { kind: "signature", message },
    note: text,
  });
  const note = parseNote(text);
  const checkpoint = note && parseCheckpoint(note.text);
  if (!note || !checkpoint) return unsigned("the log serves no checkpoint");
  if (!(await isSignedBy(note, key)))
    return unsigned(`the checkpoint is not signed by the key of ${key.name}`);
  const failed = (kind: LogFault, message: string): FollowResult => ({
    fault: { kind, message },
    note: text,
    checkpoint,
  });
  if (checkpoint.origin !== key.name)
    return failed("signature", `the checkpoint is of the log ${checkpoint.origin.slice(0, 255)}`);
  const start = previous ?? { size: 0, root: undefined };
  if (checkpoint.size < start.size)
    return failed(
      "shrunk",
      `the tree has ${checkpoint.size} entries, fewer than the ${start.size} verified before`,
    );
  const thrown = new Set<unknown>();
  try {
    const before = await edgeAt(source, start.size, checkpoint.size);
    if (start.root && !equalBytes(rootOf(before), start.root))
      return failed("fork", `the first ${start.size} entries are not those verified before`);
    const edge = await appendEntries(source, before, checkpoint.size, recording(visit, thrown));
    if (!equalBytes(rootOf(edge), checkpoint.root))
      return start.size === checkpoint.size
        ? failed("fork", `another tree of ${start.size} entries was verified before`)
        : failed("tree", "the entries do not lead to the root in the checkpoint");
    // last, because the other faults are worse
    const unwitnessed = witnesses && (await witnessFault(note, witnesses));
    if (unwitnessed !== undefined) return failed("witnesses", unwitnessed);
    return { note: text, checkpoint };
  } catch (error) {
    if (error instanceof CaError && !thrown.has(error)) return failed("tree", error.message);
    throw error;
  }
}

/** Returns the fault of a checkpoint that too few witnesses cosigned; undefined if enough did. */
async function witnessFault(
  note: Note,
  { keys, required }: WitnessPolicy,
): Promise<string | undefined> {
  const count = await countCosignatures(note, keys);
  return count < required
    ? `${count} of the ${required} required witnesses cosigned the checkpoint`
    : undefined;
}

/** Returns a visitor that adds to a set what the given one throws. */
const recording =
  (visit: (entry: Entry, index: number) => void, thrown: Set<unknown>) =>
  (entry: Entry, index: number): void => {
    try {
      visit(entry, index);
    } catch (error) {
      thrown.add(error);
      throw error;
    }
  };

/** Reads the right edge of an earlier tree from the tiles of the present one. */
async function edgeAt(source: LogSource, size: number, present: number): Promise<TreeEdge> {
  const partial: Uint8Array[] = [];
  for (let level = 0; size >= tileWidth ** level && size > 0; level++) {
    const index = Math.floor(size / tileWidth ** (level + 1));
    const width = widthIn(size, level, index);
    // logs may delete a partial tile once the full one exists
    const isFull = widthIn(present, level, index) === tileWidth;
    const name = { level, index, width: isFull ? tileWidth : width };
    const tile = width === 0 ? new Uint8Array() : await source.tile(tilePath(name));
    if (tile.length < width * hashLength)
      throw new CaError("malformed", `tile ${tilePath(name)}: has fewer than ${width} hashes`);
    partial.push(tile.subarray(0, width * hashLength));
  }
  return { size, partial };
}
/** Reads the entries up to a size, and appends them to the tree. */
async function appendEntries(
  source: LogSource,
  before: TreeEdge,
  size: number,
  visit: (entry: Entry, index: number) => void,
): Promise<TreeEdge> {
  let edge = before;
  while (edge.size < size) {
    const index = Math.floor(edge.size / tileWidth);
    const width = widthIn(size, 0, index);
    const name = { level: "entries", index, width } as const;
    const skipped = edge.size - index * tileWidth;
    const entries = parseBundle(await source.tile(tilePath(name))).slice(skipped, width);
    if (entries.length < width - skipped)
      throw new CaError("malformed", `bundle ${tilePath(name)}: has too few entries`);
    for (const [at, entry] of entries.entries()) visit(parseEntry(entry), edge.size + at);
    ({ edge } = appendLeaves(
      edge,
      entries.map((entry) => hashLeaf(entry)),
    ));
  }
  return edge;
}
