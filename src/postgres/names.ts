/**
 * Number of the layout that this code reads and writes. It is part of the names of the functions: a
 * later layout drops those of this one, so that a node of an older version fails instead of reading
 * what it does not know.
 */
export const layoutNumber = 1;

/** Returns the quoted name of a table or sequence. */
export const nameIn = (schema: string, name: string): string => `"${schema}"."${name}"`;

/** Returns the quoted name of a function of this layout. */
export const functionIn = (schema: string, name: string): string =>
  nameIn(schema, `${name}_${layoutNumber}`);

/** Returns the channel on which commits announce jobs. */
export const jobChannel = (schema: string): string => `${schema}_jobs`;

/** Returns the SQL expression of the advisory lock of something that has a name in a schema. */
export const lockOf = (schema: string, name: string): string =>
  `hashtextextended(${name}, hashtextextended('${schema}', 0))`;

/**
 * Settings of every function: rows are reached by their B-trees whatever the statistics say, which
 * are absent while a table is new, and plans are made once a connection.
 */
export const functionSettings = `
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
  SET jit = off SET plan_cache_mode = force_generic_plan`;
