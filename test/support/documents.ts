import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./syntax.ts";

/** README.md and the pages about one subject each. */
export const documents: readonly string[] = [
  "README.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

/** All that they say. */
export const documentsText: string = documents
  .map((path) => readFileSync(join(root, path), "utf8"))
  .join("\n");

/** The examples in them that programs are written by. */
export const documentedExamples: readonly string[] = [
  ...documentsText.matchAll(/^```ts\n(.*?)^```$/gms),
].map(([, code = ""]) => code);
