const blanks = /[ \t\n\r]*/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
/**
 * Characters of a JSON string, matched in chunks so that the regular expression engine's stack does
 * not overflow.
 */
const characters = /(?:[ !#-[\]-\uffff]+|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})){1,1000}/y;

/**
 * Returns the position at which a string stops being a JSON object (RFC 8259): the index of the
 * first invalid character, the start of an invalid number or word, or the length of the string if
 * it ends early. Returns undefined if the string is a JSON object. It is needed because not all
 * JavaScript engines report the position. `text` must not be nested more deeply than `readJson`
 * allows.
 */
export function faultIn(text: string): number | undefined {
  let at = 0;
  const consume = (pattern: RegExp): boolean => {
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
  const mark = (one: string): boolean => consume(blanks) && next(one);
  const string = (): boolean => {
    if (!mark('"')) return false;
    while (consume(characters));
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
    return text[at] === '"' ? string() : consume(scalar);
  };
  const whole = mark("{") && listed(member, "}") && consume(blanks);
  return whole && at === text.length ? undefined : at;
}
