/** Quotes a string for a shell. */
export const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Quotes a word for a shell if it contains special characters. */
export const quoteWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : quote(word);
