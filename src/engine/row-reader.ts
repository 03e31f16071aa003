type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  !ArrayBuffer.isView(value);
/**
 * Returns a function that adds defaults to a row; groups of members, such as `checks` of an issuer,
 * get theirs too.
 */
function withDefaults(defaults: Fields): (row: Fields) => Fields {
  // once per kind of row, because walks read a hundred thousand of one kind
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
 * Returns a reader of rows of one kind. A missing member, as in rows stored by an older version,
 * gets its default. The type requires a default for every new member. A value that is not an object
 * reads as the defaults.
 */
export function rowReader<T extends object>(defaults: T): (stored: unknown) => T {
  // rows of a kind are only written with its type, and every member that may be missing has a
  // default
  const read = withDefaults(defaults as Fields);
  return (stored) => read(isFields(stored) ? stored : {}) as T;
}
