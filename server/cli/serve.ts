import { mkdirSync, readFileSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { announceBuild } from "../build/announced-build.ts";
import { buildPage, demoPath, endBuilds, hasPageSources, root } from "../build/build-page.ts";
import type { ServerLog } from "../process/server-log.ts";
import type { Settings } from "../settings/settings.ts";

// Caches the compiled JavaScript for worker processes and later starts.
const compiled = join(root, "node_modules/.cache/compiled");
enableCompileCache(compiled);
process.env["NODE_COMPILE_CACHE"] ??= compiled;
const { main } = await import("./commands.ts");

// package.json is part of the checkout, so its shape is known
const { version: packageVersion } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
) as {
  version: string;
};

/** Returns the directory of the console, which is either configured or built from the sources. */
async function page({ demo }: Settings, announce: ServerLog["announce"]): Promise<string> {
  if (demo !== undefined) {
    mkdirSync(demo, { recursive: true });
    return demo;
  }
  // The server still starts if the console cannot be built.
  const build = (): Promise<void> => buildPage();
  await (hasPageSources() ? announceBuild(build, announce) : build()).catch((error: unknown) =>
    console.error(
      "The console at /demo/ could not be built:",
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
