/** White space and what stands behind it: a number or word, the quote of a string, or a mark. */
const token =
  /[ \t\n\r]*((-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)|["[\]{}:,])?/y;
/** So many parts of a string that the engine's stack bears them. */
const piece = /(?:[ !#-[\]-\uffff]+|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})){0,1000}/y;
/** What a value begins with; `0` stands for numbers and words. */
const values = '"0{[';

/**
 * Where a text stops being a JSON object (RFC 8259): the index of the first character that cannot
 * stand there, of a number's or word's first one where it cannot be read, or the text's length
 * where it ends early; undefined for an object. The engine's own parser tells it in some of its
 * messages only, and in the words of each engine.
 */
export function faultIn(text: string): number | undefined {
  const open: string[] = [];
  let may = "{";
  let at = 0;
  for (;;) {
    token.lastIndex = at;
    const [, mark = "", plain] = token.exec(text) ?? [];
    const begin = token.lastIndex - mark.length;
    if (may === "" && begin === text.length) return undefined;
    const kind = plain === undefined ? mark : "0";
    if (kind === "" || !may.includes(kind)) return begin;
    at = token.lastIndex;
    if (kind === '"') {
      const end = stringEnd(text, at);
      if (text[end] !== '"') return end;
      at = end + 1;
    }
    if (kind === "{" || kind === "[") open.push(kind);
    if (kind === "}" || kind === "]") open.pop();
    const isKey = kind === '"' && !may.includes("0");
    may = isKey ? ":" : after(kind, open.at(-1));
  }
}
/** What may follow a token inside an object, a list, or neither. */
function after(kind: string, inside: string | undefined): string {
  if (kind === "{") return '"}';
  if (kind === "[") return `${values}]`;
  if (kind === ":") return values;
  if (kind === ",") return inside === "{" ? '"' : values;
  if (inside === undefined) return "";
  return inside === "{" ? ",}" : ",]";
}
function stringEnd(text: string, begin: number): number {
  piece.lastIndex = begin;
  for (let at = -1; at < piece.lastIndex;) {
    at = piece.lastIndex;
    piece.test(text);
  }
  return piece.lastIndex;
}
