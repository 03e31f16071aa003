/** Joins words with commas and "or": `rsa, ec or ed25519`. */
export const joinWithOr = (words: readonly string[]): string =>
  words.join(", ").replace(/, ([^,]*)$/, " or $1");
