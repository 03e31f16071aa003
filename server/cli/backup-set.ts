import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { openDataDir } from "../data/data-dir.ts";
import { LaunchError } from "./settings.ts";
import { escapedMount, save, sendParts, type Source, wordsOf } from "./snapshot.ts";

/** Stores beside those of the mounts, in the order of their restore: `sys` makes the mounts. */
const stores = ["sys", "vars"] as const;
const storeFile = (store: string): string => `store-${store}.ndjson`;
const mountFile = (mount: string): string => `mount-${escapedMount(mount)}.ndjson`;

/** One backup of a set. */
interface Piece {
  readonly file: string;
  /** As it is named to people. */
  readonly name: string;
  /** Path of the endpoint that saves and restores it. */
  readonly path: string;
  readonly mount?: string;
}
const storePieces: readonly Piece[] = stores.map((store) => ({
  file: storeFile(store),
  name: `The store ${store}`,
  path: `/v1/sys/storage/stores/${store}`,
}));
const mountPiece = (mount: string): Piece => ({
  file: mountFile(mount),
  name: `The mount ${mount}/`,
  path: `/v1/sys/storage/snapshot/${mount}`,
  mount,
});

/**
 * Saves all stores and mounts of a running server in a directory, which appears when all of them
 * are saved. Resolves with the exit code.
 */
export async function saveAll(source: Source, directory: string): Promise<number> {
  if (existsSync(directory) && readdirSync(directory).length > 0)
    throw new LaunchError(`--all: ${directory} is not empty; name a new directory.`);
  const parent = dirname(directory);
  openDataDir(parent, "--all");
  const partial = mkdtempSync(join(parent, `.${basename(directory)}.partial-`));
  try {
    for (const piece of storePieces) await savePiece(source, piece, partial);
    for (const mount of await mountsIn(join(partial, storeFile("sys"))))
      await savePiece(source, mountPiece(mount), partial);
    flush(partial);
    renameSync(partial, directory);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    console.error(`The backup failed, and ${directory} was not made: ${wordsOf(error)}.`);
    return 1;
  }
  flush(parent);
  console.log(`All of it is saved in ${directory}.`);
  return 0;
}
async function savePiece(source: Source, piece: Piece, directory: string): Promise<void> {
  const { name, path, file } = piece;
  const bytes = await save(source, path, join(directory, file)).catch((error: unknown) => {
    throw new Error(`${name} could not be saved: ${wordsOf(error)}`);
  });
  console.log(`${name} is saved in ${file} (${bytes} bytes).`);
}
function flush(directory: string): void {
  const handle = openSync(directory, "r");
  fsyncSync(handle);
  closeSync(handle);
}

/** Paths of the mounts that the backup of the store `sys` has. */
async function mountsIn(file: string): Promise<readonly string[]> {
  const mounts: string[] = [];
  // each row is a line that begins with its key
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const [, key] = /^\[("mounts\/(?:[^"\\]|\\.)+"),/.exec(line) ?? [];
    if (key !== undefined) mounts.push(String(JSON.parse(key)).slice("mounts/".length));
  }
  return mounts;
}

/**
 * Restores all stores and mounts of a directory into a running server that was not used yet. All
 * are checked before the first one is restored. Resolves with the exit code.
 */
export async function restoreAll(
  source: Source,
  directory: string,
  dryRun: boolean,
): Promise<number> {
  const pieces = await piecesOf(directory);
  const send = (path: string, { file }: Piece) =>
    sendParts(source, path, createReadStream(join(directory, file)));
  for (const piece of pieces)
    try {
      await send("/v1/sys/storage/snapshot-check", piece);
    } catch (error) {
      console.error(
        `${directory} could not be restored, and nothing was stored: ${piece.file}: ${wordsOf(error)}.`,
      );
      return 1;
    }
  if (dryRun) {
    console.log(`${directory} is a whole backup that this server can restore; nothing was stored.`);
    return 0;
  }
  for (const piece of pieces)
    try {
      const { repeated } = await send(piece.path, piece);
      const how = repeated
        ? "was restored from this backup before: nothing was changed"
        : "is restored";
      console.log(`${piece.name} ${how}.`);
    } catch (error) {
      if (wasRestored(piece, error)) {
        console.log(`${piece.name} was restored before: nothing was changed.`);
        continue;
      }
      console.error(
        `${piece.name} could not be restored: ${wordsOf(error)}. The same command goes on with what is left.`,
      );
      return 1;
    }
  console.log(`All of ${directory} is restored.`);
  return 0;
}
/** Whether a run before this one has restored a mount. */
const wasRestored = ({ mount }: Piece, error: unknown): boolean =>
  mount !== undefined && wordsOf(error).includes(`the mount of this backup exists at ${mount}/`);

/** The backups of a set, in the order of their restore. Throws {@link LaunchError}. */
async function piecesOf(directory: string): Promise<readonly Piece[]> {
  if (!existsSync(directory)) throw new LaunchError(`There is no directory ${directory}.`);
  const there = new Set(readdirSync(directory));
  const sys = storeFile("sys");
  const mounts = there.has(sys) ? await mountsIn(join(directory, sys)) : [];
  const pieces = [...storePieces, ...mounts.map(mountPiece)];
  const missing = pieces.filter(({ file }) => !there.has(file)).map(({ file }) => file);
  if (missing.length > 0)
    throw new LaunchError(`${directory} is not a whole backup: it lacks ${missing.join(", ")}.`);
  const expected = new Set(pieces.map(({ file }) => file));
  const other = [...there].find((file) => file.endsWith(".ndjson") && !expected.has(file));
  if (other !== undefined)
    throw new LaunchError(
      `${directory} holds ${other}, which belongs to another backup; remove it.`,
    );
  return pieces;
}
