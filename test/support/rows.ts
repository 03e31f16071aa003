import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { print } from "./output.ts";

const folder = resolve(import.meta.dirname, "..");
const quoted =
  /\b(?:it|test|describe)(?:\.\w+(?:\([^()]*\))?)*\(\s*("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)/g;

/** The titles of the tests and of the groups of tests in a source text. */
export const titlesIn = (source: string): readonly string[] =>
  [...source.matchAll(quoted)].map(([, title = ""]) =>
    title.slice(1, -1).replaceAll(/\\(["'`\\])/g, "$1"),
  );

/** Reports whether a text contains an id as a whole, so that "rule 1" does not match "rule 10". */
function names(text: string, id: string): boolean {
  for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + 1)) {
    const before = text[at - 1] ?? " ";
    const after = text[at + id.length] ?? " ";
    if (!/[\w.]/.test(before) && !/\w/.test(after) && !/^\.\w/.test(text.slice(at + id.length)))
      return true;
  }
  return false;
}
/** Returns the ids that are in no title. */
export function untested(ids: readonly string[], titles: readonly string[]): readonly string[] {
  const text = titles.join("\n");
  return ids.filter((id) => !names(text, id));
}
/** Returns the row ids of the contract's parts on issuing, revocation and ACME, in order. */
export const rowsOfContract = (): readonly string[] =>
  ["issuing", "revocation", "acme"].flatMap((part) =>
    readFileSync(join(folder, `contract/${part}.txt`), "utf8")
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== ""),
  );
/** Returns the titles of every test below test/. */
export const titlesOfRun = (): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .flatMap((file) => titlesIn(readFileSync(join(folder, file), "utf8")));

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const missing = untested(rowsOfContract(), titlesOfRun());
  print(
    [...missing, `${missing.length} of ${rowsOfContract().length} rows have no test.`].join("\n"),
  );
}
