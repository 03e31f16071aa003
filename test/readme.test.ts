import { createServer } from "node:http";
import { join } from "node:path";
import { build } from "esbuild";
import { chromium } from "playwright";
import { expect, it } from "vitest";
import { listen } from "./demo/support.ts";
import { chromiumLaunch } from "./support/chromium.ts";
import { documentedExamples } from "./support/documents.ts";
import { root } from "./support/syntax.ts";

/** Returns a documented example as a module, followed by code of a test. */
async function bundled(code: string, platform: "node" | "browser"): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: root, loader: "ts" },
    bundle: true,
    format: "esm",
    target: "es2024",
    platform,
    write: false,
    logLevel: "silent",
    alias: {
      sealwright: join(root, "src/index.ts"),
      "sealwright/indexeddb": join(root, "src/store/indexeddb.ts"),
      "sealwright/client": join(root, "src/client/index.ts"),
    },
  });
  return outputFiles[0]?.text ?? "";
}
const exampleWith = (text: string): string =>
  documentedExamples.find((code) => code.includes(text)) ?? "";
const run = async (code: string): Promise<unknown> =>
  (
    (await import(
      /* @vite-ignore */ `data:text/javascript;base64,${Buffer.from(await bundled(code, "node")).toString("base64")}`
    )) as { default: unknown }
  ).default;

it("the example for Node issues and revokes a certificate, and answers a request", async () => {
  const code = exampleWith("crl = await").replace(
    "console.log(leaf.certificate, leaf.private_key);",
    "",
  );
  const seen = await run(
    `${code}export default { key: leaf.private_key, isDer: crl?.[0] === 0x30, status: answer.status };`,
  );
  expect(seen).toEqual({
    key: expect.stringContaining("PRIVATE KEY"),
    isDer: true,
    status: 200,
  });
});

it("the example of an external policy issues only what its function allows", async () => {
  const code = exampleWith("externalPolicy:");
  const seen = await run(
    `${code}const other = await ca.pki.issueByPolicy({ common_name: "www.example.org" }).catch(String);
    export default [made.certificate === made.private_key, made.issuing_ca, other];`,
  );
  expect(seen).toEqual([
    false,
    expect.stringContaining("CERTIFICATE"),
    expect.stringContaining("refused the request: only names below example.com are issued"),
  ]);
});

it("the example of a second mount creates a root with the lifetime that was tuned", async () => {
  const code = exampleWith("createMount").replace(
    /await (ca\.mount\("team"\)\.generateRoot)/,
    "const made = await $1",
  );
  const { expiration, warnings } = (await run(`${code}export default made;`)) as {
    readonly expiration: number;
    readonly warnings?: readonly string[];
  };
  expect([
    Math.round((expiration - Date.now() / 1000) / 3600),
    warnings?.filter((text) => text.includes("TTL")),
  ]).toEqual([43_800, []]);
});

it("the example for a page creates one hierarchy, even if several tabs open at once", async () => {
  const code = `${exampleWith("indexedDbStore")};
    const [issuers, roles] = [await ca.pki.listIssuers(), await ca.pki.listRoles()];
    globalThis.seen = { issuers: issuers.keys.length, roles: roles.keys, issued: leaf.ca_chain?.length };`;
  const script = await bundled(code, "browser");
  const server = createServer(({ url }, response) => {
    const [type, body] =
      url === "/app.js"
        ? ["text/javascript", script]
        : ["text/html", '<!doctype html><script type="module" src="/app.js"></script>'];
    response.writeHead(200, { "content-type": type }).end(body);
  });
  const origin = `http://127.0.0.1:${await listen(server)}`;
  const browser = await chromium.launch(await chromiumLaunch());
  try {
    const context = await browser.newContext();
    const pages = await Promise.all(Array.from({ length: 3 }, () => context.newPage()));
    await Promise.all(pages.map((page) => page.goto(origin)));
    for (const page of pages) {
      await page.waitForFunction("globalThis.seen");
      expect(await page.evaluate("globalThis.seen")).toEqual({
        issuers: 1,
        roles: ["web"],
        issued: 1,
      });
    }
  } finally {
    await browser.close();
    await new Promise((done) => server.close(done));
  }
});
