/** Words to ignore in queries such as "revoke a certificate". */
const fillers: ReadonlySet<string> = new Set(["a", "an", "the", "of", "to", "for", "in", "my"]);

/** Splits a query into the words that must match. */
export function queryWords(query: string): readonly string[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const specific = words.filter((word) => !fillers.has(word));
  return specific.length > 0 ? specific : words;
}

/** Reports whether a word in the text begins with `word`. */
export function beginsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text.charAt(at - 1))) return true;
  return false;
}

/**
 * Returns the cost of a match, or undefined without a match. The cost is lowest at the beginning of
 * a word in the title, and highest outside the title.
 */
function costOf(word: string, title: string, more: string): number | undefined {
  if (beginsWord(title, word)) return 0;
  if (title.includes(word)) return 1;
  if (beginsWord(more, word)) return 2;
  return more.includes(word) ? 3 : undefined;
}

/**
 * Returns the cost of matching words, in any order, with a title and further text; lower is better.
 * Returns undefined if a word is neither in the title nor in `more`.
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
  // of equally good matches, shorter titles come first
  return sum / Math.max(1, words.length) + exact + Math.min(title.length, 200) / 1000;
}
