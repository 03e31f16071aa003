import { existsSync, readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import type { Page } from "playwright";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { servePage } from "../../src/host/page.ts";
import { openIdProvider, type OpenIdProvider } from "../auth/jwt/openid-provider.ts";
import { dial } from "../net/tls-fixture.ts";
import { remote, type Remote } from "./remote.ts";
import { devCa, host, openWindow, type Host, type Window } from "./support.ts";

let at: Host;
let worker: Remote;
let provider: OpenIdProvider;
let served: Host;
let name: string;
let window: Window | undefined;

const asset = (url: string): Response => {
  const file = join(at.built, new URL(url).pathname.slice("/demo/".length));
  return existsSync(file) ? new Response(readFileSync(file)) : new Response(null, { status: 404 });
};
async function page(path: string, response: ServerResponse): Promise<void> {
  const url = new URL(path, worker.base);
  const headers = { "accept-encoding": "gzip, deflate, br" };
  const answer = await servePage(new Request(url, { headers }), url, {
    fetch: async (request) => asset(new Request(request).url),
  });
  response
    .writeHead(answer.status, Object.fromEntries(answer.headers))
    .end(Buffer.from(await answer.arrayBuffer()));
}

beforeAll(async () => {
  at = await host({ worker: "kept" });
  worker = await remote([], Date.now, {
    dial: () => dial(provider.port),
    resolve: async ({ type }) => (type === "A" ? ["10.1.2.3"] : []),
  });
  provider = await openIdProvider(`${worker.base}/demo/`);
  worker.instead = ({ url = "" }, response) => {
    if (url.startsWith("/demo/")) void page(url, response);
    return url.startsWith("/demo/");
  };
  served = { ...at, url: `${worker.base}/demo/` };
  name = new URL(worker.base).host;
});
afterEach(async () => {
  expect(window?.complaints).toEqual([]);
  await window?.context.close();
  window = undefined;
});
afterAll(async () => {
  provider.close();
  await worker.close();
  await at.close();
});

async function opened(on: Host, view = ""): Promise<Page> {
  window = await openWindow(on, view);
  return window.page;
}
const asksFor = (shown: Page): Promise<void> =>
  shown.getByRole("heading", { level: 1, name: `Sign in to ${name}` }).waitFor();
const signIn = (shown: Page): Promise<void> => signInAt(shown, "Sign in");
async function signInAt(shown: Page, button: string): Promise<void> {
  await shown.getByLabel("Token", { exact: true }).fill(worker.token);
  await shown.getByRole("button", { name: button, exact: true }).click();
}
const heading = (shown: Page, text: string): Promise<void> =>
  shown.getByRole("heading", { level: 1, name: text }).waitFor();

it("a page served by a Worker asks for its token, also after a reload and in another tab, and shows no other authority", async () => {
  const shown = await opened(served);
  await asksFor(shown);
  await shown.getByRole("button", { name: "Sign in" }).click();
  await shown.getByText("Enter a token").waitFor();
  await signIn(shown);
  await heading(shown, "Overview");
  await shown.getByText("No authorities yet").waitFor();
  expect(shown.url()).toContain("?mount=pki");
  await shown.evaluate("location.hash = '#/certificates?status=soon'");
  await heading(shown, "Certificates");
  await shown.reload();
  await asksFor(shown);
  const other = await shown.context().newPage();
  await other.goto(shown.url());
  await asksFor(other);
  await signIn(other);
  await heading(other, "Certificates");
  expect(new URL(other.url()).hash).toBe("#/certificates?status=soon");
  expect(
    await other.evaluate("JSON.stringify({ ...sessionStorage, ...localStorage }) + location.href"),
  ).not.toContain(worker.token);
});

it("on a Worker the browser's authority is a labelled sandbox, and leaving it after a reload asks to sign in again", async () => {
  const shown = await opened(served);
  await asksFor(shown);
  await signIn(shown);
  await heading(shown, "Overview");
  await shown.getByRole("button", { name: `${name} mount pki` }).click();
  await shown
    .getByRole("listitem")
    .filter({ hasText: "Browser sandbox" })
    .getByRole("button", { name: "Use" })
    .click();
  await heading(shown, "A sandbox authority, in this tab");
  expect(shown.url()).toContain("?at=browser");
  await shown
    .getByText(`Sandbox: this authority lives in this browser only. Nothing here is on ${name}.`)
    .waitFor();
  await devCa(shown);
  await shown.reload();
  await shown.getByText("Nothing here is on").waitFor();
  // The reload has dropped the Worker's token, which was not to be stored.
  await shown.getByRole("button", { name: "Leave the sandbox" }).click();
  await asksFor(shown);
  await shown.goBack();
  await heading(shown, "Issue a certificate");
  await shown.getByText("Nothing here is on").waitFor();
});

it("a URL that names a Worker which the page cannot call opens no authority and leads to connect.html", async () => {
  const shown = await opened({ ...at, url: `${at.url}?at=https://far.example&mount=two` }, "roles");
  await heading(shown, "Connect to a server");
  expect(
    await shown.getByRole("link", { name: "Use connect.html instead" }).getAttribute("href"),
  ).toBe("connect.html?at=https://far.example&mount=two#/roles");
});

it("the sign-in focuses the token field and has no search, and afterwards the title has the focus", async () => {
  const shown = await opened(served);
  await asksFor(shown);
  await expect.poll(() => shown.evaluate("document.activeElement.type")).toBe("password");
  await shown
    .getByText("On a new server, use the root token, which is in the file data/root-token")
    .waitFor();
  expect(await shown.getByRole("search").count()).toBe(0);
  await signIn(shown);
  await heading(shown, "Overview");
  await expect.poll(() => shown.evaluate("document.activeElement.tagName")).toBe("H1");
});

it("a token pasted into the search is not searched for", async () => {
  const shown = await opened(served);
  await asksFor(shown);
  await signIn(shown);
  await heading(shown, "Overview");
  const asked: string[] = [];
  shown.on("request", (request) => asked.push(request.url()));
  await shown.getByRole("button", { name: "Search or go to" }).click();
  await shown.getByRole("combobox", { name: "Search or go to" }).fill(worker.token);
  await shown.getByText("This looks like a token, so it was not searched for").waitFor();
  expect(await shown.getByRole("combobox", { name: "Search or go to" }).inputValue()).toBe("");
  await shown.keyboard.press("Escape");
  await shown.evaluate("location.hash = '#/certificates'");
  await heading(shown, "Certificates");
  expect(`${shown.url()} ${asked.join(" ")}`).not.toContain(worker.token);
});

it.each(["../zzz", "../sys"])(
  "a link with the mount %s calls no server and explains why",
  async (mount) => {
    const shown = await opened({ ...served, url: `${served.url}?mount=${mount}` }, "roles");
    await heading(shown, "Connect to a server");
    await shown.getByText(`${mount}: not a valid mount name`, { exact: false }).waitFor();
    await signInAt(shown, "Connect");
    await heading(shown, "Roles");
    expect(new URL(shown.url()).searchParams.get("mount")).toBe("pki");
  },
);

it("a page opened over HTTP with a host name explains what to do instead of asking for a token", async () => {
  window = await openWindow(at);
  const { context } = window;
  const sent: string[] = [];
  await context.route("http://ca.example.test/**", async (route) => {
    const path = new URL(route.request().url()).pathname;
    sent.push(path);
    await route.fulfill({
      path: join(at.built, path === "/demo/" ? "index.html" : path.slice("/demo/".length)),
    });
  });
  const shown = await context.newPage();
  await shown.goto("http://ca.example.test/demo/");
  await heading(shown, "This connection is not secure");
  await shown.getByText("ssh -L 80:127.0.0.1:80 ca.example.test").waitFor();
  expect(await shown.locator("input").count()).toBe(0);
  expect(sent.filter((path) => !path.startsWith("/demo/"))).toEqual([]);
  window.complaints.splice(
    0,
    Infinity,
    ...window.complaints.filter(
      (text) => !text.startsWith("request to http://ca.example.test/demo/"),
    ),
  );
});

const refuse = "() => { throw new DOMException('The operation is insecure.', 'SecurityError') }";
const blocked = `
  globalThis.BroadcastChannel = class { constructor() { (${refuse})() } };
  for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'caches']) Object.defineProperty(globalThis, name, { get: ${refuse} });
  if (navigator.serviceWorker) for (const name of ['register', 'getRegistration']) navigator.serviceWorker[name] = () => Promise.reject(new DOMException('The operation is insecure.', 'SecurityError'));
  if (navigator.storage) for (const name of ['persisted', 'estimate', 'persist', 'getDirectory']) navigator.storage[name] = () => Promise.reject(new DOMException('no', 'SecurityError'));`;

it("if site data is blocked, the start page explains what does not work, and a Worker can still be administered", async () => {
  window = await openWindow(at, "inspect");
  const { page: shown, context } = window;
  await context.addInitScript(blocked);
  await shown.goto("about:blank");
  await shown.goto(at.url);
  await heading(shown, "A certificate authority, in this tab");
  await shown
    .getByText(
      "This window cannot store an authority. The browser reports: The operation is insecure. The usual cause is a setting that blocks site data.",
    )
    .waitFor();
  await shown.goto(`${worker.base}/demo/`);
  await asksFor(shown);
  await shown.getByLabel("Keep me signed in until this tab closes").check();
  await signIn(shown);
  await shown.getByText("you must sign in again after a reload").waitFor();
  await heading(shown, "Overview");
  await shown.getByRole("button", { name: "Create a root" }).click();
  await shown.getByLabel("Common name").fill("Far Root");
  await shown.getByRole("button", { name: "Create authority" }).click();
  await shown.getByRole("link", { name: "Far Root" }).waitFor();
  window.complaints.splice(
    0,
    Infinity,
    ...window.complaints.filter((text) => !text.startsWith(`request to ${worker.base}/`)),
  );
});

/** Calls the server as root. */
async function configure(path: string, body: object): Promise<void> {
  const { status } = await fetch(`${worker.base}/v1/${path}`, {
    method: "POST",
    headers: { "X-Service-Token": worker.token },
    body: JSON.stringify(body),
  });
  expect([path, status]).toEqual([path, 204]);
}

it("single sign-on returns to the requested view, explains errors and unsolicited responses, and stores no code", async () => {
  const redirectUri = `${worker.base}/demo/`;
  await configure("sys/auth/oidc", { type: "oidc", description: "Company account" });
  await configure("sys/auth/oidc/tune", { listing_visibility: "unauth" });
  await configure("auth/oidc/config", {
    oidc_discovery_url: provider.issuer,
    oidc_discovery_ca_pem: provider.ca,
    ...provider.client,
    default_role: "people",
  });
  const role = { role_type: "oidc", user_claim: "sub", token_policies: "pki-admin" };
  await configure("auth/oidc/role/people", {
    ...role,
    allowed_redirect_uris: "http://127.0.0.1:1/elsewhere",
  });
  const shown = await opened(served, "access");
  let change = (response: URL): void => void response;
  // the provider authenticates the user without showing a page
  await shown.route(`${provider.issuer}/**`, async (route) => {
    const response = await provider.authorize(route.request().url(), redirectUri);
    change(response);
    await route.fulfill({ status: 302, headers: { location: response.href } });
  });
  const signInByProvider = async (): Promise<void> => {
    await asksFor(shown);
    await shown.getByRole("tab", { name: "Company account", selected: true }).waitFor();
    await shown.getByRole("button", { name: "Sign in with Company account" }).click();
  };
  const alert = (text: string | RegExp): Promise<void> =>
    shown.getByRole("alert").getByText(text).waitFor();
  const stored = (): Promise<string> =>
    shown.evaluate("JSON.stringify({ ...sessionStorage, ...localStorage })");
  await signInByProvider();
  await alert(`An administrator must add ${redirectUri} to its allowed_redirect_uris`);
  await configure("auth/oidc/role/people", { ...role, allowed_redirect_uris: redirectUri });
  change = ({ searchParams }) => searchParams.set("state", "of-somebody-else");
  await signInByProvider();
  await alert("to a sign-in that this tab did not begin");
  expect(new URL(shown.url()).search).toBe("?mount=pki");
  change = ({ searchParams }) => {
    searchParams.delete("code");
    searchParams.set("error", "access_denied");
  };
  await signInByProvider();
  await alert("The identity provider did not sign you in (access_denied).");
  expect(await stored()).not.toContain("client_nonce");
  change = () => undefined;
  await shown.getByLabel("Keep me signed in until this tab closes").check();
  await signInByProvider();
  await heading(shown, "Access");
  await shown.getByRole("link", { name: /^Signed in as .*alice, until/ }).waitFor();
  expect(new URL(shown.url()).href).toBe(`${redirectUri}?mount=pki#/access`);
  await shown.reload();
  await heading(shown, "Access");
  expect(await stored()).not.toContain("client_nonce");
  await shown.getByRole("button", { name: "Sign out" }).click();
  await shown.getByRole("button", { name: "Sign out and revoke" }).click();
  await asksFor(shown);
  await shown.goto(`${redirectUri}?code=stolen&state=unknown#/roles`);
  await alert("to a sign-in that this tab did not begin");
  expect(shown.url()).toBe(`${redirectUri}#/roles`);
  // a login method of type jwt with such a role starts at the provider too
  await configure("sys/auth/corp", { type: "jwt", description: "Corp" });
  await configure("sys/auth/corp/tune", { listing_visibility: "unauth" });
  await configure("auth/corp/config", {
    oidc_discovery_url: provider.issuer,
    oidc_discovery_ca_pem: provider.ca,
    ...provider.client,
    default_role: "people",
  });
  await configure("auth/corp/role/people", { ...role, allowed_redirect_uris: redirectUri });
  await shown.reload();
  await shown.getByText("Advanced").click();
  await shown.getByLabel("Path of the method").fill("nowhere");
  await shown.getByRole("button", { name: "Sign in with Company account" }).click();
  await alert("There is no login method with single sign-on at auth/nowhere.");
  await shown.getByRole("tab", { name: "Corp" }).click();
  await shown.getByRole("button", { name: "Sign in with Corp" }).click();
  await shown.getByRole("link", { name: "Signed in as alice" }).waitFor();
  await shown.reload();
  await shown.getByRole("tab", { name: "Corp", selected: true }).waitFor();
  window?.complaints.splice(
    0,
    Infinity,
    ...window.complaints.filter((text) => !text.startsWith(`request to ${provider.issuer}/`)),
  );
});
