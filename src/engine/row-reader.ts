type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  !ArrayBuffer.isView(value);
/**
 * Returns a function that adds defaults to a row, including defaults within groups of members such
 * as `checks` of an issuer.
 */
function withDefaults(defaults: Fields): (row: Fields) => Fields {
  // computed once per kind of row, because some jobs read a hundred thousand rows of a kind
  const groups = Object.entries(defaults).flatMap(([name, below]) =>
    isFields(below) ? [[name, withDefaults(below)] as const] : [],
  );
  return (row) => {
    const all: Record<string, unknown> = { ...defaults, ...row };
    for (const [name, read] of groups) {
      const value = row[name];
      if (isFields(value)) all[name] = read(value);
    }
    return all;
  };
}
/**
 * Returns a parser for rows of one kind. A missing member, as in rows stored by an older version,
 * gets its default. The compiler requires a default for every member that is not optional. A value
 * that is not an object is read as the defaults.
 */
export function rowReader<T extends object>(defaults: T): (stored: unknown) => T {
  // all rows of a kind are written with its type, and members that may be missing have a default
  const read = withDefaults(defaults as Fields);
  return (stored) => read(isFields(stored) ? stored : {}) as T;
}
