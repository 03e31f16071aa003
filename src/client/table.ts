/** Only contains the type of a client. No such member exists at run time. */
declare const of: unique symbol;
/**
 * The endpoints of a client, by the names of its methods. Each endpoint is a line of text:
 * keywords, unless it exchanges JSON documents in an envelope, and then patterns `METHOD /path`
 * separated by `|`. `(/:name)` is an optional parameter, and `:name+` may contain slashes. `C` is
 * the type of the client.
 */
export type Table<C> = Readonly<Record<string, string>> & {
  /** The type of the client. No such member exists at run time. */
  readonly [of]?: C;
};

/** One method and path of an endpoint. */
export interface Spelling {
  readonly method: string;
  readonly path: string;
  /** Names of the parameters in the path. */
  readonly names: readonly string[];
}
/** One endpoint of a table. */
export interface Route {
  readonly name: string;
  /** The methods and paths of the endpoint. Those with the most parameters come first. */
  readonly spellings: readonly Spelling[];
  /**
   * The style of the endpoint: documents in an envelope (`envelope`) or without one (`plain`),
   * bytes (`raw`), or JSON:API documents (`jsonapi`).
   */
  readonly style: "envelope" | "plain" | "raw" | "jsonapi";
  /**
   * Kind of a reply that is not a document: `text`, `bytes`, or `typed` for bytes with their media
   * type.
   */
  readonly raw: "text" | "bytes" | "typed" | undefined;
  /** The envelope member that contains the reply. */
  readonly holds: string;
  /** The member that is sent as the body, in bytes, and its media type. */
  readonly whole: readonly [name: string, type: string] | undefined;
  /** Whether the parameter at the end of the path may contain slashes, which are not separators. */
  readonly isRest: boolean;
  /** Whether the endpoint is a listing with details of its entries. */
  readonly hasInfo: boolean;
  /** Whether the members of the reply, or their names, are data that the caller has stored. */
  readonly isOpen: boolean;
  /**
   * If a request may contain any members, the declared members that the client converts. All others
   * are the caller's own data.
   */
  readonly converts: readonly string[] | undefined;
}

/** Expands "/sign-verbatim(/:name)" to both paths. */
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

/** Returns the keywords in one line of a table, and the line's patterns `METHOD /path` in order. */
export function partsOf(line: string): {
  readonly words: readonly string[];
  readonly at: readonly string[];
} {
  // the keywords, including the media type of a body, come before the first method
  const start = line.search(/\b[A-Z]+ \//);
  return { words: line.slice(0, start).split(" "), at: line.slice(start).split("|") };
}

/** Parses one line of a table. */
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
