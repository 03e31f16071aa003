import { existsSync } from "node:fs";
import { join } from "node:path";
import { LaunchError } from "../cli/settings.ts";
import { fetchJson } from "../cli/http-client.ts";
import { openReader } from "../../src/node/sqlite-file.ts";
import { databaseIn } from "./database.ts";
import { writePrivate } from "./data-dir.ts";

const sentence =
  "A certificate authority was installed here. A start that finds this file but no database refuses to begin a new one; remove this file only to accept that loss.\n";

/** Returns the path of the marker that a database was created here. */
const markerIn = (dataDir: string): string => join(dataDir, "installed");

/**
 * Throws {@link LaunchError} if the marker says that an authority was stored, but its database is
 * missing or empty.
 */
export function requireDatabase(dataDir: string): void {
  const [marker, file] = [markerIn(dataDir), databaseIn(dataDir)];
  if (!existsSync(marker) || holdsSystem(file)) return;
  throw new LaunchError(
    `${file} ${existsSync(file) ? "contains no authority" : "is missing"}, and ${marker} says that one is stored here: put the database back, with the files ending in -wal and -shm if there are any, or restore a backup; to begin a new authority, remove ${marker}.`,
  );
}

/** Throws {@link LaunchError} if a PostgreSQL database without an authority had one before. */
export function requireAuthority(dataDir: string): void {
  const marker = markerIn(dataDir);
  if (!existsSync(marker)) return;
  throw new LaunchError(
    `The PostgreSQL database contains no authority, and ${marker} says that one was stored: check DATABASE_URL, or restore the database; to begin a new authority, remove ${marker}.`,
  );
}

/** Reports whether a database has the tables of `sys`; an unreadable one is reported later. */
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
 * Marks a data directory whose authority is stored. The first authenticated call stores it. If the
 * call or the write fails, a later start does it.
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
  // the reply may be null, or of another version
  if (typeof reply?.data !== "object" || reply.data === null) return;
  try {
    writePrivate(marker, sentence);
  } catch (error) {
    // do not exit because the disk is full
    if (!(error instanceof LaunchError)) throw error;
  }
}
