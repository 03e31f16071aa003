/**
 * Returns the path that policies judge where names have no case: two spellings of a name are one to
 * them too (security row 91).
 */
export const inLowerCase = (path: string): string =>
  // an escape has no case: `%42` is the letter B
  encodeURIComponent(decodeURIComponent(path).toLowerCase());
