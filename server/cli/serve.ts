import { mkdirSync, readFileSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { buildPage, demoPath, endBuilds, root } from "../build/build-page.ts";
import type { Settings } from "./settings.ts";

// Caches the JavaScript compiled from the sources for worker processes and later starts.
const compiled = join(root, "node_modules/.cache/compiled");
enableCompileCache(compiled);
process.env["NODE_COMPILE_CACHE"] ??= compiled;
const { main } = await import("./commands.ts");

// the file is part of the checkout
const { version: packageVersion } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
) as {
  version: string;
};

/** Returns the directory of the page: the configured one, or one built from the sources. */
async function page({ demo }: Settings): Promise<string> {
  if (demo !== undefined) {
    mkdirSync(demo, { recursive: true });
    return demo;
  }
  // The authority still runs if its page cannot be built.
  await buildPage().catch((error: unknown) =>
    console.error(
      "The page at /demo/ could not be built:",
      error instanceof Error ? error.message : error,
    ),
  );
  await endBuilds();
  return demoPath;
}

await main(["serve", ...process.argv.slice(2)], {
  page,
  version: packageVersion,
});
