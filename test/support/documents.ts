import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./syntax.ts";

const pagesIn = (folder: string): readonly string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name}`);

/** README.md and the pages of docs. */
export const documents: readonly string[] = ["README.md", ...pagesIn("docs")];

/** Everything that users copy from: also the guides and the READMEs of the examples. */
export const pages: readonly string[] = [
  ...documents,
  ...pagesIn("docs/guides"),
  ...readdirSync(join(root, "examples")).map((name) => `examples/${name}/README.md`),
];

/** A fenced block of code. */
export interface CodeBlock {
  /** Line of its fence, one-based. */
  readonly line: number;
  readonly language: string;
  readonly code: string;
  /** Text of the HTML comment above the fence, such as "not run: needs a second host". */
  readonly mark: string | undefined;
}

/** Returns the code blocks of a page, in order. */
export function blocksOf(path: string): readonly CodeBlock[] {
  const text = readFileSync(join(root, path), "utf8");
  const fences = text.matchAll(/(?:^<!-- ([^\n]*) -->\n+)?^```([a-z]*)\n(.*?)^```$/gms);
  return [...fences].map(({ 0: all, 1: mark, 2: language = "", 3: code = "", index }) => ({
    line: text.slice(0, index + all.indexOf("```")).split("\n").length,
    language,
    code,
    mark,
  }));
}

/** Reports whether a block states why tests do not run it. */
export const isSkipped = ({ mark }: CodeBlock): boolean => mark?.startsWith("not run: ") ?? false;

/** Returns the shell commands of a page, in order. */
export const commandsOf = (path: string): string =>
  blocksOf(path)
    .filter((block) => block.language === "sh" && !isSkipped(block))
    .map(({ code }) => code)
    .join("");

/** The programming examples in the documents and guides. */
export const documentedExamples: readonly string[] = pages
  .filter((path) => !path.startsWith("examples/"))
  .flatMap(blocksOf)
  .filter(({ language }) => language === "ts")
  .map(({ code }) => code);
