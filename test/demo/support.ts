import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, resolve } from "node:path";
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from "playwright";
import { pageHeaders } from "../../src/host/page-policy.ts";
import { builtDemo } from "../support/built.ts";
import { chromiumLaunch } from "../support/chromium.ts";

/** Media types by ending. */
export const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".webmanifest": "application/manifest+json",
};

/** The built console on a static host, below a path of its own. */
export interface Served {
  /** Address of the console's folder. */
  readonly url: string;
  /** Paths that were asked for below the folder. */
  readonly asked: string[];
  /** What the host serves outside the folder, by path. */
  readonly outside: Map<string, string>;
  readonly built: string;
  close(): Promise<void>;
}

/** The console and a browser to open it. */
export interface Host extends Served {
  readonly browser: Browser;
}

/**
 * Serves a copy of the built console. `headers`: the host sends the policy as a header too; `from`:
 * another build; `offline`: its service worker keeps the page's files, as it does everywhere, so
 * that they are there without a network. Otherwise it keeps none: each window is a new profile,
 * which would fetch and store all of them before its authority answers.
 */
export async function serve({ headers = false, from = "", offline = false } = {}): Promise<Served> {
  const built = mkdtempSync(join(tmpdir(), "sealwright-demo-"));
  cpSync(from || (await builtDemo()), built, { recursive: true });
  if (!offline) keepNothing(join(built, "sw.js"));
  const asked: string[] = [];
  const outside = new Map<string, string>();
  const prefix = "/somewhere/console/";
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const other = outside.get(pathname);
    if (other !== undefined)
      return void response
        .writeHead(200, { "Content-Type": types[extname(pathname)] ?? "text/html" })
        .end(other);
    if (!pathname.startsWith(prefix)) return void response.writeHead(404).end();
    const path = pathname.slice(prefix.length);
    asked.push(path);
    try {
      const file = path || "index.html";
      const body = readFileSync(resolve(built, file));
      const sent =
        headers && extname(file) === ".html"
          ? pageHeaders(file === "connect.html" ? "connect" : "index")
          : {};
      response.writeHead(200, {
        "Content-Type": types[extname(file)] ?? "text/plain",
        "Cache-Control": "no-cache",
        ...sent,
      });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}${prefix}`,
    asked,
    outside,
    built,
    async close() {
      await new Promise((done) => server.close(done));
      rmSync(built, { recursive: true, force: true });
    },
  };
}

/** Takes the list of the files that it keeps out of a built service worker. */
function keepNothing(path: string): void {
  const script = readFileSync(path, "utf8");
  const lean = script.replace(/\["","connect\.html"(?:,"[^"]+")+\]/, "[]");
  if (lean === script) throw new Error("the service worker names no files of the page");
  writeFileSync(path, lean);
}

/** `serve`, with Chromium started. */
export async function host(options: Parameters<typeof serve>[0] = {}): Promise<Host> {
  const served = await serve(options);
  const browser = await chromium.launch(await chromiumLaunch());
  return {
    ...served,
    browser,
    async close() {
      await browser.close();
      await served.close();
    },
  };
}

/** Listens on a free port of this machine only. */
export function listen(server: Server): Promise<number> {
  return new Promise((done) =>
    server.listen(0, "127.0.0.1", () => done((server.address() as { port: number }).port)),
  );
}

/** A window on the console and everything it did that it may not do. */
export interface Window {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Requests that left the console's origin, errors on the console, breaches of the policy. */
  readonly complaints: string[];
}

/** Opens a view in a fresh profile. */
export async function openWindow(
  { browser, url }: Pick<Host, "browser" | "url">,
  view = "",
  options: BrowserContextOptions = {},
): Promise<Window> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  const { origin } = new URL(url);
  context.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`) && !/^(data|blob):/.test(request.url()))
      complaints.push(`request to ${request.url()}`);
  });
  await context.addInitScript(
    "addEventListener('securitypolicyviolation', (event) => console.error('policy breach: ' + event.violatedDirective + ' ' + event.blockedURI))",
  );
  const page = await context.newPage();
  page.on("console", (message) => {
    // The browser itself reports refused requests; refusals are answers, and the tests look at
    // them.
    if (message.type() === "error" && !/Failed to load resource/.test(message.text()))
      complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error.stack ?? error)));
  await page.goto(url + (view && `#/${view}`));
  return { page, context, complaints };
}

/**
 * Has the browser's authority installed, as the first view does that asks it anything, and goes
 * back to the view that is shown.
 */
export async function begun(page: Page): Promise<void> {
  const shown = await page.evaluate("location.hash");
  await page.evaluate("location.hash = '#/roles'");
  await page.getByRole("heading", { level: 1, name: "Roles" }).waitFor();
  await page.evaluate(
    "new Promise((done) => { const look = () => navigator.serviceWorker.controller && done(); navigator.serviceWorker.addEventListener('controllerchange', look); look(); })",
  );
  await page.evaluate(`location.hash = ${JSON.stringify(shown)}`);
}

/** Presses "Dev CA" and waits for the form that it opens. */
export async function devCa(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^Dev CA/ }).click();
  await page.getByRole("heading", { level: 1, name: "Issue a certificate" }).waitFor();
}

/**
 * Issues a certificate for `name` from the form and closes the dialog; tells its serial number,
 * hexadecimal.
 */
export async function issue(page: Page, name: string): Promise<string> {
  // By way of another view: the form that is open could still be the last one.
  await page.evaluate("location.hash = '#/settings'");
  await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
  await page.getByRole("link", { name: "Issue a certificate" }).click();
  await page.getByLabel("Name 1", { exact: true }).fill(name);
  await page.getByRole("button", { name: "Issue certificate" }).click();
  const dialog = page.getByRole("dialog", { name: "Issued" });
  await dialog.getByLabel("I have saved the key").check();
  await dialog.getByRole("button", { name: "Show certificate" }).click();
  await page.getByRole("heading", { level: 1, name }).waitFor();
  return new URL(page.url()).hash.split("/").at(-1) ?? "";
}

/** Makes a workspace of the organization `default` in the browser's authority, with variables. */
export async function workspace(
  page: Page,
  name: string,
  variables: readonly object[] = [],
): Promise<void> {
  const made = await vars<{ data: { id: string } }>(
    page,
    "POST",
    "/organizations/default/workspaces",
    { data: { type: "workspaces", attributes: { name } } },
  );
  await vars(page, "POST", `/workspaces/${made.data.id}/vars/bulk`, {
    data: variables.map((attributes) => ({ type: "vars", attributes })),
  });
}

/** Calls the variables API of the browser's authority from its page. */
export async function vars<T>(
  page: Page,
  method: string,
  path: string,
  document?: object,
): Promise<T> {
  const init = {
    method,
    headers: { "Content-Type": "application/vnd.api+json" },
    ...(document && { body: JSON.stringify(document) }),
  };
  return page.evaluate(
    `fetch(${JSON.stringify(`./api/v2${path}`)}, ${JSON.stringify(init)}).then((answer) => (answer.status === 204 ? {} : answer.json()))`,
  );
}
