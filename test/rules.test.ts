import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "vite";
import { describe, expect, it } from "vitest";
import { documents as topics } from "./support/documents.ts";
import { rowsOfContract, titlesIn } from "./support/rows.ts";
import { filesBelow, root } from "./support/syntax.ts";

const read = (path: string): string => readFileSync(join(root, path), "utf8");
const documents = filesBelow("docs/rules", ".md");

/**
 * The text below each heading of the rules, and behind each id that a list gives in bold, by id.
 */
const sections: ReadonlyMap<string, string> = new Map(
  documents
    .flatMap((path) => read(path).split(/^(?=#{2,3} |- \*\*[A-Z] )/m))
    .flatMap((part) => {
      const id = /^(?:#+ |- \*\*)([A-Z] \d+(?:\.\d+)*)(?=[ *])/.exec(part)?.[1];
      return id === undefined ? [] : [[id, part.replaceAll("`", "")] as const];
    }),
);
const has = (id: string, rest: string): boolean => {
  const section = sections.get(id);
  const number = /^(?:(?:rule|item|row) )?(\d+)\+?$/.exec(rest)?.[1];
  if (section === undefined || rest === "") return section !== undefined;
  return number === undefined
    ? section.toLowerCase().includes(rest.toLowerCase())
    : new RegExp(`^${number}\\. `, "m").test(section);
};

const parsed = new Map<string, readonly string[]>();
/** Returns the comments of a file, which is parsed once. */
function commentsIn(path: string, text: string): readonly string[] {
  const comments =
    parsed.get(path) ??
    parseSync(path, text).comments.map(({ value }) => value.replaceAll(/\s*\n\s*\* /g, " "));
  parsed.set(path, comments);
  return comments;
}
/** Returns the prose of a file: comments and titles of tests, or all of a text. */
function told(path: string): string {
  const text = read(path);
  return /\.tsx?$/.test(path) ? [...commentsIn(path, text), ...titlesIn(text)].join("\n") : text;
}
const people = ["src", "server", "worker", "demo", "test", "bench", "tools", "examples"].flatMap(
  (folder) => filesBelow(folder, ".ts", ".tsx", ".sh", ".md"),
);
const texts = [
  ...people.filter((path) => !path.includes("node_modules/")),
  ...documents,
  ...topics,
  "CONTRIBUTING.md",
  "SECURITY.md",
]
  // its ids are invented
  .filter((path) => path !== "test/contract/rows.test.ts")
  .map((path) => [path, told(path)] as const);

/** `A 6.3 rule 5`, `D 1 row 4`, `security row 77`. */
const citation =
  /\b([ABDPSV] \d+(?:\.\d+)*)(?: ((?:rule|item|row|vector) \d+))?|\bsecurity row (\d+)/g;
const cited = (text: string) =>
  [...text.matchAll(citation)].map(
    ([, id, rest = "", row = ""]) => [id ?? `S ${row}`, rest] as const,
  );

describe("docs/rules", () => {
  it("has every id that a comment, title or document of the project cites", () => {
    const missing = texts.flatMap(([path, text]) =>
      cited(text)
        .filter(([id, rest]) => !has(id, rest))
        .map(([id, rest]) => `${path}: ${id} ${rest}`.trim()),
    );
    expect(missing).toEqual([]);
  });

  it("has every row of the contract's parts on issuing, revocation and ACME", () => {
    const missing = rowsOfContract().filter((row) => {
      const [, id = "", rest = ""] = /^([A-Z] [\d.]+) ?(.*)$/.exec(row) ?? [];
      return !rest.split(/, (?!\/|…|[a-z-]+\/:)/).every((one) => has(id, one)) && !has(id, rest);
    });
    expect(missing).toEqual([]);
  });

  it("contains no markers of merge conflicts, nor do the other documents", () => {
    const mark = /^(?:<{7}|={7}|>{7}|(?:> ){6}>)/m;
    const all = [...filesBelow("docs", ".md"), "README.md", "CHANGELOG.md", "CONTRIBUTING.md"];
    expect([...all, "SECURITY.md"].filter((path) => mark.test(read(path)))).toEqual([]);
  });

  it("has each id once", () => {
    const ids = documents.flatMap((path) =>
      [...read(path).matchAll(/^(?:#+ |- \*\*)([A-Z] \d+(?:\.\d+)*)(?=[ *])/gm)].map(
        ([, id]) => id,
      ),
    );
    expect(ids.length).toBeGreaterThan(90);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  });
});

describe("comments and texts", () => {
  it("cite no file that is not in the repository", () => {
    const here = [
      "docs",
      "src",
      "server",
      "worker",
      "demo",
      "test",
      "bench",
      "tools",
      "examples",
    ].flatMap((folder) => filesBelow(folder, ".md", ".txt", ".ts", ".tsx", ".sh"));
    const paths = [
      "README.md",
      "CONTRIBUTING.md",
      "SECURITY.md",
      "CHANGELOG.md",
      ...here.filter((path) => !path.includes("node_modules/")),
    ];
    const named =
      /(?<![\w./*-])((?:[\w-]+\/)*[\w-]+(?:\.(?:test|config))?\.(?:md|txt|tsx?|sh))\b(?![.-]\w)/g;
    const wrong = texts.flatMap(([path, text]) =>
      [...text.matchAll(named)]
        .filter(([, name = ""]) => !paths.some((one) => `/${one}`.endsWith(`/${name}`)))
        .map(([, name]) => `${path}: ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  it("cite rules by the ids of docs/rules only", () => {
    const old =
      /\bdetails [AB]?\s?\d|\bdetails [AB] section\b|\bcontract (?:section )?\d|\bdecisions? section\b/;
    expect(texts.filter(([, text]) => old.test(text)).map(([path]) => path)).toEqual([]);
  });

  it("start with a verb or a noun, not with What, Who or How", () => {
    const wrong = people
      .filter((path) => /\.tsx?$/.test(path) && !path.includes("node_modules/"))
      .map((path) => [path, read(path)] as const)
      // the comments of generated files are texts of the reference
      .filter(([, text]) => !text.startsWith("// Generated by `npm run generate`"))
      .flatMap(([path, text]) =>
        commentsIn(path, text)
          .filter((comment) => /^[*\s]*(?:What|Who|Whose|How)\b/.test(comment))
          .map((comment) => `${path}: ${comment.trim()}`),
      );
    expect(wrong).toEqual([]);
  });

  it("describe code in the terms of the field", () => {
    const circumlocution =
      /^[*\s]*(?:Who|Whose|Whoever|Whatever|Nobody|Somebody|Tells|Likewise)\b|(?<![-/\w])(?:[Ww]hoever|strangers?|anew|of before|is told|in vain)\b/;
    const wrong = people
      .filter((path) => /\.tsx?$/.test(path) && !path.includes("node_modules/"))
      .flatMap((path) => commentsIn(path, read(path)).map((comment) => `${path}: ${comment}`))
      .filter((line) => circumlocution.test(line.slice(line.indexOf(": ") + 2)));
    expect(wrong).toEqual([]);
  });
});
