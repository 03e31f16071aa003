import {
  openDB,
  type DBSchema,
  type IDBPDatabase,
  type IDBPObjectStore,
  type IDBPTransaction,
} from "idb";
import { NewerFormatError, type Format } from "../base/newer-format.ts";
import type { Index, Row } from "../engine/ports.ts";

/** The form of the database that this code reads and writes; the number is its version. */
const layout: Required<Format> = { number: 2, version: "0.2.0" };

/** An index value as it is held: one index of the database holds those of all names. */
type Entry = readonly [name: string, value: string | number];
/** A row as it is held. */
export interface StoredRecord extends Row {
  readonly index?: readonly Entry[];
}
/** An export under way, of rows up to a revision, which has come to a key. */
export interface Exporting {
  readonly rev: number;
  readonly after: string;
}
/** The schema of the database. */
interface Schema extends DBSchema {
  rows: {
    key: string;
    value: StoredRecord;
    indexes: { entries: [name: string, value: string | number] };
  };
  /**
   * `rev`: the last revision given; `version`: the first version that reads this form; `export`:
   * the export under way.
   */
  meta: { key: string; value: number | string | Exporting };
}
type Database = IDBPDatabase<Schema>;
type Names = ("rows" | "meta")[];
/** A transaction over all of it. */
export type Transaction<Mode extends "readonly" | "readwrite"> = IDBPTransaction<
  Schema,
  Names,
  Mode
>;
/** The rows in a transaction. */
export type Rows<Mode extends "readonly" | "readwrite"> = IDBPObjectStore<
  Schema,
  Names,
  "rows",
  Mode
>;

/** The export under way; others of `meta` are not objects. */
export const exportingIn = (value: number | string | Exporting | undefined) =>
  typeof value === "object" ? value : undefined;
/** Index values as they are held. */
export const entriesOf = (index: Index): readonly Entry[] => Object.entries(index);

type Change = IDBPTransaction<Schema, Names, "versionchange">;

/**
 * Makes a new database, or brings an older one up to date, in the browser's own transaction for
 * that: of two tabs one does it, and when it is broken off nothing has changed.
 */
function migrateDatabase(
  database: Database,
  before: number,
  _wanted: number | null,
  change: Change,
): void {
  const rows = before === 0 ? database.createObjectStore("rows") : change.objectStore("rows");
  rows.createIndex("entries", "index", { multiEntry: true });
  const meta = before === 0 ? database.createObjectStore("meta") : change.objectStore("meta");
  const done = [meta.put(layout.version, "version"), ...(before === 1 ? [fromFirst(change)] : [])];
  Promise.all(done).catch(() => change.abort());
  // the caller that opens the database gets the error
  change.done.catch(() => undefined);
}

/** The first form had four indexes, each over a member of the held row of its name. */
const firstIndexes = ["not_after", "name", "role", "issuer"] as const;
type FirstHeld = Row & { readonly [K in (typeof firstIndexes)[number]]?: string | number };

async function fromFirst(change: Change): Promise<void> {
  const rows = change.objectStore("rows");
  for (const name of firstIndexes) rows.deleteIndex(name);
  for (let cursor = await rows.openCursor(); cursor; cursor = await cursor.continue()) {
    const row: FirstHeld = cursor.value;
    const index = firstIndexes.flatMap((name): Entry[] =>
      row[name] === undefined ? [] : [[name, row[name]]],
    );
    if (index.length > 0) await cursor.update({ value: row.value, rev: row.rev, index });
  }
}

/** The refusal of a database of a later form. */
async function newerFormatOf(name: string): Promise<NewerFormatError> {
  const database = await openDB<Schema>(name);
  try {
    const known = database.objectStoreNames.contains("meta");
    const version = known ? await database.get("meta", "version") : undefined;
    const number = database.version;
    return new NewerFormatError(typeof version === "string" ? { number, version } : { number });
  } finally {
    database.close();
  }
}

/** Opens a database, and opens it again after it was closed. */
export interface Connector {
  /**
   * A transaction on an open connection, which is opened again when the browser or another tab has
   * closed it.
   */
  begin<Mode extends "readonly" | "readwrite">(mode: Mode): Promise<Transaction<Mode>>;
}

/** The database of a name, brought up to date when it is opened. */
export function connector(name: string): Connector {
  let connection: Promise<Database> | undefined;
  const forget = (): void => void (connection = undefined);
  const open = (): Promise<Database> =>
    openDB<Schema>(name, layout.number, {
      upgrade: migrateDatabase,
      // another tab deletes or upgrades the database: it waits for us to let go
      blocking(_current, _wanted, event) {
        (event.target as IDBDatabase).close();
        forget();
      },
      terminated: forget,
    });
  const connect = async (): Promise<Database> => {
    connection ??= open();
    try {
      return await connection;
    } catch (error) {
      forget();
      throw isNamed(error, "VersionError") ? await newerFormatOf(name) : error;
    }
  };
  return {
    async begin(mode) {
      const names: Names = ["rows", "meta"];
      // an answered commit outlives a loss of power
      const options = { durability: "strict" } as const;
      try {
        return (await connect()).transaction(names, mode, options);
      } catch (error) {
        if (!isNamed(error, "InvalidStateError")) throw error;
        forget();
        return (await connect()).transaction(names, mode, options);
      }
    },
  };
}

/** Whether an error is the browser's of that name. */
export function isNamed(error: unknown, name: string): boolean {
  return error instanceof DOMException && error.name === name;
}
