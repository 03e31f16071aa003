import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { metaPolicy } from "../../src/host/page-policy.ts";
import { builtDemo, fileOf } from "../support/built.ts";

const built = await builtDemo();
const main = fileOf(built, "main");
const theme = fileOf(built, "theme");
const style = fileOf(built, "style");

const packed = (name: string): number => gzipSync(readFileSync(join(built, name))).length;

const text = (name: string): string => readFileSync(join(built, name), "utf8");
const named = (pattern: RegExp, name: string): readonly string[] =>
  [...text(name).matchAll(pattern)].flatMap(([, file]) => file ?? []);

/** Returns a script and everything that it imports. */
function withNeeds(name: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const needed of named(/(?:from|import)"\.\/([^"]+\.js)"/g, name)) withNeeds(needed, found);
  return found;
}
const sum = (names: Iterable<string>): number =>
  [...names].reduce((total, name) => total + packed(name), 0);

it("the console loads at most 76 kB of compressed scripts for a view without the engine, and 10 kB of styles", () => {
  const shell = new Set([...withNeeds(main), theme]);
  const views = [...shell].flatMap((file) => named(/import\("\.\/([^"]+\.js)"\)/g, file));
  expect(views.length).toBeGreaterThan(2);
  expect(sum(shell)).toBeLessThanOrEqual(27_000);
  for (const view of views)
    expect(sum(new Set([...shell, ...withNeeds(view)])), view).toBeLessThanOrEqual(76_000);
  expect(packed(style)).toBeLessThanOrEqual(10_000);
});

it("the service worker is at most 510.6 kB compressed and contains no TLS client", () => {
  expect(text("sw.js").includes("tls13 ")).toBe(false);
  expect(packed("sw.js")).toBeLessThanOrEqual(510_600);
});

it("the first paint does not wait for the engine or for views that are not shown", () => {
  const html = readFileSync(join(built, "index.html"), "utf8");
  expect([...html.matchAll(/<script[^>]*src="([^"]+)"/g)].map(([, src]) => src)).toEqual([
    theme,
    main,
  ]);
  expect(readFileSync(join(built, main), "utf8")).not.toContain("indexedDB");
  const [, ...needed] = withNeeds(main);
  expect(needed.length).toBeGreaterThan(0);
  const preloaded = named(/<link rel="modulepreload" href="([^"]+)"/g, "index.html");
  expect(preloaded).toEqual(expect.arrayContaining(needed));
});

it("every built file except pages and service workers has a hash in its name, and the pages refer only to built files", () => {
  const own = readdirSync(built).filter((file) => !/\.(?:br|gz)$/.test(file));
  expect(own.filter((file) => !/-[0-9A-Z]{8}\.[a-z]+$/.test(file)).toSorted()).toEqual([
    "connect.html",
    "index.html",
    "sw.js",
    "worker.html",
  ]);
  for (const page of ["index.html", "connect.html", "worker.html"])
    expect(
      named(/(?:src|href)="([^"#]+)"/g, page).filter((file) => !own.includes(file)),
      page,
    ).toEqual([]);
});

it("built files have a compressed copy with the same content if that is smaller", () => {
  const own = readdirSync(built).filter((file) => !/\.(?:br|gz)$/.test(file));
  for (const file of own) {
    const bytes = readFileSync(join(built, file));
    for (const [ending, unpack] of [
      [".br", brotliDecompressSync],
      [".gz", gunzipSync],
    ] as const) {
      const path = join(built, file + ending);
      if (!existsSync(path)) continue;
      expect(readFileSync(path).length, path).toBeLessThan(bytes.length);
      expect(unpack(readFileSync(path)).equals(bytes), path).toBe(true);
    }
    if (bytes.length > 1000) expect(existsSync(join(built, `${file}.br`)), file).toBe(true);
  }
});

it("every screenshot in the README exists", () => {
  const root = resolve(import.meta.dirname, "../..");
  const shown = [
    ...readFileSync(join(root, "README.md"), "utf8").matchAll(/docs\/screenshots\/[\w-]+\.webp/g),
  ].map(([path]) => path);
  expect(shown.length).toBeGreaterThan(0);
  expect(shown.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

it("both pages contain their content security policy and no inline or third-party scripts and styles", () => {
  for (const page of ["index", "connect"] as const) {
    const html = readFileSync(join(built, `${page}.html`), "utf8");
    expect(html).toContain(`content="${metaPolicy(page)}"`);
    expect(html).not.toMatch(/(src|href)="(https?:|\/\/)/);
    expect(html).not.toMatch(/<script(?![^>]*src=)|<style|style="|\son[a-z]+=/);
  }
  expect(metaPolicy("index")).toContain("connect-src 'self';");
  expect(metaPolicy("connect")).toContain("trusted-types 'none'");
});
