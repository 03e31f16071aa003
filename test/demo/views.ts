import { readFileSync } from "node:fs";

// not imported: the views need a browser
const source = readFileSync(new URL("../../demo/app/routes.ts", import.meta.url), "utf8");

/** The IDs and titles of the views. A view that is not in the navigation has the title "". */
const views = [...source.matchAll(/^ {4}id: "(\w+)",(?:\n {4}title: "([^"]+)",)?/gm)].map(
  ([, id = "", title = ""]) => [id, title] as const,
);

/** The IDs of all views. */
export const viewIds: readonly string[] = views.map(([id]) => id);

/** The IDs and titles of the views in the navigation. */
export const navigation: readonly (readonly [id: string, title: string])[] = views.filter(
  ([, title]) => title !== "",
);

/** Returns how many views in the source have a property. */
const countOf = (property: string): number => source.split(`\n    ${property}: `).length - 1;
// otherwise the tests of all views would skip those that the pattern does not match
if (viewIds.length !== countOf("View") || navigation.length !== countOf("title"))
  throw new Error("demo/app/routes.ts: expected each view to begin with its id and title");
