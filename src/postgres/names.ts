/**
 * Number of the layout that this version reads and writes. It is part of the names of the
 * functions: a later layout drops those of this one, so that a node of an older version fails
 * instead of reading unknown data.
 */
export const layoutNumber = 1;

/** Returns the quoted name of a table or sequence. */
export const nameIn = (schema: string, name: string): string => `"${schema}"."${name}"`;

/** Returns the quoted name of a function of this layout. */
export const functionIn = (schema: string, name: string): string =>
  nameIn(schema, `${name}_${layoutNumber}`);

/** Returns the channel on which commits announce jobs. */
export const jobChannel = (schema: string): string => `${schema}_jobs`;

/** Returns the SQL expression of the advisory lock for a name in a schema. */
export const lockOf = (schema: string, name: string): string =>
  `hashtextextended(${name}, hashtextextended('${schema}', 0))`;

/**
 * Settings of every function: rows are always found through their B-trees, regardless of the
 * statistics, which a new table lacks; and plans are made once per connection.
 */
export const functionSettings = `
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
  SET jit = off SET plan_cache_mode = force_generic_plan`;
