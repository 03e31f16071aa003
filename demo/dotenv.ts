import type { Attributes } from "./vars.ts";

/** What a pasted text holds, and each line that could not be read. */
export interface Pasted {
  readonly items: readonly Attributes[];
  readonly faults: readonly string[];
}

const assignment = /[ \t]*(?:export[ \t]+)?([^\s=#'"]+)[ \t]*=[ \t]*/y;
const ignored = /[ \t]*(?:#[^\n]*)?\r?(?:\n|$)/y;
const single = /'([^']*)'/y;
const double = /"((?:[^"\\]|\\[^])*)"/y;
const bare = /[^\n]*/y;
const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\", $: "$", "`": "`" };
const terraform = "TF_VAR_";

/** A name as a variable: `TF_VAR_region` is the provisioning variable `region`. */
const named = (name: string): Pick<Attributes, "key" | "category"> =>
  name.startsWith(terraform) && name.length > terraform.length ? { key: name.slice(terraform.length), category: "terraform" } : { key: name, category: "env" };
const unescaped = (text: string): string => text.replace(/\\([^])/g, (whole, letter: string) => escapes[letter] ?? whole);

/** Reads `NAME=value` lines: comments, `export`, single quotes as they are, double quotes with escapes, both over several lines. Nothing is substituted. */
export function readDotenv(text: string): Pasted {
  const items: Attributes[] = [];
  const faults: string[] = [];
  const first = new Map<string, number>();
  let at = text.startsWith("\ufeff") ? 1 : 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at = pattern.lastIndex;
    return found;
  };
  while (at < text.length) {
    const begin = at;
    const line = text.slice(0, at).split("\n").length;
    if (take(ignored)) continue;
    const name = take(assignment)?.[1];
    const value = name === undefined ? "no NAME=value" : readValue(text[at] ?? "", take);
    if (name === undefined || typeof value === "string") faults.push(`Line ${line}: ${typeof value === "string" ? value : ""}`);
    else if (first.has(name)) faults.push(`Line ${line}: ${name} stands in line ${first.get(name)} already`);
    else {
      first.set(name, line);
      items.push({ ...named(name), value: value.value });
    }
    // What is left of a line that could not be read.
    if (at === begin || text[at - 1] !== "\n") {
      take(bare);
      at++;
    }
  }
  return { items, faults };
}

/** The value that begins with a letter or quote, or what is wrong with it. */
function readValue(begin: string, take: (pattern: RegExp) => RegExpExecArray | null): { readonly value: string } | string {
  if (begin !== "'" && begin !== '"')
    return {
      value: (take(bare)?.[0] ?? "").replace(/(?:^|\s)#[^]*$/, "").trim(),
    };
  const quoted = take(begin === "'" ? single : double)?.[1];
  if (quoted === undefined) return "the quote is not closed";
  return take(ignored) ? { value: begin === "'" ? quoted : unescaped(quoted) } : "text after the closing quote";
}

/** Reads what the export makes: lines, or JSON with the list `data`. */
export function readPasted(text: string): Pasted {
  if (!text.trimStart().startsWith("{")) return readDotenv(text);
  try {
    const { data } = JSON.parse(text) as { data?: unknown };
    if (!Array.isArray(data)) return { items: [], faults: ["The JSON has no list named data"] };
    const items = data.map((item: { attributes?: Attributes } | null) => item?.attributes);
    const faults = items.flatMap((item, i) =>
      typeof item?.key === "string" && typeof item.category === "string" ? [] : [`Item ${i + 1}: no key or category`],
    );
    return { items: items.filter((item) => item !== undefined), faults };
  } catch {
    return { items: [], faults: ["Not readable as JSON"] };
  }
}
