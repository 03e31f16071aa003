const blanks = /[ \t\n\r]*/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
/** So many parts of a string that the engine's stack bears them. */
const characters = /(?:[ !#-[\]-\uffff]+|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})){1,1000}/y;

/**
 * Where a text stops being a JSON object (RFC 8259): the index of the first character that cannot
 * stand there, of a number's or word's first one where it cannot be read, or the text's length
 * where it ends early; undefined for an object. The engine's own parser tells it in some of its
 * messages only, and in the words of each engine. `text` is nested as deep as `readJson` allows.
 */
export function faultIn(text: string): number | undefined {
  let at = 0;
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    if (!pattern.test(text)) return false;
    at = pattern.lastIndex;
    return true;
  };
  const next = (mark: string): boolean => {
    if (text[at] !== mark) return false;
    at += 1;
    return true;
  };
  const mark = (one: string): boolean => take(blanks) && next(one);
  const string = (): boolean => {
    if (!mark('"')) return false;
    while (take(characters));
    return next('"');
  };
  const listed = (one: () => boolean, close: string): boolean => {
    if (mark(close)) return true;
    do if (!one()) return false;
    while (mark(","));
    return mark(close);
  };
  const member = (): boolean => string() && mark(":") && value();
  const value = (): boolean => {
    if (mark("{")) return listed(member, "}");
    if (mark("[")) return listed(value, "]");
    return text[at] === '"' ? string() : take(scalar);
  };
  const whole = mark("{") && listed(member, "}") && take(blanks);
  return whole && at === text.length ? undefined : at;
}
