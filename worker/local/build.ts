import { existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, stop } from "esbuild";
import { oneScript } from "./one-script.ts";
import { LaunchError } from "./settings.ts";

/** The repository's root directory. */
export const root = fileURLToPath(new URL("../../", import.meta.url));

/** Where the bundle is built. */
export const bundlePath = join(root, "dist/worker-bundle/index.js");
/** The Worker whose time a request sets, for tests, and where it is built. */
export const clocked = {
  entry: join(root, "worker/local/clocked.ts"),
  bundle: join(root, "dist/worker-bundle/clocked.js"),
};
/** Where the page is built. */
export const demoPath = join(root, "dist/demo");

/**
 * Bundles a Worker's entry into one ES module. The file is replaced in one step, so that two builds
 * at once do not mix. Throws {@link LaunchError} where it cannot be written.
 */
export async function buildWorker(
  entry = join(root, "worker/index.ts"),
  outfile = bundlePath,
): Promise<void> {
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    target: "es2024",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*"],
    legalComments: "none",
    logLevel: "silent",
    plugins: [oneScript],
    write: false,
  });
  const [output] = result.outputFiles;
  if (output === undefined) throw new TypeError(`${entry} gave no module`);
  const draft = `${outfile}.${process.pid}.${Date.now()}`;
  try {
    await mkdir(dirname(outfile), { recursive: true });
    await writeFile(draft, output.contents);
    await rename(draft, outfile);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    const why = (error as NodeJS.ErrnoException).code ?? "unknown";
    throw new LaunchError(
      `The Worker cannot be built into ${dirname(outfile)} (${why}); make it writable, or set WORKER_BUNDLE to one that is built.`,
    );
  }
}

/**
 * Builds the page into `outdir` when this checkout has one; the directory exists afterwards in any
 * case.
 */
export async function buildPage(outdir = demoPath): Promise<void> {
  await mkdir(outdir, { recursive: true });
  const script = join(root, "demo/build.ts");
  if (!existsSync(script)) return;
  const page: { buildDemo?: (outdir: string) => Promise<void> } = await import(
    pathToFileURL(script).href
  );
  await page.buildDemo?.(outdir);
}

/** Ends the bundler's own process, which otherwise lives as long as this one. */
export async function endBuilds(): Promise<void> {
  await stop();
}
