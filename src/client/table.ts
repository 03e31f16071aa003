/** Carries the type of a client; no such member exists at run time. */
declare const of: unique symbol;
/**
 * Endpoints by the names of a client's methods, each as text: words that say how it differs from a
 * JSON document in an envelope, then its spellings `METHOD /path`, separated by `|`. `(/:name)`
 * spells both paths, `:name+` takes slashes too. `C` is the client.
 */
export type Table<C> = Readonly<Record<string, string>> & {
  /** The client; no such member exists at run time. */
  readonly [of]?: C;
};

/** One way to spell an endpoint's address. */
export interface Spelling {
  readonly method: string;
  readonly path: string;
  /** The parameters of the path. */
  readonly names: readonly string[];
}
/** One endpoint of a table. */
export interface Route {
  readonly name: string;
  /** Those with the most parameters first. */
  readonly spellings: readonly Spelling[];
  /** `plain`: documents without envelope. `raw`: bytes. `jsonapi`: as its media type says. */
  readonly style: "envelope" | "plain" | "raw" | "jsonapi";
  /** The reply is no document: `text`, `bytes`, or `typed` for bytes with their media type. */
  readonly raw: "text" | "bytes" | "typed" | undefined;
  /** The member of the envelope that the reply stands in. */
  readonly holds: string;
  /** The member that is the body itself, bytes, and its media type. */
  readonly whole: readonly [name: string, type: string] | undefined;
  /** The parameter at the end of the path takes slashes as one segment. */
  readonly isRest: boolean;
  /** A listing with details of its entries. */
  readonly hasInfo: boolean;
  /** The members of the reply are the caller's own data, or have names that are. */
  readonly isOpen: boolean;
  /**
   * The declared members that the client converts, if a request may have any others too: those are
   * the caller's own data.
   */
  readonly converts: readonly string[] | undefined;
}

/** "/sign-verbatim(/:name)" gives both paths. */
function spell(path: string): readonly string[] {
  const [, before = "", optional = "", after = ""] = /^(.*?)\((.*?)\)(.*)$/.exec(path) ?? [];
  return optional === "" ? [path] : [...spell(before + after), ...spell(before + optional + after)];
}
const spelled = (text: string): readonly Spelling[] => {
  const [method = "", at = ""] = text.split(" ");
  return spell(at).map((path) => ({
    method,
    path,
    names: [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name),
  }));
};

/** The words of one line of a table, and its spellings `METHOD /path` in their order. */
export function partsOf(line: string): {
  readonly words: readonly string[];
  readonly at: readonly string[];
} {
  // words, in which a body has its media type, come before the first method
  const start = line.search(/\b[A-Z]+ \//);
  return { words: line.slice(0, start).split(" "), at: line.slice(start).split("|") };
}

/** Reads one line of a table. */
export function routeOf(name: string, line: string): Route {
  const { words, at } = partsOf(line);
  const worded = (begin: string): string | undefined =>
    words.find((word) => word.startsWith(begin))?.slice(begin.length);
  const [whole, type] = worded("body=")?.split(":") ?? [];
  return {
    name,
    spellings: at.flatMap(spelled).sort((a, b) => b.names.length - a.names.length),
    style:
      (["plain", "raw", "jsonapi"] as const).find((style) => words.includes(style)) ?? "envelope",
    raw:
      (["text", "typed", "bytes"] as const).find((kind) => words.includes(kind)) ??
      (words.includes("raw") ? "bytes" : undefined),
    holds: worded("in=") ?? "data",
    whole: whole === undefined || type === undefined ? undefined : [whole, type],
    isRest: words.includes("rest"),
    hasInfo: words.includes("info"),
    isOpen: words.includes("open"),
    converts: worded("free=")?.split(","),
  };
}
