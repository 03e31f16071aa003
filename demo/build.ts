import { createHash } from "node:crypto";
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type BuildOptions, type Metafile, type Plugin } from "esbuild";
import { oneScript } from "../worker/local/one-script.ts";
import { metaPolicy, type Page } from "../worker/policy.ts";

const here = import.meta.dirname;
const copied = ["icon.svg", "manifest.webmanifest"];
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

/**
 * Builds the console into `outdir`, which is emptied first: static files that work from any address
 * and any sub-path.
 */
export async function buildDemo(outdir: string): Promise<void> {
  await rm(outdir, { recursive: true, force: true });
  await mkdir(outdir, { recursive: true });
  const entry: BuildOptions = {
    ...shared,
    entryPoints: [resolve(here, "main.tsx")],
    outdir,
    format: "esm",
    splitting: true,
    chunkNames: "part-[hash]",
  };
  const { metafile } = await build({ ...entry, metafile: true });
  for (const file of ["theme.ts", "style.css"])
    await build({ ...shared, entryPoints: [resolve(here, file)], outdir, format: "iife" });
  for (const file of copied) await copyFile(resolve(here, file), resolve(outdir, file));
  const template = await readFile(resolve(here, "index.html"), "utf8");
  const links = needsOf(metafile, "main.js").map(
    (file) => `<link rel="modulepreload" href="${file}" />`,
  );
  for (const page of pages) {
    const html = template
      .replace("%POLICY%", metaPolicy(page))
      .replace("%PAGE%", page)
      .replace("<!--needs-->", links.join(""));
    await writeFile(resolve(outdir, `${page}.html`), html);
  }
  await buildServiceWorker(outdir);
}

/**
 * The scripts that a script cannot begin without: named in the page, they are fetched at once
 * instead of one after the other.
 */
function needsOf({ outputs }: Metafile, name: string): readonly string[] {
  const [, entry] = Object.entries(outputs).find(([path]) => basename(path) === name) ?? [];
  return (entry?.imports ?? []).flatMap(({ kind, path }) =>
    kind === "import-statement" ? [basename(path)] : [],
  );
}

/**
 * What stands in the place of modules that only serve to ask others, by the ends of their paths.
 */
const instead: readonly (readonly [path: RegExp, contents: string])[] = [
  [/[\\/]acme[\\/]validation[\\/]asking\.ts$/, refusing("judgeByAsking")],
  [/[\\/]net[\\/]document-dialled\.ts$/, refusing("dialDocument")],
  [
    /[\\/]managed[\\/]remotes\.ts$/,
    `import { RemoteError } from "./remote.ts";
export const remoteOf = () => Promise.reject(new RemoteError("a page connects to nobody"));`,
  ],
  [
    /[\\/]external[\\/]transport\.ts$/,
    `import { NetError } from "../net/failure.ts";
export const transported = () =>
  Promise.reject(new NetError("connection", "a page asks no external policy service"));`,
  ],
  [
    /[\\/]external[\\/]filter\.ts$/,
    `import { CaError } from "../base/errors.ts";
export const expressionOf = () => {
  throw new CaError("malformed", "a page asks no service, and reads no JMESPath expression");
};
export const filtered = () => {
  throw new CaError("policy_failed", "a page asks no external policy service");
};`,
  ],
];

function refusing(name: string): string {
  return `export const ${name} = () => Promise.reject(new TypeError("nothing is dialled here"));`;
}

/**
 * Leaves out what asks others: a page cannot. It says itself whether a challenge of ACME is met
 * (`challenger` of the ports), and keys of who signs tokens are pinned. One script has no parts to
 * be loaded later.
 */
const withoutAsking: Plugin = {
  name: "without-asking",
  setup: ({ onLoad }) => {
    for (const [filter, contents] of instead)
      onLoad({ filter }, ({ path }) => ({ contents, loader: "ts", resolveDir: dirname(path) }));
  },
};

/**
 * The service worker knows every file beside it and a version made from their bytes, so that a
 * changed console is a changed worker.
 */
async function buildServiceWorker(outdir: string): Promise<void> {
  const files = (await readdir(outdir)).sort();
  const hash = createHash("sha256");
  for (const file of files) hash.update(file).update(await readFile(resolve(outdir, file)));
  await build({
    ...shared,
    entryPoints: [resolve(here, "sw/sw.ts")],
    outfile: resolve(outdir, "sw.js"),
    // One classic script: module service workers are young in some browsers, and `import()` is
    // refused in all of them.
    format: "iife",
    plugins: [withoutAsking, oneScript],
    define: {
      FILES: JSON.stringify(files),
      VERSION: JSON.stringify(hash.digest("hex").slice(0, 16)),
    },
  });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  await buildDemo(resolve(process.argv[2] ?? "dist/demo"));
