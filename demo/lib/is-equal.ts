/** Reports whether two plain objects have equal members. */
function hasEqualMembers(a: object, b: object): boolean {
  const [left, right] = [Object.entries(a), new Map<string, unknown>(Object.entries(b))];
  return (
    left.length === right.size &&
    left.every(([name, value]) => right.has(name) && isEqual(value, right.get(name)))
  );
}

const isPlain = (value: object): boolean =>
  Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;

/**
 * Reports whether two values are deeply equal. Supports plain data, dates, bytes, maps and sets.
 */
export function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (a instanceof Date && b instanceof Date) return a.getTime() === b.getTime();
  if (a instanceof Uint8Array && b instanceof Uint8Array)
    return a.length === b.length && a.every((byte, i) => byte === b[i]);
  if (a instanceof Map && b instanceof Map) return isEqual([...a], [...b]);
  if (a instanceof Set && b instanceof Set) return isEqual([...a], [...b]);
  return isPlain(a) && isPlain(b) && Array.isArray(a) === Array.isArray(b) && hasEqualMembers(a, b);
}
