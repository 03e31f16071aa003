import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isBusy } from "./kernel-lock.ts";
import { LaunchError } from "../cli/settings.ts";
import { sqlite } from "./sqlite.ts";

/** In each folder of objects the runtime keeps this one open for as long as it lives. */
const ALARMS = "metadata.sqlite";

/** Whether some runtime, also one of another container, has databases below `objects` open. */
export function inUse(objects: string): boolean {
  return foldersIn(objects)
    .map((folder) => join(objects, folder, ALARMS))
    .some((path) => existsSync(path) && isHeld(path));
}

function foldersIn(objects: string): readonly string[] {
  try {
    return readdirSync(objects);
  } catch {
    // not there yet; or not ours to read, which is told where they are opened
    return [];
  }
}

/**
 * Throws {@link LaunchError} where the runtime could not start for one of the databases that it
 * opens first.
 */
export function demandAlarms(objects: string): void {
  for (const path of foldersIn(objects).map((folder) => join(objects, folder, ALARMS))) {
    const fault = existsSync(path) ? faultOf(path) : undefined;
    if (fault === undefined) continue;
    throw new LaunchError(
      `${path} cannot be read (${fault}): put it back, or move it away with the files that belong to it; it holds only when work is due, and the next use of each mount sets that anew.`,
    );
  }
}

/**
 * What SQLite says of a database that it cannot read. There is a row for each mount, so that
 * reading all takes no time.
 */
function faultOf(path: string): string | undefined {
  if (sqlite === undefined) return undefined;
  try {
    const database = new sqlite.DatabaseSync(path);
    try {
      const told = database.prepare("PRAGMA quick_check(1)").get()?.["quick_check"];
      return told === "ok" ? undefined : String(told).replace(/\s+/g, " ");
    } finally {
      database.close();
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function isHeld(path: string): boolean {
  if (sqlite === undefined) return false;
  try {
    const database = new sqlite.DatabaseSync(path);
    try {
      database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT");
    } finally {
      database.close();
    }
    return false;
  } catch (error) {
    // one that cannot be read at all is told of later, by demandAlarms
    return isBusy(error);
  }
}

/**
 * Writes what stands in the logs of all databases below `objects` into the databases themselves and
 * removes the logs, so that a copy without them is whole. Nothing may have them open any more.
 * @param milliseconds after which no further one is begun
 * @returns paths of those that still have a log
 */
export function foldLogs(objects: string, milliseconds: number): readonly string[] {
  const end = performance.now() + milliseconds;
  const logs = readdirSync(objects, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".sqlite-wal"),
  );
  const paths = logs.map((name) => join(objects, name.slice(0, -"-wal".length)));
  return paths.filter((path) => performance.now() > end || !foldLog(path));
}

function foldLog(path: string): boolean {
  if (sqlite === undefined || !existsSync(path)) return false;
  try {
    const database = new sqlite.DatabaseSync(path);
    try {
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } finally {
      // the last connection that closes removes the log and its index
      database.close();
    }
    return !existsSync(`${path}-wal`);
  } catch {
    return false;
  }
}
