import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const css = readFileSync(new URL("../../demo/style.css", import.meta.url), "utf8");

/** Returns the custom properties of the first block that begins with `selector`. */
function palette(selector: string): ReadonlyMap<string, string> {
  const from = css.indexOf(`${selector} {`);
  const block = css.slice(from, css.indexOf("}", from));
  return new Map(
    [...block.matchAll(/--([a-z0-9-]+):\s*(#[0-9a-f]{6});/g)].map(([, name, color]) => [
      name ?? "",
      color ?? "",
    ]),
  );
}

/** Returns the relative luminance of a color (WCAG 2.2). */
function luminance(color: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

const text = 4.5;
const edge = 3;
const pairs: readonly (readonly [front: string, backs: readonly string[], minRatio: number])[] = [
  [
    "text",
    ["surface", "bg", "sunken", "neutral-soft", "accent-soft", "warn-soft", "danger-soft"],
    text,
  ],
  // The selected segment is marked by its background, which must contrast with the surrounding one.
  ["text", ["raised"], text],
  ["text-2", ["surface", "bg", "neutral-soft", "warn-soft", "danger-soft", "accent-soft"], text],
  ["text-3", ["surface", "bg", "sunken"], text],
  ["accent", ["surface", "bg", "accent-soft"], text],
  ["on-accent", ["accent", "accent-hover"], text],
  ["ok", ["surface", "ok-soft"], text],
  ["warn", ["surface", "warn-soft"], text],
  ["danger", ["surface", "danger-soft"], text],
  ["edge", ["surface", "bg", "sunken"], edge],
  ["wax", ["surface"], text],
  ...["ok-fill", "warn-fill", "danger-fill"].map((fill) => [fill, ["surface"], edge] as const),
];
const themes = { light: palette(":root"), dark: palette(':root[data-theme="dark"]') };

describe.each(Object.entries(themes))("the %s theme", (_, colors) => {
  it.each(
    pairs.flatMap(([front, backs, minRatio]) =>
      backs.map((back) => [front, back, minRatio] as const),
    ),
  )("has enough contrast for --%s on --%s", (front, back, minRatio) => {
    expect(
      contrast(colors.get(front) ?? "#000000", colors.get(back) ?? "#000000"),
    ).toBeGreaterThanOrEqual(minRatio);
  });
});

it("a select has the colors of the theme instead of the desktop's, except with forced colors", () => {
  const forced = css.indexOf("(forced-colors: active)");
  expect(css.slice(0, forced)).toMatch(/\nselect \{[^}]*appearance: none;/);
  expect(css.slice(forced)).toMatch(/select \{\s*appearance: auto;/);
});

it("the dark theme of the system has the same colors as the chosen dark theme", () => {
  expect([...palette('  :root:not([data-theme="light"])')]).toEqual([...themes.dark]);
  expect(themes.dark.size).toBeGreaterThan(15);
});

it("a theme sets only colors and shadows, so that the layout is the same in both themes", () => {
  const start = css.indexOf(':root[data-theme="dark"] {');
  const names = css
    .slice(css.indexOf("{", start) + 1, css.indexOf("}", start))
    .split(";")
    .map((line) => line.split(":")[0]?.trim() ?? "")
    .filter(Boolean);
  const others = names.filter((name) => !themes.dark.has(name.replace(/^--/, "")));
  expect(others).toEqual(["color-scheme", "--shadow", "--shadow-high"]);
  expect(css.split('data-theme="dark"')).toHaveLength(2);
  expect(css.split("prefers-color-scheme")).toHaveLength(2);
});

it("the contrast ratios of the design table are met to one decimal", () => {
  const ratio = (theme: keyof typeof themes, front: string, back: string): string =>
    contrast(themes[theme].get(front) ?? "", themes[theme].get(back) ?? "").toFixed(1);
  expect([
    ratio("light", "text", "surface"),
    ratio("light", "text-3", "sunken"),
    ratio("light", "danger", "danger-soft"),
    ratio("light", "edge", "sunken"),
  ]).toEqual(["17.1", "4.8", "5.8", "3.1"]);
  expect([
    ratio("dark", "text", "surface"),
    ratio("dark", "text-3", "sunken"),
    ratio("dark", "danger", "danger-soft"),
    ratio("dark", "edge", "sunken"),
  ]).toEqual(["14.6", "6.9", "7.4", "4.3"]);
});
