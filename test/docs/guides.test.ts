import { readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { build } from "esbuild";
import { chromium } from "playwright";
import { afterEach, expect, it, vi } from "vitest";
import { listen } from "../demo/support.ts";
import { createCa, makeCsr, memoryStore, type Ca } from "../../src/index.ts";
import { requestListener } from "../../src/node/index.ts";
import { chromiumLaunch } from "../support/chromium.ts";
import { temporaryDirectory } from "../support/server.ts";
import { root } from "../support/syntax.ts";

afterEach(() => vi.unstubAllEnvs());

const textOf = (guide: string): string => readFileSync(join(root, "docs/guides", guide), "utf8");

/** Returns the code of a guide as one script, or its first block, followed by code of a test. */
async function codeOf(
  guide: string,
  end: string,
  platform: "node" | "browser",
  maxBlocks = Infinity,
): Promise<string> {
  const blocks = [...textOf(guide).matchAll(/^```[tj]s\n(.*?)^```$/gms)].map(([, block]) => block);
  const code = blocks.slice(0, maxBlocks).join("");
  const { outputFiles } = await build({
    stdin: { contents: `${code}${end}`, resolveDir: root, loader: "ts" },
    bundle: true,
    format: "esm",
    target: "es2024",
    platform,
    write: false,
    alias: {
      sealwright: join(root, "src/index.ts"),
      "sealwright/indexeddb": join(root, "src/store/indexeddb.ts"),
      "sealwright/node": join(root, "src/node/index.ts"),
    },
  });
  return outputFiles[0]?.text ?? "";
}

it("the guide to a custom authenticate gives each caller the permissions that it describes", async () => {
  const end = "export default [issued.status, refused.status];";
  const code = await codeOf("own-authenticate.md", end, "node");
  const script = Buffer.from(code).toString("base64");
  const made = (await import(/* @vite-ignore */ `data:text/javascript;base64,${script}`)) as {
    readonly default: unknown;
  };
  expect(made.default).toEqual([200, 403]);
});

it("the guide to frameworks creates the CA on the first call, not when a build loads the module", async () => {
  const code = await codeOf("frameworks.md", "", "node", 1);
  const directory = temporaryDirectory();
  vi.stubEnv("CA_DIR", directory);
  vi.stubEnv("ADMIN_TOKEN", "secret");
  const script = Buffer.from(code).toString("base64");
  const { getCa } = (await import(/* @vite-ignore */ `data:text/javascript;base64,${script}`)) as {
    getCa(): Promise<Ca>;
  };
  expect(readdirSync(directory)).toEqual([]);
  const ca = await getCa();
  expect(readdirSync(directory)).toEqual(expect.arrayContaining(["ca.db", "ca.key"]));
  expect(await getCa()).toBe(ca);
  const issue = async (token: string): Promise<number> => {
    const headers = { "x-service-token": token };
    const body = JSON.stringify({ common_name: "www.example.com" });
    const url = "https://app.example/v1/pki/issue/web";
    return (await ca.fetch(new Request(url, { method: "POST", headers, body }))).status;
  };
  expect([await issue("secret"), await issue("other")]).toEqual([200, 403]);
});

/** Returns the role that the guide to keys in the browser creates. */
function roleForPeople(): Record<string, boolean | string | string[]> {
  const [, role = ""] =
    /put pki\/roles\/people '(.*)'/.exec(textOf("keys-in-the-browser.md")) ?? [];
  return JSON.parse(role) as Record<string, boolean | string | string[]>;
}

it("the role of the guide to keys in the browser signs addresses of its domain and no other names", async () => {
  const ca = createCa({ stores: memoryStore() });
  await ca.ensure({
    root: { common_name: "Root" },
    roles: [{ name: "people", ...roleForPeople() }],
  });
  const keys = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, [
    "sign",
    "verify",
  ]);
  const common_name = "alice@example.com";
  const sign = async (names: object): Promise<unknown> => {
    const csr = await makeCsr(keys, { common_name, email: [common_name], ...names });
    return ca.pki.sign({ role: "people", csr });
  };
  await expect(sign({})).resolves.toHaveProperty("certificate");
  for (const names of [{ ip: ["10.0.0.1"] }, { dns: ["localhost"] }, { dns: ["www.example.com"] }])
    await expect(sign(names)).rejects.toMatchObject({ code: "name_not_allowed" });
});

it("the guide to a CA in a page issues certificates, also from a restored backup and after a reload", async () => {
  const end = `globalThis.seen = [
    leaf.issuing_ca, again.issuing_ca === leaf.issuing_ca, (await ca.pki.listCerts()).keys.length,
  ];`;
  const script = await codeOf("ca-in-a-page.md", end, "browser");
  const server = createServer(({ url }, response) => {
    const isScript = url === "/app.js";
    response.writeHead(200, { "content-type": isScript ? "text/javascript" : "text/html" });
    response.end(
      isScript ? script : '<!doctype html><script type="module" src="/app.js"></script>',
    );
  });
  const origin = `http://127.0.0.1:${await listen(server)}`;
  const browser = await chromium.launch(await chromiumLaunch());
  try {
    const page = await browser.newPage();
    const seen: unknown[] = [];
    for (let life = 0; life < 2; life += 1) {
      await page.goto(origin);
      await page.waitForFunction("globalThis.seen");
      seen.push(await page.evaluate("globalThis.seen"));
    }
    const [[issuer] = []] = seen as [[string]?];
    expect(issuer).toContain("BEGIN CERTIFICATE");
    expect(seen).toEqual([
      [issuer, true, 2],
      [issuer, true, 3],
    ]);
  } finally {
    await browser.close();
    await new Promise((done) => server.close(done).closeAllConnections());
  }
});

it("the example of keys that never leave the browser obtains a certificate over HTTP", async () => {
  const { outputFiles } = await build({
    entryPoints: [join(root, "examples/browser-csr/app.ts")],
    bundle: true,
    format: "esm",
    target: "es2024",
    platform: "browser",
    write: false,
    alias: { "sealwright/client": join(root, "src/client/index.ts") },
  });
  const ca = createCa({
    stores: memoryStore(),
    authenticate: async (token) => (token === "alice" ? { id: "a", can: () => true } : undefined),
  });
  await ca.ensure({
    root: { common_name: "Root" },
    roles: [{ name: "people", ...roleForPeople() }],
  });
  const html = readFileSync(join(root, "examples/browser-csr/index.html"), "utf8");
  const listener = requestListener(ca);
  const server = createServer((request, response) =>
    listener(request, response, () => {
      const isScript = request.url === "/app.ts";
      response.writeHead(200, { "content-type": isScript ? "text/javascript" : "text/html" });
      response.end(isScript ? outputFiles[0]?.text : html);
    }),
  );
  const origin = `http://127.0.0.1:${await listen(server)}`;
  const browser = await chromium.launch(await chromiumLaunch());
  try {
    const page = await browser.newPage();
    await page.goto(origin);
    await page.fill("[name=token]", "alice");
    await page.click("button");
    await page.waitForFunction("document.querySelector('output').textContent !== ''");
    expect(await page.textContent("output")).toBe(
      "CN=alice@example.com, chain of 2, signature valid, key not extractable",
    );
  } finally {
    await browser.close();
    await new Promise((done) => server.close(done).closeAllConnections());
  }
});
