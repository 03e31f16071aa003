/** What a column holds. BLOBs come as either; the platform of Workers gives `ArrayBuffer`. */
export type SqlValue = string | number | null | ArrayBuffer | Uint8Array;
/** What a query may be given for each `?`. */
export type Binding = SqlValue | undefined;

/** What a query found, or did. */
export interface QueryResult {
  /** The rows, their columns in order. */
  raw(): Iterable<SqlValue[]>;
  /** More than 0 where statements with bindings have written anything. */
  readonly rowsWritten: number;
}
/**
 * An SQLite database as its driver shows it; `sql` of a Durable Object's storage is one. Statements
 * without bindings may be several. The words `rows`, `parts`, `indexes` and `meta` are names of
 * tables wherever they stand in a statement, and `rows_…` those of indexes: a driver whose database
 * holds many stores gives each its own. Values are never part of the text.
 */
export interface Sql {
  exec(query: string, ...bindings: readonly Binding[]): QueryResult;
}
/** A database and its transactions; the storage of a Durable Object is one. */
export interface Database {
  readonly sql: Sql;
  /** All that `run` writes, or nothing of it where it throws. One in another is part of it. */
  transactionSync<T>(run: () => T): T;
  /** Resolves when those that came by now may be one transaction; rejects where the disk failed. */
  sync(): Promise<void>;
}

/**
 * Every row of a query, its columns in order. The one way to read: a cursor that is left before its
 * end holds its view of the database until it is collected as garbage, and as long as one does the
 * write-ahead log is never copied back and grows. A query that may find too much says LIMIT.
 */
export function all<T extends SqlValue[]>(
  sql: Sql,
  query: string,
  ...bindings: readonly Binding[]
): T[] {
  // the query names the columns of the row that it is asked for
  return [...sql.exec(query, ...bindings).raw()] as T[];
}

/** The first row of a query that finds one row at most, or says LIMIT 1. */
export function first(
  sql: Sql,
  query: string,
  ...bindings: readonly Binding[]
): SqlValue[] | undefined {
  return all(sql, query, ...bindings)[0];
}

/** Runs statements that answer no rows, and tells how many they wrote, those of indexes too. */
export function run(sql: Sql, statements: string, ...bindings: readonly Binding[]): number {
  return sql.exec(statements, ...bindings).rowsWritten;
}

/** The bytes of a BLOB; undefined for whatever else. */
export function blob(value: SqlValue | undefined): Uint8Array | undefined {
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  return value instanceof Uint8Array ? value : undefined;
}
