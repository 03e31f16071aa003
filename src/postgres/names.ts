/**
 * Number of the layout that this version reads and writes. It is part of the names of the SQL
 * functions: a migration to a later layout drops the functions of this layout, so that a node of an
 * older version fails instead of misreading the data.
 */
export const layoutNumber = 1;

/** Returns the quoted name of a table or sequence. */
export const nameIn = (schema: string, name: string): string => `"${schema}"."${name}"`;

/** Returns the quoted name of an SQL function of this layout. */
export const functionIn = (schema: string, name: string): string =>
  nameIn(schema, `${name}_${layoutNumber}`);

/** Returns the name of the channel on which commits announce jobs. */
export const jobChannel = (schema: string): string => `${schema}_jobs`;

/** Returns an SQL expression for the number of the advisory lock that has this name in a schema. */
export const lockOf = (schema: string, name: string): string =>
  `hashtextextended(${name}, hashtextextended('${schema}', 0))`;

/**
 * Settings of every SQL function: rows are always found through B-trees, because the planner has no
 * statistics for new tables; plans are made once per connection.
 */
export const functionSettings = `
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
  SET jit = off SET plan_cache_mode = force_generic_plan`;
