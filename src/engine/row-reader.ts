type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  !ArrayBuffer.isView(value);
/**
 * Members of both, those of the second first; groups of members, such as `checks` of an issuer,
 * alike.
 */
function over(defaults: Fields): (given: Fields) => Fields {
  // once for a kind of row: walks read a hundred thousand of one
  const groups = Object.entries(defaults).flatMap(([name, below]) =>
    isFields(below) ? [[name, over(below)] as const] : [],
  );
  return (given) => {
    const all: Record<string, unknown> = { ...defaults, ...given };
    for (const [name, read] of groups) {
      const value = given[name];
      if (isFields(value)) all[name] = read(value);
    }
    return all;
  };
}
/**
 * Returns a reader of rows of one kind: a member that is missing, as in rows that an older version
 * stored, has its default. The type demands a default for every new member. A value that is no
 * object reads as the defaults alone.
 */
export function rowReader<T extends object>(defaults: T): (stored: unknown) => T {
  // rows of a kind are written only with its type, and every member that can be missing is laid
  // under
  const read = over(defaults as Fields);
  return (stored) => read(isFields(stored) ? stored : {}) as T;
}
