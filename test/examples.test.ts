import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { chromium } from "playwright";
import { build as buildByVite } from "vite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { listen } from "./demo/support.ts";
import { chromiumLaunch } from "./support/chromium.ts";
import { documentedExamples } from "./support/documents.ts";
import { packedArchive, run } from "./support/packed.ts";
import { freePort } from "./support/ports.ts";
import { postgresPrograms, startPostgres } from "./support/postgres.ts";
import { root } from "./support/syntax.ts";
import { startWorker, stopWorkers } from "./support/workerd.ts";

/** A folder in which the packed package is installed. */
const app = mkdtempSync(join(tmpdir(), "sealwright-examples-"));
const children = new Set<ChildProcess>();
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  stopWorkers();
  rmSync(app, { recursive: true, force: true });
});

beforeAll(async () => {
  const installed = join(app, "node_modules/sealwright");
  mkdirSync(installed, { recursive: true });
  run("tar", ["-xzf", await packedArchive(), "-C", installed, "--strip-components=1"], app);
  const { dependencies } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  const others = ["@cloudflare/workers-types", "@types/node", "pg"];
  for (const name of [...Object.keys(dependencies), ...others]) {
    const link = join(app, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, "node_modules", name), link);
  }
  writeFileSync(join(app, "package.json"), '{ "type": "module" }');
  for (const name of ["node", "page", "postgres", "worker"])
    cpSync(join(root, "examples", name), join(app, name), { recursive: true });
});

/** Returns the shortest documented example that contains a text. */
const exampleWith = (text: string): string =>
  documentedExamples.filter((code) => code.includes(text)).sort((a, b) => a.length - b.length)[0] ??
  "";
const linesOf = (code: string): number => code.trim().split("\n").length;

/**
 * Returns a module and all its imports as one script, as bundlers make it for a page or a Worker.
 */
async function bundled(entry: string, conditions: readonly string[]): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    absWorkingDir: app,
    bundle: true,
    format: "esm",
    target: "es2024",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: [...conditions],
    external: ["cloudflare:*"],
    write: false,
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}

function start(file: string, cwd: string, env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [file], { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  children.add(child);
  return child;
}

it.each([
  ["node", "node/server.ts", ["--types", "node", "--lib", "es2023", "--skipLibCheck"]],
  // without the types of pg
  ["postgres", "postgres/server.ts", ["--types", "node", "--lib", "es2023"]],
  ["page", "page/app.ts", ["--types", "", "--lib", "es2023,dom,dom.iterable,dom.asynciterable"]],
  [
    "worker",
    "worker/worker.ts",
    ["--types", "@cloudflare/workers-types", "--lib", "es2023", "--skipLibCheck"],
  ],
])("the example for %s compiles with the types of the package", (_, file, options) => {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const common = ["--strict", "--noEmit", "--target", "es2023", "--module", "nodenext"];
  expect(run(process.execPath, [tsc, ...common, ...options, file], app)).toBe("");
});

it("fifteen lines of the README create an authority in Node that continues after a restart", async () => {
  const code = exampleWith("sqliteStore(");
  expect(linesOf(code)).toBeLessThanOrEqual(15);
  const folder = join(app, "readme-node");
  mkdirSync(folder);
  const counts = "(await ca.pki.listIssuers()).keys.length, (await ca.pki.listCerts()).keys.length";
  writeFileSync(join(folder, "ca.ts"), `${code}\nconsole.log("now", ${counts});\n`);
  const seen = [1, 2].map(() => run(process.execPath, ["ca.ts"], folder, {}));
  expect(seen[0]).toContain("PRIVATE KEY");
  expect(seen.map((text) => text.trim().split("\n").at(-1))).toEqual(["now 1 2", "now 1 3"]);
});

it("the example server issues certificates, and keeps its data across a restart", async () => {
  const folder = join(app, "node");
  const env = { ADMIN_TOKEN: "a token of the administrator", DATA: folder };
  const port = String(await listenOnce());
  const url = `http://127.0.0.1:${port}/v1/pki`;
  const certificates: string[] = [];
  for (let life = 0; life < 2; life += 1) {
    const server = start("server.ts", folder, { ...env, PORT: port });
    await once(createInterface({ input: server.stdout }), "line");
    certificates.push(await (await fetch(`${url}/ca/pem`)).text());
    const headers = { "X-Service-Token": env.ADMIN_TOKEN };
    const body = JSON.stringify({ common_name: "www.example.com" });
    const issued = await fetch(`${url}/issue/web`, { method: "POST", headers, body });
    expect([issued.status, await issued.text()]).toEqual([200, expect.stringContaining("BEGIN")]);
    expect((await fetch(`${url}/issue/web`, { method: "POST", body })).status).toBe(403);
    const listed = await fetch(`${url}/certs?list=true`, { headers });
    expect((await listed.json()) as unknown).toMatchObject({
      data: { keys: { length: life + 2 } },
    });
    server.kill("SIGTERM");
    await once(server, "exit");
  }
  expect(certificates[0]).toContain("BEGIN CERTIFICATE");
  expect(certificates[1]).toBe(certificates[0]);
});

it("two example servers on one PostgreSQL serve one authority, even if one of them is killed, and after a restart", async () => {
  const [programs] = postgresPrograms();
  if (!programs) throw new Error("there is no PostgreSQL here");
  const database = await startPostgres(programs);
  const env = {
    ADMIN_TOKEN: "a token of the administrator",
    DATABASE_URL: database.url(),
    SEALING_KEY: secrets.SEALING_KEY,
  };
  const headers = { "X-Service-Token": env.ADMIN_TOKEN };
  const nodes: { readonly url: string; readonly child: ChildProcess }[] = [];
  const startNode = async (): Promise<void> => {
    const port = String(await freePort());
    const child = start("server.ts", join(app, "postgres"), { ...env, PORT: port });
    nodes.push({ url: `http://127.0.0.1:${port}/v1/pki`, child });
    await once(createInterface({ input: child.stdout }), "line");
  };
  const issue = async (): Promise<void> => {
    const body = JSON.stringify({ common_name: "www.example.com" });
    for (const { url } of nodes)
      expect((await fetch(`${url}/issue/web`, { method: "POST", headers, body })).status).toBe(200);
  };
  await Promise.all([startNode(), startNode()]);
  const roots = nodes.map(async ({ url }) => (await fetch(`${url}/ca/pem`)).text());
  const [first, second] = await Promise.all(roots);
  expect([first, second]).toEqual([expect.stringContaining("BEGIN CERTIFICATE"), first]);
  await issue();
  nodes.shift()?.child.kill("SIGKILL");
  await issue();
  const [last] = nodes.splice(0);
  last?.child.kill("SIGTERM");
  expect(await once(last?.child as ChildProcess, "exit")).toEqual([0, null]);
  await startNode();
  await issue();
  const listed = await fetch(`${nodes[0]?.url}/certs?list=true`, { headers });
  // including the root
  expect((await listed.json()) as unknown).toMatchObject({ data: { keys: { length: 5 } } });
  nodes[0]?.child.kill("SIGKILL");
  await database.stop();
});

/** Returns a port that was free a moment ago. */
async function listenOnce(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  server.close();
  return port;
}

/** Serves a page with one script. */
async function withPage(
  html: string,
  script: string,
  use: (origin: string) => Promise<void>,
): Promise<void> {
  const server = createServer(({ url }, response) => {
    const isScript = url === "/app.ts";
    response.writeHead(200, { "content-type": isScript ? "text/javascript" : "text/html" });
    response.end(isScript ? script : html);
  });
  const origin = `http://127.0.0.1:${await listen(server)}`;
  try {
    await use(origin);
  } finally {
    await new Promise((done) => server.close(done).closeAllConnections());
  }
}

it("fifteen lines of the README create an authority in a page that continues after a restart of the browser", async () => {
  const code = exampleWith("indexedDbStore(");
  expect(linesOf(code)).toBeLessThanOrEqual(15);
  writeFileSync(
    join(app, "page/readme.ts"),
    `${code}\nglobalThis.seen = [leaf.issuing_ca, (await ca.pki.listCerts()).keys.length];\n`,
  );
  const html = '<!doctype html><script type="module" src="/app.ts"></script>';
  const profile = join(app, "profile-readme");
  await withPage(html, await bundled("page/readme.ts", ["browser"]), async (origin) => {
    const seen: unknown[] = [];
    for (let life = 0; life < 2; life += 1) {
      const browser = await chromium.launchPersistentContext(profile, await chromiumLaunch());
      const page = await browser.newPage();
      await page.goto(origin);
      await page.waitForFunction("globalThis.seen");
      seen.push(await page.evaluate("globalThis.seen"));
      await browser.close();
    }
    const [[issuer, first], [again, second]] = seen as [[string, number], [string, number]];
    expect([issuer.includes("BEGIN"), again === issuer, first, second]).toEqual([true, true, 2, 3]);
  });
});

/**
 * Maximum files and bytes (gzip) that a page loads until its first certificate, itself included.
 */
const maxPage = { requests: 20, bytes: 180_000 };

/**
 * Functions that build a page with a bundler that splits code. Each returns the folder with the
 * files.
 */
const splitters = {
  Vite: async (folder: string) => {
    const options = { root: folder, logLevel: "error", build: { target: "es2024" } } as const;
    await buildByVite(options);
    return join(folder, "dist");
  },
  esbuild: async (folder: string) => {
    const outdir = join(folder, "built");
    cpSync(join(folder, "index.html"), join(outdir, "index.html"));
    await build({
      entryPoints: [join(folder, "app.js")],
      bundle: true,
      splitting: true,
      minify: true,
      format: "esm",
      target: "es2024",
      outdir,
      logLevel: "silent",
    });
    return outdir;
  },
} as const;

it.each(Object.entries(splitters))(
  "a page that %s builds loads at most 20 files and 180 kB until its first certificate",
  async (name, split) => {
    const folder = join(app, `split-${name}`);
    mkdirSync(folder);
    const code = exampleWith("indexedDbStore(");
    writeFileSync(join(folder, "app.js"), `${code}\nglobalThis.seen = leaf.certificate;\n`);
    const html = '<!doctype html><script type="module" src="./app.js"></script>';
    writeFileSync(join(folder, "index.html"), html);
    const built = await split(folder);
    const sent: number[] = [];
    const server = createServer(({ url = "/" }, response) => {
      const path = join(built, url === "/" ? "index.html" : url);
      const body = gzipSync(existsSync(path) ? readFileSync(path) : "", { level: 9 });
      sent.push(body.length);
      const type = path.endsWith(".js") ? "text/javascript" : "text/html";
      response.writeHead(existsSync(path) ? 200 : 404, {
        "content-type": type,
        "content-encoding": "gzip",
      });
      response.end(body);
    });
    const browser = await chromium.launch(await chromiumLaunch());
    try {
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${await listen(server)}`);
      await page.waitForFunction("globalThis.seen");
      expect(await page.evaluate("globalThis.seen")).toContain("BEGIN CERTIFICATE");
    } finally {
      await browser.close();
      server.close();
    }
    const bytes = sent.reduce((sum, size) => sum + size, 0);
    process.stdout.write(`A page of ${name}: ${sent.length} requests, ${bytes} bytes (gzip)\n`);
    expect(sent.length).toBeGreaterThan(2);
    expect(sent.length).toBeLessThanOrEqual(maxPage.requests);
    expect(bytes).toBeLessThanOrEqual(maxPage.bytes);
  },
);

it("the example page issues a certificate, and shows its certificates after a reload", async () => {
  const html = readFileSync(join(app, "page/index.html"), "utf8");
  await withPage(html, await bundled("page/app.ts", ["browser"]), async (origin) => {
    const browser = await chromium.launch(await chromiumLaunch());
    try {
      const page = await browser.newPage();
      await page.goto(origin);
      const count = "document.querySelector('output').textContent.split('\\n').length";
      await page.waitForFunction(`${count} === 2`);
      await page.click("button");
      await page.waitForFunction(`${count} === 3`);
      await page.reload();
      await page.waitForFunction(`${count} === 3`);
      await page.fill("input", "www.example.org");
      await page.click("button");
      await page.waitForFunction(
        "document.querySelector('output').textContent.includes('example.org')",
      );
    } finally {
      await browser.close();
    }
  });
});

const secrets = {
  SEALING_KEY: Buffer.alloc(32, 7).toString("base64"),
  SERVICE_ROOT_TOKEN: "a token that may do everything",
};
const asRoot = { "X-Service-Token": secrets.SERVICE_ROOT_TOKEN };

it("the Worker in the README compiles with the types of the platform", () => {
  writeFileSync(join(app, "worker/readme.ts"), exampleWith("sealwrightWorker"));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const options = ["--strict", "--noEmit", "--target", "es2023", "--module", "nodenext"];
  const types = ["--types", "@cloudflare/workers-types", "--lib", "es2023", "--skipLibCheck"];
  expect(run(process.execPath, [tsc, ...options, ...types, "worker/readme.ts"], app)).toBe("");
});

it("fifteen lines of the README create an authority in a Worker that continues after a restart of workerd", async () => {
  const code = exampleWith("sealwrightWorker");
  expect(linesOf(code)).toBeLessThanOrEqual(15);
  writeFileSync(join(app, "worker/readme.ts"), code);
  const script = await bundled("worker/readme.ts", ["workerd", "worker", "browser"]);
  const folder = join(app, "readme-worker");
  const certificates: string[] = [];
  for (let life = 0; life < 2; life += 1) {
    const worker = await startWorker(script, {
      folder,
      texts: secrets,
      objects: { MOUNT: "MountObject" },
    });
    const post = (path: string, body: object) =>
      fetch(`${worker.url}/ca/v1/pki/${path}`, {
        method: "POST",
        headers: asRoot,
        body: JSON.stringify(body),
      });
    if (life === 0) {
      const root = { common_name: "Root", key_type: "ec", ttl: "87600h" };
      expect((await post("root/generate/internal", root)).status).toBe(200);
      const role = { allowed_domains: "example.com", allow_subdomains: true, key_type: "ec" };
      expect((await post("roles/web", role)).status).toBe(200);
    }
    const issued = await fetch(`${worker.url}/certificate`);
    expect(await issued.text()).toContain("BEGIN CERTIFICATE");
    certificates.push(await (await fetch(`${worker.url}/ca/v1/pki/ca/pem`)).text());
    await worker.stop();
  }
  expect(certificates[0]).toContain("BEGIN CERTIFICATE");
  expect(certificates[1]).toBe(certificates[0]);
});

/**
 * Returns the status for a token bound to an address range if the client claims to be 192.0.2.7.
 */
async function boundTo(url: string, range: string): Promise<number> {
  const post = (path: string, body: object) =>
    fetch(`${url}/${path}`, { method: "POST", headers: asRoot, body: JSON.stringify(body) });
  await post("roles/bound", { token_bound_cidrs: range });
  const { auth } = (await (await post("create/bound", { policies: ["default"] })).json()) as {
    readonly auth: { readonly client_token: string };
  };
  const headers = { "x-service-token": auth.client_token, "cf-connecting-ip": "192.0.2.7" };
  return (await fetch(`${url}/lookup-self`, { headers })).status;
}

it("the example Worker issues in its own handler and serves the API below its prefix, also after a restart", async () => {
  const script = await bundled("worker/worker.ts", ["workerd", "worker", "browser"]);
  const folder = join(app, "example-worker");
  for (let life = 0; life < 2; life += 1) {
    const worker = await startWorker(script, {
      folder,
      texts: secrets,
      objects: { CA: "CaObject" },
    });
    const issued = await fetch(`${worker.url}/certificate`, { method: "POST" });
    expect([issued.status, await issued.text()]).toEqual([
      200,
      expect.stringMatching(/BEGIN CERTIFICATE.*PRIVATE KEY/),
    ]);
    const listed = await fetch(`${worker.url}/ca/v1/pki/certs?list=true`, { headers: asRoot });
    expect((await listed.json()) as unknown).toMatchObject({
      data: { keys: { length: life + 2 } },
    });
    const cluster = await fetch(`${worker.url}/ca/v1/pki/config/cluster`, { headers: asRoot });
    expect(await cluster.text()).toContain("https://example.com/ca/v1/pki");
    for (const [range, status] of [
      ["127.0.0.1", 200],
      ["192.0.2.7", 403],
    ] as const)
      expect(await boundTo(`${worker.url}/ca/v1/auth/token`, range)).toBe(status);
    await worker.stop();
  }
});
