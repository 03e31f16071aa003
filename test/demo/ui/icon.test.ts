import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../../support/syntax.ts";

const matchesIn = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([, name = ""]) => name).toSorted();

it("icons each have a symbol in the page, and symbols each have a name", () => {
  const read = (path: string): string => readFileSync(join(root, "demo", path), "utf8");
  const union = /export type IconName =([^;]+);/.exec(read("ui/icon.tsx"))?.[1] ?? "";
  const names = matchesIn(union, /\| "([\w-]+)"/g);
  expect(names.length).toBeGreaterThan(20);
  expect(matchesIn(read("index.html"), /<symbol id="i-([\w-]+)"/g)).toEqual(names);
});
