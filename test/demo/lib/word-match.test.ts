import { expect, it } from "vitest";
import { queryWords, rankWords } from "../../../demo/lib/word-match.ts";

it("words match in any order, and articles are ignored", () => {
  const words = queryWords("Certificate a REVOKE");
  expect(words).toEqual(["certificate", "revoke"]);
  expect(rankWords(words, "Revoke a certificate…")).toBeDefined();
  expect(rankWords(words, "Revoke an issuer")).toBeUndefined();
  expect(rankWords(words, "Revoke", "certificates")).toBeDefined();
  expect(queryWords("the")).toEqual(["the"]);
  expect(queryWords("  ")).toEqual([]);
});

it("exact titles rank before prefixes, prefixes of words before substrings, and titles before other text", () => {
  const titles = [
    ["web"],
    ["web-server"],
    ["old web"],
    ["cobweb"],
    ["other", "for web servers"],
    ["other", "cobwebs"],
  ] as const;
  const ranks = titles.map(([title, more]) => rankWords(["web"], title, more) ?? NaN);
  expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
  expect(new Set(ranks).size).toBe(ranks.length);
});
