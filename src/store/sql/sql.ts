/** A value in a column. BLOBs may have either binary type; Workers return `ArrayBuffer`. */
export type SqlValue = string | number | null | ArrayBuffer | Uint8Array;
/** A value bound to a `?`. */
export type Binding = SqlValue | undefined;

/** The result of a query. */
export interface QueryResult {
  /** Returns the rows as arrays, with the columns in the order of the query. */
  raw(): Iterable<SqlValue[]>;
  /** Number of written rows. It is greater than 0 if a statement with bindings wrote anything. */
  readonly rowsWritten: number;
}
/**
 * An SQLite database as its driver provides it, such as `sql` of a Durable Object's storage. A
 * query without bindings may have several statements. The words `rows`, `parts`, `indexes` and
 * `meta` always name tables, and `rows_…` indexes, so that a driver can replace them to keep many
 * stores in one database. Values are always bound, never part of the query.
 */
export interface Sql {
  exec(query: string, ...bindings: readonly Binding[]): QueryResult;
}
/** A database with transactions, such as the storage of a Durable Object. */
export interface Database {
  readonly sql: Sql;
  /**
   * Runs a function as one transaction. Commits all of its writes, or none if it throws. A nested
   * transaction becomes part of the outer transaction.
   */
  transactionSync<T>(run: () => T): T;
  /**
   * Resolves when earlier writes are flushed, or soon if none are pending; batches that arrive
   * until then share the next transaction. Rejects if the disk has failed.
   */
  sync(): Promise<void>;
}

/**
 * Returns all rows of a query. All reads must use this function, because an unfinished cursor holds
 * its snapshot until it is garbage-collected, and the write-ahead log grows meanwhile. Queries with
 * many results need a LIMIT.
 */
export function all<T extends SqlValue[]>(
  sql: Sql,
  query: string,
  ...bindings: readonly Binding[]
): T[] {
  // T must match the columns of the query
  return [...sql.exec(query, ...bindings).raw()] as T[];
}

/**
 * Returns the first row of a query, or undefined if there is none. The query must return at most
 * one row or have LIMIT 1.
 */
export function first(
  sql: Sql,
  query: string,
  ...bindings: readonly Binding[]
): SqlValue[] | undefined {
  return all(sql, query, ...bindings)[0];
}

/** Runs statements without results. Returns the number of written rows, including index rows. */
export function run(sql: Sql, statements: string, ...bindings: readonly Binding[]): number {
  return sql.exec(statements, ...bindings).rowsWritten;
}

/** Returns the bytes of a BLOB. Returns undefined for other values. */
export function blob(value: SqlValue | undefined): Uint8Array | undefined {
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  return value instanceof Uint8Array ? value : undefined;
}
