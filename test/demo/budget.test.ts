import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildDemo } from "../../demo/build.ts";
import { metaPolicy } from "../../worker/policy.ts";

const built = mkdtempSync(join(tmpdir(), "sealwright-budget-"));
beforeAll(() => buildDemo(built));
afterAll(() => rmSync(built, { recursive: true, force: true }));

const files = (): readonly string[] => readdirSync(built);
const packed = (name: string): number => gzipSync(readFileSync(join(built, name))).length;

it("the console without the engine is at most 60 kB packed, its style 10 kB", () => {
  const scripts = files().filter((name) => name.endsWith(".js") && name !== "sw.js");
  expect(scripts.reduce((sum, name) => sum + packed(name), 0)).toBeLessThanOrEqual(60_000);
  expect(packed("style.css")).toBeLessThanOrEqual(10_000);
});

it("the first paint waits for neither the engine nor the views that are not shown", () => {
  const html = readFileSync(join(built, "index.html"), "utf8");
  expect([...html.matchAll(/<script[^>]*src="([^"]+)"/g)].map(([, src]) => src)).toEqual(["theme.js", "main.js"]);
  expect(readFileSync(join(built, "main.js"), "utf8")).not.toContain("indexedDB");
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
