import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { build, type BuildOptions, type Metafile, type Plugin } from "esbuild";
import { oneScript } from "../worker/build/one-script.ts";
import { metaPolicy, type Page } from "../src/host/page-policy.ts";

const here = import.meta.dirname;

/**
 * The pages of the console by file name, which is also the page kind in the meta tag. Each has a
 * Content-Security-Policy and the source file of its first view.
 */
const pages = {
  index: { policy: "index", opens: "routes/start/start.tsx" },
  worker: { policy: "index", opens: "app/standalone-routes.ts" },
  connect: { policy: "connect", opens: "app/standalone-routes.ts" },
} satisfies Record<string, { policy: Page; opens: string }>;

/** The bundler's options for all scripts of the console. */
export const bundleOptions: BuildOptions = {
  bundle: true,
  minify: true,
  target: ["es2023"],
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  logLevel: "warning",
  entryNames: "[name]-[hash]",
};

/**
 * Builds the console into `outdir`, which is emptied first: static files that work under any URL.
 * All file names but those of the pages and the service worker contain a content hash, so that
 * servers can send the files as immutable. Unless `compressed` is empty, also writes `.br` and
 * `.gz` files where they are smaller; `fast` takes a tenth of the time of `small`, and its files
 * are a tenth larger. Returns the download size of each route.
 */
export async function buildDemo(
  outdir: string,
  compressed: "fast" | "small" | "" = "fast",
): Promise<readonly RouteWeight[]> {
  await rm(outdir, { recursive: true, force: true });
  await mkdir(outdir, { recursive: true });
  const { metafile } = await build({
    ...bundleOptions,
    entryPoints: [resolve(here, "app/main.tsx")],
    outdir,
    format: "esm",
    splitting: true,
    chunkNames: "part-[hash]",
    plugins: [oneShell, ownEndpoints],
    metafile: true,
  });
  const main = outputOf(metafile, "app/main.tsx");
  const icon = await copied(outdir, "icon.svg");
  const names: Readonly<Record<string, string>> = {
    main,
    theme: await builtAlone(outdir, "app/theme.ts"),
    style: await builtAlone(outdir, "style.css"),
    icon,
    manifest: await copied(outdir, "manifest.webmanifest", (text) =>
      text.replace("icon.svg", icon),
    ),
  };
  const template = (await readFile(resolve(here, "index.html"), "utf8")).replace(
    /%(\w+)-file%/g,
    (_, name: string) => names[name] ?? "",
  );
  const version = await versionOf(outdir, template);
  for (const [page, { policy, opens }] of Object.entries(pages)) {
    const links = needsOf(metafile, [main, outputOf(metafile, opens)]).map(
      (file) => `<link rel="modulepreload" href="${file}" />`,
    );
    const html = template
      .replace("%POLICY%", metaPolicy(policy))
      .replace("%PAGE%", page)
      .replace("%VERSION%", version)
      .replace("<!--needs-->", links.join(""));
    await writeFile(resolve(outdir, `${page}.html`), html);
  }
  await buildServiceWorker(outdir, version);
  if (compressed) await compress(outdir, compressed);
  return weightsOf(outdir, metafile, Object.values(names));
}

/**
 * Number of files that a first visit to a route loads, and their total size in bytes, compressed
 * with gzip.
 */
interface RouteWeight {
  readonly route: string;
  readonly files: number;
  readonly bytes: number;
}

/**
 * Returns the download size of a first visit to each route. `page` lists the files that every page
 * loads, the main script first.
 */
async function weightsOf(
  outdir: string,
  metafile: Metafile,
  page: readonly string[],
): Promise<readonly RouteWeight[]> {
  const [main = ""] = page;
  const routes = Object.entries(metafile.outputs).flatMap(([path, { entryPoint = "" }]) => {
    const [, named, standalone] =
      /^demo\/(?:routes\/([\w-]+)\/\1|app\/(standalone)-routes)\.tsx?$/.exec(
        relative(resolve(here, ".."), resolve(entryPoint)),
      ) ?? [];
    const route = named ?? standalone;
    return route === undefined ? [] : [[route, basename(path)] as const];
  });
  return Promise.all(
    routes.map(async ([route, file]) => {
      const files = new Set(["index.html", ...page, ...needsOf(metafile, [main, file])]);
      const sizes = [...files].map(
        async (name) => (await gzipped(await readFile(resolve(outdir, name)))).length,
      );
      const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
      return { route, files: files.size, bytes };
    }),
  );
}

/** Modules that nearly every view needs, besides those of the first page load. */
const shell = [
  "app/app.tsx",
  ...["issuers", "roles", "certificates", "crls"].map((part) => `api/${part}.ts`),
  "lib/use-action.ts",
  ...["field", "form", "code", "table"].map((part) => `ui/${part}.tsx`),
].map((file, i) => `export * as shell${i} from ${JSON.stringify(resolve(here, file))};`);

/**
 * Combines the `shell` modules into one chunk, by importing them in the main module and in every
 * dynamically imported one. Otherwise the bundler creates a chunk for each set of shared modules,
 * and small chunks compress badly.
 */
const oneShell: Plugin = {
  name: "one-shell",
  async setup({ onLoad }) {
    const entries = new Set([resolve(here, "app/main.tsx")]);
    for (const path of await readdir(here, { recursive: true })) {
      if (!/\.tsx?$/.test(path)) continue;
      const text = await readFile(resolve(here, path), "utf8");
      for (const [, from = ""] of text.matchAll(/(?<!typeof )\bimport\("(\.[^"]+)"\)/g))
        entries.add(resolve(here, dirname(path), from));
    }
    onLoad({ filter: /\.tsx?$/ }, async ({ path }) => {
      if (!entries.has(path)) return undefined;
      const contents = [await readFile(path, "utf8"), ...shell].join("\n");
      return { contents, loader: path.endsWith("x") ? "tsx" : "ts" };
    });
  },
};

/**
 * Gives each file that calls endpoints a copy of the endpoint table with only the rows that the
 * file uses, so that no shared chunk contains the table.
 */
const ownEndpoints: Plugin = {
  name: "own-endpoints",
  setup({ onResolve }) {
    onResolve({ filter: /\/endpoints\/[\w-]+\.ts$/ }, ({ path, importer, resolveDir }) => ({
      path: resolve(resolveDir, path),
      suffix: `?${relative(here, importer)}`,
    }));
  },
};

/** Builds a file as a single chunk and returns its name. */
async function builtAlone(outdir: string, file: string): Promise<string> {
  const entryPoints = [resolve(here, file)];
  const { metafile } = await build({
    ...bundleOptions,
    entryPoints,
    outdir,
    format: "iife",
    metafile: true,
  });
  return outputOf(metafile, file);
}

/** Copies a file to a name with a content hash, in the bundler's format, and returns that name. */
async function copied(
  outdir: string,
  file: string,
  change: (text: string) => string = (text) => text,
): Promise<string> {
  const text = change(await readFile(resolve(here, file), "utf8"));
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 8).toUpperCase();
  const name = file.replace(".", `-${hash}.`);
  await writeFile(resolve(outdir, name), text);
  return name;
}

/** Returns the name of the file built from a source. */
function outputOf({ outputs }: Metafile, source: string): string {
  const path = relative(process.cwd(), resolve(here, source));
  const [name] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === path) ?? [];
  if (name === undefined) throw new TypeError(`the build has no output for ${source}`);
  return basename(name);
}

/** Returns a hash of all built files and of the pages to be written. */
async function versionOf(outdir: string, template: string): Promise<string> {
  const hash = createHash("sha256").update(template);
  for (const file of (await readdir(outdir)).toSorted())
    hash.update(file).update(await readFile(resolve(outdir, file)));
  return hash.digest("hex").slice(0, 16);
}

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/** Writes compressed copies of files where the copies are smaller. */
async function compress(outdir: string, how: "fast" | "small"): Promise<void> {
  const quality = how === "fast" ? 5 : constants.BROTLI_MAX_QUALITY;
  await Promise.all(
    (await readdir(outdir)).map(async (file) => {
      const path = resolve(outdir, file);
      const bytes = await readFile(path);
      const params = {
        [constants.BROTLI_PARAM_QUALITY]: quality,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      };
      for (const [ending, less] of [
        ["br", await brotli(bytes, { params })],
        ["gz", await gzipped(bytes, { level: constants.Z_BEST_COMPRESSION })],
      ] as const)
        if (less.length < bytes.length) await writeFile(`${path}.${ending}`, less);
    }),
  );
}

/**
 * Returns the given chunks and all chunks that they import statically, so that the page can preload
 * them in parallel. Omits the first, which the page already loads.
 */
function needsOf(
  { outputs }: Metafile,
  [first = "", ...others]: readonly string[],
): readonly string[] {
  const visited = new Set<string>();
  const add = (name: string): void => {
    if (visited.has(name)) return;
    visited.add(name);
    const [, output] = Object.entries(outputs).find(([path]) => basename(path) === name) ?? [];
    for (const { kind, path } of output?.imports ?? [])
      if (kind === "import-statement") add(basename(path));
  };
  for (const name of [first, ...others]) add(name);
  return [...visited].filter((name) => name !== first);
}

/**
 * Replacements for modules that connect to other servers, which a page cannot do. Each has a
 * pattern for the end of the module's path. Without a network, the user decides whether an ACME
 * challenge is met (the port `challenger`), and keys that verify JWTs must be configured.
 */
const standIns: readonly (readonly [path: RegExp, contents: string])[] = [
  [/[\\/]acme[\\/]validation[\\/]network-validation\.ts$/, refusing("validateOverNetwork")],
  [/[\\/]acme[\\/]validation[\\/]http-01-validation\.ts$/, refusing("validateHttp01")],
  [/[\\/]acme[\\/]validation[\\/]tls-alpn-01-validation\.ts$/, refusing("validateTlsAlpn01")],
  [
    /[\\/]net[\\/]guarded-fetch\.ts$/,
    `import { NetError } from "./failure.ts";
const none = () => Promise.reject(new NetError("connection", "a page cannot connect to other servers"));
export { none as fetchService, none as fetchSigned, none as guardedFetch, none as readDocument, none as sendDocument };`,
  ],
  [/[\\/]auth[\\/]cert[\\/]by-chain\.ts$/, refusing("loginByChain")],
  [/[\\/]managed[\\/]awskms-remote\.ts$/, refusingProvider("awskmsRemote")],
  [/[\\/]managed[\\/]https-remote\.ts$/, refusingProvider("httpsRemote")],
  [
    /[\\/]external[\\/]transport\.ts$/,
    `import { NetError } from "../net/failure.ts";
export const sendPolicyRequest = () =>
  Promise.reject(new NetError("connection", "the CA in this browser cannot call an external policy service"));`,
  ],
  [
    /[\\/]external[\\/]filter\.ts$/,
    `import { CaError } from "../base/errors.ts";
export const parseExpression = () => {
  throw new CaError("malformed", "the CA in this browser cannot call an external policy service, so it evaluates no JMESPath expression");
};
export const applyExpression = () => {
  throw new CaError("policy_failed", "the CA in this browser cannot call an external policy service");
};`,
  ],
];

function refusing(name: string): string {
  return `export const ${name} = () => Promise.reject(new TypeError("a page cannot open connections"));`;
}

function refusingProvider(name: string): string {
  return `import { KmsError } from "./remote.ts";
export const ${name} = () => Promise.reject(new KmsError("a page cannot connect to other servers"));`;
}

/**
 * Returns a plugin that replaces the modules whose path matches a pattern. The build fails if a
 * pattern matches no module, because a renamed module would no longer be replaced.
 */
export function replaceModules(table: typeof standIns): Plugin {
  return {
    name: "replace-modules",
    setup({ onLoad, onEnd }) {
      const unmatched = new Set(table.map(([filter]) => filter));
      for (const [filter, contents] of table)
        onLoad({ filter }, ({ path }) => {
          unmatched.delete(filter);
          return { contents, loader: "ts", resolveDir: dirname(path) };
        });
      onEnd(() => ({
        errors: [...unmatched].map(({ source }) => ({ text: `no module matches ${source}` })),
      }));
    },
  };
}

/**
 * Matches a chunk of the page and captures its hash. The service worker gets only the hashes,
 * because there are many chunks.
 */
const part = /^part-([0-9A-Z]{8})\.js$/;

/**
 * Builds the service worker with the names of all files that it caches and the version of the page,
 * so that every change of the console changes the worker script.
 */
export async function buildServiceWorker(outdir: string, version: string): Promise<void> {
  const files = (await readdir(outdir))
    .filter((file) => file !== "worker.html")
    .map((file) => (file === "index.html" ? "" : file));
  await build({
    ...bundleOptions,
    entryPoints: [resolve(here, "sw/sw.ts")],
    outdir,
    entryNames: "[name]",
    // One classic script: some browsers lack module service workers, and none allows `import()` in
    // one.
    format: "iife",
    plugins: [replaceModules(standIns), oneScript],
    define: {
      FILES: JSON.stringify(files.filter((file) => !part.test(file)).toSorted()),
      PARTS: JSON.stringify(files.flatMap((file) => part.exec(file)?.[1] ?? []).join("")),
      VERSION: JSON.stringify(version),
    },
  });
}

const [, script, folder = "dist/demo"] = process.argv;
if (script && import.meta.url === pathToFileURL(script).href)
  await buildDemo(resolve(folder), "small");
