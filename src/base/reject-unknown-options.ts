/**
 * Throws TypeError for unknown options, because a misspelt one would silently have no effect.
 * `allowed` has a member for each option.
 */
export function rejectUnknownOptions(what: string, options: object, allowed: object): void {
  const unknown = Object.keys(options).filter((name) => !Object.hasOwn(allowed, name));
  if (unknown.length > 0)
    throw new TypeError(
      `${what}: unknown option ${unknown.join(", ")}; known options: ${Object.keys(allowed).join(", ")}`,
    );
}
