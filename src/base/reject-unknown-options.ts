/**
 * Throws TypeError if there are unknown options, because a misspelled option would silently have no
 * effect. `allowed` is an object with a member for each option.
 */
export function rejectUnknownOptions(what: string, options: object, allowed: object): void {
  const unknown = Object.keys(options).filter((name) => !Object.hasOwn(allowed, name));
  if (unknown.length > 0)
    throw new TypeError(
      `${what}: unknown option ${unknown.join(", ")}; known options: ${Object.keys(allowed).join(", ")}`,
    );
}
