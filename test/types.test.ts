import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packedArchive, run } from "./support/packed.ts";
import { root } from "./support/syntax.ts";

/** Maximum bytes of the client with three tables, minified and compressed. */
const maxClientBytes = 9 * 1024;

const app = mkdtempSync(join(tmpdir(), "sealwright-types-"));
const compilers = {
  "TypeScript 7": join(root, "node_modules/typescript/bin/tsc"),
  "TypeScript 5.7": join(root, "tools/typescript/node_modules/typescript/bin/tsc"),
} as const;
type Compiler = keyof typeof compilers;

/** Returns what a compiler prints for a program: errors, and its cost if requested. */
function compiled(compiler: Compiler, options: object, source: string): string {
  writeFileSync(join(app, "program.ts"), source);
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: "es2022",
    module: "nodenext",
    types: [],
    ...options,
  };
  writeFileSync(
    join(app, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: ["program.ts"] }),
  );
  const { stdout, stderr, error } = spawnSync(process.execPath, [compilers[compiler], "-p", "."], {
    cwd: app,
    encoding: "utf8",
  });
  if (error) throw error;
  // Node reports on stderr if the compiler is not installed
  expect(stderr).toBe("");
  return stdout;
}

beforeAll(async () => {
  const installed = join(app, "node_modules/sealwright");
  mkdirSync(installed, { recursive: true });
  run("tar", ["-xzf", await packedArchive(), "-C", installed, "--strip-components=1"], app);
  for (const name of ["@types", "@cloudflare"])
    symlinkSync(join(root, "node_modules", name), join(app, "node_modules", name));
  writeFileSync(join(app, "package.json"), '{ "type": "module" }');
});
afterAll(() => rmSync(app, { recursive: true, force: true }));

const program = `
import { createCa, memoryStore, sealedVault } from "sealwright";
import { client, httpTransport, pki, sys, vars, wrappedClient } from "sealwright/client";
import { varsApi } from "sealwright/vars";
import { indexedDbKey, indexedDbStore } from "sealwright/indexeddb";
import * as conformance from "sealwright/conformance";
export const ca = createCa({ stores: memoryStore(), sealingKey: new Uint8Array(32), apis: [varsApi] });
export const issued = await ca.pki.issue({ role: "web", common_name: "www.example.com", ttl: "1h" });
const send = httpTransport("https://ca.example", "token", { header: "authorization", timeout: 5000 });
export const far = [client(pki, "/v1/pki", send), client(sys, "/v1/sys", send), client(vars, "/api/v2", send)];
export const { token } = await wrappedClient(pki, "/v1/pki", send, "5m").issue({ role: "web" });
export const others = [sealedVault, indexedDbKey, indexedDbStore, conformance];
export const why: string | undefined = (await ca.pki.explainIssue({ role: "web" })).rules[0]?.reason;
`;

describe("the types of the package", () => {
  const workers = { lib: ["es2023"], types: ["@cloudflare/workers-types"] };
  const surroundings: readonly (readonly [string, Compiler, object, string])[] = [
    ["no platform", "TypeScript 5.7", { lib: ["es2022"] }, ""],
    ["Node", "TypeScript 7", { lib: ["es2023"], types: ["node"] }, "sealwright/node"],
    [
      "Node with PostgreSQL",
      "TypeScript 7",
      { lib: ["es2023"], types: ["node"] },
      "sealwright/postgres",
    ],
    ["Workers", "TypeScript 7", workers, "sealwright/worker"],
    ["a page", "TypeScript 7", { lib: ["es2022", "dom"] }, ""],
    ["a page", "TypeScript 5.7", { lib: ["es2022", "dom", "dom.iterable"] }, ""],
  ];
  it.each(surroundings)(
    "compile with the types of %s, and reject a number as a key (%s)",
    (_, compiler, options, own) => {
      const more = own === "" ? "" : `export * as own from "${own}";\n`;
      const wrong = "createCa({ stores: memoryStore(), sealingKey: 5 });\n";
      const line = (program + more).split("\n").length;
      // one run of the compiler: the number is the only error, so all before it compiles
      const said = compiled(compiler, options, program + more + wrong);
      expect(said.match(/^\S.*error TS\d+/gm)).toEqual([`program.ts(${line},35): error TS2322`]);
    },
  );

  it("compile without a platform, and reject unknown members, invalid enum values, and missing members", () => {
    const wrong = [
      "createCa({ stores: memoryStore(), sealingKey: 5 });",
      'ca.pki.generateRoot({ common_name: "Root", key_type: "banana" });',
      'ca.pki.issue({ role: "web", format: "PKCS7" });',
      "ca.pki.issue({});",
      'ca.pki.issue({ role: "web", key_bits: 5 });',
      'ca.pki.revoke({ serial_number: "01", reason: "nonsense" });',
      "ca.pki.revoke({});",
      'ca.sys.createMount({ path: "team", type: "pki", config: { max_lease_tt: "1h" } });',
      'ca.sys.createMount({ path: "team", type: "pki", config: { listing_visibility: "none" } });',
      'ca.pki.writeRole({ name: "web", cn_validations: ["mail"] });',
      '(await ca.pki.explainIssue({ role: "web" })).rules[0]?.verdict;',
      '(await ca.pki.explainIssue({ role: "web" })).lint[0]?.severity === "grave";',
      "(await ca.pki.readCrl())?.certificate;",
      "send({});",
    ];
    const first = program.split("\n").length;
    const said = compiled("TypeScript 7", { lib: ["es2022"] }, program + wrong.join("\n"));
    const lines = [...said.matchAll(/^program\.ts\((\d+),/gm)].map(([, line]) => Number(line));
    expect([...new Set(lines)]).toEqual(wrong.map((_, i) => first + i));
  });

  it("cost the compiler less than twice as much as a program without the client", async ({
    annotate,
  }) => {
    const cost = (source: string): Readonly<Record<string, number>> => {
      const options = { lib: ["es2022", "dom"], skipLibCheck: true, extendedDiagnostics: true };
      const said = compiled("TypeScript 7", options, source);
      const [all = ""] = /[^]*Types:[^]*/.exec(said) ?? [];
      return Object.fromEntries(
        [...all.matchAll(/^(Types|Instantiations|Memory used|Total time):\s+([\d.]+)/gm)].map(
          ([, name = "", value]) => [name, Number(value)],
        ),
      );
    };
    const without = cost(
      'export const answer = await fetch("https://ca.example/v1/pki/issue/web", { method: "POST" });\n',
    );
    const imported = 'import { client, httpTransport, pki } from "sealwright/client";\n';
    const withIt = cost(
      `${imported}const ca = client(pki, "/v1/pki", httpTransport("https://ca.example", "token"));\nexport const issued = await ca.issue({ role: "web" });\n`,
    );
    await annotate(JSON.stringify({ without, with: withIt }));
    expect(withIt["Types"]).toBeGreaterThan(0);
    expect(withIt["Types"]).toBeLessThan(2 * (without["Types"] ?? 0));
    expect(withIt["Instantiations"]).toBeLessThan(1000);
    expect(withIt["Memory used"]).toBeLessThan(2 * (without["Memory used"] ?? 0));
  });
});

describe("the client in a bundle", () => {
  it("has at most 9 kB with the tables of a mount, the system and the variables", async ({
    annotate,
  }) => {
    const names = "client, httpTransport, pki, sys, vars";
    const { outputFiles } = await build({
      stdin: {
        contents: `import { ${names} } from "./src/client/index.ts"; globalThis.all = [${names}];`,
        resolveDir: root,
        loader: "ts",
      },
      bundle: true,
      minify: true,
      format: "esm",
      target: "es2022",
      write: false,
      logLevel: "silent",
    });
    const bytes = gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length;
    await annotate(`the client with three tables: ${bytes} bytes compressed`);
    expect(bytes).toBeGreaterThan(3000);
    expect(bytes).toBeLessThanOrEqual(maxClientBytes);
  });
});
