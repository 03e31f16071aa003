#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { main } from "./commands.ts";
import type { Built } from "../process/launch.ts";
import type { Settings } from "./settings.ts";

/** The package, as seen from `dist/bin` in it. */
const place = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** What the package brings is built already. */
const build = async ({ bundle, demo }: Settings): Promise<Built> => ({
  bundle: bundle ?? place("dist/worker-modules"),
  demo: demo ?? place("dist/demo"),
});
// the file is the package's own
const { version } = JSON.parse(readFileSync(place("package.json"), "utf8")) as { version: string };

await main(process.argv.slice(2), { build, clocked: false, version });
