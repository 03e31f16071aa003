import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, posix } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { moduleSources } from "../server/build/build-modules.ts";
import { documentedExamples } from "./support/documents.ts";
import { nodes } from "./support/nodes.ts";
import { packedArchive, run } from "./support/packed.ts";
import { root } from "./support/syntax.ts";

/**
 * Maximum bytes, minified and compressed, that an authority over the memory store loads before its
 * first call. Code that answers a call is loaded by the first call of its kind.
 */
const maxBundleBytes = 90_000;
/** Maximum bytes of the archive that is published. */
const maxPackedBytes = 2 * 2 ** 20;

const app = mkdtempSync(join(tmpdir(), "sealwright-package-"));
const installed = join(app, "node_modules/sealwright");
let packed: readonly string[] = [];
let packedBytes = 0;
/** Packages that entry points and documented examples import in addition. */
const peers = ["@cloudflare/workers-types", "@peculiar/x509", "pg", "reflect-metadata"];

beforeAll(async () => {
  const archive = await packedArchive();
  packedBytes = statSync(archive).size;
  mkdirSync(installed, { recursive: true });
  run("tar", ["-xzf", archive, "-C", installed, "--strip-components=1"], app);
  packed = run("tar", ["-tzf", archive], app)
    .trim()
    .split("\n")
    .map((path) => path.replace(/^package\//, ""));
  const dependencies = Object.keys(manifest(installed)["dependencies"] ?? {});
  for (const dependency of [...dependencies, ...peers]) {
    const link = join(app, "node_modules", dependency);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, "node_modules", dependency), link);
  }
  writeFileSync(join(app, "package.json"), '{ "type": "module" }');
});
afterAll(() => rmSync(app, { recursive: true, force: true }));

const manifest = (at: string): Readonly<Record<string, object | undefined>> =>
  JSON.parse(readFileSync(join(at, "package.json"), "utf8"));

const program = `
import { createCa, memoryStore } from "sealwright";
import { client } from "sealwright/client";
const ca = createCa({ stores: memoryStore() });
const root = await ca.pki.generateRoot({ common_name: "Root", key_type: "ec" });
await ca.pki.writeRole({ name: "web", key_type: "ec", allow_any_name: true });
const issued = await ca.pki.issue({ role: "web", common_name: "www.example.com", ttl: "1h" });
if (typeof client !== "function" || !issued.certificate.startsWith("-----BEGIN CERTIFICATE-----") || issued.issuing_ca.trim() !== root.certificate.trim()) throw new Error("no certificate");
`;

describe("the published package", () => {
  it.each(nodes())("issues a certificate when imported by %s", (_, node) => {
    const dials = `import { nodeDial } from "sealwright/node";
const to = { address: "no address", port: 1 };
const refused = await nodeDial(to, new AbortController().signal).catch((error) => error);
if (!(refused instanceof TypeError)) throw refused;
`;
    writeFileSync(join(app, "issue.js"), `${program}${dials}console.log("issued");`);
    expect(run(node, ["issue.js"], app, {})).toBe("issued\n");
  });

  it("has types that compile in a strict program without the packages of a platform", () => {
    writeFileSync(
      join(app, "types.ts"),
      `${program}import { indexedDbStore } from "sealwright/indexeddb";\nexport const stores = indexedDbStore("name");\n`,
    );
    const options = [
      "--strict",
      "--noEmit",
      "--target",
      "es2023",
      "--module",
      "nodenext",
      "--lib",
      "es2023,dom,dom.iterable,dom.asynciterable",
      "--types",
      "",
    ];
    expect(
      run(
        process.execPath,
        [join(root, "node_modules/typescript/bin/tsc"), ...options, "types.ts"],
        app,
      ),
    ).toBe("");
  });

  it("has types with which every example in its documents compiles", () => {
    const examples = documentedExamples
      // the Worker is compiled with the types of the platform, in test/examples.test.ts
      .filter((code) => !code.includes("sealwright/worker"));
    expect(examples.length).toBeGreaterThanOrEqual(4);
    const names = examples.map((code, i) => {
      writeFileSync(join(app, `example${i}.ts`), code);
      return `example${i}.ts`;
    });
    const types = ["--types", "node", "--typeRoots", join(root, "node_modules/@types")];
    const options = [
      "--strict",
      "--noEmit",
      "--target",
      "es2023",
      "--module",
      "nodenext",
      "--lib",
      "es2023,dom,dom.iterable,dom.asynciterable",
      ...types,
    ];
    expect(
      run(
        process.execPath,
        [join(root, "node_modules/typescript/bin/tsc"), ...options, ...names],
        app,
      ),
    ).toBe("");
  });

  it("has at most 2 MiB, and contains the library, the server, the console and the documents", async ({
    annotate,
  }) => {
    const expected =
      /^(dist\/js\/[\w-]+\.js|dist\/types\/\S+\.d\.ts|dist\/demo\/[\w.-]+|dist\/sbom\.cdx\.json|deploy\/(?!helm\/)\S+|examples\/\S+|docs\/(?!rules\/)\S+\.md|package\.json|(README|CHANGELOG|SECURITY)\.md|LICENSE)$/;
    expect(packed.filter((path) => !expected.test(path))).toEqual([]);
    for (const path of ["LICENSE", "dist/js/index.js", "dist/types/src/index.d.ts"])
      expect(packed).toContain(path);
    // only the smallest encoding of each file of the console
    expect(packed).toContain("dist/demo/index.html.br");
    expect(packed).not.toContain("dist/demo/index.html");
    await annotate(`${packedBytes} bytes in ${packed.length} files`);
    process.stdout.write(`The package: ${packedBytes} bytes in ${packed.length} files\n`);
    expect(packedBytes).toBeLessThanOrEqual(maxPackedBytes);
    // stack traces and breakpoints refer to lines
    const modules = packed.filter((path) => path.startsWith("dist/js/"));
    const all = modules.map((path) => readFileSync(join(installed, path), "utf8").split("\n"));
    expect(Math.max(...all.flat().map((line) => line.length))).toBeLessThan(10_000);
  });

  it("has a bill of materials, which lists its dependencies and the bundled driver with their hashes", () => {
    const { specVersion, metadata, components } = JSON.parse(
      readFileSync(join(installed, "dist/sbom.cdx.json"), "utf8"),
    ) as {
      readonly specVersion: string;
      readonly metadata: { readonly component: { readonly name: string } };
      readonly components: readonly {
        readonly name: string;
        readonly hashes?: readonly object[];
      }[];
    };
    const names = components.map(({ name }) => name);
    expect([specVersion, metadata.component.name]).toEqual(["1.5", "sealwright"]);
    expect(names).toEqual(
      expect.arrayContaining(Object.keys(manifest(root)["dependencies"] ?? {})),
    );
    expect(names).toContain("pg-protocol");
    expect(names.length).toBeLessThan(30);
    for (const { name, hashes = [] } of components)
      expect([name, hashes.length]).toEqual([name, 1]);
  });

  const entries = Object.keys(manifest(root)["exports"] ?? {}).map((path) =>
    join("sealwright", path),
  );
  // only workerd has the modules that sealwright/worker imports
  const inNode = entries.filter((path) => path !== "sealwright/worker");

  it.each(nodes())("provides every entry point to import and require in %s", (_, node) => {
    const list = JSON.stringify(inNode);
    writeFileSync(
      join(app, "entries.js"),
      `import { createRequire } from "node:module";
const require = createRequire(import.meta.url);
for (const path of ${list}) {
  const names = Object.keys(await import(path)).join();
  if (!names || names !== Object.keys(require(path)).join()) throw new Error(path);
}
console.log("all");`,
    );
    expect(run(node, ["entries.js"], app, {})).toBe("all\n");
  });

  it("exports from every entry point what its source exports", async () => {
    const names = (module: object): readonly string[] => Object.keys(module).toSorted();
    for (const [name, source] of Object.entries(moduleSources)) {
      if (!inNode.includes(join("sealwright", name === "index" ? "." : name))) continue;
      const built = (await import(join(installed, `dist/js/${name}.js`))) as object;
      expect([name, names(built)]).toEqual([
        name,
        names((await import(join(root, source))) as object),
      ]);
    }
  });

  it.each([
    ["bundler", "esnext"],
    ["node16", "node16"],
    ["nodenext", "nodenext"],
  ])("has types for every entry point with moduleResolution %s", (moduleResolution, module) => {
    const lines = entries.map((path, i) => `export * as entry${i} from "${path}";`);
    writeFileSync(join(app, "entries.ts"), lines.join("\n"));
    const options = ["--strict", "--noEmit", "--skipLibCheck", "--target", "es2023"];
    const types = ["--types", "node", "--typeRoots", join(root, "node_modules/@types")];
    const lib = ["--lib", "es2023,webworker"];
    const resolution = ["--module", module, "--moduleResolution", moduleResolution];
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    expect(
      run(process.execPath, [tsc, ...options, ...types, ...lib, ...resolution, "entries.ts"], app),
    ).toBe("");
  });

  it("has the version of its newest release, or a later one with -dev while there are unreleased changes", () => {
    const changelog = readFileSync(join(installed, "CHANGELOG.md"), "utf8");
    const [heading] = /^## .*$/m.exec(changelog) ?? [];
    const [, newest = ""] = /^## (\d+\.\d+\.\d+) - \d{4}-\d\d-\d\d$/m.exec(changelog) ?? [];
    const version = String(manifest(installed)["version"]);
    if (heading !== "## Unreleased") return expect(version).toBe(newest);
    const [, next = ""] = /^(\d+\.\d+\.\d+)-dev$/.exec(version) ?? [];
    expect([next, newest].toSorted(new Intl.Collator("en", { numeric: true }).compare)).toEqual([
      newest,
      next,
    ]);
    expect(next).not.toBe(newest);
  });

  it("contains no clock that requests can set", () => {
    expect(
      packed.filter(
        (path) =>
          path.endsWith("s") &&
          /test.?clock/i.test(path + readFileSync(join(installed, path), "utf8")),
      ),
    ).toEqual([]);
  });

  it("contains the target of every relative link in its pages, except four in README.md", () => {
    const links = packed.flatMap((page) => {
      if (!page.endsWith(".md")) return [];
      const text = readFileSync(join(installed, page), "utf8");
      const found = text.matchAll(/(?:\]\(|(?:href|src(?:set)?)=")(?![a-z]+:|#)([^)"#\s]+)/g);
      return [...found].map(([, to = ""]) => [page, posix.join(posix.dirname(page), to)] as const);
    });
    expect(links.length).toBeGreaterThan(500);
    const isPacked = (target: string): boolean =>
      packed.some((path) => path === target || path.startsWith(`${target.replace(/\/$/, "")}/`));
    const broken = links.filter(([, target]) => !isPacked(target)).map((link) => link.join(" "));
    // registries resolve the links of README.md in the repository
    expect([...new Set(broken)].toSorted()).toEqual([
      "README.md CONTRIBUTING.md",
      "README.md bench/README.md",
      "README.md docs/screenshots/overview-dark.webp",
      "README.md docs/screenshots/overview-light.webp",
    ]);
  });

  it("runs no script on installation, and has eight dependencies", () => {
    const {
      scripts = {},
      dependencies = {},
      peerDependencies = {},
      peerDependenciesMeta,
      optionalDependencies,
      bundledDependencies,
    } = manifest(installed);
    expect(
      Object.keys(scripts).filter((name) => /^(pre|post)?install$|^prepare$/.test(name)),
    ).toEqual([]);
    expect(Object.keys(dependencies)).toEqual([
      "@jmespath-community/jmespath",
      "@levischuck/tiny-cbor",
      "@noble/curves",
      "@noble/hashes",
      "@noble/post-quantum",
      "aws4fetch",
      "bcrypt-ts",
      "idb",
    ]);
    expect(optionalDependencies).toBeUndefined();
    expect(bundledDependencies).toBeUndefined();
    // only for the types of sealwright/worker, and for sealwright/postgres
    expect(Object.keys(peerDependencies)).toEqual(["@cloudflare/workers-types", "pg"]);
    expect(peerDependenciesMeta).toEqual({
      "@cloudflare/workers-types": { optional: true },
      pg: { optional: true },
    });
  });
});

describe("the library in a bundle", () => {
  it("loads at most 90 kB before its first call with the memory store", async ({ annotate }) => {
    const contents =
      'import { createCa, memoryStore } from "./src/index.ts"; globalThis.ca = createCa({ stores: memoryStore() });';
    const { outputFiles, metafile } = await build({
      stdin: { contents, resolveDir: root, loader: "ts" },
      bundle: true,
      splitting: true,
      minify: true,
      format: "esm",
      target: "es2023",
      outdir: root,
      write: false,
      metafile: true,
      logLevel: "silent",
    });
    const first = new Set(["stdin.js"]);
    for (const file of first)
      for (const { path, kind } of metafile.outputs[file]?.imports ?? [])
        if (kind === "import-statement") first.add(path);
    const sizes = outputFiles
      .filter(({ path }) => first.has(basename(path)))
      .map((file) => gzipSync(file.contents, { level: 9 }).length);
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    await annotate(`an authority over the store in memory: ${bytes} bytes compressed`);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThanOrEqual(maxBundleBytes);
  });
});
