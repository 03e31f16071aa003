/**
 * Throws TypeError for members that nobody knows: a misspelt option would be as if it had not been
 * said, and what it was to switch on or off is noticed late. `known` has a member for each option.
 */
export function rejectUnknownOptions(what: string, given: object, known: object): void {
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(known, name));
  if (unknown.length > 0)
    throw new TypeError(
      `${what} does not know ${unknown.join(", ")}; it takes ${Object.keys(known).join(", ")}`,
    );
}
