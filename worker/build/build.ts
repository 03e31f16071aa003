import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, stop } from "esbuild";

/** A build error. The message states the cause and what to do. */
class BuildError extends Error {
  override readonly name = "BuildError";
}

/** The repository's root directory. */
export const root = fileURLToPath(new URL("../../", import.meta.url));

/** The entry point of the Worker, and the output directory that `wrangler` and the package use. */
export const worker = {
  entry: join(root, "worker/index.ts"),
  modules: join(root, "dist/worker-modules"),
};
/** The entry point of a test Worker whose clock is set over HTTP. */
export const clocked = { entry: join(root, "worker/build/clocked.ts") };

/**
 * Builds a Worker into a directory of minified ES modules: `index.js`, with the code that each
 * isolate needs, and chunks that are loaded on first use. Replaces the directory. Rejects with
 * {@link BuildError} if the directory cannot be written.
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
      `The Worker cannot be built into ${outdir} (${why}); make the directory writable.`,
    );
  }
}

/** Stops the bundler's child process, which would otherwise run until this process exits. */
export async function endBuilds(): Promise<void> {
  await stop();
}
