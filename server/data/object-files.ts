import { createHash, createHmac } from "node:crypto";
import { accessSync, constants, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { LaunchError } from "../settings/launch-error.ts";
import { isBusy } from "../../src/node/sqlite-file.ts";

/**
 * Class of the Durable Objects in version 0.2. The directory with their databases is named after
 * it.
 */
const className = "sealwright-mount-object";
/** File name of the database that the runtime of version 0.2 keeps open while it runs. */
const alarms = "metadata.sqlite";
/** Time for which the runtime may outlive its killed server (ms). */
const dyingMs = 5_000;

/** The files in a data directory of version 0.2. */
export interface ObjectFiles {
  /** The directory with all databases. */
  readonly objects: string;
  /** Paths of all databases, including damaged and unused ones. */
  readonly databases: readonly string[];
  /** Returns the path of a store's database, whether or not it exists. */
  databaseOf(store: string): string;
}

/**
 * Finds the files of version 0.2 in a data directory. Resolves with undefined if there are none.
 * Rejects with {@link LaunchError} if they cannot be read or are still in use by a runtime.
 */
export async function objectFilesIn(dataDir: string): Promise<ObjectFiles | undefined> {
  const objects = join(dataDir, "objects");
  if (!existsSync(objects)) return undefined;
  const folder = join(objects, className);
  requireAccess(objects);
  if (!existsSync(folder)) return undefined;
  requireAccess(folder);
  await requireUnused(join(folder, alarms), dataDir);
  const databases = readdirSync(folder)
    .filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name))
    .map((name) => join(folder, name));
  for (const path of databases) requireAccess(path);
  return { objects, databases, databaseOf: (store) => join(folder, fileOf(store)) };
}

/**
 * Returns the file name of a store's database: the object ID, which the runtime derives from the
 * object's name and the key of its class.
 */
function fileOf(store: string): string {
  const key = createHash("sha256").update(className).digest();
  const mac = (data: Buffer | string): Buffer =>
    createHmac("sha256", key).update(data).digest().subarray(0, 16);
  const half = mac(store);
  return `${Buffer.concat([half, mac(half)]).toString("hex")}.sqlite`;
}

/**
 * Throws {@link LaunchError} if a file is not writable. SQLite writes the WAL index (`-shm`) even
 * when it only reads.
 */
function requireAccess(path: string): void {
  try {
    const isFolder = !path.endsWith(".sqlite");
    accessSync(path, constants.R_OK | constants.W_OK | (isFolder ? constants.X_OK : 0));
  } catch (error) {
    throw new LaunchError(
      `${path} cannot be used (${(error as NodeJS.ErrnoException).code}); it must belong to the user who starts the server, and be writable.`,
    );
  }
}

async function requireUnused(path: string, dataDir: string): Promise<void> {
  for (const end = performance.now() + dyingMs; existsSync(path) && isOpen(path); await soon())
    if (performance.now() > end)
      throw new LaunchError(
        `${dataDir} is still in use by a server of version 0.2; stop that server, or set DATA_DIR.`,
      );
}
const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

/**
 * Reports whether another process has a database open. Returns false if the database is damaged.
 */
function isOpen(path: string): boolean {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path);
    database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT");
    return false;
  } catch (error) {
    return isBusy(error);
  } finally {
    database?.close();
  }
}
