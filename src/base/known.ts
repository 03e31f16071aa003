/**
 * Throws TypeError for members that nobody knows: a misspelt option would be as if it had not been
 * said, and what it was to switch on or off is noticed late. `known`: names with spaces between.
 */
export function demandKnown(what: string, given: object, known: string): void {
  const names = known.split(" ");
  const unknown = Object.keys(given).filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new TypeError(
      `${what} does not know ${unknown.join(", ")}; it takes ${names.join(", ")}`,
    );
}
