import { compile, TreeInterpreter } from "@jmespath-community/jmespath";
import { CaError } from "../base/errors.ts";

/** Maximum length of an expression in characters. */
const maxExpressionLength = 1000;
/**
 * Limits for one value (nested values, characters), and for all intermediate values together,
 * because an expression can double a value with every few characters.
 */
const [maxValues, maxCharacters, maxWork] = [20_000, 262_144, 500_000];
/** Number of characters that count as the same amount of work as one value. */
const charactersOfOne = 32;
/**
 * Number of pairs of characters that count as the same amount of work as one value. Trimming a
 * string, and searching for one string in another, may compare every pair.
 */
const pairsOfOne = 2048;

/** Functions that can create strings much longer than their input. */
const unbounded: readonly string[] = ["pad_left", "pad_right", "replace"];

type Expression = ReturnType<typeof compile>;
type Interpreter = typeof TreeInterpreter;
type Value = Parameters<Interpreter["search"]>[1];

/**
 * Parses a JMESPath expression. Throws CaError `malformed` if it is invalid or too long, or uses
 * `let` or unknown functions.
 */
export function parseExpression(text: string): Expression {
  if (text.length > maxExpressionLength)
    throw refused(`is longer than ${maxExpressionLength} characters`);
  let read: Expression;
  try {
    read = compile(text);
  } catch (error) {
    throw refused(`is not valid${error instanceof Error ? `: ${error.message}` : ""}`);
  }
  checkNode(read);
  return read;
}
const refused = (why: string): CaError =>
  new CaError("malformed", `the JMESPath expression ${why.slice(0, 200)}`);

/** Rejects constructs that would fail or run without limits if they were applied. */
function checkNode(node: unknown): void {
  if (Array.isArray(node)) return node.forEach(checkNode);
  if (typeof node !== "object" || node === null) return;
  if ("type" in node && node.type === "Literal") return;
  if ("type" in node && node.type === "LetExpression")
    throw refused("uses `let`, which is not supported");
  if ("type" in node && node.type === "Function" && "name" in node) {
    const name = String(node.name);
    if (unbounded.includes(name))
      throw refused(`uses the function ${name}, which is not supported`);
    if (!TreeInterpreter.runtime.isRegistered(name))
      throw refused(`uses the unknown function ${name}`);
    if (name === "join" && "children" in node && !isLiteral(node.children))
      throw refused("uses the function join, whose first argument is not a literal");
  }
  Object.values(node).forEach(checkNode);
}
const isLiteral = (children: unknown): boolean => {
  const [first]: readonly unknown[] = Array.isArray(children) ? children : [];
  return typeof first === "object" && first !== null && "type" in first && first.type === "Literal";
};

/**
 * Applies an expression to a JSON value. Throws CaError `policy_failed` if it cannot be applied to
 * the value or takes too much work.
 */
export function applyExpression(text: string, value: unknown): unknown {
  try {
    // the value is JSON, because entities and groups are read from JSON rows
    return meteredInterpreter().search(parseExpression(text), value as Value);
  } catch (error) {
    throw new CaError(
      "policy_failed",
      "a JMESPath expression of config/external-policy cannot be applied to the caller's entity",
      { cause: error },
    );
  }
}

/**
 * Returns an interpreter that counts the values of every step, and throws `RangeError` if there are
 * more than the limit.
 */
function meteredInterpreter(): Interpreter {
  // the package exports an interpreter but not its class
  const own = new (TreeInterpreter.constructor as new () => Interpreter)();
  const visitNode = own.visit.bind(own);
  let left = maxWork;
  own.visit = (node, value) => {
    const result = visitNode(node, value);
    left -= isReference(result) ? 1 : sizeOf(result);
    if (left < 0) throw new RangeError("too much work");
    return result;
  };
  return own;
}
/** Reports whether a result is an expression argument of a function, rather than a value. */
const isReference = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "expref" in value && value.expref === true;

/**
 * Counts the values nested in a value, and the value itself. Long strings count as several values.
 * Throws `RangeError` if the value is too large.
 */
function sizeOf(value: unknown): number {
  let [values, characters, pairs] = [0, 0, 0];
  const count = (one: unknown): void => {
    if (typeof one === "function") throw new TypeError("not a JSON value");
    if (typeof one === "string") {
      characters += one.length;
      pairs += one.length ** 2;
    }
    if (++values > maxValues || characters > maxCharacters) throw new RangeError("too large");
    if (typeof one !== "object" || one === null) return;
    for (const name of Array.isArray(one) ? [] : Object.keys(one)) characters += name.length;
    Object.values(one).forEach(count);
  };
  count(value);
  return values + Math.floor(characters / charactersOfOne + pairs / pairsOfOne);
}
