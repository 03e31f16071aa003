import { createHash, createHmac } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { sqlite } from "./sqlite.ts";

/**
 * The class of the objects as the runtime's configuration names it, and so the folder of their
 * databases.
 */
export const uniqueKey = "sealwright-mount-object";
/**
 * The rows that a mount begins with: a first start that was cut off leaves them, and no system's.
 */
const first = ["epoch", "mount", "config/serial", "config/cluster"];

/**
 * Path of the database of an object: the runtime derives its id from the name of the object and the
 * key of its class.
 */
export function databaseOf(objects: string, name: string): string {
  const key = createHash("sha256").update(uniqueKey).digest();
  const mac = (data: Buffer | string): Buffer =>
    createHmac("sha256", key).update(data).digest().subarray(0, 16);
  const half = mac(name);
  return join(objects, uniqueKey, `${Buffer.concat([half, mac(half)]).toString("hex")}.sqlite`);
}

/** Whether the rows of the system are there. */
export function hasSystem(objects: string): boolean {
  return holdsRows(databaseOf(objects, "sys"), ["epoch"]);
}

/**
 * Whether the rows of the system are missing beside those of mounts, as after a copy without the
 * files ending in -wal: a server would begin anew and hide the mounts.
 */
export function lacksSystem(objects: string): boolean {
  // without a look into them, what a first start left that was cut off cannot be told from mounts
  if (sqlite === undefined || hasSystem(objects)) return false;
  const others = new Set(["sys", "vars"].map((name) => databaseOf(objects, name)));
  const folder = join(objects, uniqueKey);
  const databases = existsSync(folder)
    ? readdirSync(folder).filter((file) => /^[0-9a-f]{64}\.sqlite$/.test(file))
    : [];
  return databases
    .map((file) => join(folder, file))
    .some((path) => !others.has(path) && holdsRows(path, first));
}

/**
 * Whether a database holds any row but those of some keys. One that cannot be read is for the
 * runtime to complain of, and counts as one that does.
 */
function holdsRows(path: string, but: readonly string[]): boolean {
  if (!existsSync(path)) return false;
  if (sqlite === undefined) return true;
  try {
    const database = new sqlite.DatabaseSync(path, { readOnly: true });
    try {
      if (database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'rows'").get() === undefined)
        return false;
      return (
        database
          .prepare(`SELECT 1 FROM rows WHERE key NOT IN (${but.map(() => "?").join()}) LIMIT 1`)
          .get(...but) !== undefined
      );
    } finally {
      database.close();
    }
  } catch {
    return true;
  }
}
