import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "./support/syntax.ts";

/**
 * Most bytes of an authority over the store in memory, minified and compressed, that load before its
 * first call; what few keys need loads with the first of them.
 */
const largestBundle = 244 * 1024;

const folder = mkdtempSync(join(tmpdir(), "sealwright-package-"));
const source = join(folder, "source");
const app = join(folder, "app");
let packed: readonly string[] = [];

/**
 * What the package is made from; it is packed apart from the checkout, whose built files other
 * tests use meanwhile.
 */
const made = [
  "package.json",
  ".npmrc",
  "tsconfig.json",
  "tsconfig.build.json",
  "tsconfig.node.json",
  "src",
  "worker",
  "demo",
  "tools",
  "README.md",
  "CHANGELOG.md",
  "LICENSE",
  "SECURITY.md",
];

beforeAll(() => {
  mkdirSync(source);
  for (const name of made)
    if (existsSync(join(root, name)))
      cpSync(join(root, name), join(source, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(source, "node_modules"));
  run("npm", ["pack", "--pack-destination", folder], source);
  const installed = join(app, "node_modules/sealwright");
  mkdirSync(installed, { recursive: true });
  const archive = join(folder, readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "");
  run("tar", ["-xzf", archive, "-C", installed, "--strip-components=1"], folder);
  packed = run("tar", ["-tzf", archive], folder)
    .trim()
    .split("\n")
    .map((path) => path.replace(/^package\//, ""));
  for (const dependency of Object.keys(manifest(installed)["dependencies"] ?? {})) {
    const link = join(app, "node_modules", dependency);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, "node_modules", dependency), link);
  }
  writeFileSync(join(app, "package.json"), '{ "type": "module" }');
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const manifest = (at: string): Readonly<Record<string, object | undefined>> =>
  JSON.parse(readFileSync(join(at, "package.json"), "utf8"));

/** Runs a program, and tells what it printed when it fails. */
function run(command: string, args: readonly string[], cwd: string, env = process.env): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    env,
    encoding: "utf8",
  });
  if (status !== 0)
    throw new Error(`${command} ${args.join(" ")} ended with ${status}\n${stdout}\n${stderr}`, {
      cause: error,
    });
  return stdout;
}

/** The Node that runs the tests, and the one of the machine, which may be older. */
function nodes(): readonly (readonly [name: string, path: string])[] {
  const places = (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((place) => !place.includes("node_modules"));
  const other = places.map((place) => join(place, "node")).find((path) => existsSync(path));
  return [
    ["the Node of the tests", process.execPath],
    ...(other ? [["the Node of the machine", other] as const] : []),
  ];
}

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
  it.each(nodes())("issues a certificate when it is imported by %s", (_, node) => {
    const dials = `import { nodeDial } from "sealwright/node";
const to = { address: "no address", port: 1 };
const refused = await nodeDial(to, new AbortController().signal).catch((error) => error);
if (!(refused instanceof TypeError)) throw refused;
`;
    writeFileSync(join(app, "issue.js"), `${program}${dials}console.log("issued");`);
    expect(run(node, ["issue.js"], app, {})).toBe("issued\n");
  });

  it("has types that a strict program without the platform's own packages compiles with", () => {
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

  it("has types that every example of its README compiles with", () => {
    const examples = [
      ...readFileSync(join(root, "README.md"), "utf8").matchAll(/^```ts\n(.*?)^```$/gms),
    ].map(([, code = ""]) => code);
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

  it("holds the library, its source and its documents, nothing else", () => {
    const expected =
      /^(dist\/(src|worker)\/\S+\.(js|d\.ts)(\.map)?|dist\/demo\/policy\.(js|d\.ts)(\.map)?|src\/\S+\.ts|worker\/[\w.]+\.ts|demo\/policy\.ts|package\.json|README\.md|CHANGELOG\.md|LICENSE|SECURITY\.md)$/;
    expect(packed.filter((path) => !expected.test(path))).toEqual([]);
    for (const path of ["LICENSE", "dist/src/index.js", "dist/src/index.d.ts", "src/index.ts"])
      expect(packed).toContain(path);
  });

  it("has no clock that a request could move", () => {
    const installed = join(app, "node_modules/sealwright");
    expect(
      packed.filter((path) =>
        /test.?clock/i.test(path + readFileSync(join(installed, path), "utf8")),
      ),
    ).toEqual([]);
  });

  it("runs nothing when it is installed and brings seven packages", () => {
    const {
      scripts = {},
      dependencies = {},
      peerDependencies,
      optionalDependencies,
      bundledDependencies,
    } = manifest(source);
    expect(
      Object.keys(scripts).filter((name) => /^(pre|post)?install$|^prepare$/.test(name)),
    ).toEqual([]);
    expect(Object.keys(dependencies)).toEqual([
      "@jmespath-community/jmespath",
      "@noble/curves",
      "@noble/hashes",
      "aws4fetch",
      "idb",
      "itty-router",
      "jose",
    ]);
    expect([peerDependencies, optionalDependencies, bundledDependencies]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe("the library in a bundle", () => {
  it("takes at most 244 KiB with the store in memory, but what few keys need", async ({
    annotate,
  }) => {
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
    expect(bytes).toBeLessThanOrEqual(largestBundle);
  });
});
