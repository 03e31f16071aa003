import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { buildServiceWorker, bundleOptions } from "../../demo/build.ts";
import { root } from "../../worker/build/build.ts";

/** Files of a built console that are neither pages nor parts of its script. */
const copied = /^(?:style|theme|icon|manifest)-.+\.(?:css|js|svg|webmanifest)$/;

/**
 * Copies a built console to `folder`, with all views in the script of the page instead of chunks
 * that it loads.
 */
export async function combineScripts(built: string, folder: string): Promise<void> {
  await build({
    ...bundleOptions,
    entryPoints: [join(root, "demo/app/main.tsx")],
    outdir: folder,
    format: "esm",
  });
  const [script = ""] = readdirSync(folder);
  let version = "";
  for (const file of readdirSync(built)) {
    if (copied.test(file)) copyFileSync(join(built, file), join(folder, file));
    if (!file.endsWith(".html")) continue;
    const page = readFileSync(join(built, file), "utf8");
    version = / data-version="(\w+)"/.exec(page)?.[1] ?? "";
    const combined = page
      .replace(/<link rel="modulepreload"[^>]*>/g, "")
      .replace(/"main-[0-9A-Z]{8}\.js"/, JSON.stringify(script));
    if (!version || !combined.includes(script))
      throw new Error(`${file} has no version or no script`);
    writeFileSync(join(folder, file), combined);
  }
  await buildServiceWorker(folder, version);
}
