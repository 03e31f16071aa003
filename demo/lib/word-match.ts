/** Words of questions such as "revoke a certificate" that distinguish nothing. */
const fillers: ReadonlySet<string> = new Set(["a", "an", "the", "of", "to", "for", "in", "my"]);

/** Splits a query into the words that must match. */
export function queryWords(query: string): readonly string[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const specific = words.filter((word) => !fillers.has(word));
  return specific.length > 0 ? specific : words;
}

/** Reports whether one of a text's words begins with `word`. */
export function beginsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text.charAt(at - 1))) return true;
  return false;
}

/** Returns the cost of a match: lowest at the start of a word of the title, highest outside it. */
function costOf(word: string, title: string, more: string): number | undefined {
  if (beginsWord(title, word)) return 0;
  if (title.includes(word)) return 1;
  if (beginsWord(more, word)) return 2;
  return more.includes(word) ? 3 : undefined;
}

/**
 * Ranks how well texts match words in any order, best first: lower is better. Every word must be
 * part of the title or of `more`; otherwise returns undefined.
 */
export function rankWords(words: readonly string[], title: string, more = ""): number | undefined {
  const [name, rest] = [title.toLowerCase(), more.toLowerCase()];
  let sum = 0;
  for (const word of words) {
    const cost = costOf(word, name, rest);
    if (cost === undefined) return undefined;
    sum += cost;
  }
  const whole = words.join(" ");
  const exact = name === whole ? 0 : name.startsWith(whole) ? 0.25 : 0.5;
  // shorter titles first among equals
  return sum / Math.max(1, words.length) + exact + Math.min(title.length, 200) / 1000;
}
