import { existsSync } from "node:fs";
import { join } from "node:path";
import { ask } from "../cli/ask.ts";
import { writePrivate } from "./data-dir.ts";
import { LaunchError } from "../cli/settings.ts";
import { databaseOf, hasSystem, lacksSystem } from "./stored.ts";

const sentence =
  "An authority was installed here. A start that finds this file but no system in objects refuses to begin a new one; remove this file only if that loss is meant.\n";

/**
 * Path of the file that says that the system was stored once: whether its database is lost cannot
 * be seen from the databases alone.
 */
const markerIn = (dataDir: string): string => join(dataDir, "installed");

/**
 * Throws {@link LaunchError} where the system was stored once, by the marker or by the rows of
 * mounts, and is not there now.
 */
export function demandSystem(dataDir: string, objects: string): void {
  const marker = markerIn(dataDir);
  const marked = existsSync(marker);
  if (marked ? hasSystem(objects) : !lacksSystem(objects)) return;
  const [why, away] = marked
    ? [`${marker} says that an authority is kept here`, `remove ${marker} and move ${objects} away`]
    : ["other databases beside it do", `move ${objects} away`];
  throw new LaunchError(
    `${databaseOf(objects, "sys")} holds nothing, and ${why}: put it back with the files that belong to it (a copy of a running server needs those ending in -wal too); to begin anew, ${away}.`,
  );
}

/**
 * Marks a data directory as one whose system is stored, unless it is marked already: the first
 * authenticated call stores the system, and its answer tells that it is. Where the call or the file
 * fails, a later start does it.
 */
export async function markInstalled(
  dataDir: string,
  socketPath: string,
  token: string,
): Promise<void> {
  const marker = markerIn(dataDir);
  if (existsSync(marker)) return;
  const told = (await ask(socketPath, "/v1/sys/mounts", { "x-service-token": token })) as
    | { readonly data?: unknown }
    | null
    | undefined;
  // null has no members, and whoever answers may be of another version
  if (typeof told?.data !== "object" || told.data === null) return;
  try {
    writePrivate(marker, sentence);
  } catch {
    // a disk that is full by now is no reason to end
  }
}
