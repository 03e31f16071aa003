import { X509Certificate } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { Page } from "playwright";
import { fileOf } from "../support/built.ts";
import { remote, type Remote } from "./remote.ts";
import { devCa, host, openDevCa, openWindow, type Host, type Window } from "./support.ts";

let at: Host;
/** The same page with a chunk of code for each view. */
let chunked: Host;
let open: Remote;
let shut: Remote;
let window: Window | undefined;

beforeAll(async () => {
  at = await host({ headers: true, worker: "kept" });
  chunked = await host({ headers: true, worker: "kept", chunks: true });
  const origins = [at, chunked].map(({ url }) => new URL(url).origin);
  [open, shut] = await Promise.all([remote(origins), remote([])]);
});
afterEach(async () => {
  open.instead = undefined;
  await window?.context.close();
  window = undefined;
});
afterAll(async () => {
  await Promise.all([open.close(), shut.close()]);
  await Promise.all([at.close(), chunked.close()]);
});

async function connectPage(view = "settings", on = at): Promise<Page> {
  window = await openWindow({ ...on, url: `${on.url}connect.html` }, view);
  return window.page;
}

async function connect(page: Page, base: string, token: string, mount = "pki"): Promise<void> {
  await page.evaluate("location.hash = '#/settings'");
  await page.getByLabel("Address").fill(base);
  await page.getByLabel("Mount").fill(mount);
  await page.getByLabel("Token", { exact: true }).fill(token);
  await page.getByRole("button", { name: "Connect", exact: true }).click();
}

it("a rejected token, a missing mount and a server without the API are reported at once, and nothing is connected", async () => {
  const page = await connectPage();
  await connect(page, open.base, "wrong");
  await page.getByRole("alert").getByText("The token is invalid or has expired.").waitFor();
  expect(await page.getByText("Not connected").count()).toBeGreaterThan(0);
  expect(await page.getByLabel("Address").inputValue()).toBe(open.base);
  await connect(page, open.base, open.token, "nonesuch");
  await page.getByRole("alert").getByText("nonesuch: no such mount.").waitFor();
  open.instead = (_, response) => {
    response
      .writeHead(200, {
        "Content-Type": "text/html",
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Allow-Headers": "*",
      })
      .end("<h1>Welcome</h1>");
    return true;
  };
  await connect(page, open.base, open.token);
  await page
    .getByRole("alert")
    .getByText("this address returned a web page, not the API", { exact: false })
    .waitFor();
  expect(await page.getByText("Not connected").count()).toBeGreaterThan(0);
  open.instead = undefined;
  await connect(page, open.base, open.token);
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await page
    .getByRole("button", { name: /^127\.0\.0\.1/ })
    .first()
    .waitFor();
});

it.each(["pki/roles", "sys"])(
  "the page does not sign in at the mount %s, which is a path below another mount, or with a rejected token",
  async (mount) => {
    const page = await connectPage();
    await connect(page, open.base, open.token, mount);
    await page.getByRole("alert").getByText(`${mount}: no such mount.`).waitFor();
    await connect(page, open.base, "wrong", mount);
    await page.getByRole("alert").getByText("The token is invalid or has expired.").waitFor();
    await connect(page, open.base, open.token, "../sys");
    await page.getByText("../sys: not a valid mount name", { exact: false }).waitFor();
    await connect(page, open.base, "s.tökeñ");
    await page.getByText("A token can contain only printable ASCII", { exact: false }).waitFor();
    expect(await page.getByText("Not connected").count()).toBeGreaterThan(0);
  },
);

it("a token is accepted if the mount accepts it and the server is too old to look it up", async () => {
  const page = await connectPage();
  open.instead = ({ url, method }, response) => {
    if (method === "OPTIONS" || url !== "/v1/auth/token/lookup-self") return false;
    const text = JSON.stringify({ errors: ["no handler for route"] });
    response
      .writeHead(404, { "Content-Type": "application/json", "Access-Control-Allow-Origin": "*" })
      .end(text);
    return true;
  };
  await connect(page, open.base, "wrong");
  await page.getByRole("alert").getByText("The token is invalid or has expired.").waitFor();
  await connect(page, open.base, open.token);
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
});

it("a server that does not allow the page's origin is distinguished from wrong input, and the setting is named", async () => {
  const page = await connectPage();
  await connect(page, shut.base, shut.token);
  const said = page.getByRole("alert");
  await said.getByText("ALLOWED_ORIGINS").waitFor();
  expect(await said.innerText()).toContain(new URL(at.url).origin);
  expect(await page.evaluate("sessionStorage.length")).toBe(0);
});

it("an error message is shown as a sentence, and a token that is rejected later leads to the sign-in", async () => {
  const page = await connectPage();
  await connect(page, open.base, open.token);
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await page.evaluate("sessionStorage.setItem('sealwright-connection', '{}')");
  open.instead = (request, response) => {
    if (request.method === "OPTIONS") return false;
    const errors = ["2 errors occurred:\n\t* permission denied\n\t* invalid token\n\n"];
    response
      .writeHead(403, { "Content-Type": "application/json", "Access-Control-Allow-Origin": "*" })
      .end(JSON.stringify({ errors }));
    return true;
  };
  await page.evaluate("location.hash = '#/roles'");
  const said = page.getByRole("alert");
  await said.getByText("permission denied; invalid token", { exact: true }).waitFor();
  // Only the address remains, so that a reload does not ask to confirm it.
  expect(await page.evaluate("JSON.stringify(sessionStorage)")).toBe(
    JSON.stringify({ "sealwright-used": JSON.stringify([open.base]) }),
  );
  expect(await page.locator("main").innerText()).not.toContain("U+000A");
  await said.getByRole("button", { name: "Sign in again" }).click();
  const host = new URL(open.base).host;
  await page.getByRole("heading", { level: 1, name: `Sign in to ${host}` }).waitFor();
});

const scriptOf = (name: string): string => readFileSync(join(chunked.built, name), "utf8");
const filesIn = (script: string, pattern: RegExp): readonly string[] =>
  [...script.matchAll(pattern)].map(([, file = ""]) => file);
/** Returns the files of views that are loaded when first shown. */
function views(): readonly string[] {
  const main = scriptOf(fileOf(chunked.built, "main"));
  const shell = [main, ...filesIn(main, /(?:from|import)"\.\/([^"]+\.js)"/g).map(scriptOf)];
  const found = shell.flatMap((script) =>
    filesIn(script, /\(await import\("\.\/([^"]+)"\)\)\.[A-Z]/g),
  );
  expect(found.length).toBeGreaterThan(10);
  // a page with Web Crypto never shows the view for browsers without it
  const shown = found.filter((file) => !scriptOf(file).includes(" as Insecure"));
  expect(shown).toHaveLength(found.length - 1);
  return shown;
}
const namesFetched = `performance.getEntriesByType("resource").map(({ name }) => name.split("/").at(-1))`;

it("a lost connection is reported in every view until it returns, and all views work without it", async () => {
  const page = await connectPage("settings", chunked);
  await connect(page, open.base, open.token);
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await page.getByText("No authorities yet").waitFor();
  // The rest of the page is loaded in the background, so that every view works without a
  // connection.
  await expect
    .poll(() => page.evaluate(namesFetched))
    .toEqual(expect.arrayContaining([...views()]));
  // otherwise a chunk that fails is reported only when its view is opened
  const parts = readdirSync(chunked.built).filter((file) => /^part-.+\.js$/.test(file));
  expect(parts.length).toBeGreaterThan(100);
  const imports = parts.map((file) => `import("./${file}")`);
  await page.evaluate(`Promise.all([${imports.join()}])`);
  await window?.context.setOffline(true);
  await page.evaluate("location.hash = '#/certificates'");
  await page
    .getByRole("status")
    .getByText(/^No connection since \d\d:\d\d/)
    .waitFor();
  await page.evaluate("location.hash = '#/roles'");
  await page.getByRole("heading", { level: 1, name: "Roles" }).waitFor();
  await page
    .getByRole("status")
    .getByText(/^No connection since/)
    .waitFor();
  await page.getByRole("button", { name: "Try again" }).waitFor();
  await window?.context.setOffline(false);
  // No click is needed.
  await page
    .getByRole("status")
    .getByText(/^No connection since/)
    .waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Try again" }).waitFor({ state: "detached" });
  // The same if the server is down, which the browser does not report.
  open.instead = (_, response) => Boolean(response.destroy());
  await page.evaluate("location.hash = '#/keys'");
  await page
    .getByRole("status")
    .getByText(/^No connection since/)
    .waitFor();
  open.instead = undefined;
  await page.getByText("The page retries automatically").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Try again" }).waitFor({ state: "detached" });
});

it("a view whose code cannot be loaded says so under a title and offers to reload the page", async () => {
  const page = await connectPage("settings", chunked);
  const scripts = readdirSync(chunked.built).filter((file) => file.endsWith(".js"));
  const later = new Set(
    scripts.flatMap((script) =>
      [
        ...readFileSync(join(chunked.built, script), "utf8").matchAll(/import\("\.\/([^"]+)"\)/g),
      ].map(([, file]) => file),
    ),
  );
  expect(later.size).toBeGreaterThan(2);
  const isLater = (url: URL): boolean => later.has(url.pathname.split("/").at(-1));
  await page.context().route(isLater, (route) => route.abort());
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "This view could not be loaded" }).waitFor();
  await page.context().unroute(isLater);
  await page.getByRole("button", { name: "Reload the page" }).click();
  await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
});

it("a setup template on a Worker states where the keys will be, and creates them there", async () => {
  const page = await connectPage();
  await connect(page, open.base, open.token);
  await page.getByRole("link", { name: "Use a template" }).click();
  const where = new URL(open.base).host;
  await page
    .getByRole("heading", { level: 1, name: `A certificate authority, on ${where}` })
    .waitFor();
  expect(await page.locator("main").innerText()).not.toMatch(
    /in this tab|made here|window seems to forget/,
  );
  await page.getByRole("button", { name: /^Dev CA/ }).click();
  await page.getByRole("heading", { level: 1, name: "Issue a certificate" }).waitFor();
  const listed = await fetch(`${open.base}/v1/pki/issuers?list=true`);
  expect(((await listed.json()) as { data: { keys: readonly string[] } }).data.keys.length).toBe(2);
  // the URLs are set before the first CA is signed
  const { certificate } = await open.ca.pki.readIssuer({ issuer_ref: "dev-servers" });
  expect(new X509Certificate(certificate).infoAccess).toContain(`URI:${open.base}/v1/pki/`);
});

it("a window without service workers explains on the start page what is unavailable and what still works", async () => {
  window = await openWindow(at);
  await window.context.addInitScript(
    "for (const name of ['serviceWorker', 'storage']) Object.defineProperty(navigator, name, { value: undefined })",
  );
  const { page } = window;
  await page.goto("about:blank");
  await page.goto(at.url);
  await page
    .getByRole("heading", { level: 1, name: "A certificate authority, in this tab" })
    .waitFor();
  await page.getByText("This window cannot store an authority").waitFor();
  expect(await page.getByRole("button", { name: /^Dev CA/ }).isDisabled()).toBe(true);
  await page.getByRole("link", { name: "inspect a file" }).click();
  await page.getByRole("heading", { level: 1, name: "Inspect" }).waitFor();
  await page.evaluate("location.hash = '#/settings'");
  await page
    .getByRole("region", { name: "Storage" })
    .getByText("This window cannot store an authority")
    .waitFor();
  expect(window.complaints).toEqual([]);
});

it("if storage is blocked, theme and connection last until a reload, and nothing fails", async () => {
  window = await openWindow({ ...at, url: `${at.url}connect.html` }, "settings");
  const forbid = (name: string): string =>
    `Object.defineProperty(window, '${name}', { get() { throw new DOMException('no', 'SecurityError') } })`;
  await window.context.addInitScript(`${forbid("sessionStorage")}; ${forbid("localStorage")}`);
  const { page, complaints } = window;
  await page.reload();
  await page.getByLabel("Keep me signed in until this tab closes").check();
  await connect(page, open.base, open.token);
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await page.getByText("you must sign in again after a reload", { exact: false }).waitFor();
  await page.getByRole("button", { name: /theme$/ }).click();
  expect(complaints.filter((text) => !text.startsWith(`request to ${open.base}/`))).toEqual([]);
});

it("an action that exceeds the browser's storage quota is reported, and can be repeated later", async () => {
  window = await openWindow(at);
  const { page, context } = window;
  await devCa(page);
  const [worker] = context.serviceWorkers();
  await worker?.evaluate(
    "self.held = IDBObjectStore.prototype.put; IDBObjectStore.prototype.put = () => { throw new DOMException('no room', 'QuotaExceededError') }",
  );
  await page.evaluate("location.hash = '#/issue/dev-server?name=full.dev.test'");
  await page.getByLabel("Name 1", { exact: true }).fill("full.dev.test");
  await page.getByRole("button", { name: "Issue certificate" }).click();
  await page.getByRole("alert").getByText("storage is full", { exact: false }).waitFor();
  // The error of one request is not shown for another one.
  await page.getByLabel("Name 1", { exact: true }).fill("other.dev.test");
  await page.getByRole("alert").waitFor({ state: "detached" });
  await worker?.evaluate("IDBObjectStore.prototype.put = self.held");
  await page.getByRole("button", { name: "Issue certificate" }).click();
  await page.getByRole("dialog", { name: "Issued" }).waitFor();
});

it("a lost reply to an issue request is reported as possibly done, with a link to search for the certificate", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await page.getByLabel("Name 1", { exact: true }).fill("lost.dev.test");
  await page.getByText("Nothing was signed or stored.").waitFor();
  await page.evaluate(
    "{ const real = fetch; globalThis.fetch = (url, init) => (String(url).includes('/v1/pki/issue/') ? Promise.reject(new TypeError('lost')) : real(url, init)); }",
  );
  await page.getByRole("button", { name: "Issue certificate" }).click();
  await page
    .getByRole("alert")
    .getByText("the change may have been made", { exact: false })
    .waitFor();
  expect(await page.getByText("Nothing was signed or stored.").count()).toBe(0);
  await page.getByRole("link", { name: "Search for the certificate" }).click();
  await page.getByRole("heading", { level: 1, name: "Certificates" }).waitFor();
  expect(page.url()).toContain("q=lost.dev.test");
});

it("the start page of a mount that already has CAs says so before anything is pressed", async () => {
  window = await openWindow(at);
  const { page } = window;
  await page.getByRole("button", { name: /^Dev CA/ }).waitFor();
  expect(await page.getByText("already has CAs").count()).toBe(0);
  await devCa(page);
  await page.evaluate("location.hash = '#/start'");
  await page.getByText("This mount already has CAs").waitFor();
  await page.getByRole("link", { name: "Show the existing CAs" }).click();
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
});
