import type { DurableObjectStorage, SqlStorageValue } from "@cloudflare/workers-types";

/** The database of an object. */
export type Sql = DurableObjectStorage["sql"];
/** What a query may be given for each `?`. */
export type Binding = SqlStorageValue | Uint8Array | undefined;

/**
 * Every row of a query, its columns in order. The one way to read: a cursor that is left before its
 * end holds its view of the database until it is collected as garbage, and as long as one does the
 * write-ahead log is never copied back and grows. A query that may find too much says LIMIT.
 */
export function all<T extends SqlStorageValue[]>(
  sql: Sql,
  query: string,
  ...bindings: readonly Binding[]
): T[] {
  return [...sql.exec(query, ...bindings).raw<T>()];
}

/** The first row of a query that finds one row at most, or says LIMIT 1. */
export function first(
  sql: Sql,
  query: string,
  ...bindings: readonly Binding[]
): SqlStorageValue[] | undefined {
  return all(sql, query, ...bindings)[0];
}

/** Runs statements that answer no rows, and tells how many they wrote, those of indexes too. */
export function run(sql: Sql, statements: string, ...bindings: readonly Binding[]): number {
  return sql.exec(statements, ...bindings).rowsWritten;
}
