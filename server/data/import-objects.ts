import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { decode } from "../../src/base/encoding.ts";
import { afterPrefix } from "../../src/store/batch.ts";
import { all, blob, first, type Sql, type SqlValue } from "../../src/store/sql/sql.ts";
import { LaunchError } from "../settings/launch-error.ts";
import { beginDraft, removeDraft, type ImportDraft } from "./import-draft.ts";
import { DamagedDatabase, hasRows, readObject } from "./object-database.ts";
import { objectFilesIn, type ObjectFiles } from "./object-files.ts";

/** The outcome of importing a version 0.2 data directory. */
interface ImportResult {
  /** Number of imported stores. */
  readonly imported: number;
}

/** Name of the variables API's store. */
const varsStore = "vars";

/**
 * Imports the stores of a version 0.2 data directory, which has one SQLite file for each, into the
 * database of this version, unless that database exists. The caller must hold the lock of the
 * directory. The database appears once all of it is written and verified; until then, each start
 * begins the import again. The old files are only read. Resolves with undefined if there is nothing
 * to import. Rejects with {@link LaunchError} if `sys` or the variables cannot be read, or if the
 * database cannot be written.
 *
 * Imports only the stores that `sys` lists: `sys` itself, the variables, and the mounts in its
 * table. Files of removed mounts, and of initializations that lost a race, are no longer needed.
 *
 * @param print called with a sentence for the operator
 */
export async function importObjects(
  dataDir: string,
  print: (sentence: string) => void = console.log,
): Promise<ImportResult | undefined> {
  const file = join(dataDir, "sealwright.db");
  if (existsSync(file)) return undefined;
  await removeDraft(file);
  const files = await objectFilesIn(dataDir);
  if (!files || !(await holdsSystem(files, join(dataDir, "installed")))) return undefined;
  const draft = await beginDraft(file);
  try {
    const lost = await importStores(draft, files);
    await draft.publish();
    // mount paths are stored names, so remove control characters, which could control the terminal
    for (const sentence of lost) print(sentence.replace(/\p{Cc}/gu, "?"));
    const { objects } = files;
    const rest =
      lost.length > 0
        ? "but keep it until the missing data is restored"
        : "and you can remove it unless you want to go back to version 0.2";
    print(
      `Imported ${draft.stores()} stores from ${objects} into ${file}; ${objects} is no longer used, ${rest}.`,
    );
    return { imported: draft.stores() };
  } finally {
    draft.discard();
  }
}

/** Keys of the rows that the initialization creates in a mount before `sys` is stored. */
const firstRows = ["epoch", "mount", "config/serial", "config/cluster"];

/**
 * Reports whether the `sys` store exists. Rejects with {@link LaunchError} if the marker file or
 * rows of mounts show that it existed and was lost.
 */
async function holdsSystem(files: ObjectFiles, marker: string): Promise<boolean> {
  const { objects, databases, databaseOf } = files;
  const path = databaseOf("sys");
  if (await hasRows(path, ["epoch"])) return true;
  const others = databases.filter((one) => one !== path && one !== databaseOf(varsStore));
  const isMarked = existsSync(marker);
  const isUsed = await Promise.all(others.map((one) => hasRows(one, firstRows)));
  if (!isMarked && !isUsed.includes(true)) return false;
  const [why, away] = isMarked
    ? [
        `${marker} records that an authority is stored here`,
        `remove ${marker} and move ${objects} away`,
      ]
    : ["other databases next to it contain data", `move ${objects} away`];
  throw new LaunchError(
    `${path} contains no data, and ${why}: ${putBack}; to start over, ${away}.`,
  );
}

/** Imports all stores. Returns one sentence for each store that could not be imported. */
async function importStores(draft: ImportDraft, files: ObjectFiles): Promise<readonly string[]> {
  const { mounts, usesVars } = await importSystem(draft, files);
  const sentences: (string | undefined)[] = [];
  for (const mount of mounts) sentences.push(await importMount(draft, files, mount));
  if (usesVars) sentences.push(await importVars(draft, files));
  return sentences.filter((sentence) => sentence !== undefined);
}

/** A mount in the mount table. */
interface ListedMount {
  readonly path: string;
  readonly uuid: string;
  /** Whether a restore of the mount was interrupted. */
  readonly restoring?: boolean;
}
/** The other stores that `sys` lists. */
interface System {
  readonly mounts: readonly ListedMount[];
  /** Whether the variables API has been used. */
  readonly usesVars: boolean;
}

async function importSystem(draft: ImportDraft, files: ObjectFiles): Promise<System> {
  const path = files.databaseOf("sys");
  try {
    const system = await readObject(path, "sys", async (source) => {
      await draft.add("sys", source);
      return systemIn(source);
    });
    if (system) return system;
    throw new DamagedDatabase("it is empty");
  } catch (error) {
    if (!(error instanceof DamagedDatabase)) throw error;
    const { objects } = files;
    throw new LaunchError(
      `${path}, the database of sys, cannot be read (${error.message}): ${putBack}; to start over, remove ${join(dirname(objects), "installed")} and move ${objects} away.`,
    );
  }
}

const routesBegin = "mounts/";
function systemIn(sys: Sql): System {
  const rows = all<[string, SqlValue]>(
    sys,
    "SELECT key, value FROM rows WHERE key >= ? AND key < ? ORDER BY key",
    routesBegin,
    afterPrefix(routesBegin),
  );
  const mounts = rows.map(([key, value]) => ({
    ...routeIn(value),
    path: key.slice(routesBegin.length),
  }));
  const used = first(sys, "SELECT 1 FROM rows WHERE key = ?", `used/${varsStore}`);
  return { mounts, usesVars: used !== undefined };
}

/** Parses a row of the mount table, which only the server writes. */
function routeIn(value: SqlValue): Omit<ListedMount, "path"> {
  try {
    return decode(blob(value) ?? new Uint8Array()) as Omit<ListedMount, "path">;
  } catch (error) {
    throw new DamagedDatabase(error);
  }
}

const putBack =
  "restore it with the files that belong to it (if copied from a running server, also those ending in -wal)";

/**
 * Imports a mount. Returns a sentence if the mount cannot be imported, because that must not affect
 * other mounts.
 */
async function importMount(
  draft: ImportDraft,
  files: ObjectFiles,
  { path, uuid, restoring }: ListedMount,
): Promise<string | undefined> {
  const file = files.databaseOf(uuid);
  try {
    if ((await copyObject(draft, file, uuid)) || restoring) return undefined;
    throw new DamagedDatabase("it is missing or empty");
  } catch (error) {
    if (!(error instanceof DamagedDatabase)) throw error;
    return `The mount ${path}/ was not imported, because its database ${file} cannot be read (${error.message}): restore the mount from a backup, or delete it.`;
  }
}

/**
 * Imports the variables. Returns a sentence if the operator has given them up by leaving an empty
 * file. Rejects with {@link LaunchError} if they cannot be read.
 */
async function importVars(draft: ImportDraft, files: ObjectFiles): Promise<string | undefined> {
  const file = files.databaseOf(varsStore);
  if (existsSync(file) && statSync(file).size === 0)
    return `The variables were not imported, because ${file} is an empty file: restore them from a backup, or start over with POST /v1/sys/begin-anew.`;
  try {
    if (await copyObject(draft, file, varsStore)) return undefined;
    throw new DamagedDatabase("it is missing or empty");
  } catch (error) {
    if (!(error instanceof DamagedDatabase)) throw error;
    throw new LaunchError(
      `${file}, the database of the variables, cannot be read (${error.message}): ${putBack}; to start without variables, put an empty file in its place.`,
    );
  }
}

/** Copies a store into the draft. Resolves with false if its database is missing or empty. */
async function copyObject(draft: ImportDraft, file: string, store: string): Promise<boolean> {
  const add = async (source: Sql): Promise<true> => {
    await draft.add(store, source);
    return true;
  };
  return (await readObject(file, store, add)) ?? false;
}
