import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { Locator, Page } from "playwright";
import {
  begun,
  devCa,
  host,
  openDevCa,
  openWindow,
  workspace,
  type Host,
  type Window,
} from "./support.ts";

let at: Host;
let window: Window;
beforeAll(async () => {
  at = await host();
});
afterEach(async () => {
  await window.close();
});
afterAll(async () => {
  await at.close();
});

const focused = (page: Page): Promise<string> =>
  page.evaluate(
    "document.activeElement.getAttribute('aria-label') || document.activeElement.id || document.activeElement.textContent.trim()",
  );
/** Loads the page at a view, like a bookmark. */
async function load(page: Page, view: string): Promise<void> {
  await page.goto(`${at.url}#/${view}`);
  await page.reload();
}

it.each([
  ["certificates", "Filter by name, serial number"],
  ["api", "Filter by path or words"],
  ["variables/default/many", "Filter by key or description"],
])("the filter of the view %s accepts typing after a page load", async (view, label) => {
  window = await openDevCa(at);
  const { page } = window;
  await workspace(
    page,
    "many",
    Array.from({ length: 9 }, (_, i) => ({ key: `host-${i}`, category: "env" })),
  );
  await load(page, view);
  await page.getByLabel(label).focus();
  await page.keyboard.type("host-1");
  await expect.poll(() => page.url()).toContain("host-1");
  expect(await page.getByLabel(label).inputValue()).toBe("host-1");
  expect(await focused(page)).toContain(label);
  expect(window.complaints).toEqual([]);
});

it("a status filter keeps the focus when it is pressed after a page load", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await load(page, "certificates");
  const button = page.getByRole("group", { name: "Status" }).getByRole("button").nth(1);
  await button.focus();
  const name = await focused(page);
  await page.keyboard.press("Enter");
  await expect.poll(() => page.url()).toContain("status=");
  expect(await focused(page)).toBe(name);
});

const api = <T>(page: Page, method: string, path: string, body?: object): Promise<T> =>
  page.evaluate(
    `fetch('./v1/pki/${path}', ${JSON.stringify({ method, headers: { "Content-Type": method === "PATCH" ? "application/merge-patch+json" : "application/json" }, ...(body && { body: JSON.stringify(body) }) })}).then((answer) => (answer.status === 204 ? {} : answer.json()))`,
  );
/** Returns the number of keys and issuers. */
async function counts(page: Page): Promise<readonly [keys: number, issuers: number]> {
  const [keys, issuers] = await Promise.all(
    ["keys", "issuers"].map((path) => api<{ data: { keys: string[] } }>(page, "LIST", path)),
  );
  return [keys?.data.keys.length ?? 0, issuers?.data.keys.length ?? 0];
}
/**
 * Makes calls of the page that match `test` fail with `status`, and counts in `refused` the replies
 * that the page has read.
 */
const refuse = (page: Page, test: string, status: number, error: string): Promise<unknown> =>
  page.evaluate(`{
    const real = fetch;
    const bytes = new TextEncoder().encode(${JSON.stringify(JSON.stringify({ errors: [error] }))});
    const refusal = () =>
      new ReadableStream({
        pull(body) {
          body.enqueue(bytes);
          body.close();
          setTimeout(() => refused++);
        },
      }, { highWaterMark: 0 });
    globalThis.refused = 0;
    globalThis.heal = () => { globalThis.fetch = real; };
    globalThis.fetch = (url, init) =>
      ${test} ? Promise.resolve(new Response(refusal(), { status: ${status} })) : real(url, init);
    undefined;
  }`);
async function addAuthority(page: Page): Promise<Locator> {
  await page.evaluate("location.hash = '#/overview'");
  await page.getByRole("button", { name: "Add authority" }).click();
  const dialog = page.getByRole("dialog", { name: "Add authority" });
  await dialog.waitFor();
  return dialog;
}
const make = (dialog: Locator): Promise<void> =>
  dialog.getByRole("button", { name: "Create authority" }).click();

it("a new CA gets a free API name suggested, and a used name is rejected at its field before anything is created", async () => {
  window = await openDevCa(at);
  const { page } = window;
  const before = await counts(page);
  const dialog = await addAuthority(page);
  await dialog.getByLabel("Common name").pressSequentially("dev servers");
  const name = dialog.getByLabel("Name in the API");
  expect(await name.inputValue()).toBe("dev-servers-2");
  await name.fill("dev-servers");
  await make(dialog);
  await dialog.getByText("dev-servers already exists").waitFor();
  await expect.poll(() => page.evaluate("document.activeElement.value")).toBe("dev-servers");
  expect(await counts(page)).toEqual(before);
  await name.fill("dev-servers-2");
  await make(dialog);
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "dev servers", exact: true }).waitFor();
  expect(await counts(page)).toEqual(before.map((n) => n + 1));
  expect(window.complaints).toEqual([]);
});

it("an invalid IP range is reported at its field, and a rejected CA leaves no key behind", async () => {
  window = await openDevCa(at);
  const { page } = window;
  const before = await counts(page);
  const dialog = await addAuthority(page);
  await dialog.getByLabel("Common name").pressSequentially("Narrow");
  await dialog.getByText("Name constraints").click();
  const only = dialog.getByRole("group", { name: "Permitted" });
  await only.getByLabel("IP ranges").fill("10.0.0.0");
  await dialog.getByText("Name constraints").click();
  await make(dialog);
  await only.getByText("10.0.0.0: not a range").waitFor();
  await expect.poll(() => page.evaluate("document.activeElement.value")).toBe("10.0.0.0");
  await only.getByLabel("IP ranges").fill("");
  await only.getByLabel("Domains", { exact: true }).fill("bücher.test");
  for (let press = 0; press < 3; press++) {
    const answered = page.waitForResponse((response) => response.request().method() === "DELETE");
    await make(dialog);
    await answered;
    await dialog.getByRole("alert").waitFor();
  }
  expect(await counts(page)).toEqual(before);
});

it("a CA that was created but could not be named is kept and shown with an explanation", async () => {
  window = await openDevCa(at);
  const { page } = window;
  const [, before] = await counts(page);
  const dialog = await addAuthority(page);
  await dialog.getByLabel("Common name").pressSequentially("Nameless");
  await refuse(page, "init?.method === 'PATCH'", 400, "issuer name already in use");
  await make(dialog);
  const said = page.getByRole("dialog", { name: "Nameless created" });
  await said.getByText("The CA was created without a name: issuer name already in use").waitFor();
  await said.getByRole("button", { name: "Close" }).click();
  await page.getByRole("link", { name: "Nameless", exact: true }).waitFor();
  expect((await counts(page))[1]).toBe(before + 1);
  await page.getByRole("link", { name: "Dev CA Servers", exact: true }).click();
  await page.getByRole("button", { name: "Cross-sign…" }).click();
  const wizard = page.getByRole("dialog", { name: "Cross-sign Dev CA Servers" });
  await wizard.getByLabel("Name of the new issuer").fill("dev-root");
  await wizard.getByRole("button", { name: "Cross-sign", exact: true }).click();
  await wizard.getByText("dev-root already exists").waitFor();
  expect((await counts(page))[1]).toBe(before + 1);
  await wizard.getByLabel("Name of the new issuer").fill("again");
  await wizard.getByRole("button", { name: "Cross-sign", exact: true }).click();
  await page
    .getByRole("dialog", { name: "Dev CA Servers cross-signed by Dev CA Root" })
    .getByText("The CA was created without a name: issuer name already in use")
    .waitFor();
  expect((await counts(page))[1]).toBe(before + 2);
});

it("only CAs that can sign CAs are offered as signers, and a root template offers none", async () => {
  window = await openDevCa(at);
  const { page } = window;
  const dialog = await addAuthority(page);
  expect(await dialog.getByLabel("Signed by").locator("option").allInnerTexts()).toEqual([
    "Dev CA Root",
  ]);
  await dialog.getByRole("button", { name: "Root", exact: true }).click();
  expect(await dialog.getByLabel("Signed by").count()).toBe(0);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await api(page, "PATCH", "issuer/dev-root", { usage: ["read-only", "crl-signing"] });
  await load(page, "overview");
  await addAuthority(page);
  await dialog.getByRole("button", { name: "Signed by an external CA" }).waitFor();
  expect(await dialog.getByRole("button", { name: "Issuing CA", exact: true }).count()).toBe(0);
  expect(await dialog.getByLabel("Signed by").count()).toBe(0);
});

const press = (page: Page, start: RegExp): Promise<void> =>
  page.getByRole("button", { name: start }).click();
/** Returns the names of roles and issuers, and the default issuer. */
async function made(
  page: Page,
): Promise<{ roles: readonly string[]; issuers: readonly string[]; standard: string | undefined }> {
  const roles = await api<{ data: { keys: string[] } }>(page, "LIST", "roles");
  const { data } = await api<{
    data: { key_info: Record<string, { issuer_name: string; is_default: boolean }> };
  }>(page, "LIST", "issuers");
  const all = Object.values(data.key_info);
  return {
    roles: roles.data.keys,
    issuers: all.map((one) => one.issuer_name).toSorted(),
    standard: all.find((one) => one.is_default)?.issuer_name,
  };
}

it("choosing a setup template again creates a second set and keeps the default issuer", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await load(page, "start");
  await devCa(page);
  expect(await made(page)).toEqual({
    roles: ["dev-server", "dev-server-2"],
    issuers: ["dev-root", "dev-root-2", "dev-servers", "dev-servers-2"],
    standard: "dev-servers",
  });
  expect(await page.getByLabel("Role", { exact: true }).inputValue()).toBe("dev-server-2");
  await page.getByRole("status").filter({ hasText: "Would be issued" }).waitFor();
  await page.getByRole("button", { name: "Issue certificate" }).click();
  const dialog = page.getByRole("dialog", { name: "Issued" });
  await dialog.getByLabel("I have saved the key").check();
  await dialog.getByRole("button", { name: "Show certificate" }).click();
  await page.getByText("Dev CA Root 2", { exact: true }).first().waitFor();
  await page.getByText("Dev CA Servers 2", { exact: true }).first().waitFor();
  expect(window.complaints).toEqual([]);
});

it.each([
  ["creating the role", "init?.method === 'POST' && url.includes('/roles/service-client')"],
  [
    "signing the second issuer",
    "init?.method === 'POST' && url.includes('/sign-intermediate') && init.body.includes('Clients')",
  ],
  ["setting the default", "init?.method === 'POST' && url.includes('/config/issuers')"],
])(
  "a setup template that failed at %s continues there when it is chosen again",
  async (_, test) => {
    window = await openWindow(at);
    const { page } = window;
    await page.waitForURL(/#\/start$/);
    await refuse(page, test, 503, "not now");
    await press(page, /^mTLS/);
    await page.getByRole("alert").getByText("not now").waitFor();
    await press(page, /^mTLS/);
    await expect.poll(() => page.evaluate("refused")).toBe(2);
    await page.getByRole("alert").getByText("not now").waitFor();
    await page.evaluate("heal()");
    await press(page, /^mTLS/);
    await page.getByRole("heading", { level: 1, name: "Issue a certificate" }).waitFor();
    expect(await made(page)).toEqual({
      roles: ["service-client", "service-server"],
      issuers: ["clients", "mtls-root", "services"],
      standard: "services",
    });
    expect((await counts(page))[0]).toBe(3);
  },
);

it("a setup template does not change existing resources with the same names", async () => {
  window = await openWindow(at);
  const { page } = window;
  await page.waitForURL(/#\/start$/);
  await begun(page);
  await api(page, "POST", "root/generate/internal", {
    common_name: "Own",
    issuer_name: "dev-root",
    key_type: "ec",
  });
  await api(page, "POST", "roles/dev-server-2", { allow_any_name: true });
  await devCa(page);
  expect(await made(page)).toEqual({
    roles: ["dev-server-2", "dev-server-3"],
    issuers: ["dev-root", "dev-root-3", "dev-servers-3"],
    standard: "dev-root",
  });
  expect(
    ((await api<{ data: Record<string, unknown> }>(page, "GET", "roles/dev-server-2")).data ?? {})[
      "allow_any_name"
    ],
  ).toBe(true);
});

async function editRole(page: Page, name: string): Promise<void> {
  await page.evaluate(`location.hash = '#/roles/${name}'`);
  await page.getByRole("button", { name: "Save role" }).waitFor();
}
async function saveRole(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Save role" }).click();
  await page.getByText("Role saved").waitFor();
}

it.each([
  ["a maximum lifetime of 0", (page: Page) => page.getByLabel("Maximum lifetime").fill("0")],
  [
    "a maximum lifetime of 36 hours in minutes",
    (page: Page) => page.getByLabel("Maximum lifetime").fill("2160m"),
  ],
  [
    "an Ed25519 key",
    (page: Page) => page.getByLabel("Key", { exact: true }).selectOption("ed25519"),
  ],
  ["any key", (page: Page) => page.getByLabel("Key", { exact: true }).selectOption("any")],
])("saving %s is not reported as a change made elsewhere", async (_, edit) => {
  window = await openDevCa(at);
  const { page } = window;
  await editRole(page, "dev-server");
  await page.getByLabel("Default lifetime").fill("1d");
  await edit(page);
  await saveRole(page);
  // The check of a name appears after the saved role has been read again.
  await page
    .getByRole("listitem")
    .filter({ hasText: "dev-server, as edited" })
    .waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Save role" }).click();
  await page.getByText("No changes to save").waitFor();
  expect(await page.getByText(/^Changed elsewhere/).count()).toBe(0);
  expect(window.complaints).toEqual([]);
});

it("input typed while a role is being saved is kept", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await editRole(page, "dev-server");
  await page.getByLabel("Maximum lifetime").fill("0");
  await page.evaluate(
    "{ const real = fetch; globalThis.fetch = async (url, init) => { if (init?.method === 'PATCH') await new Promise((go) => { globalThis.go = go; }); return real(url, init); }; undefined }",
  );
  await page.getByRole("button", { name: "Save role" }).click();
  await page.getByLabel("Default lifetime").fill("3d");
  await page.evaluate("go()");
  await page.getByText("Role saved").waitFor();
  expect(await page.getByLabel("Maximum lifetime").inputValue()).toBe("0s");
  expect(await page.getByLabel("Default lifetime").inputValue()).toBe("3d");
  expect(await page.getByText(/^Changed elsewhere/).count()).toBe(0);
});

it("saving an invalid role moves the focus to the first invalid field, even in a collapsed section", async () => {
  window = await openDevCa(at, { viewport: { width: 1280, height: 500 } });
  const { page } = window;
  await editRole(page, "new");
  await page.getByRole("button", { name: "Save role" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("Enter a name").waitFor();
  await expect
    .poll(() => focused(page))
    .toBe(await page.getByLabel("Name", { exact: true }).getAttribute("id"));
  expect((await page.getByText("Enter a name").boundingBox())?.y).toBeGreaterThan(0);
  await page.keyboard.type("shop");
  await page.getByText("Storage and validity").click();
  await page.getByLabel("Backdate by").fill("soon");
  await page.getByText("Storage and validity").click();
  await page.getByRole("button", { name: "Save role" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("soon: not a duration").waitFor();
  await expect.poll(() => page.evaluate("document.activeElement.value")).toBe("soon");
});

it("choosing a key type selects a valid key size and offers only valid ones; an error disappears after the next change", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await editRole(page, "dev-server");
  const key = page.getByLabel("Key", { exact: true });
  const size = page.getByLabel(/^Key size/);
  const sizes: string[] = [];
  for (const kind of ["rsa", "ec", "ed25519", "rsa", "any", "ec"]) {
    await key.selectOption(kind);
    sizes.push(await size.inputValue());
  }
  expect(sizes).toEqual(["2048", "256", "0", "2048", "0", "256"]);
  await size.selectOption("384");
  await key.selectOption("rsa");
  expect(await size.inputValue()).toBe("2048");
  expect(await size.locator("option").allInnerTexts()).toEqual([
    "Default (RSA 2048)",
    "RSA 2048",
    "RSA 3072",
    "RSA 4096",
    "RSA 8192",
  ]);
  await size.selectOption("4096");
  await saveRole(page);
  await page.getByRole("textbox", { name: "Domains" }).fill("test");
  await refuse(page, "init?.method === 'PATCH'", 400, "that is not liked");
  await page.getByRole("button", { name: "Save role" }).click();
  await page.getByRole("alert").getByText("that is not liked").waitFor();
  await page.getByRole("textbox", { name: "Domains" }).fill("test, example.test");
  await page.getByRole("alert").getByText("that is not liked").waitFor({ state: "detached" });
});

it.each([
  ["Dev CA", "dev-server"],
  ["Home lab", "home-server"],
  ["mTLS between services", "service-server"],
])(
  "with the setup %s a certificate for only an IP address passes the check and openssl; a request without names is rejected",
  async (start, role) => {
    window = await openWindow(at);
    const { page } = window;
    await page.getByRole("button", { name: start }).click();
    await page.getByRole("heading", { level: 1, name: "Issue a certificate" }).waitFor();
    const field = page.getByLabel("Name 1", { exact: true });
    await field.fill("");
    await page.getByRole("button", { name: "Issue certificate" }).click();
    await page.getByRole("alert").getByText("Enter a name or an address").waitFor();
    await field.fill("10.0.0.1");
    await page.getByRole("status").filter({ hasText: "Would be issued" }).waitFor();
    await page.getByRole("button", { name: "Issue certificate" }).click();
    await page.getByRole("dialog", { name: "Issued" }).waitFor();
    const { data } = await api<{ data: { certificate: string; ca_chain: string[] } }>(
      page,
      "POST",
      `issue/${role}`,
      { ip_sans: "10.0.0.1" },
    );
    const folder = mkdtempSync(join(tmpdir(), "sealwright-forms-"));
    try {
      const [between = "", root = ""] = data.ca_chain;
      for (const [name, text] of Object.entries({ leaf: data.certificate, between, root }))
        writeFileSync(join(folder, `${name}.pem`), `${text}\n`);
      const openssl = (...args: string[]): string =>
        execFileSync("openssl", args, { cwd: folder, encoding: "utf8" });
      const verify = [
        "verify",
        "-x509_strict",
        "-CAfile",
        "root.pem",
        "-untrusted",
        "between.pem",
        "-purpose",
        "sslserver",
      ];
      expect(openssl(...verify, "-verify_ip", "10.0.0.1", "leaf.pem")).toContain("OK");
      expect(openssl("x509", "-in", "leaf.pem", "-noout", "-ext", "subjectAltName")).toContain(
        "IP Address:10.0.0.1",
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    await page.getByRole("dialog", { name: "Issued" }).getByLabel("I have saved the key").check();
  },
);

it("the CSR form explains that nothing is sent before Sign is pressed", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await page.getByRole("button", { name: "CSR", exact: true }).click();
  await page.getByText(/Nothing is signed until you press Sign/).waitFor();
  expect(await page.getByText("It is sent to the authority when you press Sign").count()).toBe(0);
});

it("the issuer of a role is offered once, and no other CA that cannot sign is offered", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await api(page, "POST", "root/generate/internal", {
    common_name: "Gone Root",
    issuer_name: "gone-root",
    key_type: "ec",
    ttl: "87600h",
  });
  await api(page, "POST", "issuer/gone-root/revoke", {});
  await api(page, "POST", "roles/named", { allow_any_name: true, issuer_ref: "dev-servers" });
  await api(page, "POST", "roles/stuck", { allow_any_name: true, issuer_ref: "gone-root" });
  const signer = page.getByLabel("Signed by");
  const offered = async (): Promise<readonly string[]> =>
    (await signer.locator("option").allInnerTexts()).toSorted();
  await load(page, "roles/named");
  await expect.poll(offered).toEqual(["Dev CA Root", "Dev CA Servers", "The default authority"]);
  expect(await signer.locator("option:checked").innerText()).toBe("Dev CA Servers");
  expect(await page.getByRole("button", { name: "Discard changes" }).count()).toBe(0);
  await load(page, "roles/stuck");
  await expect.poll(offered).toContain("Gone Root (cannot sign)");
  expect(await signer.locator("option:checked").innerText()).toBe("Gone Root (cannot sign)");
  expect(window.complaints).toEqual([]);
});

it("a new role below a default root is signed by the issuing CA, which editor, list and issue form show", async () => {
  window = await openWindow(at);
  const { page } = window;
  await page.waitForURL(/#\/start$/);
  await begun(page);
  await api(page, "POST", "root/generate/internal", {
    common_name: "Own Root",
    issuer_name: "own-root",
    key_type: "ec",
    ttl: "87600h",
  });
  await editRole(page, "new");
  const signer = page.getByLabel("Signed by");
  const chosen = signer.locator("option:checked");
  expect(await chosen.innerText()).toBe("The default authority");
  await page.getByText("Own Root, the default").waitFor();
  const dialog = await addAuthority(page);
  await dialog.getByLabel("Common name").pressSequentially("Own Servers");
  await dialog.getByLabel("Make the new CA the default issuer").uncheck();
  await make(dialog);
  await dialog.waitFor({ state: "detached" });
  await editRole(page, "new");
  await signer.waitFor();
  expect(await signer.isVisible()).toBe(true);
  expect(await chosen.innerText()).toBe("Own Servers");
  await page.getByLabel("Name", { exact: true }).fill("web");
  await page.getByRole("textbox", { name: "Domains" }).fill("own.test");
  await page.getByRole("button", { name: "Save role" }).click();
  await page.getByRole("heading", { level: 1, name: "web" }).waitFor();
  await page.evaluate("location.hash = '#/issue/web?name=www.own.test'");
  await page.getByText("Signed by Own Servers.").waitFor();
  const { data } = await api<{ data: { certificate: string; ca_chain: string[] } }>(
    page,
    "POST",
    "issue/web",
    { common_name: "www.own.test" },
  );
  expect(data.ca_chain.length).toBe(2);
  await api(page, "POST", "roles/by-default", { allow_any_name: true, issuer_ref: "default" });
  await load(page, "roles");
  await page
    .getByRole("table", { name: "Roles" })
    .getByText("Own Root, the default", { exact: true })
    .waitFor();
  await page
    .getByRole("table", { name: "Roles" })
    .getByText("Own Servers", { exact: true })
    .waitFor();
});

it("leaving a role with unsaved edits asks, keeps them or discards them", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await editRole(page, "dev-server");
  await page.getByLabel("Maximum lifetime").fill("1h30m");
  await page.getByRole("link", { name: "Keys", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Leave without saving?" });
  await dialog.waitFor();
  expect(new URL(page.url()).hash).toBe("#/roles/dev-server");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  expect(await page.getByLabel("Maximum lifetime").inputValue()).toBe("1h30m");
  await page.getByRole("link", { name: "Keys", exact: true }).click();
  await dialog.getByRole("button", { name: "Leave" }).click();
  await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
  await editRole(page, "dev-server");
  await page.getByLabel("Default lifetime").fill("45m");
  await page.getByLabel("Maximum lifetime").fill("1h30m");
  await saveRole(page);
  expect(
    (await api<{ data: Record<string, unknown> }>(page, "GET", "roles/dev-server")).data,
  ).toMatchObject({ max_ttl: "90m" });
  await page.getByRole("link", { name: "Keys", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
  await editRole(page, "new");
  await page.getByRole("link", { name: "Keys", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
  await editRole(page, "new");
  await page.getByLabel("Name", { exact: true }).fill("shop");
  await page.getByRole("link", { name: "Keys", exact: true }).click();
  await dialog.getByRole("button", { name: "Keep editing" }).click();
  await saveNew(page, "shop");
  expect(window.complaints).toEqual([]);
});

it("leaving settings or dialogs with unsaved input asks first, and Back and Forward of the browser still work", async () => {
  window = await openDevCa(at);
  const { page } = window;
  const dialog = page.getByRole("dialog", { name: "Leave without saving?" });
  const stay = dialog.getByRole("button", { name: "Keep editing" });
  const settings = page.getByLabel("CRL lifetime");
  await page.evaluate("location.hash = '#/roles'");
  await page.getByRole("heading", { level: 1, name: "Roles" }).waitFor();
  await page.evaluate("location.hash = '#/revocation'");
  await settings.fill("80h");
  await page.getByRole("link", { name: "Keys", exact: true }).click();
  await stay.click();
  await page.evaluate("history.back()");
  await stay.click();
  expect(new URL(page.url()).hash).toBe("#/revocation");
  expect(await settings.inputValue()).toBe("80h");
  // A change of this field made elsewhere is reported; a change of another field is just shown.
  await page.evaluate(`(async () => {
    const body = JSON.stringify({ expiry: "90h", ocsp_expiry: "13h" });
    await fetch("./v1/pki/config/crl", { method: "POST", body });
    const base = new URL("./", location.href).href.replace(/\\/$/, "");
    new BroadcastChannel("sealwright").postMessage(base);
  })()`);
  await page.getByText("Changed elsewhere meanwhile: CRL lifetime is now 90h").waitFor();
  expect(await page.getByLabel("OCSP response lifetime").inputValue()).toBe("13h");
  expect(await settings.inputValue()).toBe("80h");
  await page.evaluate("history.back()");
  await dialog.getByRole("button", { name: "Leave" }).click();
  await page.getByRole("heading", { level: 1, name: "Roles" }).waitFor();
  await page.goForward();
  await settings.fill("81h");
  await page.getByRole("button", { name: "Discard changes" }).click();
  expect(await settings.inputValue()).toBe("90h");
  // Esc in a dialog asks once something is typed; Cancel discards it.
  await page.getByRole("link", { name: "Keys", exact: true }).click();
  const made = page.getByRole("dialog", { name: "New key" });
  await page.getByRole("button", { name: "New key" }).click();
  await made.waitFor();
  await page.keyboard.press("Escape");
  await made.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "New key" }).click();
  await made.getByLabel("Name").fill("spare");
  await page.keyboard.press("Escape");
  await stay.click();
  expect(await made.getByLabel("Name").inputValue()).toBe("spare");
  await made.getByRole("button", { name: "Cancel" }).click();
  await made.waitFor({ state: "detached" });
  expect(window.complaints).toEqual([]);
});

it("Leave works before the browser has returned to the form, even with forward entries in the history", async () => {
  window = await openDevCa(at);
  const { page } = window;
  const heading = (name: string) => page.getByRole("heading", { level: 1, name });
  for (const [view, name] of [
    ["roles", "Roles"],
    ["revocation", "Revocation"],
    ["keys", "Keys"],
  ] as const) {
    await page.evaluate(`location.hash = '#/${view}'`);
    await heading(name).waitFor();
  }
  await page.goBack();
  await page.getByLabel("CRL lifetime").fill("80h");
  const dialog = page.getByRole("dialog", { name: "Leave without saving?" });
  await page.evaluate("history.back()");
  await dialog.getByRole("button", { name: "Keep editing" }).click();
  await expect.poll(() => page.evaluate("location.hash")).toBe("#/revocation");
  expect(await page.getByLabel("CRL lifetime").inputValue()).toBe("80h");
  // the browser returns asynchronously and ignores Back until then
  await page.evaluate(`{
    const go = history.go.bind(history);
    let pending;
    history.go = (delta) => void (pending ??= delta);
    window.release = () => {
      history.go = go;
      go(pending);
    };
  }`);
  await page.evaluate("history.back()");
  await dialog.getByRole("button", { name: "Leave" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.evaluate("window.release()");
  await heading("Roles").waitFor();
  expect(window.complaints).toEqual([]);
});

async function saveNew(page: Page, name: string): Promise<void> {
  await page.getByRole("textbox", { name: "Domains" }).fill("shop.test");
  await page.getByRole("button", { name: "Save role" }).click();
  await page.getByRole("heading", { level: 1, name }).waitFor();
}

it("the outcome of a check shows bidirectional controls as escapes", async () => {
  window = await openDevCa(at);
  const { page } = window;
  const field = page.getByLabel("Name 1", { exact: true });
  await field.fill("gpj\u202egnp.test");
  await page.getByRole("status").filter({ hasText: "Would be denied" }).waitFor();
  await page.getByText("‹U+202E›").first().waitFor();
  expect(await page.locator("main").innerText()).not.toContain("\u202e");
  await page.evaluate("location.hash = '#/roles'");
  await page.getByLabel("Name to check", { exact: true }).fill("gpj\u202egnp.test");
  await page.getByText(/dev-server: *no, /).waitFor();
  expect(await page.locator("main").innerText()).not.toContain("\u202e");
});

it("Try again after a failed first read keeps the focus in the view", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await page.evaluate("location.hash = '#/keys'");
  await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
  // not the role of the form that was left, which may be read only now
  await refuse(page, "url.endsWith('/roles?detailed=true')", 503, "not now");
  await page.evaluate("location.hash = '#/roles'");
  const again = page.getByRole("button", { name: "Try again" });
  await again.focus();
  await page.keyboard.press("Enter");
  // equal reads share a reply: the second press needs a read that is sent after the refusal
  await expect.poll(() => page.evaluate("refused")).toBe(2);
  await page.evaluate("heal()");
  await again.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("table", { name: "Roles" }).waitFor();
  await expect.poll(() => page.evaluate("document.activeElement.tagName")).toBe("H1");
});

it("a view that could not be read is read again once when the window gets the focus", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await refuse(page, "url.includes('/roles')", 503, "not now");
  await page.evaluate("location.hash = '#/roles'");
  await page.getByRole("alert").getByText("not now").waitFor();
  await page.evaluate("heal()");
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "LIST" && /\/roles(?:\?|$)/.test(request.url()))
      asked.push(request.url());
  });
  await page.evaluate("dispatchEvent(new Event('focus')), dispatchEvent(new Event('online'))");
  await page.getByRole("table", { name: "Roles" }).waitFor();
  expect(asked.length).toBe(1);
});
