import { generateKeyPairSync } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Locator, Page } from "playwright";
import { remote } from "./remote.ts";
import { host, openWindow, type Host, type Window } from "./support.ts";

let at: Host;
let window: Window;
let page: Page;
beforeAll(async () => {
  at = await host({ headers: true });
  // The browser's CA has login methods too, although it needs no login.
  window = await openWindow(at, "access/logins");
  ({ page } = window);
});
afterAll(async () => {
  expect(window.complaints).toEqual([]);
  await window.context.close();
  await at.close();
});

const button = (name: string | RegExp): Locator =>
  page.getByRole("button", { name, exact: typeof name === "string" });
const dialog = (name: string | RegExp): Locator => page.getByRole("dialog", { name });

/** Calls the browser's CA and returns the reply. */
const call = <T>(method: string, path: string, body?: object): Promise<T> =>
  page.evaluate(
    `fetch(${JSON.stringify(`./v1/${path}`)}, ${JSON.stringify({ method, ...(body && { body: JSON.stringify(body) }) })}).then((answer) => (answer.status === 204 ? {} : answer.json()))`,
  );

async function enable(type: string, path: string): Promise<void> {
  await page.evaluate("location.hash = '#/access/logins'");
  await button("Enable a method").click();
  await page.getByLabel("Type").selectOption(type);
  await page.getByLabel("Path").fill(path);
  await button("Enable").click();
  await page.getByRole("heading", { name: `auth/${path || type}` }).waitFor();
}

it("an AppRole method is enabled, and its role gets a role ID and a secret ID that is shown once", async () => {
  await page.getByRole("table", { name: "Login methods" }).getByText("auth/token").waitFor();
  await button("Enable a method").click();
  await page.getByLabel("Type").selectOption("approle");
  await page.getByLabel("Path").fill("../sys");
  await button("Enable").click();
  await dialog("Enable a login method").getByText("not a valid mount name").waitFor();
  await button("Cancel").click();
  await enable("approle", "ci/build");
  await button("New role").click();
  await button("Save").click();
  await dialog("New role").getByText("Enter a name").waitFor();
  await dialog("New role").getByLabel("Name", { exact: true }).fill("web");
  await dialog("New role").getByLabel("Other policies").fill("pki-user");
  await dialog("New role").getByText("Token lifetime and use").click();
  await dialog("New role").getByLabel("Token lifetime").fill("1h");
  await button("Save").click();
  await button("Change web").click();
  expect(await dialog("Change web").getByLabel("Token lifetime").inputValue()).toBe("1h");
  await dialog("Change web")
    .getByRole("checkbox", { name: /^pki-user/, checked: true })
    .waitFor();
  await page.keyboard.press("Escape");
  await button("IDs of web").click();
  const role = dialog("IDs of web").getByRole("group", { name: "Role ID" });
  expect(await role.textContent()).toMatch(/^[\w-]{36}$/);
  await button("Create secret ID").click();
  const made = dialog("Secret ID created");
  const secret = await made.getByRole("group", { name: "Secret ID", exact: true }).textContent();
  expect(secret).toMatch(/^[\w-]{36}$/);
  await made.getByLabel("I have saved the secret ID").check();
  await made.getByRole("button", { name: "Close", exact: true }).click();
  await made.waitFor({ state: "detached" });
  expect(await page.content()).not.toContain(secret);
  await button("IDs of web").click();
  await page.getByRole("button", { name: /^Destroy secret ID/ }).click();
  await dialog("Destroy this secret ID?").getByText("can no longer log in").waitFor();
  await button("Cancel").click();
  expect(await page.getByRole("list", { name: "Secret IDs" }).getByRole("listitem").count()).toBe(
    1,
  );
  await page.getByRole("button", { name: /^Destroy secret ID/ }).click();
  await button("Destroy").click();
  await dialog("IDs of web").getByText("No secret IDs yet.").waitFor();
  await page.keyboard.press("Escape");
});

it("a new role does not replace an existing one with the same name", async () => {
  await page.evaluate("location.hash = '#/access/logins/ci/build'");
  await button("New role").click();
  await dialog("New role").getByLabel("Name", { exact: true }).fill("WEB");
  await dialog("New role").getByLabel("Other policies").fill("other");
  await button("Save").click();
  await dialog("New role").getByText("web: this name is already in use").waitFor();
  await button("Cancel").click();
  await button("Change web").click();
  await dialog("Change web")
    .getByRole("checkbox", { name: /^pki-user/, checked: true })
    .waitFor();
  await page.keyboard.press("Escape");
});

it("a trusted certificate accepts required names with spaces and commas as one pattern each", async () => {
  const pem = await call<{ data: { certificate: string } }>("POST", "pki/root/generate/internal", {
    common_name: "Clients",
    key_type: "ec",
  });
  await enable("cert", "");
  await page.getByText("until you create a trusted certificate").waitFor();
  await button("New trusted certificate").click();
  const form = dialog("New trusted certificate");
  await form.getByLabel("Name", { exact: true }).fill("ops");
  await button("Save").click();
  await form.getByText("it must contain certificates in PEM").waitFor();
  await form.getByLabel("Authority or certificate").fill(pem.data.certificate);
  await form.getByLabel("Organizational units").fill("Platform *\n  Build, Test & Release  \n");
  await form.getByLabel("Common names").fill("Maria Lopez");
  await form.getByLabel("Required extensions").fill("1.2.3.4:a text");
  await form.getByLabel("Other policies").fill("pki-user, other");
  await button("Save").click();
  await button("Change ops").click();
  const { data } = await call<{ data: object }>("GET", "auth/cert/certs/ops");
  expect(data).toMatchObject({
    allowed_organizational_units: ["Platform *", "Build, Test & Release"],
    allowed_common_names: ["Maria Lopez"],
    required_extensions: ["1.2.3.4:a text"],
    token_policies: ["other", "pki-user"],
  });
  const units = dialog("Change ops").getByLabel("Organizational units");
  expect(await units.inputValue()).toBe("Platform *\nBuild, Test & Release");
  await page.keyboard.press("Escape");
});

it("a Kubernetes method is configured with public keys, and saving does not change settings that the form lacks", async () => {
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = publicKey.export({ type: "spki", format: "pem" }).trim();
  await enable("kubernetes", "");
  await page.getByLabel("Skip issuer validation").uncheck();
  await page.getByLabel("Issuer", { exact: true }).fill("https://cluster.test");
  await button("Save").click();
  await page.getByText("set pem_keys, jwks_url, or a kubernetes_host").waitFor();
  await page.getByLabel("Public keys for service account tokens").fill(pem);
  await button("Save").click();
  await page.getByText("Saved", { exact: true }).waitFor();
  const config = {
    pem_keys: [pem],
    issuer: "https://cluster.test",
    disable_iss_validation: false,
    disable_local_ca_jwt: true,
  };
  await call("POST", "auth/kubernetes/config", config);
  await page.reload();
  await page.getByLabel("Issuer", { exact: true }).fill("https://other.test");
  await button("Save").click();
  await page.getByText("Saved", { exact: true }).waitFor();
  const { data } = await call<{ data: object }>("GET", "auth/kubernetes/config");
  expect(data).toMatchObject({ ...config, issuer: "https://other.test" });
  await button("New role").click();
  const form = dialog("New role");
  await form.getByLabel("Name", { exact: true }).fill("runner");
  await form.getByLabel("Service accounts").fill("web, api");
  await form.getByRole("button", { name: "Save" }).click();
  await form.getByText('"bound_service_account_namespaces" can not be empty').waitFor();
  await form.getByLabel("Namespaces").fill("prod");
  await form.getByRole("button", { name: "Save" }).click();
  await button("Change runner").click();
  expect(await dialog("Change runner").getByLabel("Service accounts").inputValue()).toBe(
    "web\napi",
  );
  await page.keyboard.press("Escape");
});

it("OIDC has a form for the provider, and its roles allow the redirect URI of this page", async () => {
  await enable("oidc", "");
  await page.getByLabel("Client secret").waitFor();
  await page.getByText("Loopback and link-local addresses are never contacted").waitFor();
  await page.getByText("Redirect URI to register at the provider: http").waitFor();
  await button("New role").click();
  const form = dialog("New role");
  await form.getByLabel("Name", { exact: true }).fill("people");
  const uris = form.getByLabel("Redirect URIs");
  const own = page.url().replace(/[?#].*/, "");
  expect(await uris.inputValue()).toBe(own);
  await uris.fill(`${own}\nhttp://127.0.0.1:8250/oidc/callback`);
  await form.getByRole("button", { name: "Save" }).click();
  await button("Change people").waitFor();
  const { data } = await call<{ data: object }>("GET", "auth/oidc/role/people");
  expect(data).toMatchObject({
    role_type: "oidc",
    allowed_redirect_uris: [own, "http://127.0.0.1:8250/oidc/callback"],
  });
});

it("disabling a login method requires typing its path", async () => {
  await enable("approle", "");
  await button("Disable…").click();
  await page.getByLabel("Type approle to confirm").fill("approle");
  await button("Disable").click();
  const list = page.getByRole("table", { name: "Login methods" });
  await list.getByText("auth/ci/build").waitFor();
  expect(await list.getByText("auth/approle").count()).toBe(0);
});

it("AppRole credentials at a custom path sign in without a token, and rejected ones are explained", async () => {
  const far = await remote([new URL(at.url).origin]);
  const ask = async <T>(path: string, body: object): Promise<T> => {
    const answer = await fetch(`${far.base}/v1/${path}`, {
      method: "POST",
      headers: { "X-Service-Token": far.token },
      body: JSON.stringify(body),
    });
    return (answer.status === 204 ? {} : await answer.json()) as T;
  };
  await ask("sys/auth/ci/build", { type: "approle" });
  await ask("auth/ci/build/role/web", { token_policies: ["pki-user"], token_ttl: "1h" });
  await ask("auth/ci/build/role/web/role-id", { role_id: "the-role" });
  const { data } = await ask<{ data: { secret_id: string } }>(
    "auth/ci/build/role/web/secret-id",
    {},
  );
  const opened = await openWindow({ ...at, url: `${at.url}connect.html` }, "settings");
  const { page: other, context } = opened;
  const press = (name: string): Promise<void> =>
    other.getByRole("button", { name, exact: true }).click();
  await other.getByLabel("Address").fill(far.base);
  await other.getByRole("tab", { name: "AppRole" }).click();
  await press("Connect");
  await other.getByText("Secret ID is missing").waitFor();
  await other.getByLabel("Role ID").fill("the-role");
  await other.getByLabel("Secret ID").fill("wrong");
  await other.getByText("Advanced", { exact: true }).click();
  await other.getByLabel("Path of the method").fill("ci/build");
  const kept = other.getByLabel("Keep me signed in until this tab closes");
  expect(await kept.isChecked()).toBe(false);
  await other.getByText("the token stays valid on the server until it expires").waitFor();
  await press("Connect");
  await other.getByRole("alert").getByText("The role ID or the secret ID is wrong").waitFor();
  await other.getByLabel("Secret ID").fill(data.secret_id);
  await press("Connect");
  await other.getByRole("link", { name: /^Signed in as .*, until/ }).click();
  await other.getByText("pki-user").first().waitFor();
  const stored =
    "JSON.stringify({ ...sessionStorage }) + JSON.stringify({ ...localStorage }) + location.href";
  expect(await other.evaluate(stored)).not.toMatch(new RegExp(`${data.secret_id}|s\\.\\w{32}`));
  await press("Sign out");
  await press("Sign out and revoke");
  await other.getByText(/^Signed out of/).waitFor();
  expect(opened.complaints.filter((text) => !text.startsWith(`request to ${far.base}/`))).toEqual(
    [],
  );
  await context.close();
  await far.close();
});
