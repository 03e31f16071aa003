import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, stop } from "esbuild";

/** The Worker could not be built; the message says why, and what to do. */
class BuildError extends Error {
  override readonly name = "BuildError";
}

/** The repository's root directory. */
export const root = fileURLToPath(new URL("../../", import.meta.url));

/** The Worker, and where `wrangler` and the package find it built. */
export const worker = {
  entry: join(root, "worker/index.ts"),
  modules: join(root, "dist/worker-modules"),
};
/** The Worker whose time a request sets, for tests. */
export const clocked = { entry: join(root, "worker/build/clocked.ts") };

/**
 * Builds a Worker's entry into a directory of minified ES modules: `index.js`, which imports what
 * each isolate needs, and parts that are loaded when they are first asked for. The directory is
 * replaced as a whole. Throws {@link BuildError} where it cannot be written.
 */
export async function buildWorker(entry: string, outdir: string): Promise<void> {
  const { outputFiles } = await build({
    entryPoints: [{ in: entry, out: "index" }],
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: "es2024",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*"],
    legalComments: "none",
    logLevel: "silent",
    outdir,
    write: false,
  });
  const draft = `${outdir}.${process.pid}.${Date.now()}`;
  try {
    await mkdir(draft, { recursive: true });
    for (const { path, contents } of outputFiles)
      await writeFile(join(draft, basename(path)), contents);
    await rm(outdir, { recursive: true, force: true });
    await rename(draft, outdir);
  } catch (error) {
    await rm(draft, { recursive: true, force: true }).catch(() => undefined);
    const why = (error as NodeJS.ErrnoException).code ?? "unknown";
    throw new BuildError(
      `The Worker cannot be built into ${outdir} (${why}); make it writable, or set WORKER_BUNDLE to one that is built.`,
    );
  }
}

/** Ends the bundler's own process, which otherwise lives as long as this one. */
export async function endBuilds(): Promise<void> {
  await stop();
}
