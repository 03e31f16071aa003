import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { join } from "node:path";
import { transform } from "esbuild";
import { expect, it } from "vitest";
import { root } from "../../worker/local/build.ts";
import { bundleOf, startServer } from "../support/server.ts";
import { apiOf, makeAuthority } from "./api.ts";

it("the Worker is one module that asks nothing of Node and stays small", async ({ annotate }) => {
  const source = readFileSync(await bundleOf(join(root, "worker/index.ts")), "utf8");
  const imported = [
    ...source.matchAll(
      /(?:^|[\s;])(?:import|export)\b[^;"']*?from\s*["']([^"']+)["']|\bimport\(\s*["']?([^)"']*)|\brequire\(\s*["']([^"']+)/g,
    ),
  ];
  expect(imported.map(([, from, dynamic, required]) => from ?? dynamic ?? required)).toEqual([
    "cloudflare:workers",
    "cloudflare:sockets",
  ]);
  expect(source).not.toMatch(/\bnode:|\bBuffer\b|\bprocess\b\s*[.[]|\b__dirname\b/);
  // dynamic code is refused by the platform at run time
  expect(source).not.toMatch(/\beval\(|new Function\b/);
  // a clock that requests move is for tests, whose Worker is another
  expect(source).not.toMatch(/test.?clock/i);
  const { code } = await transform(source, { minify: true });
  const sizes = `${code.length} bytes minified, ${gzipSync(code).length} with gzip`;
  await annotate(`bundle: ${sizes}`);
  process.stdout.write(`bundle: ${sizes}\n`);
  expect(gzipSync(code).length).toBeLessThan(380_000);
});

it("it serves on the plain runtime without Node's modules", async () => {
  const server = await startServer();
  try {
    const api = apiOf(server);
    await makeAuthority(api);
    expect((await api("POST", "pki/issue/web", { common_name: "www.example.com" })).status).toBe(
      200,
    );
    expect((await api("GET", "sys/health", undefined, { token: "none" })).status).toBe(200);
  } finally {
    await server.stop();
  }
});
