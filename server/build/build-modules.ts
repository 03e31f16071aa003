import { readFile, rm } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { rolldown, type ChunkingContext, type Plugin } from "rolldown";
import { root } from "./build-page.ts";
import { readManifest } from "./manifest.ts";

/**
 * Source files by module name: the entry points of the library, and the server's command line,
 * worker process and commit thread.
 */
export const moduleSources = {
  index: "src/index.ts",
  indexeddb: "src/store/indexeddb.ts",
  conformance: "src/conformance/index.ts",
  client: "src/client/index.ts",
  node: "src/node/index.ts",
  postgres: "src/postgres/index.ts",
  verify: "src/verify/index.ts",
  vars: "src/vars/index.ts",
  cloudflare: "worker/library.ts",
  sealwright: "server/cli/bin.ts",
  worker: "server/process/worker.ts",
  "commit-thread": "server/data/commit-thread.ts",
};

/**
 * Groups of sources that a program imports together. Modules that are statically imported by the
 * same groups form one part. A few large parts need few requests and compress well, and no program
 * loads a module that it does not use.
 */
const uses: Readonly<Record<string, readonly string[]>> = {
  client: ["src/client/index.ts"],
  stores: ["src/store/memory.ts", "src/store/indexeddb.ts"],
  texts: ["src/describe/describe.ts", "src/describe/describe-others.ts", "src/x509/make-csr.ts"],
  verify: ["src/verify/index.ts"],
  engine: ["src/index.ts"],
  issuing: [
    "src/client/ensure.ts",
    "src/engine/store-lock.ts",
    "src/endpoints/authorities.ts",
    "src/endpoints/issuance.ts",
    "src/endpoints/settings.ts",
    "src/pki/config/mount-work.ts",
    "src/wire/audited-run.ts",
  ],
};

/**
 * Returns a function that maps a module ID to the name of its part, or to null, which leaves the
 * module to the bundler.
 */
function partNames(): (id: string, graph: ChunkingContext) => string | null {
  let names: Map<string, string> | undefined;
  return (id, graph) => (names ??= assignParts(graph)).get(id) ?? null;
}
function assignParts(graph: ChunkingContext): Map<string, string> {
  const names = new Map<string, string>();
  const loaded = new Set(
    ["engine", "issuing"].flatMap((use) => [...importsOf(graph, uses[use] ?? [])]),
  );
  for (const [name, sources] of Object.entries(uses))
    for (const id of importsOf(graph, sources))
      if (loaded.has(id)) names.set(id, names.has(id) ? `${names.get(id)}-${name}` : name);
  return new Map(
    [...names].map(([id, name]) => {
      const part = name.replace("engine-issuing", "engine");
      return [id, joined.get(part) ?? part];
    }),
  );
}
/**
 * Parts that are too small to be worth a request, and the parts that they join: the stores are used
 * with the engine, and every program that verifies certificates loads the texts.
 */
const joined: ReadonlyMap<string, string> = new Map([
  ["stores-engine", "engine"],
  ["verify-engine", "texts-verify-engine"],
]);

/**
 * Returns the sources and all modules of this package that they statically import, directly or
 * indirectly.
 */
function importsOf(graph: ChunkingContext, sources: readonly string[]): Set<string> {
  const visited = new Set<string>();
  const open = sources.map((path) => join(root, path));
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (visited.has(id)) continue;
    const info = graph.getModuleInfo(id);
    if (!info) throw new TypeError(`${relative(root, id)} is not in the package`);
    visited.add(id);
    open.push(...info.importedIds.filter((one) => one.startsWith(root)));
  }
  return visited;
}

/** Returns patterns that match imports of the package's dependencies, which remain external. */
async function dependencies(): Promise<RegExp[]> {
  const names = Object.keys((await readManifest()).dependencies);
  return names.map((name) => new RegExp(`^${name}(?:/|$)`));
}

/**
 * Suffix of module IDs in the server's copy of the PostgreSQL store. This copy includes the driver.
 */
const bundled = "?server";
/**
 * Bundles the PostgreSQL driver with the server. The library imports the driver that its user has
 * installed.
 */
const serverDriver: Plugin = {
  name: "server-driver",
  async resolveId(source, importer = "") {
    const from = importer.replace(bundled, "");
    const isBundled = from !== importer;
    if (source === "pg" && !isBundled) return { id: source, external: true };
    if (!source.startsWith(".")) return isBundled ? this.resolve(source, from) : undefined;
    if (!isBundled && !from.startsWith(join(root, "server"))) return undefined;
    const id = join(dirname(from), source);
    return id.startsWith(join(root, "src/postgres")) ? id + bundled : id;
  },
  load: {
    filter: { id: /\?server$/ },
    handler: async (id) => ({
      code: await readFile(id.replace(bundled, ""), "utf8"),
      moduleType: "ts",
    }),
  },
};

/**
 * Builds the library and the server into a directory of ES modules: one for each entry point, and
 * shared `part-…` modules that are loaded on first use. Names of functions and classes, and line
 * breaks, are kept, so that stack traces stay readable.
 * @param hasTestClock true if a request may set the time of a server started with
 *   `SEALWRIGHT_TEST_CLOCK=1`; must be false for the package
 */
export async function buildModules(outdir: string, hasTestClock = false): Promise<void> {
  await rm(outdir, { recursive: true, force: true });
  const bundle = await rolldown({
    cwd: root,
    input: moduleSources,
    platform: "node",
    external: [/^(?:cloudflare|node):/, "esbuild", "pg-native", ...(await dependencies())],
    // `codeSplitting` moves code into shared chunks, so Rolldown may add exports to entry modules;
    // a test checks their exports
    preserveEntrySignatures: "allow-extension",
    // only the server's programs have side effects when they are imported
    treeshake: { moduleSideEffects: (id) => id.startsWith(join(root, "server")) },
    // removes the test clock, which an installed server must not have
    ...(hasTestClock
      ? {}
      : { transform: { define: { "process.env.SEALWRIGHT_TEST_CLOCK": "undefined" } } }),
    plugins: [serverDriver],
  });
  await bundle.write({
    dir: outdir,
    format: "esm",
    chunkFileNames: "part-[name]-[hash].js",
    minify: { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: false } },
    minifyInternalExports: false,
    comments: { annotation: true, jsdoc: false, legal: false },
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ debugName: "layers", name: partNames() }],
    },
  });
  await bundle.close();
}
