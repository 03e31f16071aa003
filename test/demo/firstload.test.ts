import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { servePage } from "../../src/host/page.ts";
import { fileOf } from "../support/built.ts";
import { devCa, host, issue, listen, openWindow, type Host, type Window } from "./support.ts";

let at: Host;
let window: Window | undefined;

beforeAll(async () => {
  at = await host({ worker: "kept", chunks: true });
});
afterEach(async () => {
  await window?.context.close();
  window = undefined;
  at.asked.splice(0);
});
afterAll(() => at.close());

/** Returns the host with the URL of a file other than the page. */
const beside = (): Host => ({ ...at, url: at.url + fileOf(at.built, "icon") });

/** Records the cumulative layout shift. */
const watchShifts = `globalThis.shifted = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shifted += entry.value;
}).observe({ type: "layout-shift", buffered: true });`;

/** Opens a URL in a new window and waits until the network is idle. */
async function firstVisit(url: string, heading: string): Promise<Page> {
  window = await openWindow(beside(), "", { reducedMotion: "no-preference" });
  const { page, context } = window;
  await context.addInitScript(watchShifts);
  at.asked.splice(0);
  await page.goto(url);
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
  await page.waitForLoadState("networkidle");
  return page;
}

const shiftOf = async (page: Page): Promise<number> => Number(await page.evaluate("shifted"));

const twice = (asked: readonly string[]): readonly string[] =>
  asked.filter((path, i) => asked.indexOf(path) < i);

/** Returns the gzip size of the requested files. */
const packed = (asked: readonly string[]): number =>
  asked
    .map((path) => join(at.built, path || "index.html"))
    .map((path) => statSync(existsSync(`${path}.gz`) ? `${path}.gz` : path).size)
    .reduce((sum, size) => sum + size, 0);

/** Collects failed responses and requests, of the page and of the service worker. */
function failures(context: BrowserContext): readonly string[] {
  const found: string[] = [];
  context.on("response", (answer) => {
    if (answer.status() >= 400) found.push(`${answer.status()} ${answer.url()}`);
  });
  context.on("requestfailed", (request) => void found.push(request.url()));
  return found;
}

it("the first visit on a static host loads at most 100 kB compressed, no file twice, no missing file, without layout shifts", async () => {
  window = await openWindow(beside(), "", { reducedMotion: "no-preference" });
  const { page, context } = window;
  const failed = failures(context);
  await context.addInitScript(watchShifts);
  at.asked.splice(0);
  await page.goto(at.url);
  await page.getByRole("button", { name: /^Dev CA/ }).waitFor();
  await page.waitForLoadState("networkidle");
  expect(failed).toEqual([]);
  expect(twice(at.asked)).toEqual([]);
  expect(packed(at.asked)).toBeLessThanOrEqual(100_000);
  expect(at.asked.length).toBeLessThanOrEqual(30);
  expect(await shiftOf(page)).toBeLessThan(0.02);
});

it("the service worker is installed on first use, works offline, and fetches no file that the page has", async () => {
  const page = await firstVisit(at.url, "A certificate authority, in this tab");
  expect(at.asked).not.toContain("sw.js");
  await devCa(page);
  await page.waitForLoadState("networkidle");
  expect(twice(at.asked)).toEqual([]);
  expect(at.asked.filter((path) => /^(?:v1|api)/.test(path))).toEqual([]);
  await issue(page, "first.dev.test");
  await page.context().setOffline(true);
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "first.dev.test" }).waitFor();
  for (const [hash, heading] of [
    ["roles", "Roles"],
    ["acme", "ACME"],
    ["system", "System"],
  ] as const) {
    await page.evaluate(`location.hash = "#/${hash}"`);
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
  }
  expect(window?.complaints).toEqual([]);
});

it("a return to a browser authority fetches only the check for a new version, without layout shifts", async () => {
  const page = await firstVisit(at.url, "A certificate authority, in this tab");
  await devCa(page);
  await issue(page, "first.dev.test");
  at.asked.splice(0);
  await page.goto(`${at.url}#/overview`);
  await page.reload();
  await page.getByRole("link", { name: "Dev CA Root" }).waitFor();
  await page.waitForLoadState("networkidle");
  expect(at.asked.filter((path) => path !== "sw.js")).toEqual([]);
  expect(await shiftOf(page)).toBeLessThan(0.02);
});

it.each([1280, 390])("no view shifts its layout while it loads, at %i pixels", async (width) => {
  const page = await firstVisit(at.url, "A certificate authority, in this tab");
  await devCa(page);
  const serial = await issue(page, "still.dev.test");
  const moved: string[] = [];
  for (const view of [
    "overview",
    "certificates",
    `certificates/${serial}`,
    "issue/dev-server",
    "roles/dev-server",
    "revocation/ocsp",
    "acme",
    "access",
  ]) {
    const shown = await page.context().newPage();
    await shown.setViewportSize({ width, height: 900 });
    await shown.goto(`${at.url}#/${view}`);
    await shown.getByRole("heading", { level: 1 }).waitFor();
    await shown.waitForLoadState("networkidle");
    await shown.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
    const shift = await shiftOf(shown);
    if (shift >= 0.02) moved.push(`${view}: ${shift}`);
    await shown.close();
  }
  expect(moved).toEqual([]);
});

it("a second window on the start page joins the authority that the first one creates", async () => {
  const page = await firstVisit(at.url, "A certificate authority, in this tab");
  const other = await page.context().newPage();
  await other.goto(at.url);
  await other.getByRole("button", { name: /^Dev CA/ }).waitFor();
  await devCa(page);
  await other.getByText("This mount already has CAs").waitFor();
  await other.getByRole("link", { name: "Show the existing CAs" }).click();
  await other.getByRole("link", { name: "Dev CA Root" }).waitFor();
});

/** Serves the page as a Worker does, and records the requests. */
async function served(): Promise<{ server: Server; url: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    if (!pathname.startsWith("/demo/"))
      return void response.writeHead(403, { "Content-Type": "application/json" }).end("{}");
    asked.push(pathname.slice("/demo/".length));
    const url = new URL(pathname, "http://localhost");
    const asset = async ({ url: of }: Request): Promise<Response> => {
      const file = join(at.built, new URL(of).pathname.slice("/demo/".length));
      return existsSync(file)
        ? new Response(readFileSync(file))
        : new Response("", { status: 404 });
    };
    const headers = { "accept-encoding": request.headers["accept-encoding"] ?? "" };
    void servePage(new Request(url, { headers }), url, { fetch: asset }).then(async (answer) =>
      response
        .writeHead(answer.status, Object.fromEntries(answer.headers))
        .end(Buffer.from(await answer.arrayBuffer())),
    );
  });
  return { server, url: `http://127.0.0.1:${await listen(server)}/demo/`, asked };
}

it("a page served by a Worker loads at most 100 kB compressed before sign-in, without engine, service worker or layout shifts", async () => {
  const { server, url, asked } = await served();
  try {
    const page = await firstVisit(url, "Sign in to");
    expect(asked).not.toContain("sw.js");
    expect(twice(asked)).toEqual([]);
    expect(packed(asked)).toBeLessThanOrEqual(100_000);
    expect(asked.length).toBeLessThanOrEqual(30);
    expect(await shiftOf(page)).toBeLessThan(0.02);
    const loaded = asked.length;
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Sign in to" }).waitFor();
    await page.waitForLoadState("networkidle");
    // Files with a hash in their name are cached forever.
    expect(asked.slice(loaded)).toEqual([""]);
  } finally {
    await new Promise((done) => server.close(done));
  }
});
