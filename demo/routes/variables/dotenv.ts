import type { Attributes } from "./calls.ts";

/** The variables in pasted text, and the lines with syntax errors. */
interface PastedVariables {
  readonly items: readonly Attributes[];
  readonly faults: readonly string[];
}

const assignment = /[ \t]*(?:export[ \t]+)?([^\s=#'"]+)[ \t]*=[ \t]*/y;
const ignored = /[ \t]*(?:#[^\n]*)?\r?(?:\n|$)/y;
const single = /'([^']*)'/y;
const double = /"((?:[^"\\]|\\[^])*)"/y;
const bare = /[^\n]*/y;
const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  r: "\r",
  t: "\t",
  '"': '"',
  "\\": "\\",
  $: "$",
  "`": "`",
};
const terraform = "TF_VAR_";

/**
 * Returns the key and the category for a name: `TF_VAR_region` is the `region` variable in the
 * `terraform` category.
 */
const variableOf = (name: string): Pick<Attributes, "key" | "category"> =>
  name.startsWith(terraform) && name.length > terraform.length
    ? { key: name.slice(terraform.length), category: "terraform" }
    : { key: name, category: "env" };

/**
 * A parsed value, and whether it contains a reference to the previous value of the same variable.
 * The previous value is then always a double quote.
 */
interface Value {
  readonly value: string;
  readonly further: boolean;
}
/**
 * Unescapes the content of a double-quoted value. The export writes `${NAME+}` for an empty string
 * and, if the previous value of the variable is a double quote, `${NAME}` for a double quote.
 */
function unescaped(text: string, name: string, wasQuote: boolean): Value {
  let further = false;
  const value = text.replace(
    /\\([^])|\$\{(\w+)(\+?)\}/g,
    (whole, letter: string | undefined, own: string | undefined, none: string | undefined) => {
      if (letter !== undefined) return escapes[letter] ?? whole;
      if (own !== name) return whole;
      if (none === "+") return "";
      further ||= wasQuote;
      return wasQuote ? '"' : whole;
    },
  );
  return { value, further };
}

/**
 * Parses lines of the form `NAME=value`, with comments, `export`, single-quoted values without
 * escapes, and double-quoted values with escapes. Quoted values may span lines. Performs no other
 * substitution.
 */
export function readDotenv(text: string): PastedVariables {
  const items: Attributes[] = [];
  const faults: string[] = [];
  const first = new Map<string, { readonly line: number; readonly item: Attributes }>();
  let at = text.startsWith("\ufeff") ? 1 : 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) at = pattern.lastIndex;
    return match;
  };
  while (at < text.length) {
    const begin = at;
    const line = text.slice(0, at).split("\n").length;
    if (match(ignored)) continue;
    const name = match(assignment)?.[1];
    const before = first.get(name ?? "");
    const value =
      name === undefined
        ? "expected NAME=value"
        : readValue(text[at] ?? "", match, name, before?.item.value === '"');
    if (name === undefined || typeof value === "string")
      faults.push(`Line ${line}: ${typeof value === "string" ? value : ""}`);
    else if (before && !value.further)
      faults.push(`Line ${line}: ${name} is already set on line ${before.line}`);
    else {
      const item = { ...variableOf(name), value: value.value };
      first.set(name, { line, item });
      items.splice(before ? items.indexOf(before.item) : items.length, 1, item);
    }
    // skip the rest of a line with a syntax error
    if (at === begin || text[at - 1] !== "\n") {
      match(bare);
      at++;
    }
  }
  return { items, faults };
}

/** Parses a value, or returns the error. */
function readValue(
  begin: string,
  consume: (pattern: RegExp) => RegExpExecArray | null,
  name: string,
  wasQuote: boolean,
): Value | string {
  if (begin !== "'" && begin !== '"')
    return {
      value: (consume(bare)?.[0] ?? "").replace(/(?:^|\s)#[^]*$/, "").trim(),
      further: false,
    };
  const quoted = consume(begin === "'" ? single : double)?.[1];
  if (quoted === undefined) return "missing closing quote";
  if (!consume(ignored)) return "unexpected text after the closing quote";
  return begin === "'" ? { value: quoted, further: false } : unescaped(quoted, name, wasQuote);
}

/** Parses both formats of an export: dotenv lines, or JSON with a list `data`. */
export function readPasted(text: string): PastedVariables {
  if (!text.trimStart().startsWith("{")) return readDotenv(text);
  try {
    const { data } = JSON.parse(text) as { data?: unknown };
    if (!Array.isArray(data)) return { items: [], faults: ["The JSON has no list named data"] };
    const items = data.map((item: { attributes?: Attributes } | null) => item?.attributes);
    const faults = items.flatMap((item, i) =>
      typeof item?.key === "string" && typeof item.category === "string"
        ? []
        : [`Item ${i + 1}: missing key or category`],
    );
    return { items: items.filter((item) => item !== undefined), faults };
  } catch {
    return { items: [], faults: ["Invalid JSON"] };
  }
}
