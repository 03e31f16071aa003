import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { newPolicyText } from "../../demo/routes/access/policy-text.ts";
import { makeCsr } from "../../src/index.ts";
import { servePage } from "../../src/host/page.ts";
import { remote, type Remote } from "./remote.ts";
import { host, openWindow, type Host, type Window } from "./support.ts";
import { viewIds } from "./views.ts";

let at: Host;
let server: Remote;
let window: Window | undefined;
let serial = "";

/** Calls the API as root. */
async function call(method: string, path: string, body?: object) {
  const response = await server.ca.fetch(
    new Request(`${server.base}/v1/${path}`, {
      method,
      headers: { "X-Service-Token": server.token, "Content-Type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    }),
  );
  const reply = (await response.json().catch(() => ({}))) as { data?: Data; auth?: Data };
  if (!response.ok)
    throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(reply)}`);
  return reply.data ?? reply.auth ?? {};
}
type Data = Readonly<Record<string, unknown>>;

const asset = (url: string): Response => {
  const file = join(at.built, new URL(url).pathname.slice("/demo/".length));
  return existsSync(file) ? new Response(readFileSync(file)) : new Response(null, { status: 404 });
};

beforeAll(async () => {
  at = await host();
  server = await remote([]);
  server.instead = ({ url = "" }, response) => {
    if (!url.startsWith("/demo/")) return false;
    const asked = new URL(url, server.base);
    void servePage(new Request(asked), asked, {
      fetch: async (request) => asset(new Request(request).url),
    }).then(async (answer) =>
      response
        .writeHead(answer.status, Object.fromEntries(answer.headers))
        .end(Buffer.from(await answer.arrayBuffer())),
    );
    return true;
  };
  await call("POST", "sys/mounts/pki", { type: "pki" }).catch(() => undefined);
  await call("POST", "pki/root/generate/internal", { common_name: "Test Root", ttl: "9000h" });
  await call("POST", "pki/roles/web", {
    allowed_domains: "test",
    allow_subdomains: true,
    ttl: "24h",
    key_type: "ec",
  });
  await call("POST", "pki/roles/mail", {
    allowed_domains: "test",
    allow_subdomains: true,
    ttl: "24h",
    key_type: "ec",
  });
  serial = String(
    (await call("POST", "pki/issue/web", { common_name: "a.test", ttl: "1h" }))["serial_number"],
  );
  await call("POST", "sys/policies/acl/proposed", { policy: newPolicyText("pki") });
});
afterEach(async () => {
  expect(window?.complaints ?? []).toEqual([]);
  await window?.close();
  window = undefined;
});
afterAll(async () => {
  await server.close();
  await at.close();
});

/** Creates a token with a policy. */
const tokenWith = async (policy: string): Promise<string> =>
  String((await call("POST", "auth/token/create", { policies: [policy] }))["client_token"]);

/** Opens the console and signs in with a new token. */
async function signedIn(policy: string, view = "", mount = "pki"): Promise<Page> {
  window = await openWindow({ ...at, url: `${server.base}/demo/?mount=${mount}` }, view);
  return signIn(window, policy);
}

/** Signs in with a new token. */
async function signIn(window: Window, policy: string): Promise<Page> {
  await window.page.getByLabel("Token", { exact: true }).fill(await tokenWith(policy));
  await window.page.getByRole("button", { name: "Sign in", exact: true }).click();
  await window.page.getByRole("navigation", { name: "Main", exact: true }).waitFor();
  return window.page;
}

/** Returns the calls that the server has refused for lack of permission. */
async function refusals(): Promise<readonly string[]> {
  const { key_info: events = {} } = (await call(
    "GET",
    "sys/audit/events?list=true&limit=1000",
  )) as {
    key_info?: Readonly<Record<string, Data>>;
  };
  return Object.entries(events)
    .filter(([id]) => id.includes("-refusal-"))
    .map(([, { method, mount, path }]) => `${String(method)} ${String(mount)}${String(path)}`);
}

const parts = [
  "roles/web",
  "roles/new",
  "keys/managed",
  "revocation/ocsp",
  "revocation/urls",
  "revocation/tidy",
  "acme/accounts",
  "acme/settings",
  "acme/try",
  "access/policies",
  "access/tester",
  "access/tokens",
  "access/logins",
  "access/entities",
  "access/policies/default",
  "system/backup",
  "system/mounts",
  "system/leases",
];

/** Opens a view and waits until everything in it has loaded. */
async function show(page: Page, view: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(`#/${view}`)}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.locator("main [aria-busy=true]").first().waitFor({ state: "detached" });
}

it.each(["pki-user", "proposed"])(
  "the console sends no call that the policy %s forbids, whichever view the user opens",
  async (policy) => {
    const page = await signedIn(policy);
    for (const view of [...viewIds, ...parts, `certificates/${serial}`]) await show(page, view);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("web");
    await page
      .getByRole("option", { name: /^(Issue with )?web/ })
      .first()
      .waitFor();
    expect(await page.getByRole("option", { name: "New mount" }).count()).toBe(0);
    await page.waitForLoadState("networkidle");
    expect(await refusals()).toEqual([]);
  },
);

it("navigation and buttons that the policy pki-user does not allow are hidden or explained", async () => {
  const page = await signedIn("pki-user");
  const links = page.getByRole("navigation", { name: "Main", exact: true }).getByRole("link");
  // the permissions are known after the first reply
  await expect
    .poll(() => links.allInnerTexts())
    .toEqual([
      "Overview",
      "Issue",
      "Inspect",
      "Roles",
      "Variables\nneeds a token",
      "Access",
      "API reference",
      "Settings",
    ]);
  await show(page, "overview");
  await page.getByRole("link", { name: "Issue a certificate" }).first().waitFor();
  const add = page.getByRole("button", { name: "Add authority" });
  expect(await add.getAttribute("aria-disabled")).toBe("true");
  expect(await add.getAttribute("title")).toBe(
    "Your token lacks update on pki/root/generate/internal",
  );
  // a phone shows no titles
  const reason = page.getByText("Your token lacks update on pki/root/generate/internal");
  expect(await reason.count()).toBe(0);
  await add.dispatchEvent("click");
  await reason.waitFor();
  await page.getByRole("heading", { level: 1 }).focus();
  await reason.waitFor({ state: "detached" });
  await show(page, "keys");
  await page.getByText("Your token lacks list on pki/keys").waitFor();
  // another attempt with the same token would fail too
  expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
  await show(page, "start");
  await page.getByText("Your token lacks update on pki/root/generate/internal").waitFor();
  expect(await page.getByRole("button", { name: /^Dev CA/ }).isDisabled()).toBe(true);
  for (const [view, name, lacks] of [
    ["access/tester", "Test", "update on sys/policies/test"],
    ["access/tokens", "Look up", "update on auth/token/lookup"],
    ["system/leases/pki/", "Revoke all these…", "update and sudo on sys/leases/revoke-prefix/pki"],
  ] as const) {
    await show(page, view);
    const button = page.getByRole("button", { name, exact: true });
    expect(await button.getAttribute("title"), view).toBe(`Your token lacks ${lacks}`);
  }
  await page.getByLabel("Lease ID").fill("pki/");
  expect(
    await page.getByRole("button", { name: "Look up", exact: true }).getAttribute("title"),
  ).toBe("Your token lacks list and sudo on sys/leases/lookup/pki");
  await show(page, "roles");
  const made = page.getByRole("link", { name: "New role" });
  expect(await made.getAttribute("href")).toBeNull();
  await show(page, "issue/web");
  await page.getByRole("link", { name: "Show this role" }).waitFor();
  await show(page, "roles/web");
  await page.getByText(/^Your token lacks (?:patch|update) on pki\/roles\/web/).waitFor();
  expect(await page.getByLabel("Default lifetime").isDisabled()).toBe(true);
  expect(await page.getByRole("button", { name: "Delete…" }).getAttribute("title")).toBe(
    "Your token lacks delete on pki/roles/web",
  );
  await show(page, "overview");
  await page.getByRole("link", { name: "Test Root" }).first().click();
  await page.getByRole("heading", { level: 1, name: "Test Root" }).waitFor();
  await page.locator("main [aria-busy=true]").first().waitFor({ state: "detached" });
  expect(await page.locator("main").getByText("Your token lacks").count()).toBe(0);
  await show(page, "access");
  await page.getByText("pki-user").waitFor();
  expect(await page.getByRole("link", { name: "pki-user" }).count()).toBe(0);
  await page
    .getByRole("row", { name: /^Revoke certificates .* Only with the private key$/ })
    .waitFor();
});

it.each([
  ["pki-user", "issue"],
  ["proposed", "issue/web"],
])(
  "a user with the policy %s issues a certificate, opens it and renews it",
  async (policy, view) => {
    const page = await signedIn(policy, view);
    await page.getByLabel("Name 1", { exact: true }).fill("b.test");
    const role = "web";
    await page.getByLabel("Role", { exact: true }).selectOption(role);
    await page.getByRole("button", { name: "Issue certificate" }).click();
    const dialog = page.getByRole("dialog", { name: "Issued" });
    await dialog.getByLabel("I have saved the key").check();
    await dialog.getByRole("button", { name: "Show certificate" }).click();
    await page.getByRole("heading", { level: 1, name: "b.test" }).waitFor();
    await page.getByText("TLS server certificate from Test Root").waitFor();
    expect(await page.getByRole("link", { name: "Certificates" }).count()).toBe(0);
    await page.getByRole("link", { name: "Renew" }).click();
    await expect.poll(() => page.getByLabel("Role", { exact: true }).inputValue()).toBe(role);
    expect(await page.getByLabel("Name 1", { exact: true }).inputValue()).toBe("b.test");
    await page.getByRole("button", { name: "Renew certificate" }).click();
    await dialog.getByLabel("I have saved the key").waitFor();
    expect(await dialog.getByText("Keep its key file").count()).toBe(policy === "pki-user" ? 1 : 0);
    expect(await refusals()).toEqual([]);
  },
);

it("a user who may not list roles renews with the only role that the policy names", async () => {
  const page = await signedIn("proposed", `certificates/${serial}`);
  await page.getByRole("button", { name: "Renew…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Continue" }).click();
  await expect.poll(() => page.getByLabel("Role", { exact: true }).inputValue()).toBe("web");
});

it("a user signs in with the keyboard alone: the first field has the focus", async () => {
  window = await openWindow({ ...at, url: `${server.base}/demo/?mount=pki` }, "issue");
  const { page } = window;
  await page.locator("input:focus").waitFor();
  await page.keyboard.type(await tokenWith("pki-user"));
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Issue a certificate" }).waitFor();
  await page.getByLabel("Name 1", { exact: true }).waitFor();
});

it("an administrator whose policy allows all paths sees why leases are not listed", async () => {
  const capabilities = '["create", "read", "update", "patch", "delete", "list", "sudo"]';
  await call("POST", "sys/policies/acl/all", {
    policy: `path "*" { capabilities = ${capabilities} }`,
  });
  const page = await signedIn("all", "issue");
  await show(page, "system/leases");
  await page.getByText("Your token lacks list and sudo on sys/leases/lookup").waitFor();
  await page.getByText("The policy default has a rule for exactly this path").waitFor();
});

it("a denied prefix of leases is not attributed to the default policy", async () => {
  const capabilities = '["create", "read", "update", "patch", "delete", "list", "sudo"]';
  await call("POST", "sys/policies/acl/most", {
    policy: `path "*" { capabilities = ${capabilities} }
path "sys/leases/lookup/pki/*" { capabilities = ["deny"] }`,
  });
  const page = await signedIn("most", "issue");
  await show(page, "system/leases/pki/");
  await page.getByText("Your token lacks list and sudo on sys/leases/lookup/pki").waitFor();
  expect(await page.getByText("The policy default has a rule").count()).toBe(0);
});

it("a user with the policy pki-user finds a certificate by serial number and revokes it with the saved key and chain; another key is not sent", async () => {
  const other = await call("POST", "pki/issue/web", { common_name: "o.test", ttl: "1h" });
  const issued = await call("POST", "pki/issue/web", { common_name: "k.test", ttl: "1h" });
  const page = await signedIn("pki-user", "issue");
  await page.getByLabel("Name 1", { exact: true }).waitFor();
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("combobox", { name: "Search or go to" });
  await palette.fill("k.test");
  await page.getByText("Your token cannot list certificates.").waitFor();
  await palette.fill(String(issued["serial_number"]));
  await page.getByRole("option", { name: /^k\.test/ }).waitFor();
  await palette.press("Enter");
  await page.getByRole("button", { name: "Revoke with private key…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.locator("input[type=file]").setInputFiles({
    name: "k.test.key-and-chain.pem",
    mimeType: "application/x-pem-file",
    buffer: Buffer.from(`${String(issued["private_key"])}\n${String(issued["certificate"])}\n`),
  });
  await expect
    .poll(() => dialog.getByLabel("Private key of the certificate").inputValue())
    .toContain("PRIVATE KEY");
  const key = dialog.getByLabel("Private key of the certificate");
  const right = await key.inputValue();
  await key.fill(String(other["private_key"]));
  await dialog.getByLabel(/^Type/).fill("k.test");
  await dialog.getByRole("button", { name: "Revoke", exact: true }).click();
  await dialog
    .getByText("The private key does not match the certificate. It was not sent.")
    .waitFor();
  await key.fill(right);
  await dialog.getByRole("button", { name: "Revoke", exact: true }).click();
  await page
    .getByText(/^Revoked /)
    .first()
    .waitFor();
  expect(await refusals()).toEqual([]);
});

it("a user with the policy pki-user revokes an inspected certificate with its private key and opens its page", async () => {
  const issued = await call("POST", "pki/issue/web", { common_name: "pasted.test", ttl: "1h" });
  window = await openWindow({ ...at, url: `${server.base}/demo/?mount=pki` }, "inspect");
  const { page } = window;
  const paste = page.getByRole("textbox", { name: "PEM, DER as base64 or hex" });
  const verified = page.getByRole("region", { name: "Certificate pasted.test" }).locator("dd");
  await paste.fill(`${String(issued["certificate"])}\n${String(issued["issuing_ca"])}`);
  await verified
    .getByText("not compared with those of this server: you are not signed in")
    .waitFor();
  await page.evaluate("location.hash = '#/issue'");
  await signIn(window, "pki-user");
  await show(page, "inspect");
  await paste.fill(String(issued["certificate"]));
  await page.getByRole("link", { name: "Show this certificate" }).waitFor();
  expect(await page.getByRole("button", { name: "Revoke with this key…" }).count()).toBe(0);
  await paste.fill(`${String(issued["certificate"])}\n${String(issued["private_key"])}`);
  await verified.getByText("a root of this server. Not revoked").waitFor();
  await page.getByRole("button", { name: "Revoke with this key…" }).click();
  const dialog = page.getByRole("dialog");
  expect(await dialog.getByLabel("Private key of the certificate").count()).toBe(0);
  await dialog.getByLabel(/^Type/).fill("pasted.test");
  await dialog.getByRole("button", { name: "Revoke", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  await verified.getByText(/^This server revoked it on /).waitFor();
  await verified.getByText("Revoked", { exact: true }).waitFor();
  const card = page.getByRole("region", { name: "Certificate pasted.test" });
  expect(await card.locator("header .badge").allInnerTexts()).toEqual(["Certificate", "Revoked"]);
  expect(await card.locator(".badge.ok, li.tone-ok").count()).toBe(0);
  expect(await page.getByRole("button", { name: "Revoke with this key…" }).count()).toBe(0);
  const other = await call("POST", "pki/issue/web", { common_name: "other.test", ttl: "1h" });
  await paste.fill(`${String(other["certificate"])}\n${String(other["private_key"])}`);
  await page.clock.setFixedTime(Date.now() + 1_200_000);
  await page.getByRole("button", { name: "Revoke with this key…" }).click();
  await call("POST", "pki/revoke", { serial_number: other["serial_number"] });
  await dialog.getByLabel(/^Type/).fill("other.test");
  await dialog.getByRole("button", { name: "Revoke", exact: true }).click();
  await page.getByText(/^Was already revoked on .* Nothing changed\.$/).waitFor();
  await paste.fill(String(issued["certificate"]));
  await page.getByRole("link", { name: "Show this certificate" }).click();
  await page.getByRole("heading", { level: 1, name: "pasted.test" }).waitFor();
  await page.locator(".state").getByText("Revoked", { exact: true }).waitFor();
  expect(await refusals()).toEqual([]);
});

it("a user who may not list certificates finds those issued in this tab by name until sign-out", async () => {
  const page = await signedIn("pki-user", "issue/web");
  await page.getByLabel("Name 1", { exact: true }).fill("recent.test");
  await page.getByRole("button", { name: "Issue certificate" }).click();
  const issued = page.getByRole("dialog", { name: "Issued" });
  await issued.getByLabel("I have saved the key").check();
  await issued.getByRole("button", { name: "Close" }).click();
  await page.keyboard.press("Control+k");
  const search = page.getByRole("combobox", { name: "Search or go to" });
  await search.fill("nowhere");
  await page.getByText("or open its file in Inspect.").waitFor();
  await search.fill("recent.t");
  const recent = page.getByRole("group", { name: "Recent" });
  await recent.getByRole("option", { name: /^recent\.test.*with role web/ }).waitFor();
  await search.press("Enter");
  await page.getByRole("heading", { level: 1, name: "recent.test" }).waitFor();
  await show(page, "access");
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Sign out", exact: true }).click();
  await page.getByText(/^Signed out of/).waitFor();
  expect(await page.evaluate("JSON.stringify(sessionStorage)")).not.toContain("recent.test");
});

it("a certificate with a lease: the form and the sign-out dialog warn of its revocation, which is not the default", async () => {
  const role = { allowed_domains: "test", allow_subdomains: true, key_type: "ec", ttl: "1h" };
  await call("POST", "pki/roles/leased", { ...role, generate_lease: true });
  const page = await signedIn("pki-user", "issue/leased");
  const note = "they are revoked when the token expires or is revoked";
  await page.locator("#issue").getByText(note).waitFor();
  await page.getByLabel("Name 1", { exact: true }).fill("leased.test");
  await page.getByRole("button", { name: "Issue certificate" }).click();
  const issued = page.getByRole("dialog", { name: "Issued" });
  await issued.getByText(note).waitFor();
  await issued.getByLabel("I have saved the key").check();
  await issued.getByRole("button", { name: "Show certificate" }).click();
  await page.getByRole("heading", { level: 1, name: "leased.test" }).waitFor();
  const leased = new URL(page.url()).hash.split("/").at(-1) ?? "";
  await show(page, "access");
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  const question = page.getByRole("dialog", { name: /^Sign out of/ });
  await question.getByText("all certificates that these tokens issued with a lease").waitFor();
  await question.locator(".btn.primary").getByText("Sign out", { exact: true }).click();
  await page.getByText(/^Signed out of/).waitFor();
  expect(await call("GET", `pki/cert/${leased}`)).toMatchObject({ revocation_time: 0 });
  await call("DELETE", "pki/roles/leased");
});

it("an expired token: each view offers the sign-in, which returns to the view and its input", async () => {
  const url = `${server.base}/demo/?mount=pki`;
  const viewport = { width: 390, height: 844 };
  window = await openWindow({ ...at, url }, "issue/web", { viewport });
  const { page } = window;
  const signInWith = async (token: string): Promise<void> => {
    await page.getByLabel("Token", { exact: true }).fill(token);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
  };
  const name = page.getByLabel("Name 1", { exact: true });
  const outcome = page.getByRole("complementary", { name: "Preview" }).locator(".outcome");
  const again = page.getByRole("button", { name: "Sign in again" });
  const signIn = page.getByRole("heading", { level: 1, name: /^Sign in to / });
  const first = await tokenWith("pki-user");
  await signInWith(first);
  await name.fill("late.test");
  await outcome.getByText("Would be issued").first().waitFor();
  await call("POST", "auth/token/revoke", { token: first });
  await page.getByRole("button", { name: "Issue certificate" }).click();
  await outcome.getByText("Unknown").first().waitFor();
  await show(page, "inspect");
  await again.click();
  await signIn.waitFor();
  await page.evaluate("location.hash = '#/issue/web'");
  await signIn.waitFor();
  const second = await tokenWith("root");
  await signInWith(second);
  await outcome.getByText("Would be issued").first().waitFor();
  expect(await name.inputValue()).toBe("late.test");
  // a form without a draft asks before its input is lost
  await show(page, "roles/web");
  await page.getByLabel("Maximum lifetime").fill("90d");
  await call("POST", "auth/token/revoke", { token: second });
  await page.getByRole("button", { name: "Save role" }).click();
  await again.first().click();
  await page.getByRole("dialog", { name: "Leave without saving?" }).waitFor();
  await page.getByRole("button", { name: "Leave", exact: true }).click();
  await signIn.waitFor();
  expect(new URL(page.url()).hash).toBe("#/roles/web");
});

it("a user with the policy acme-eab creates an external account binding key and gets a command with it", async () => {
  const page = await signedIn("acme-eab", "acme");
  await page.getByRole("button", { name: "New key" }).click();
  const form = page.getByRole("dialog");
  await form.getByText("Your token lacks sudo on pki/acme/new-eab.").waitFor();
  expect(await form.getByLabel("Issue without a challenge").isDisabled()).toBe(true);
  await form.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog", { name: "Key created" });
  await dialog.getByText(`${server.base}/v1/pki/acme/directory`).waitFor();
  const id = await dialog.getByRole("group", { name: "Key ID", exact: true }).innerText();
  await dialog.getByLabel("I have saved the key").check();
  await dialog.getByRole("button", { name: "Close", exact: true }).click();
  await page
    .getByRole("group", { name: "Command for certbot" })
    .filter({ hasText: `--server ${server.base}/v1/pki/acme/directory` })
    .filter({ hasText: `--eab-kid ${id.trim()} ` })
    .waitFor();
  expect(await refusals()).toEqual([]);
});

it("a user with the policy pki-admin opens a certificate by its serial number and revokes it", async () => {
  const page = await signedIn("pki-admin", `certificates/${serial}`);
  await page.getByRole("button", { name: "Revoke…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(/^Type/).fill("a.test");
  await dialog.getByRole("button", { name: "Revoke", exact: true }).click();
  await page
    .getByText(/^Revoked /)
    .first()
    .waitFor();
  expect(await refusals()).toEqual([]);
});

it("a refused call appears in the server's audit log, which these tests check", async () => {
  const headers = { "X-Service-Token": await tokenWith("pki-user") };
  const { status } = await server.ca.fetch(
    new Request(`${server.base}/v1/pki/keys?list=true`, { headers }),
  );
  expect([status, await refusals()]).toEqual([403, ["LIST pki/keys"]]);
});

it("a user who may only read policies learns that one does not exist and that its creation needs update", async () => {
  await call("POST", "sys/policies/acl/reader", {
    policy: 'path "sys/policies/acl/*" { capabilities = ["read"] }',
  });
  const page = await signedIn("reader", "access/policies/absent");
  await page.getByText("There is no policy with this name.").waitFor();
  const create = page.getByRole("button", { name: "Create this policy" });
  expect(await create.getAttribute("title")).toBe(
    "Your token lacks update on sys/policies/acl/absent",
  );
});

it("a rejection that names the missing capability is shown without further advice", async () => {
  const may = (capabilities: string): Promise<Data> =>
    call("POST", "sys/policies/acl/eab-sudo", {
      policy: `path "pki/acme/new-eab" { capabilities = ["create", "update"${capabilities}] }`,
    });
  await may(', "sudo"');
  const page = await signedIn("eab-sudo", "acme");
  await page.getByRole("button", { name: "New key" }).click();
  const form = page.getByRole("dialog");
  await form.getByLabel("Allowed names and addresses").fill("press.test");
  await form.getByLabel("Issue without a challenge").check();
  await may("");
  await form.getByRole("button", { name: "Create key" }).click();
  const alert = form.getByRole("alert");
  await alert.getByText("preauthorized requires the sudo capability on").waitFor();
  expect(await alert.getByText("The token lacks permission").count()).toBe(0);
});

it("every view sends at most six requests with 300 roles, 5,000 certificates and six issuers", async () => {
  await call("POST", "sys/mounts/bulk", { type: "pki" });
  const ids: string[] = [];
  for (const name of ["Bulk Root", "B", "C", "D", "E", "F"]) {
    const root = { common_name: name, key_type: "ec" };
    ids.push(String((await call("POST", "bulk/root/generate/internal", root))["issuer_id"]));
  }
  const [, other, revoked = ""] = ids;
  await call("POST", `bulk/issuer/${revoked}/revoke`);
  const role = { allow_any_name: true, ttl: "24h", key_type: "ec" };
  for (let i = 0; i < 300; i++) await call("POST", `bulk/roles/role-${i}`, role);
  for (let i = 0; i < 30; i++)
    await call("POST", "auth/token/create", { policies: ["default"], ttl: "1h" });
  const keys = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
    "sign",
  ]);
  const csr = await makeCsr(keys, { dns: ["a.test"] });
  const serials: string[] = [];
  for (let i = 0; i < 5000; i++) {
    const signed = await call("POST", "bulk/sign/role-0", { csr, common_name: `${i}.test` });
    serials.push(String(signed["serial_number"]).replaceAll(":", ""));
  }
  const [first = ""] = serials;
  const page = await signedIn("root", "overview", "bulk");
  await show(page, "settings");
  await page.waitForLoadState("networkidle");
  const sent: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/v1/")) sent.push(`${request.method()} ${pathname}`);
  });
  const counts: Record<string, readonly string[]> = {};
  for (const view of [
    "overview",
    "certificates",
    `certificates/${first}`,
    `authorities/${other}`,
    `authorities/${revoked}`,
    "issue",
    "inspect",
    "roles",
    "roles/role-7",
    "roles/new",
    "keys",
    "revocation",
    `revocation/${other}`,
    "revocation/ocsp",
    "revocation/urls",
    "revocation/tidy",
    "acme",
    "est",
    "external",
    "access",
    "access/policies",
    "access/logins",
    "access/tokens",
    "access/entities",
    "acme/accounts",
    "system",
    "system/mounts",
  ]) {
    sent.length = 0;
    await show(page, view);
    await page.waitForLoadState("networkidle");
    counts[view] = [...sent];
  }
  const over = Object.entries(counts).filter(([, { length }]) => length > 6);
  expect(over).toEqual([]);
});
