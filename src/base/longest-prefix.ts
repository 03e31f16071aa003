/**
 * Returns the longest of the known paths that a path is on or below, with its value; undefined
 * where there is none.
 */
export function longestPrefix<Value>(
  known: ReadonlyMap<string, Value>,
  path: string,
): { readonly path: string; readonly value: Value } | undefined {
  let maxLength = 0;
  for (const one of known.keys()) maxLength = Math.max(maxLength, one.length);
  // no part longer than the longest known path is one: a path of many slashes is not tried at each
  for (
    let end = path.length <= maxLength ? path.length : path.lastIndexOf("/", maxLength);
    end > 0;
    end = path.lastIndexOf("/", end - 1)
  ) {
    const candidate = path.slice(0, end);
    const value = known.get(candidate);
    if (value !== undefined) return { path: candidate, value };
  }
  return undefined;
}
