import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { stop } from "esbuild";

/** The repository's root directory. */
export const root = fileURLToPath(new URL("../../", import.meta.url));

/** Output directory of the console. */
export const demoPath = join(root, "dist/demo");

const script = join(root, "demo/build.ts");

/** Reports whether this checkout contains the sources of the console. */
export const hasPageSources = (): boolean => existsSync(script);

/**
 * Builds the console into `outdir` if this checkout contains its sources. Creates the directory in
 * any case.
 */
export async function buildPage(
  outdir = demoPath,
  compressed: "fast" | "small" = "fast",
): Promise<void> {
  await mkdir(outdir, { recursive: true });
  if (!hasPageSources()) return;
  const page: { buildDemo?: (outdir: string, compressed: string) => Promise<void> } = await import(
    pathToFileURL(script).href
  );
  await page.buildDemo?.(outdir, compressed);
}

/** Stops the bundler's child process, which would otherwise run until this process exits. */
export async function endBuilds(): Promise<void> {
  await stop();
}
