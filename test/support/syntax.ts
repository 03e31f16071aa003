import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseSync } from "vite";

/** The root directory of the project. */
export const root = resolve(import.meta.dirname, "../..");

/** The parsed facts of one source file. */
export interface Source {
  /** Path below the project's root, with slashes. */
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  /**
   * Lines of more than 100 columns, `<path>:<line>`. Strings, patterns, templates and constants of
   * a curve do not count: breaking one makes it hard to find.
   */
  readonly wide: readonly string[];
  readonly imports: readonly Import[];
  readonly functions: readonly Measured[];
  /** Exports without a doc comment, `<path>:<line>`. */
  readonly undocumented: readonly string[];
  /** Constructs that the style forbids, `<path>:<line> <construct>`. */
  readonly banned: readonly string[];
  /** String literals, and the first part of each template. */
  readonly texts: readonly Text[];
}
/** A string of the program. */
export interface Text {
  readonly at: string;
  readonly begins: string;
}
/**
 * An import or re-export. A path of the project begins with one of its folders, a package never
 * with a dot.
 */
export interface Import {
  readonly from: string;
  /** True if it is erased at compile time. */
  readonly type: boolean;
  /** True if it is imported on first use: `import("…")`. */
  readonly later: boolean;
}
/** The length of a function, first to last line. */
export interface Measured {
  readonly at: string;
  readonly lines: number;
  readonly parameters: number;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}
type Comments = ReturnType<typeof parseSync>["comments"];
interface Declaration {
  readonly imports: Import[];
  readonly functions: Measured[];
  readonly banned: string[];
  readonly texts: Text[];
  /** Start and end of strings, patterns and templates. */
  readonly spans: (readonly [from: number, to: number])[];
}

/** Returns the files below a folder of the project whose names have one of these endings. */
export function filesBelow(folder: string, ...endings: readonly string[]): readonly string[] {
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  const files = entries.filter(
    (entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)),
  );
  return files
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .sort();
}

/** Reads one source file. */
export function sourceOf(path: string): Source {
  const text = readFileSync(join(root, path), "utf8");
  const { program, comments, errors, module } = parseSync(path, text);
  if (errors.length > 0) throw new SyntaxError(`${path}: ${errors[0]?.message}`);
  links.set(path, linksIn(path, text, module));
  const at = linesOf(text);
  const { spans, ...declaration }: Declaration = {
    imports: [],
    functions: [],
    banned: [],
    texts: [],
    spans: [],
  };
  visit(program, (node) => note(node, path, at, { ...declaration, spans }));
  for (const comment of comments) {
    if (/\b(TODO|FIXME|XXX|HACK)\b|@ts-(ignore|nocheck|expect-error)/.test(comment.value))
      declaration.banned.push(`${path}:${at(comment.start)} comment`);
  }
  const exported = (program.body as unknown as readonly Node[]).filter(
    ({ type, declaration }) =>
      /^Export(Named|Default)Declaration$/.test(type) &&
      declaration &&
      !declaresEndpoint(declaration as Node),
  );
  const undocumented = exported
    .filter(({ start }) => !isDocumented(text, comments, start))
    .map(({ start }) => `${path}:${at(start)}`);
  const lines = text.trimEnd().split("\n").length;
  return { path, text, lines, wide: wideLines(path, text, spans), ...declaration, undocumented };
}

/** The exports of a file, and the exports of others that it imports, as `<path>:<name>`. */
export interface Links {
  /** Names; those re-exported from other files are not included. */
  readonly exports: readonly string[];
  /** `*` stands for all exports of a file. */
  readonly imports: readonly string[];
}

/** The exports and imports by file. */
const links = new Map<string, Links>();
/** Returns the exports and imports of one source file. */
export function linksOf(path: string): Links {
  const known = links.get(path);
  if (known) return known;
  const text = readFileSync(join(root, path), "utf8");
  const read = linksIn(path, text, parseSync(path, text).module);
  links.set(path, read);
  return read;
}
function linksIn(
  path: string,
  text: string,
  { staticImports, staticExports, dynamicImports }: ReturnType<typeof parseSync>["module"],
): Links {
  const exported = staticExports.flatMap(({ entries }) => entries);
  return {
    exports: exported
      .filter(({ moduleRequest }) => moduleRequest === null)
      .map(({ exportName }) => exportName.name ?? "default"),
    imports: [
      ...staticImports.flatMap(({ moduleRequest, entries }) =>
        entries.map(
          ({ importName }) =>
            `${placeOf(path, moduleRequest.value)}:${importName.name ?? (importName.kind === "Default" ? "default" : "*")}`,
        ),
      ),
      ...exported.flatMap(({ moduleRequest, importName }) =>
        moduleRequest ? [`${placeOf(path, moduleRequest.value)}:${importName.name ?? "*"}`] : [],
      ),
      ...dynamicImports.map(
        ({ moduleRequest: { start, end } }) => `${placeOf(path, text.slice(start + 1, end - 1))}:*`,
      ),
    ],
  };
}

/** Returns a function that returns the line of an offset, one-based. */
function linesOf(text: string): (offset: number) => number {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}

function wideLines(path: string, text: string, texts: Declaration["spans"]): readonly string[] {
  let end = -1;
  return text.split("\n").flatMap((line, index) => {
    const start = end + 1;
    end = start + line.length;
    if (line.length <= 100) return [];
    const within = texts.map(([from, to]) => Math.min(to, end) - Math.max(from, start));
    const bare = line.length - within.reduce((sum, length) => sum + Math.max(0, length), 0);
    return bare > 100 || within.every((length) => length <= 0) ? [`${path}:${index + 1}`] : [];
  });
}

/**
 * Reports whether a declaration is an endpoint, which carries its documentation in its member
 * `doc`.
 */
function declaresEndpoint({ declarations }: Node): boolean {
  const [first] = (declarations ?? []) as readonly {
    readonly init?: { readonly callee?: { readonly name?: unknown } } | null;
  }[];
  return /endpoint$/i.test(String(first?.init?.callee?.name));
}

const isDocumented = (text: string, comments: Comments, start: number): boolean =>
  comments.some(
    (comment) =>
      comment.type === "Block" &&
      comment.value.startsWith("*") &&
      comment.end <= start &&
      text.slice(comment.end, start).trim() === "",
  );

function visit(value: unknown, see: (node: Node) => void): void {
  if (Array.isArray(value)) for (const element of value) visit(element, see);
  else if (typeof value === "object" && value !== null) {
    if ("type" in value && "start" in value) see(value as Node);
    for (const member of Object.values(value)) visit(member, see);
  }
}

const unwanted: Readonly<Record<string, string>> = {
  TSAnyKeyword: "any",
  TSNonNullExpression: "non-null assertion",
  TSEnumDeclaration: "enum",
  Decorator: "decorator",
  DebuggerStatement: "debugger",
  ExportDefaultDeclaration: "default export",
};

function note(
  node: Node,
  path: string,
  at: (offset: number) => number,
  declaration: Declaration,
): void {
  const line = at(node.start);
  const { source, object } = node as {
    readonly source?: { readonly value?: unknown } | null;
    readonly object?: { readonly name?: unknown };
  };
  if (/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type))
    declaration.functions.push({
      at: `${path}:${line}`,
      lines: at(node.end) - line + 1,
      parameters: (node["params"] as readonly unknown[]).length,
    });
  if (isText(node)) declaration.spans.push([node.start, node.end]);
  const begins = beginOf(node);
  if (begins !== undefined) declaration.texts.push({ at: `${path}:${line}`, begins });
  if (unwanted[node.type]) declaration.banned.push(`${path}:${line} ${unwanted[node.type]}`);
  if (node.type === "MemberExpression" && object?.name === "console")
    declaration.banned.push(`${path}:${line} console`);
  if (typeof source?.value === "string")
    declaration.imports.push({
      from: placeOf(path, source.value),
      type: isTypeOnly(node),
      later: node.type === "ImportExpression",
    });
}

const isText = ({ type, value, regex }: Node): boolean =>
  type === "TemplateElement" ||
  (type === "Literal" && (typeof value === "string" || typeof value === "bigint" || !!regex));
/** Returns a string, or the part of a template before its first value. */
function beginOf({ type, value, quasis }: Node): string | undefined {
  if (type === "Literal") return typeof value === "string" ? value : undefined;
  if (type !== "TemplateLiteral") return undefined;
  const [first] = quasis as readonly { readonly value: { readonly cooked: string } }[];
  return first?.value.cooked;
}
const isTypeOnly = (node: Node): boolean => {
  const specifiers = Array.isArray(node["specifiers"])
    ? (node["specifiers"] as readonly Node[])
    : [];
  const each =
    specifiers.length > 0 &&
    specifiers.every((one) => one["importKind"] === "type" || one["exportKind"] === "type");
  return (
    node.type === "TSImportType" ||
    node["importKind"] === "type" ||
    node["exportKind"] === "type" ||
    each
  );
};
const placeOf = (path: string, from: string): string =>
  from.startsWith(".") ? join(path, "..", from).replaceAll("\\", "/") : from;
