import { mkdirSync } from "node:fs";
import { join } from "node:path";
import {
  BuildError,
  buildPage,
  buildWorker,
  clocked,
  demoPath,
  endBuilds,
  worker,
} from "../../worker/build/build.ts";
import { main } from "./commands.ts";
import type { Built } from "../process/launch.ts";
import { LaunchError, type Settings } from "./settings.ts";

const isClocked = process.env["SEALWRIGHT_TEST_CLOCK"] === "1";

/** What a checkout serves: what it is told to, or what its sources give. */
async function build(settings: Settings, runDir: string): Promise<Built> {
  if (settings.bundle !== undefined) {
    const demo = settings.demo ?? demoPath;
    mkdirSync(demo, { recursive: true });
    return { bundle: settings.bundle, demo };
  }
  // of this start alone: two at once do not mix, and the checkout may be read-only
  const bundle = join(runDir, "built");
  await buildWorker((isClocked ? clocked : worker).entry, bundle).catch((error: unknown) => {
    throw error instanceof BuildError ? new LaunchError(error.message) : error;
  });
  // Without its page the authority serves all the same.
  await buildPage().catch((error: unknown) =>
    console.error(
      "The page at /demo/ could not be built:",
      error instanceof Error ? error.message : error,
    ),
  );
  await endBuilds();
  return { bundle, demo: demoPath };
}

// no command of a checkout tells it
const version = "";
await main(["serve", ...process.argv.slice(2)], {
  build,
  clocked: isClocked,
  version,
});
