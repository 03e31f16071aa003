import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { openDevCa, type Host, type Window } from "./support.ts";

/** axe-core as a script for the page. */
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * Adds axe-core to a window, now and whenever it loads a page. The debugger injects it, because the
 * CSP forbids scripts from strings.
 */
export async function addAxe({ page, context }: Pick<Window, "page" | "context">): Promise<void> {
  await context.addInitScript(axe);
  await page.evaluate(axe);
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Runs every rule of axe-core on the page, including best practices, and returns the violations. */
export async function violations({ page }: Pick<Window, "page">): Promise<readonly string[]> {
  const found = await page.evaluate<readonly Violation[]>(
    "axe.run({ resultTypes: ['violations'] }).then((result) => result.violations)",
  );
  return found.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .slice(0, 3)
        .map((node) => `${node.html.slice(0, 200)} (${node.failureSummary.slice(0, 200)})`)
        .join(" | ")}`,
  );
}

/** Reports whether the content fits the width of the window. */
export const staysInWidth = ({ page }: Pick<Window, "page">): Promise<boolean> =>
  page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth");

/** The themes and widths to check. Themes set only colors, so that not all combinations are needed. */
export const looks = [
  ["light", 1280],
  ["dark", 320],
  ["dark", 1920],
] as const;

/** Opens a window with axe-core and a Dev CA, with a theme and a width. */
export async function judged(
  at: Host,
  [colorScheme, width]: readonly [theme: "light" | "dark", width: number],
): Promise<Window> {
  const window = await openDevCa(at, {
    colorScheme,
    viewport: { width, height: 900 },
  });
  await addAxe(window);
  return window;
}
