import { equalBytes } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { countCosignatures, type WitnessPolicy } from "./cosignature.ts";
import { parseCheckpoint, type Checkpoint } from "./checkpoint.ts";
import { parseBundle, parseEntry, type Entry } from "./entry.ts";
import { hashLeaf, hashLength } from "./hash.ts";
import { isSignedBy, parseNote, type Note, type NoteKey } from "./note.ts";
import { appendLeaves, rootOf, tilePath, tileWidth, widthIn, type TreeEdge } from "./tiles.ts";

/** Access to the files of a log, by their tlog-tiles paths. */
export interface LogSource {
  /** Returns the latest signed checkpoint. */
  checkpoint(): Promise<string>;
  /** Returns a tile. `path` is relative to `tile/`, for example `0/x001/234`. */
  tile(path: string): Promise<Uint8Array>;
}

/**
 * The ways in which a log can fail verification:
 *
 * - `signature`: the checkpoint is not signed with the log's key, or belongs to another log;
 * - `shrunk`: the tree is smaller than before;
 * - `fork`: the tree does not contain the earlier tree unchanged;
 * - `tree`: the tiles or entries are damaged, or do not produce the root hash in the checkpoint;
 * - `witnesses`: too few witnesses cosigned the checkpoint.
 */
export type LogFault = "signature" | "shrunk" | "fork" | "tree" | "witnesses";
/** The result of following a log. */
export interface FollowResult {
  readonly fault?: { readonly kind: LogFault; readonly message: string };
  /**
   * The checkpoint that was read, as a note. If `checkpoint` is present, the note is evidence of
   * the fault.
   */
  readonly note: string;
  /** The content of the checkpoint, if its signature is valid. */
  readonly checkpoint?: Checkpoint;
}

/** The key of a log, and the last of its checkpoints that the follower verified. */
export interface FollowStart {
  readonly key: NoteKey;
  readonly previous?: Checkpoint | undefined;
  /**
   * The witnesses that must have cosigned the latest checkpoint. If absent, no cosignatures are
   * required.
   */
  readonly witnesses?: WitnessPolicy | undefined;
}

/**
 * Follows a log from the last verified checkpoint to the latest one. Verifies the signature, that
 * the tree contains the earlier tree unchanged, and that the root is the hash of the entries. Calls
 * `visit` with each new entry. An error thrown by `visit` is rethrown, and is not a fault of the
 * log.
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
  if (!note || !checkpoint) return unsigned("the log does not serve a valid checkpoint");
  if (!(await isSignedBy(note, key)))
    return unsigned(`the checkpoint is not signed with the key of ${key.name}`);
  const failed = (kind: LogFault, message: string): FollowResult => ({
    fault: { kind, message },
    note: text,
    checkpoint,
  });
  if (checkpoint.origin !== key.name)
    return failed("signature", `the checkpoint is for the log ${checkpoint.origin.slice(0, 255)}`);
  const start = previous ?? { size: 0, root: undefined };
  if (checkpoint.size < start.size)
    return failed(
      "shrunk",
      `the tree has ${checkpoint.size} entries, fewer than the ${start.size} entries that were verified before`,
    );
  const thrown = new Set<unknown>();
  try {
    const before = await edgeAt(source, start.size, checkpoint.size);
    if (start.root && !equalBytes(rootOf(before), start.root))
      return failed(
        "fork",
        `the first ${start.size} entries differ from those that were verified before`,
      );
    const edge = await appendEntries(source, before, checkpoint.size, recording(visit, thrown));
    if (!equalBytes(rootOf(edge), checkpoint.root))
      return start.size === checkpoint.size
        ? failed("fork", `a different tree of ${start.size} entries was verified before`)
        : failed("tree", "the entries do not produce the root hash in the checkpoint");
    // witnesses are checked last, because any other fault is worse
    const unwitnessed = witnesses && (await witnessFault(note, witnesses));
    if (unwitnessed !== undefined) return failed("witnesses", unwitnessed);
    return { note: text, checkpoint };
  } catch (error) {
    if (error instanceof CaError && !thrown.has(error)) return failed("tree", error.message);
    throw error;
  }
}

/** Returns a message if too few witnesses cosigned a checkpoint, and undefined if enough did. */
async function witnessFault(
  note: Note,
  { keys, required }: WitnessPolicy,
): Promise<string | undefined> {
  const count = await countCosignatures(note, keys);
  return count < required
    ? `${count} of the ${required} required witnesses cosigned the checkpoint`
    : undefined;
}

/** Wraps a visitor so that the errors it throws are recorded in a set. */
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

/** Reads an earlier tree's right edge from the tiles of the latest tree. */
async function edgeAt(source: LogSource, size: number, present: number): Promise<TreeEdge> {
  const partial: Uint8Array[] = [];
  for (let level = 0; size >= tileWidth ** level && size > 0; level++) {
    const index = Math.floor(size / tileWidth ** (level + 1));
    const width = widthIn(size, level, index);
    // logs may delete a partial tile once the full tile exists
    const isFull = widthIn(present, level, index) === tileWidth;
    const name = { level, index, width: isFull ? tileWidth : width };
    const tile = width === 0 ? new Uint8Array() : await source.tile(tilePath(name));
    if (tile.length < width * hashLength)
      throw new CaError("malformed", `tile ${tilePath(name)}: must have at least ${width} hashes`);
    partial.push(tile.subarray(0, width * hashLength));
  }
  return { size, partial };
}
/** Reads the entries up to a tree size, and appends them to the tree. */
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
      throw new CaError(
        "malformed",
        `bundle ${tilePath(name)}: must have at least ${width} entries`,
      );
    for (const [at, entry] of entries.entries()) visit(parseEntry(entry), edge.size + at);
    ({ edge } = appendLeaves(
      edge,
      entries.map((entry) => hashLeaf(entry)),
    ));
  }
  return edge;
}
