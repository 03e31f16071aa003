import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { Page } from "playwright";
import { host, openDevCa, type Host, type Window } from "./support.ts";

let at: Host;
let window: Window;
beforeAll(async () => {
  at = await host();
});
afterEach(async () => {
  await window.context.close();
});
afterAll(async () => {
  await at.close();
});

const openRole = async (page: Page, name: string): Promise<void> => {
  await page.evaluate(`location.hash = '#/roles/${name}'`);
  await page.getByRole("heading", { level: 1, name: name === "new" ? "New role" : name }).waitFor();
};
const role = (page: Page, name: string): Promise<Record<string, unknown>> =>
  page.evaluate(
    `fetch('./v1/pki/roles/${name}').then((answer) => answer.json()).then((said) => said.data)`,
  );

it("a name is checked against the edited role and the saved roles", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await openRole(page, "dev-server");
  const answers = page.getByRole("complementary", { name: "Try a name" });
  await answers.getByLabel("Name to check").fill("www.shop.example");
  await answers.getByText("no, ").first().waitFor();
  expect(await answers.getByText("dev-server, as edited").count()).toBe(0);
  await page.getByRole("textbox", { name: "Domains" }).fill("test, localhost, shop.example");
  const edited = answers.getByRole("listitem").filter({ hasText: "dev-server, as edited" });
  await edited.getByText("yes, under shop.example").waitFor();
  const saved = answers.getByRole("listitem").filter({ hasText: /^dev-server:/ });
  await saved.getByText(/^no, /).waitFor();
  await page.getByRole("button", { name: "Save role" }).click();
  await page.getByText("Role saved").waitFor();
  await saved.getByText(/^yes, /).waitFor();
  await edited.waitFor({ state: "detached" });
  expect(window.complaints).toEqual([]);
});

it("the check of a saved role includes rules that only the server knows", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await page.evaluate(
    "fetch('./v1/pki/root/generate/internal', { method: 'POST', body: JSON.stringify({ common_name: 'Limited', issuer_name: 'limited', key_type: 'ec', ttl: '87600h', excluded_dns_domains: ['secret.test'] }) }).then(() => fetch('./v1/pki/roles/limited', { method: 'POST', body: JSON.stringify({ allow_any_name: true, key_type: 'ec', issuer_ref: 'limited' }) }))",
  );
  await openRole(page, "limited");
  const answers = page.getByRole("complementary", { name: "Try a name" });
  await answers.getByLabel("Name to check").fill("a.secret.test");
  const saved = answers.getByRole("listitem").filter({ hasText: /^limited:/ });
  await saved.getByText(/^no, .*secret\.test/).waitFor();
  expect(await saved.innerText()).toContain("name constraints");
  expect(window.complaints).toEqual([]);
});

it("saving sends only the changes as a PATCH", async () => {
  window = await openDevCa(at);
  const { page } = window;
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/roles/") && request.method() !== "GET")
      sent.push(`${request.method()} ${request.postData() ?? ""}`);
  });
  await openRole(page, "dev-server");
  await page.getByText("Subject", { exact: true }).click();
  await page.getByLabel("Organization", { exact: true }).fill("Fernhill, Ltd\nOther House");
  await page.getByLabel("Maximum lifetime").fill("30d");
  await page.getByLabel("Default lifetime").fill("7d");
  await page.getByRole("button", { name: "Save role" }).click();
  await page.getByText("Role saved").waitFor();
  expect(sent).toEqual([
    `PATCH ${JSON.stringify({ ttl: 604_800, max_ttl: 2_592_000, organization: ["Fernhill, Ltd", "Other House"] })}`,
  ]);
  expect(await role(page, "dev-server")).toMatchObject({
    organization: ["Fernhill, Ltd", "Other House"],
    allowed_domains: ["test", "localhost"],
  });
  await openRole(page, "dev-server");
  await page.getByRole("button", { name: "Save role" }).click();
  await page.getByText("No changes to save").waitFor();
  expect(sent.length).toBe(1);
  expect(window.complaints).toEqual([]);
});

it("a server that does not support PATCH gets the whole role", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await page.evaluate(
    "const real = fetch; globalThis.fetch = (url, init) => init?.method === 'PATCH' ? Promise.resolve(new Response('{}', { status: 405 })) : real(url, init)",
  );
  const before = await role(page, "dev-server");
  await openRole(page, "dev-server");
  await page.getByLabel(/^Wildcards/).uncheck();
  await page.getByRole("button", { name: "Save role" }).click();
  await page.getByText("Role saved").waitFor();
  expect(await role(page, "dev-server")).toEqual({ ...before, allow_wildcard_certificates: false });
  expect(window.complaints).toEqual([]);
});

it("a new role can be checked before it is saved", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await openRole(page, "new");
  await page.getByRole("textbox", { name: "Domains" }).fill("example.test");
  const edited = page.getByRole("listitem").filter({ hasText: "The new role" });
  await edited.getByText("yes, under example.test").waitFor();
  await page.getByLabel("Name", { exact: true }).fill("shop");
  await page.getByRole("button", { name: "Save role" }).click();
  await page.getByRole("heading", { level: 1, name: "shop" }).waitFor();
  await page
    .getByRole("listitem")
    .filter({ hasText: /^shop:/ })
    .getByText(/^yes, /)
    .waitFor();
  expect(window.complaints).toEqual([]);
});

it("input typed into a role is kept while another tab saves the role, which is reported and can be shown", async () => {
  window = await openDevCa(at);
  const { page, context } = window;
  const other = await context.newPage();
  for (const tab of [page, other]) {
    await tab.goto(`${at.url}#/roles/dev-server`);
    await tab.getByLabel("Maximum lifetime").waitFor();
  }
  await other.getByLabel("Default lifetime").fill("10d");
  await page.getByLabel("Maximum lifetime").fill("120d");
  await page.getByRole("button", { name: "Save role" }).click();
  await page.getByText("Role saved").waitFor();
  await other.getByText(/^Changed elsewhere at/).waitFor();
  expect(await other.getByLabel("Default lifetime").inputValue()).toBe("10d");
  await other.getByRole("button", { name: "Show the new version" }).click();
  await other.getByText(/^Changed elsewhere at/).waitFor({ state: "detached" });
  expect(await other.getByLabel("Maximum lifetime").inputValue()).toBe("120d");
  expect(await other.getByLabel("Default lifetime").inputValue()).toBe("90d");
  expect(await page.getByText(/^Changed elsewhere at/).count()).toBe(0);
});

it("a role shows the CA that signs for it, and another CA is selected by name", async () => {
  window = await openDevCa(at);
  const { page } = window;
  const listed = async (name: string): Promise<void> => {
    await page.evaluate("location.hash = '#/roles'");
    await page.getByRole("table", { name: "Roles" }).getByText(name, { exact: true }).waitFor();
  };
  await listed("Dev CA Servers");
  await openRole(page, "dev-server");
  await page.getByText("Storage and validity").click();
  const signer = page.getByLabel("Signed by");
  expect(await signer.locator("option:checked").innerText()).toBe("Dev CA Servers");
  await signer.selectOption({ label: "Dev CA Root" });
  const warning = page.getByText("The root Dev CA Root would sign for this role");
  await warning.waitFor();
  await page.getByRole("button", { name: "Sign with Dev CA Servers" }).click();
  await warning.waitFor({ state: "detached" });
  expect(await signer.locator("option:checked").innerText()).toBe("Dev CA Servers");
  await signer.selectOption({ label: "Dev CA Root" });
  await page.getByRole("button", { name: "Save role" }).click();
  await page.getByText("Role saved").waitFor();
  await listed("Dev CA Root");
  await openRole(page, "dev-server");
  await page.getByText("Storage and validity").click();
  await signer.selectOption({ label: "The default authority" });
  await page.getByRole("button", { name: "Save role" }).click();
  await listed("Dev CA Servers, the default");
  expect((await role(page, "dev-server"))["issuer_ref"]).toBe("default");
});
