import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { stop } from "esbuild";

/** The repository's root directory. */
export const root = fileURLToPath(new URL("../../", import.meta.url));

/** Output directory of the console. */
export const demoPath = join(root, "dist/demo");

/**
 * Builds the page into `outdir` if this checkout has one; the directory exists afterwards in any
 * case.
 */
export async function buildPage(
  outdir = demoPath,
  compressed: "fast" | "small" = "fast",
): Promise<void> {
  await mkdir(outdir, { recursive: true });
  const script = join(root, "demo/build.ts");
  if (!existsSync(script)) return;
  const page: { buildDemo?: (outdir: string, compressed: string) => Promise<void> } = await import(
    pathToFileURL(script).href
  );
  await page.buildDemo?.(outdir, compressed);
}

/** Stops the bundler's process, which otherwise runs as long as this one. */
export async function endBuilds(): Promise<void> {
  await stop();
}
