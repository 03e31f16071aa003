/**
 * Reports whether the whole of `text` matches `pattern`, in which `*` matches any characters,
 * including dots, and is the only metacharacter. Takes linear time.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  return compileGlob(pattern)(text);
}

/** Compiles a pattern that is to be matched against many strings. */
export function compileGlob(pattern: string): (text: string) => boolean {
  const [first = "", ...pieces] = pattern.split("*");
  const last = pieces.pop();
  return last === undefined
    ? (text) => pattern === text
    : (text) => isMatch(text, first, pieces, last);
}

function isMatch(text: string, first: string, pieces: readonly string[], last: string): boolean {
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
    return false;
  const end = text.length - last.length;
  let from = first.length;
  for (const piece of pieces) {
    // the leftmost match leaves the most room for the pieces that follow
    from = indexAfter(text, piece, from, end);
    if (from < 0) return false;
  }
  return true;
}

/**
 * Returns the end of the leftmost `piece` in `text` between `from` and `end`, or -1. Uses
 * Knuth-Morris-Pratt, because `indexOf` is quadratic on hostile input.
 */
function indexAfter(text: string, piece: string, from: number, end: number): number {
  if (piece.length > end - from) return -1;
  const back = borders(piece);
  let matched = 0;
  for (let at = from; matched < piece.length; at++) {
    if (at === end) return -1;
    while (matched > 0 && text[at] !== piece[matched]) matched = back[matched - 1] ?? 0;
    if (text[at] === piece[matched]) matched++;
    if (matched === piece.length) return at + 1;
  }
  return from;
}

function borders(piece: string): Uint32Array {
  const back = new Uint32Array(piece.length);
  for (let at = 1, matched = 0; at < piece.length; at++) {
    while (matched > 0 && piece[at] !== piece[matched]) matched = back[matched - 1] ?? 0;
    if (piece[at] === piece[matched]) matched++;
    back[at] = matched;
  }
  return back;
}
