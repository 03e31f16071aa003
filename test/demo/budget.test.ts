import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { metaPolicy } from "../../worker/policy.ts";
import { builtDemo } from "../support/built.ts";

const built = await builtDemo();

const packed = (name: string): number => gzipSync(readFileSync(join(built, name))).length;

const text = (name: string): string => readFileSync(join(built, name), "utf8");
const named = (pattern: RegExp, name: string): readonly string[] =>
  [...text(name).matchAll(pattern)].flatMap(([, file]) => file ?? []);

/** A script and everything that it cannot run without. */
function withNeeds(name: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const needed of named(/(?:from|import)"\.\/([^"]+\.js)"/g, name)) withNeeds(needed, found);
  return found;
}
const sum = (names: Iterable<string>): number =>
  [...names].reduce((total, name) => total + packed(name), 0);

it("what a view loads without the engine is at most 61 kB packed, whichever view it is, and the style 10 kB", () => {
  const shell = new Set([...withNeeds("main.js"), "theme.js"]);
  const views = named(/import\("\.\/([^"]+\.js)"\)/g, "main.js");
  expect(views.length).toBeGreaterThan(2);
  expect(sum(shell)).toBeLessThanOrEqual(25_000);
  for (const view of views)
    expect(sum(new Set([...shell, ...withNeeds(view)])), view).toBeLessThanOrEqual(61_000);
  expect(packed("style.css")).toBeLessThanOrEqual(10_000);
});

it("the service worker is at most 360 kB packed, and has nothing that dials", () => {
  expect(text("sw.js").includes("tls13 ")).toBe(false);
  expect(packed("sw.js")).toBeLessThanOrEqual(360_000);
});

it("the first paint waits for neither the engine nor the views that are not shown", () => {
  const html = readFileSync(join(built, "index.html"), "utf8");
  expect([...html.matchAll(/<script[^>]*src="([^"]+)"/g)].map(([, src]) => src)).toEqual([
    "theme.js",
    "main.js",
  ]);
  expect(readFileSync(join(built, "main.js"), "utf8")).not.toContain("indexedDB");
  const [, ...needed] = withNeeds("main.js");
  expect(needed.length).toBeGreaterThan(0);
  expect(
    [...html.matchAll(/<link rel="modulepreload" href="([^"]+)"/g)]
      .map(([, href]) => href)
      .toSorted(),
  ).toEqual(needed.toSorted());
});

it("every picture that the README shows is there", () => {
  const root = resolve(import.meta.dirname, "../..");
  const shown = [
    ...readFileSync(join(root, "README.md"), "utf8").matchAll(/docs\/screenshots\/[\w-]+\.png/g),
  ].map(([path]) => path);
  expect(shown.length).toBeGreaterThan(0);
  expect(shown.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

it("both pages carry their policy and no script, style or address of anybody else", () => {
  for (const page of ["index", "connect"] as const) {
    const html = readFileSync(join(built, `${page}.html`), "utf8");
    expect(html).toContain(`content="${metaPolicy(page)}"`);
    expect(html).not.toMatch(/(src|href)="(https?:|\/\/)/);
    expect(html).not.toMatch(/<script(?![^>]*src=)|<style|style="|\son[a-z]+=/);
  }
  expect(metaPolicy("index")).toContain("connect-src 'self';");
  expect(metaPolicy("connect")).toContain("trusted-types 'none'");
});
