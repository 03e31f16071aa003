import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { devCa, openWindow, type Host, type Window } from "./support.ts";

/** axe-core as a script for a page. */
export const axe = readFileSync(
  createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
  "utf8",
);

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Runs every rule of axe-core over what is shown, also those for best practice. */
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

/** Reports whether everything that is shown stays within the width of the window. */
export const staysInWidth = ({ page }: Pick<Window, "page">): Promise<boolean> =>
  page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth");

/** The themes and widths in which a view is checked: a theme sets colours only. */
export const looks = [
  ["light", 1280],
  ["dark", 320],
  ["dark", 1920],
] as const;

/** A window with axe in it and a Dev CA, in a theme and a width. */
export async function judged(
  at: Host,
  [colorScheme, width]: readonly [theme: "light" | "dark", width: number],
): Promise<Window> {
  const window = await openWindow(at, "", {
    colorScheme,
    viewport: { width, height: 900 },
    reducedMotion: "reduce",
  });
  // The policy refuses scripts from strings, so axe comes in by way of the debugger.
  await window.context.addInitScript(axe);
  await window.page.reload();
  await devCa(window.page);
  return window;
}
