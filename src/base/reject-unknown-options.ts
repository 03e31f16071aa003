/**
 * Throws TypeError for unknown options, because a misspelt one would silently have no effect.
 * `known` has a member for each option.
 */
export function rejectUnknownOptions(what: string, given: object, known: object): void {
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(known, name));
  if (unknown.length > 0)
    throw new TypeError(
      `${what}: unknown option ${unknown.join(", ")}; known options: ${Object.keys(known).join(", ")}`,
    );
}
