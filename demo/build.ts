import { createHash } from "node:crypto";
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type BuildOptions } from "esbuild";
import { metaPolicy, type Page } from "../worker/policy.ts";

const here = import.meta.dirname;
const copied = ["style.css", "icon.svg", "manifest.webmanifest"];
const pages: readonly Page[] = ["index", "connect"];

const shared: BuildOptions = {
  bundle: true,
  minify: true,
  target: ["es2023"],
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  logLevel: "warning",
};

/** Builds the console into `outdir`, which is emptied first: static files that work from any address and any sub-path. */
export async function buildDemo(outdir: string): Promise<void> {
  await rm(outdir, { recursive: true, force: true });
  await mkdir(outdir, { recursive: true });
  await build({ ...shared, entryPoints: [resolve(here, "main.tsx")], outdir, format: "esm", splitting: true, chunkNames: "part-[hash]" });
  await build({ ...shared, entryPoints: [resolve(here, "theme.ts")], outdir, format: "iife" });
  for (const file of copied) await copyFile(resolve(here, file), resolve(outdir, file));
  const template = await readFile(resolve(here, "index.html"), "utf8");
  for (const page of pages) await writeFile(resolve(outdir, `${page}.html`), template.replace("%POLICY%", metaPolicy(page)).replace("%PAGE%", page));
  await buildServiceWorker(outdir);
}

/** The service worker knows every file beside it and a version made from their bytes, so that a changed console is a changed worker. */
async function buildServiceWorker(outdir: string): Promise<void> {
  const files = (await readdir(outdir)).sort();
  const hash = createHash("sha256");
  for (const file of files) hash.update(file).update(await readFile(resolve(outdir, file)));
  await build({
    ...shared,
    entryPoints: [resolve(here, "sw/sw.ts")],
    outfile: resolve(outdir, "sw.js"),
    // One classic script: module service workers are young in some browsers, and `import()` is refused in all of them.
    format: "iife",
    define: { FILES: JSON.stringify(files), VERSION: JSON.stringify(hash.digest("hex").slice(0, 16)) },
  });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await buildDemo(resolve(process.argv[2] ?? "dist/demo"));
