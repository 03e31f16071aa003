import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { join } from "node:path";
import { expect, it } from "vitest";
import { worker } from "../../worker/build/build.ts";
import { builtWorker } from "../support/built.ts";
import { startDeployed } from "../support/deployed.ts";
import { apiOf, makeAuthority } from "./api.ts";

/** Maximum compressed bytes that each isolate loads before its first request. */
const maxEntryBytes = 110_000;
/** Maximum compressed bytes of the whole upload. */
const maxUploadBytes = 695_200;

const imports =
  /(?:^|[\s;}])(?:import|export)\b(?:[^;"']*?from)?\s*"(?<from>[^"]+)"|\bimport\(\s*["']?(?<later>[^)"']*)|\brequire\(\s*["']?(?<required>[^)"']+)/g;

it("the Worker bundle uses no Node modules, and its entry and upload stay within their size limits", async ({
  annotate,
}) => {
  const folder = await builtWorker(worker.entry);
  const modules = new Map(
    readdirSync(folder).map((name) => [`./${name}`, readFileSync(join(folder, name), "utf8")]),
  );
  const outside = new Set<string>();
  const first = new Set(["./index.js"]);
  for (const [name, source] of modules) {
    for (const { groups } of source.matchAll(imports)) {
      const from = groups?.["from"] ?? groups?.["later"] ?? groups?.["required"] ?? "";
      if (!modules.has(from)) outside.add(from);
    }
    expect(source, name).not.toMatch(/\bnode:|\bBuffer\b|\bprocess\b\s*[.[]|\b__dirname\b/);
    // the platform rejects dynamic code at run time
    expect(source, name).not.toMatch(/\beval\(|new Function\b/);
    // only the test Worker has a clock that requests can set
    expect(source, name).not.toMatch(/test.?clock/i);
  }
  for (const name of first)
    for (const { groups } of (modules.get(name) ?? "").matchAll(imports))
      if (groups?.["from"] !== undefined && modules.has(groups["from"])) first.add(groups["from"]);
  expect([...outside].toSorted()).toEqual(["cloudflare:sockets", "cloudflare:workers"]);
  const bytes = (names: Iterable<string>): number =>
    [...names].reduce((sum, name) => sum + gzipSync(modules.get(name) ?? "").length, 0);
  const [loaded, whole] = [bytes(first), bytes(modules.keys())];
  const sizes = `${loaded} bytes in ${first.size} modules at first, ${whole} in ${modules.size} in all`;
  await annotate(`Worker, minified and compressed: ${sizes}`);
  process.stdout.write(`Worker, minified and compressed: ${sizes}\n`);
  expect(loaded).toBeGreaterThan(10_000);
  expect(loaded).toBeLessThan(maxEntryBytes);
  expect(whole).toBeLessThan(maxUploadBytes);
});

it("the Worker bundle serves requests in workerd without Node compatibility", async () => {
  const server = await startDeployed();
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
