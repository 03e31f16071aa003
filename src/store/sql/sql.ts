/** A value in a column. BLOBs may have either type; Workers return `ArrayBuffer`. */
export type SqlValue = string | number | null | ArrayBuffer | Uint8Array;
/** A value bound to a `?`. */
export type Binding = SqlValue | undefined;

/** The result of a query. */
export interface QueryResult {
  /** Returns the rows, with columns in order. */
  raw(): Iterable<SqlValue[]>;
  /** Greater than 0 if statements with bindings wrote anything. */
  readonly rowsWritten: number;
}
/**
 * An SQLite database as its driver provides it; `sql` of a Durable Object's storage is one. Without
 * bindings, several statements are allowed. The words `rows`, `parts`, `indexes` and `meta` always
 * name tables, and `rows_…` indexes, so that a driver whose database has many stores can give each
 * its own. Values are never part of the text.
 */
export interface Sql {
  exec(query: string, ...bindings: readonly Binding[]): QueryResult;
}
/** A database with transactions, such as the storage of a Durable Object. */
export interface Database {
  readonly sql: Sql;
  /**
   * Commits all writes of `run`, or none if it throws. Nested transactions are part of the outer
   * one.
   */
  transactionSync<T>(run: () => T): T;
  /** Resolves when the transactions so far may be flushed together; rejects if the disk failed. */
  sync(): Promise<void>;
}

/**
 * Returns all rows of a query. All reads must use this, because an unfinished cursor holds its
 * snapshot until it is garbage-collected, and meanwhile the write-ahead log grows. Large queries
 * need a LIMIT.
 */
export function all<T extends SqlValue[]>(
  sql: Sql,
  query: string,
  ...bindings: readonly Binding[]
): T[] {
  // the query names the columns of the row type
  return [...sql.exec(query, ...bindings).raw()] as T[];
}

/** Returns the first row of a query with at most one row, or with LIMIT 1. */
export function first(
  sql: Sql,
  query: string,
  ...bindings: readonly Binding[]
): SqlValue[] | undefined {
  return all(sql, query, ...bindings)[0];
}

/**
 * Runs statements without results, and returns the number of written rows, including those of
 * indexes.
 */
export function run(sql: Sql, statements: string, ...bindings: readonly Binding[]): number {
  return sql.exec(statements, ...bindings).rowsWritten;
}

/** Returns the bytes of a BLOB; undefined for anything else. */
export function blob(value: SqlValue | undefined): Uint8Array | undefined {
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  return value instanceof Uint8Array ? value : undefined;
}
