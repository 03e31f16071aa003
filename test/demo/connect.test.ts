import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createCa, memoryStore, type Ca } from "../../src/index.ts";
import { varsApi } from "../../src/vars/index.ts";
import { fileOf } from "../support/built.ts";
import { host, issue, listen, openDevCa, openWindow, type Host } from "./support.ts";

const token = "s.for-this-test-only";
const varsToken = "v.for-this-test-only";
let at: Host;
let server: Server;
let base: string;
let asked: string[];
/** The token that the authority accepts. */
let known = token;
let ca: Ca;

/** Serves an authority at its own origin, like a Worker. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  asked.push(`${request.method} ${request.url}`);
  const headers = new Headers(
    Object.entries(request.headers).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value] as [string, string]] : [],
    ),
  );
  const reply = await ca.fetch(
    new Request(base + request.url, {
      method: request.method ?? "GET",
      headers,
      body: parts.length > 0 ? Buffer.concat(parts) : null,
    }),
    { allowedOrigins: [new URL(at.url).origin] },
  );
  response.writeHead(reply.status, Object.fromEntries(reply.headers));
  response.end(Buffer.from(await reply.arrayBuffer()));
}

beforeAll(async () => {
  at = await host({ headers: true, worker: "kept" });
  asked = [];
  ca = createCa({
    stores: memoryStore(),
    authenticate: async (given) =>
      given === known ? { id: "tester", can: () => true } : undefined,
    apis: [varsApi],
    vars: { token: varsToken },
  });
  server = createServer((request, response) => void answer(request, response));
  base = `http://127.0.0.1:${await listen(server)}`;
});
afterAll(async () => {
  await new Promise((done) => server.close(done));
  await at.close();
});

it("connect.html administers a remote Worker with URL and token, and stores the token only on request", async () => {
  const { page, context, complaints } = await openWindow({ ...at, url: `${at.url}connect.html` });
  await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
  await page.getByLabel("Address").fill("http://192.0.2.1");
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.getByText("Tokens are sent only over https").waitFor();
  await page.getByLabel("Address").fill(`${base}/`);
  await page.getByLabel("Token", { exact: true }).fill("wrong");
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.getByText("The token is invalid or has expired").waitFor();
  await page.getByLabel("Token", { exact: true }).fill(token);
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.getByRole("button", { name: "Create a root" }).click();
  await page.getByLabel("Common name").fill("Far Root");
  await page.getByRole("button", { name: "Create authority" }).click();
  await page.getByRole("link", { name: "Far Root" }).waitFor();
  await page.evaluate("location.hash = '#/roles/new'");
  await page.getByLabel("Name", { exact: true }).fill("far");
  await page.getByRole("textbox", { name: "Domains" }).fill("far.example");
  await page.getByRole("button", { name: "Save role" }).click();
  await page.getByRole("heading", { level: 1, name: "far" }).waitFor();
  await page.evaluate("location.hash = '#/issue/far?name=www.far.example'");
  await page.getByRole("status").filter({ hasText: "Would be issued" }).waitFor();
  expect(asked).toContain("POST /v1/pki/explain/issue/far");
  await issue(page, "www.far.example");
  await page.evaluate("location.hash = '#/certificates?q=www'");
  await page.getByRole("status").filter({ hasText: "1 shown" }).waitFor();
  expect(asked).toContainEqual(
    expect.stringMatching(/^GET \/v1\/pki\/certs\/search\?(.*&)?name=www(&|$)/),
  );
  await page.evaluate("location.hash = '#/roles/far'");
  await page.getByLabel("Maximum lifetime").fill("90d");
  await page.getByRole("button", { name: "Save role" }).click();
  await page.getByText("Role saved").waitFor();
  expect(asked).toContain("PATCH /v1/pki/roles/far");
  expect(asked).toContain("GET /v1/pki/issuers?list=true");
  expect(asked.some((line) => line.includes(token))).toBe(false);
  expect(
    await page.evaluate(
      "JSON.stringify({ ...sessionStorage }) + JSON.stringify({ ...localStorage }) + location.href",
    ),
  ).not.toContain(token);
  expect(context.serviceWorkers().length).toBe(0);
  expect(complaints.filter((text) => !text.startsWith(`request to ${base}/v1/`))).toEqual([]);
  // The URL names the Worker: a reload asks for its token again, and so does the link in another
  // tab.
  await page.evaluate("location.hash = '#/overview'");
  await page.reload();
  await page.getByRole("heading", { level: 1, name: `Sign in to ${new URL(base).host}` }).waitFor();
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Enter a token that was created").waitFor();
  await page.getByLabel("Token", { exact: true }).fill(token);
  await page.getByLabel("Keep me signed in until this tab closes").check();
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("link", { name: "Far Root" }).waitFor();
  await page.reload();
  await page.getByRole("link", { name: "Far Root" }).waitFor();
  const link = page.url();
  await page.evaluate("location.hash = '#/settings'");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByText(/^Signed out of/).waitFor();
  expect(await page.evaluate("sessionStorage.length")).toBe(0);
  const other = await context.newPage();
  const before = asked.length;
  await other.goto(link);
  // The author of the link may run the named server: no view shows a token field before the user
  // confirms it.
  for (const view of ["overview", "variables"]) {
    await other.evaluate(`location.hash = "#/${view}"`);
    await other
      .getByRole("heading", { level: 1, name: `Is ${new URL(base).host} your authority?` })
      .waitFor();
    expect(await other.getByLabel("Token").count()).toBe(0);
  }
  await other.evaluate("location.hash = '#/settings'");
  await other.getByLabel("Address").waitFor();
  expect(await other.getByLabel("Address").inputValue()).toBe("");
  await other.evaluate("location.hash = '#/overview'");
  await other.getByText("This link asks you to sign in at").waitFor();
  expect(asked.length).toBe(before);
  await other.getByRole("button", { name: `Continue to ${new URL(base).host}` }).click();
  await other
    .getByRole("heading", { level: 1, name: `Sign in to ${new URL(base).host}` })
    .waitFor();
  await other.getByText("Enter a token only if you trust the server").waitFor();
  await context.close();
});

it("a stored token that the server rejects is removed, which is reported at once and after a reload", async () => {
  const { page, context } = await openWindow({ ...at, url: `${at.url}connect.html` });
  await page.getByLabel("Address").fill(base);
  await page.getByLabel("Token", { exact: true }).fill(token);
  await page.getByLabel("Keep me signed in until this tab closes").check();
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  known = "s.another";
  try {
    await page.evaluate("location.hash = '#/keys'");
    await page
      .getByRole("alert")
      .getByText("or has expired. It was removed from this tab.")
      .first()
      .waitFor();
    await page.locator(".strip").getByText("The token is no longer valid. Sign in again").waitFor();
    expect(await page.evaluate("JSON.stringify({ ...sessionStorage })")).not.toContain(token);
    await page.reload();
    await page.getByText("The token that was stored in this tab").waitFor();
  } finally {
    known = token;
  }
  await page.getByLabel("Token", { exact: true }).fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: "Sign in" }).waitFor();
  expect(await page.getByText("The token that was stored in this tab").count()).toBe(0);
  await context.close();
});

it("the variables API requires its own token, which is stored like the other one and removed on sign-out", async () => {
  const { page, context, complaints } = await openWindow(
    { ...at, url: `${at.url}connect.html` },
    "settings",
  );
  const stored = (): Promise<string> =>
    page.evaluate(
      "JSON.stringify({ ...sessionStorage }) + JSON.stringify({ ...localStorage }) + location.href",
    );
  await page.getByLabel("Address").fill(base);
  await page.getByLabel("Token", { exact: true }).fill(token);
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await page.evaluate("location.hash = '#/variables'");
  await page
    .getByText("The variables API requires its own token. Enter one to continue.")
    .waitFor();
  expect(asked.filter((line) => line.includes("/api/v2"))).toEqual([]);
  await page.getByLabel("Token", { exact: true }).fill("wrong");
  await page.getByRole("button", { name: "Use this token" }).click();
  await page.getByText("The token is invalid or has expired.").waitFor();
  await page.getByLabel("Token", { exact: true }).fill(varsToken);
  await page.getByRole("button", { name: "Use this token" }).click();
  await page.getByRole("button", { name: "New workspace" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("far");
  await page.getByRole("button", { name: "Create workspace" }).click();
  await page.getByRole("button", { name: "New variable" }).click();
  await page.getByRole("dialog").getByRole("textbox", { name: "Key" }).fill("region");
  await page.getByRole("button", { name: "Save variable" }).click();
  await page.getByRole("button", { name: "Edit region" }).waitFor();
  expect(await stored()).not.toContain(varsToken);
  await page.reload();
  await page
    .getByText("The variables API requires its own token. Enter one to continue.")
    .waitFor();
  await page.evaluate("location.hash = '#/settings'");
  await page.getByLabel("Token", { exact: true }).fill(token);
  await page.getByLabel("Token for the variables API").fill(varsToken);
  await page.getByLabel("Keep me signed in until this tab closes").check();
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await page.evaluate("location.hash = '#/variables'");
  await page.getByRole("link", { name: "far" }).click();
  await page.getByRole("button", { name: "Edit region" }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: "Edit region" }).waitFor();
  expect(await page.evaluate("localStorage.length + location.href")).not.toContain(varsToken);
  await page.evaluate("location.hash = '#/settings'");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByText(/^Signed out of/).waitFor();
  expect(await stored()).not.toContain(varsToken);
  expect(asked.some((line) => line.includes(varsToken))).toBe(false);
  expect(complaints.filter((text) => !text.startsWith(`request to ${base}/`))).toEqual([]);
  await context.close();
});

it("the page with a browser authority sends a token only to its own origin", async () => {
  const { page, context, complaints } = await openWindow(at, "settings");
  await page.getByLabel("Address").fill(base);
  await page.getByLabel("Token", { exact: true }).fill(token);
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.getByRole("link", { name: "connect.html" }).waitFor();
  expect(
    await page.evaluate(
      `fetch(${JSON.stringify(`${base}/v1/sys/health`)}).then(() => "sent", () => "refused")`,
    ),
  ).toBe("refused");
  expect(
    complaints.filter(
      (text) =>
        !/policy breach: connect-src|Content Security Policy directive: "connect-src|violates the document's Content Security Policy|Refused to connect/.test(
          text,
        ),
    ),
  ).toEqual([]);
  await context.close();
});

const read = (file: string): string => readFileSync(join(at.built, file), "utf8");

/** Serves the console as another version, optionally with a renamed file. */
function newVersion(version: string, [before, after] = ["", ""]): void {
  const old = / ([0-9a-f]{16})[`"]/.exec(read("sw.js"))?.[1] ?? "";
  expect(old).not.toBe("");
  for (const file of ["sw.js", "index.html", "connect.html"]) {
    const text = read(file).replaceAll(old, version);
    writeFileSync(join(at.built, file), before ? text.replaceAll(before, after) : text);
  }
}

it("a new version of the console waits for the user and then takes over without losing data", async () => {
  const { page, context } = await openDevCa(at);
  await issue(page, "before.dev.test");
  const [before, after] = [fileOf(at.built, "style"), "style-AAAAAAAA.css"];
  writeFileSync(join(at.built, after), `${read(before)}\nbody { --marked: yes; }`);
  newVersion("0123456789abcdef", [before, after]);
  await page.reload();
  await page.getByText("new version", { exact: true }).waitFor();
  const marked = (): Promise<unknown> =>
    page.evaluate("getComputedStyle(document.body).getPropertyValue('--marked').trim()");
  expect(await marked()).toBe("");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("button", { name: /^More.*a new version is ready$/ }).click();
  await page.getByRole("dialog", { name: "More" }).getByText("new version").waitFor();
  await page.keyboard.press("Escape");
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.evaluate("location.hash = '#/settings'");
  await page.getByRole("button", { name: "Reload now" }).click();
  await expect.poll(async () => marked().catch(() => "")).toBe("yes");
  await page.evaluate("location.hash = '#/certificates'");
  await page.getByRole("link", { name: "before.dev.test" }).waitFor();
  await context.close();
});

it("calls of all windows wait while a new version takes over, and are then sent", async () => {
  const { page, context } = await openDevCa(at);
  await page.evaluate("location.hash = '#/settings'");
  newVersion("fedcba9876543210");
  await page.evaluate(`
    navigator.serviceWorker.getRegistration().then((found) => found.update());
    const { postMessage } = ServiceWorker.prototype;
    ServiceWorker.prototype.postMessage = function (...sent) {
      globalThis.takeOver = () => postMessage.apply(this, sent);
    };
  `);
  const other = await context.newPage();
  await other.goto(`${at.url}#/certificates`);
  await other.locator("tbody a").first().waitFor();
  await other.evaluate(`
    globalThis.seen = [];
    const sent = fetch;
    globalThis.fetch = (...call) => (seen.push("call"), sent(...call));
    navigator.serviceWorker.addEventListener("controllerchange", () => seen.push("new version"));
  `);
  await page.getByRole("button", { name: "Reload now" }).click();
  await expect.poll(() => page.evaluate("Boolean(globalThis.takeOver)")).toBe(true);
  await other.evaluate("location.hash = '#/roles'");
  await other.getByRole("heading", { level: 1, name: "Roles" }).waitFor();
  await other.locator("main .loading").first().waitFor();
  await page.evaluate("takeOver()");
  await other.getByRole("link", { name: "dev-server" }).waitFor();
  expect(
    await other.evaluate("[seen[0], seen.lastIndexOf('new version'), seen.length > 1]"),
  ).toEqual(["new version", 0, true]);
  await context.close();
});
