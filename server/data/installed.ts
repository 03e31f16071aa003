import { existsSync } from "node:fs";
import { join } from "node:path";
import { LaunchError } from "../settings/launch-error.ts";
import { fetchJson } from "../client/http-client.ts";
import { openReader } from "../../src/node/sqlite-file.ts";
import { databaseIn } from "./database.ts";
import { writePrivate } from "./data-dir.ts";

const sentence =
  "A certificate authority was installed here. A server that finds this file but no database does not start, instead of creating a new authority. Remove this file only if you accept the loss.\n";

/**
 * Returns the path of the marker file, which records that an authority was stored in a data
 * directory.
 */
const markerIn = (dataDir: string): string => join(dataDir, "installed");

/**
 * Throws {@link LaunchError} if the marker file records that an authority was stored, but its
 * database is missing or contains no authority.
 */
export function requireDatabase(dataDir: string): void {
  const [marker, file] = [markerIn(dataDir), databaseIn(dataDir)];
  if (!existsSync(marker) || holdsSystem(file)) return;
  throw new LaunchError(
    `${file} ${existsSync(file) ? "contains no authority" : "is missing"}, and ${marker} records that one is stored here: restore the database, with the files ending in -wal and -shm if there are any, or restore a backup; to create a new authority, remove ${marker}.`,
  );
}

/**
 * Throws {@link LaunchError} if the marker file records that an authority was stored. Call it if
 * the PostgreSQL database contains none.
 */
export function requireAuthority(dataDir: string): void {
  const marker = markerIn(dataDir);
  if (!existsSync(marker)) return;
  throw new LaunchError(
    `The PostgreSQL database contains no authority, and ${marker} records that one was stored: check DATABASE_URL, or restore the database; to create a new authority, remove ${marker}.`,
  );
}

/**
 * Reports whether a database contains the tables of `sys`. Returns true for an unreadable database,
 * which is reported later.
 */
function holdsSystem(file: string): boolean {
  if (!existsSync(file)) return false;
  try {
    const database = openReader(file);
    try {
      return database.stores().includes("sys");
    } finally {
      database.close();
    }
  } catch {
    return true;
  }
}

/**
 * Creates the marker file of a data directory. First sends an authenticated request, which makes
 * the server store a new authority. If the request or the write fails, a later start creates the
 * marker.
 */
export async function markInstalled(
  dataDir: string,
  socketPath: string,
  token: string,
): Promise<void> {
  const marker = markerIn(dataDir);
  if (existsSync(marker)) return;
  const reply = (await fetchJson(socketPath, "/v1/sys/mounts", { "x-service-token": token })) as
    | { readonly data?: unknown }
    | null
    | undefined;
  // another version of the server may send null or other members
  if (typeof reply?.data !== "object" || reply.data === null) return;
  try {
    writePrivate(marker, sentence);
  } catch (error) {
    // a full disk must not stop the server
    if (!(error instanceof LaunchError)) throw error;
  }
}
