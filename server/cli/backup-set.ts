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
import { exitCodeOf } from "./failure.ts";
import { LaunchError } from "../settings/launch-error.ts";
import { escapedMount, save, sendParts, type Source, errorText } from "../client/mount-backup.ts";

/**
 * The stores that belong to no mount, in restore order: `sys` comes first because it contains the
 * table of mounts.
 */
const stores = ["sys", "vars"] as const;
const storeFile = (store: string): string => `store-${store}.ndjson`;
const mountFile = (mount: string): string => `mount-${escapedMount(mount)}.ndjson`;

/** A function that prints a progress message of one sentence. */
type Log = (sentence: string) => void;

/** One file of a complete backup: the backup of a store or mount. */
interface Piece {
  readonly file: string;
  /** Name of the store or mount in messages. */
  readonly name: string;
  /** Path of the endpoint that backs up and restores the file's contents. */
  readonly path: string;
  readonly mount?: string;
}
const storePieces: readonly Piece[] = stores.map((store) => ({
  file: storeFile(store),
  name: `store ${store}`,
  path: `/v1/sys/storage/stores/${store}`,
}));
const mountPiece = (mount: string): Piece => ({
  file: mountFile(mount),
  name: `mount ${mount}/`,
  path: `/v1/sys/storage/snapshot/${mount}`,
  mount,
});

/**
 * Backs up all stores and mounts of a running server to a new directory, which appears only once
 * the backup is complete. Returns the exit code.
 */
export async function saveAll(source: Source, directory: string, log: Log): Promise<number> {
  if (existsSync(directory) && readdirSync(directory).length > 0)
    throw new LaunchError(`--all: ${directory} is not empty; use a new directory.`);
  const parent = dirname(directory);
  openDataDir(parent, "--all");
  const partial = mkdtempSync(join(parent, `.${basename(directory)}.partial-`));
  try {
    for (const piece of storePieces) log(await savePiece(source, piece, partial));
    for (const mount of await mountsIn(join(partial, storeFile("sys"))))
      log(await savePiece(source, mountPiece(mount), partial));
    flush(partial);
    renameSync(partial, directory);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    console.error(`The backup failed, and ${directory} was not created: ${errorText(error)}.`);
    return exitCodeOf(error);
  }
  flush(parent);
  log(
    `Saved everything except the sealing key to ${directory}. Keep a copy of the key elsewhere: no backup can be restored without it.`,
  );
  return 0;
}
/** Saves one file of a complete backup. Returns a message about it. */
async function savePiece(source: Source, piece: Piece, directory: string): Promise<string> {
  const { name, path, file } = piece;
  const bytes = await save(source, path, join(directory, file)).catch((error: unknown) => {
    throw new Error(`cannot back up the ${name}: ${errorText(error)}`, { cause: error });
  });
  return `Saved the ${name} to ${file} (${bytes} bytes).`;
}
function flush(directory: string): void {
  const handle = openSync(directory, "r");
  fsyncSync(handle);
  closeSync(handle);
}

/** Reads the mount paths from the backup of the `sys` store. */
async function mountsIn(file: string): Promise<readonly string[]> {
  const mounts: string[] = [];
  // each line is a row, which begins with its key
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const [, key] = /^\[("mounts\/(?:[^"\\]|\\.)+"),/.exec(line) ?? [];
    if (key !== undefined) mounts.push(String(JSON.parse(key)).slice("mounts/".length));
  }
  return mounts;
}

/**
 * Restores all stores and mounts from a directory into a new, running server. All files are
 * verified before the first one is restored. Returns the exit code.
 */
export async function restoreAll(
  source: Source,
  directory: string,
  { dryRun, log }: { readonly dryRun: boolean; readonly log: Log },
): Promise<number> {
  const pieces = await piecesOf(directory);
  const send = (path: string, { file }: Piece) =>
    sendParts(source, path, createReadStream(join(directory, file)));
  for (const piece of pieces)
    try {
      await send("/v1/sys/storage/snapshot-check", piece);
    } catch (error) {
      console.error(
        `Cannot restore ${directory}: ${piece.file}: ${errorText(error)}. Nothing was stored.${remedyFor(error)}`,
      );
      return exitCodeOf(error);
    }
  if (dryRun) {
    log(`${directory} is a complete backup that this server can restore; nothing was stored.`);
    return 0;
  }
  for (const piece of pieces)
    try {
      const { repeated } = await send(piece.path, piece);
      const how = repeated ? "was already restored from this backup" : "restored";
      log(`${piece.name}: ${how}`);
    } catch (error) {
      if (wasRestored(piece, error)) {
        log(`${piece.name}: was already restored`);
        continue;
      }
      console.error(
        `Cannot restore the ${piece.name}: ${errorText(error)}. Repeat the command to restore the rest.`,
      );
      return exitCodeOf(error);
    }
  log(`Restored everything from ${directory}.`);
  return 0;
}
/** Returns the next step after an error that a restore to a new server avoids. */
const remedyFor = (error: unknown): string =>
  /wrong sealing key|unused installation/.test(errorText(error))
    ? " Start a server without TLS whose new data directory contains only sealing-key, the sealing key of the backup, and repeat the command."
    : "";

/** Reports whether a restore failed because an earlier run has already restored the mount. */
const wasRestored = ({ mount }: Piece, error: unknown): boolean =>
  mount !== undefined && errorText(error).includes(`the mount of this backup exists at ${mount}/`);

/**
 * Lists the files of a complete backup, in restore order. Throws {@link LaunchError} if the
 * directory does not exist, lacks a file, or contains files of another backup.
 */
async function piecesOf(directory: string): Promise<readonly Piece[]> {
  if (!existsSync(directory)) throw new LaunchError(`Directory not found: ${directory}.`);
  const there = new Set(readdirSync(directory));
  const sys = storeFile("sys");
  const mounts = there.has(sys) ? await mountsIn(join(directory, sys)) : [];
  const pieces = [...storePieces, ...mounts.map(mountPiece)];
  const missing = pieces.filter(({ file }) => !there.has(file)).map(({ file }) => file);
  if (missing.length > 0)
    throw new LaunchError(`${directory} is not a complete backup: it lacks ${missing.join(", ")}.`);
  const expected = new Set(pieces.map(({ file }) => file));
  const other = [...there].find((file) => file.endsWith(".ndjson") && !expected.has(file));
  if (other !== undefined)
    throw new LaunchError(
      `${directory} contains ${other}, which belongs to another backup; remove it.`,
    );
  return pieces;
}
