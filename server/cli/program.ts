import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { main } from "./commands.ts";

/** Returns the path of a file of the package, whose root is two levels above `dist/js`. */
const place = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

// package.json is part of the package, so its shape is known
const { version } = JSON.parse(readFileSync(place("package.json"), "utf8")) as { version: string };

await main(process.argv.slice(2), {
  page: async ({ demo }) => demo ?? place("dist/demo"),
  version,
});
