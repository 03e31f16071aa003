import { readFileSync } from "node:fs";

// not imported: the views need a browser
const source = readFileSync(new URL("../../demo/app/routes.ts", import.meta.url), "utf8");

/** The IDs of all views. */
export const viewIds: readonly string[] = [...source.matchAll(/^ {4}id: "(\w+)"/gm)].map(
  ([, id = ""]) => id,
);

/** The IDs and titles of the views in the navigation. */
export const navigation: readonly (readonly [id: string, title: string])[] = [
  ...source.matchAll(/^ {4}id: "(\w+)",\n {4}title: "([^"]+)"/gm),
].map(([, id = "", title = ""]) => [id, title] as const);
