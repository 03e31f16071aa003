import {
  openDB,
  type DBSchema,
  type IDBPDatabase,
  type IDBPObjectStore,
  type IDBPTransaction,
} from "idb";
import { NewerFormatError, type Format } from "../base/newer-format.ts";
import type { Index, Row } from "../engine/ports.ts";

/**
 * The format that this version reads and writes. Its number is the version of the IndexedDB
 * database.
 */
const layout: Required<Format> = { number: 2, version: "0.2.0" };

/** A stored index value. A single IndexedDB index contains the values of all index names. */
type Entry = readonly [name: string, value: string | number];
/** A row in the form in which it is stored. */
export interface StoredRecord extends Row {
  readonly index?: readonly Entry[];
}
/** A running export of all rows up to a revision, with the last key that it has reached. */
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
   * Values by key: `rev` is the last assigned revision, `version` the first version of Sealwright
   * that reads this format, and `export` the running export.
   */
  meta: { key: string; value: number | string | Exporting };
}
type Database = IDBPDatabase<Schema>;
type Names = ("rows" | "meta")[];
/** A transaction over all object stores. */
export type Transaction<Mode extends "readonly" | "readwrite"> = IDBPTransaction<
  Schema,
  Names,
  Mode
>;
/** The object store that contains the rows, within a transaction. */
export type Rows<Mode extends "readonly" | "readwrite"> = IDBPObjectStore<
  Schema,
  Names,
  "rows",
  Mode
>;

/** Returns a value of `meta` if it is the running export, the only value that is an object. */
export const exportingIn = (value: number | string | Exporting | undefined) =>
  typeof value === "object" ? value : undefined;
/** Converts index values to their stored form. */
export const entriesOf = (index: Index): readonly Entry[] => Object.entries(index);

type Change = IDBPTransaction<Schema, Names, "versionchange">;

/**
 * Creates or migrates a database in the browser's upgrade transaction, so that only one of several
 * tabs does so, and an interruption changes nothing.
 */
function migrateDatabase(
  database: Database,
  before: number,
  _newVersion: number | null,
  change: Change,
): void {
  const rows = before === 0 ? database.createObjectStore("rows") : change.objectStore("rows");
  rows.createIndex("entries", "index", { multiEntry: true });
  const meta = before === 0 ? database.createObjectStore("meta") : change.objectStore("meta");
  const done = [meta.put(layout.version, "version"), ...(before === 1 ? [fromFirst(change)] : [])];
  Promise.all(done).catch(() => change.abort());
  // the call that opens the database rejects with the error
  change.done.catch(() => undefined);
}

/** Indexes of the first format, each on the member of the stored row with the same name. */
const firstIndexes = ["not_after", "name", "role", "issuer"] as const;
type FormatOneRow = Row & { readonly [K in (typeof firstIndexes)[number]]?: string | number };

async function fromFirst(change: Change): Promise<void> {
  const rows = change.objectStore("rows");
  for (const name of firstIndexes) rows.deleteIndex(name);
  for (let cursor = await rows.openCursor(); cursor; cursor = await cursor.continue()) {
    const row: FormatOneRow = cursor.value;
    const index = firstIndexes.flatMap((name): Entry[] =>
      row[name] === undefined ? [] : [[name, row[name]]],
    );
    if (index.length > 0) await cursor.update({ value: row.value, rev: row.rev, index });
  }
}

/** Returns the error for a database that has a later format. */
async function newerFormatOf(name: string): Promise<NewerFormatError> {
  const database = await openDB<Schema>(name);
  try {
    const hasMeta = database.objectStoreNames.contains("meta");
    const version = hasMeta ? await database.get("meta", "version") : undefined;
    const number = database.version;
    return new NewerFormatError(typeof version === "string" ? { number, version } : { number });
  } finally {
    database.close();
  }
}

/** A connector to a database, which reopens the database after it was closed. */
export interface Connector {
  /**
   * Begins a transaction. Reopens the connection first if the browser or another tab has closed it.
   */
  begin<Mode extends "readonly" | "readwrite">(mode: Mode): Promise<Transaction<Mode>>;
}

/**
 * Returns a connector to the database with the given name. Opening the database migrates an older
 * format.
 */
export function connector(name: string): Connector {
  let connection: Promise<Database> | undefined;
  const forget = (): void => void (connection = undefined);
  const open = (): Promise<Database> =>
    openDB<Schema>(name, layout.number, {
      upgrade: migrateDatabase,
      // another tab deletes or upgrades the database, which requires closing this connection
      blocking(_current, _newVersion, event) {
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
      // a completed commit survives a power failure
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

/** Reports whether an error is a DOMException with the given name. */
export function isNamed(error: unknown, name: string): boolean {
  return error instanceof DOMException && error.name === name;
}
