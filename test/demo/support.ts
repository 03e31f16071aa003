import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, resolve } from "node:path";
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Locator,
  type Page,
} from "playwright";
import { pageHeaders } from "../../src/host/page-policy.ts";
import { builtAsOneScript, builtDemo } from "../support/built.ts";
import { chromiumLaunch } from "../support/chromium.ts";
import { createEngine, forward, type Engine } from "./engine.ts";
import {
  closeTabs,
  emptyPath,
  openWindowAt,
  profileCookie,
  type Place,
  type Window,
} from "./window.ts";

export type { Window };

/** Media types by file extension. */
export const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".webmanifest": "application/manifest+json",
};

/** The built console on a static host, below a path. */
export interface Served {
  /** URL of the console's folder. */
  readonly url: string;
  /** Requested paths below the folder. */
  readonly asked: string[];
  /** Files outside the folder, by path. */
  readonly outside: Map<string, string>;
  readonly built: string;
  close(): Promise<void>;
}

/** The console, and a browser to open it. */
export interface Host extends Served {
  readonly browser: Browser;
}

/** Options for serving the console. */
interface ServeOptions {
  /** Sends the page's CSP as a header too. */
  readonly headers?: boolean;
  /** A build to serve; default: the current sources. */
  readonly from?: string;
  /** Serves a chunk of code for each view, as the console is built, instead of one script. */
  readonly chunks?: boolean;
  /**
   * `"kept"`: the service worker as it is built, which caches the page's files. `"lean"`: the same
   * without that cache, which a new profile would fill before its authority replies. Default:
   * none, and this process runs an engine for each browser profile.
   */
  readonly worker?: "kept" | "lean";
}

/**
 * A service worker that forwards calls to the host, with the cookie that the page omits. Node
 * cannot parse the method LIST, so such calls become `GET …?list=true`, as for a server.
 */
const forwardingWorker = `
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("message", (event) => event.data === "claim" && event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  const { method, mode, url, headers, signal } = event.request;
  const path = url.startsWith(registration.scope) ? url.slice(registration.scope.length) : "";
  if (mode === "navigate" || !/^(?:v1|api\\/v2)(?:\\/|$|\\?)/.test(path)) return;
  const reads = ["GET", "HEAD", "LIST"].includes(method);
  const forward = async () => fetch(
    method === "LIST" ? url + (url.includes("?") ? "&" : "?") + "list=true" : url,
    {
      method: method === "LIST" ? "GET" : method,
      headers,
      signal,
      ...(reads ? {} : { body: await event.request.arrayBuffer() }),
    },
  );
  event.respondWith(forward());
});`;

/** Lets Chromium also cache the compiled code of scripts. */
const immutable = "public, max-age=31536000, immutable";
type Engines = Map<string, Promise<Engine>>;
/** The engines of this process, by URL of the console. */
const enginesOf = new Map<string, Engines>();

/** Copies a built console, so that tests may change its files. */
function copyOf(built: string, worker: "kept" | "lean"): string {
  const copy = mkdtempSync(join(tmpdir(), "sealwright-demo-"));
  cpSync(built, copy, { recursive: true });
  if (worker === "lean") cacheNothing(join(copy, "sw.js"));
  return copy;
}

/** Serves the built console, or a copy of it if it has its own service worker. */
export async function serve({
  headers = false,
  from = "",
  chunks = false,
  worker,
}: ServeOptions = {}): Promise<Served> {
  const original = from || (await (chunks ? builtDemo() : builtAsOneScript()));
  const built = worker ? copyOf(original, worker) : original;
  const asked: string[] = [];
  const outside = new Map<string, string>();
  const prefix = "/somewhere/console/";
  const engines: Engines = new Map();
  const engineOf = (request: IncomingMessage): Promise<Engine> => {
    const profile =
      new RegExp(`${profileCookie}=([^;]+)`).exec(request.headers.cookie ?? "")?.[1] ?? "";
    const engine = engines.get(profile) ?? createEngine();
    engines.set(profile, engine);
    return engine;
  };
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? "/", "http://localhost");
    const other = outside.get(pathname);
    if (other !== undefined)
      return void response
        .writeHead(200, { "Content-Type": types[extname(pathname)] ?? "text/html" })
        .end(other);
    if (pathname === emptyPath)
      return void response.writeHead(200, { "Content-Type": "text/html" }).end();
    if (!pathname.startsWith(prefix)) return void response.writeHead(404).end();
    const path = pathname.slice(prefix.length);
    if (!worker && /^(?:v1|api\/v2)(?:\/|$)/.test(path))
      return void forward(
        request,
        response,
        `http://${request.headers.host}/${path}${search}`,
        async (call) => (await engineOf(request)).fetch(call),
      );
    asked.push(path);
    try {
      const file = path || "index.html";
      const forwards = !worker && file === "sw.js";
      const body = forwards ? forwardingWorker : readFileSync(resolve(built, file));
      const sent =
        headers && extname(file) === ".html"
          ? pageHeaders(file === "connect.html" ? "connect" : "index")
          : {};
      response.writeHead(200, {
        "Content-Type": types[extname(file)] ?? "text/plain",
        "Cache-Control": !worker && /-[0-9A-Z]{8}\.\w+$/.test(file) ? immutable : "no-cache",
        ...sent,
      });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  const port = await listen(server);
  const url = `http://127.0.0.1:${port}${prefix}`;
  if (!worker) enginesOf.set(url, engines);
  return {
    url,
    asked,
    outside,
    built,
    async close() {
      await closeTabs();
      await new Promise((done) => server.close(done));
      enginesOf.delete(url);
      if (worker) rmSync(built, { recursive: true, force: true });
    },
  };
}

/** Removes the list of files to cache from a built service worker. */
function cacheNothing(path: string): void {
  const script = readFileSync(path, "utf8");
  const lean = script.replace(/\["","connect\.html"(?:,"[^"]+")+\]/, "[]");
  if (lean === script) throw new Error("expected a list of the page's files in the service worker");
  writeFileSync(path, lean);
}

/**
 * Flags of a Chromium that composes no pixels, which tests do not read: its software renderer took a
 * sixth of the CPU time. V8 runs without its slowest compiler, because pages live for seconds.
 */
const withoutPixels = [
  "--use-gl=angle",
  "--use-angle=swiftshader",
  "--disable-gl-drawing-for-tests",
  "--js-flags=--max-opt=2",
];

/** Starts Chromium with additional flags. */
async function launch(flags: readonly string[]): Promise<Browser> {
  const options = await chromiumLaunch();
  return chromium.launch({ ...options, args: [...options.args, ...flags] });
}

let launched: Promise<Browser> | undefined;
/** Returns the Chromium of this process, which all test files in it share. */
async function sharedBrowser(): Promise<Browser> {
  const running = await launched?.catch(() => undefined);
  if (running?.isConnected()) return running;
  launched = launch(withoutPixels);
  return launched;
}

/** Options for serving and opening the console. */
interface HostOptions extends ServeOptions {
  /** Starts another Chromium, whose pages can be captured. */
  readonly pixels?: boolean;
}

/** Serves the console, with a browser to open it. */
export async function host({ pixels = false, ...options }: HostOptions = {}): Promise<Host> {
  const served = await serve(options);
  return { ...served, browser: await (pixels ? launch([]) : sharedBrowser()) };
}

/** Listens on a free port of the loopback interface. */
export function listen(server: Server): Promise<number> {
  return new Promise((done) =>
    server.listen(0, "127.0.0.1", () => done((server.address() as { port: number }).port)),
  );
}

/** Opens a view in a new profile. */
export const openWindow = (
  place: Place,
  view = "",
  options: BrowserContextOptions = {},
): Promise<Window> =>
  openWindowAt(
    place,
    { hash: view && `#/${view}`, profile: crypto.randomUUID(), returning: false },
    options,
  );

/** Installs the browser's CA like the first view that calls it, and returns to the shown view. */
export async function begun(page: Page): Promise<void> {
  const shown = await page.evaluate("location.hash");
  await page.evaluate("location.hash = '#/roles'");
  await page.getByRole("heading", { level: 1, name: "Roles" }).waitFor();
  await controlled(page);
  await page.evaluate(`location.hash = ${JSON.stringify(shown)}`);
}

/** Waits until a service worker handles the requests of a page. */
const controlled = (page: Page): Promise<unknown> =>
  page.evaluate(
    "new Promise((done) => { const look = () => navigator.serviceWorker.controller && done(); navigator.serviceWorker.addEventListener('controllerchange', look); look(); })",
  );

/** The state after clicking "Dev CA" in a new profile. */
interface Template {
  readonly applied: Engine["applied"];
  readonly hash: string;
}
/** Shared by the tests of this process; created by the first click in a new profile. */
let template: Promise<Template> | undefined;

const issueForm = (page: Page): Locator =>
  page.getByRole("heading", { level: 1, name: "Issue a certificate" });

/** Clicks "Dev CA" and waits for the form that it opens. */
async function pressDevCa(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^Dev CA/ }).click();
  await issueForm(page).waitFor();
}

/** Returns the profile of a window. */
async function profileOf(context: BrowserContext, url: string): Promise<string> {
  const cookies = await context.cookies(url);
  return cookies.find(({ name }) => name === profileCookie)?.value ?? "";
}

/** Returns the engine in this process that answers a page. */
export async function engineOf(page: Page): Promise<Engine> {
  const url = page.url().replace(/#.*$/, "");
  const engine = await enginesOf.get(url)?.get(await profileOf(page.context(), url));
  if (!engine) throw new Error(`${url} has no engine in this process`);
  return engine;
}

/**
 * Creates the Dev CA like a click on its button, and waits for the form that it opens. A profile
 * without an engine gets a copy of the state that the first click of this process created.
 */
export async function devCa(page: Page): Promise<void> {
  const url = page.url().replace(/#.*$/, "");
  const engines = enginesOf.get(url);
  const profile = await profileOf(page.context(), url);
  if (!engines || engines.has(profile)) return pressDevCa(page);
  template ??= makeTemplate(url, page.context().browser());
  const { applied, hash } = await template;
  engines.set(profile, createEngine(applied));
  // without an event: the shown page sends no request
  await page.evaluate(`history.pushState(null, "", ${JSON.stringify(hash)})`);
  await page.reload();
  await issueForm(page).waitFor();
  // the form may appear earlier, but requests of the test itself, such as LIST, need the worker
  await controlled(page);
}

/**
 * Opens the issue form of the Dev CA in a new profile. Its engine is a copy of the one that the
 * first click created, so that the page loads once; `openWindow` and `devCa` load it twice.
 */
export async function openDevCa(
  place: Place,
  options: BrowserContextOptions = {},
): Promise<Window> {
  const engines = enginesOf.get(place.url);
  if (!engines) {
    const window = await openWindow(place, "", options);
    await pressDevCa(window.page);
    return window;
  }
  template ??= makeTemplate(place.url, place.browser);
  const { applied, hash } = await template;
  const profile = crypto.randomUUID();
  engines.set(profile, createEngine(applied));
  const window = await openWindowAt(place, { hash, profile, returning: true }, options);
  await issueForm(window.page).waitFor();
  await controlled(window.page);
  return window;
}

async function makeTemplate(url: string, browser: Browser | null): Promise<Template> {
  if (!browser) throw new Error("the page belongs to no browser");
  const window = await openWindow({ browser, url });
  const { page, context } = window;
  await pressDevCa(page);
  const profile = await profileOf(context, url);
  const { applied } = (await enginesOf.get(url)?.get(profile)) ?? {};
  if (!applied) throw new Error(`no engine has answered the profile ${profile}`);
  const made = { applied: [...applied], hash: new URL(page.url()).hash };
  await window.close();
  return made;
}

/** Issues a certificate for `name` with the form. Returns its serial number, hexadecimal. */
export async function issue(page: Page, name: string): Promise<string> {
  // Through another view, because the open form may be that of the last call.
  await page.evaluate("location.hash = '#/settings'");
  await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
  const link = page.getByRole("link", { name: "Issue", exact: true });
  await link.filter({ visible: true }).click();
  await page.getByLabel("Name 1", { exact: true }).fill(name);
  const role = page.getByLabel("Role", { exact: true });
  // none is selected if there are several and none was used before
  if ((await role.inputValue()) === "") await role.selectOption({ index: 1 });
  await page.getByRole("button", { name: "Issue certificate" }).click();
  const dialog = page.getByRole("dialog", { name: "Issued" });
  await dialog.getByLabel("I have saved the key").check();
  await dialog.getByRole("button", { name: "Show certificate" }).click();
  await page.getByRole("heading", { level: 1, name }).waitFor();
  return new URL(page.url()).hash.split("/").at(-1) ?? "";
}

/** Delays reads of the CRL settings until a revocation has succeeded. */
export const settingsAfterRevocation = (page: Page): Promise<unknown> =>
  page.evaluate(`{
    const real = fetch;
    let succeed;
    const revoked = new Promise((resolve) => (succeed = resolve));
    globalThis.fetch = async (url, init) => {
      if (String(url).endsWith("/config/crl")) await revoked;
      const response = await real(url, init);
      if (String(url).endsWith("/revoke") && response.ok) succeed();
      return response;
    };
  }`);

/** Creates a workspace with variables in the organization `default` of the browser's CA. */
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

/** Calls the variables API of the browser's CA from its page. */
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
