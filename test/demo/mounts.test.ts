import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { Page } from "playwright";
import { terms } from "../../demo/lib/terms.ts";
import { root } from "../support/syntax.ts";
import { host, issue, openDevCa, type Host, type Window } from "./support.ts";

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

async function go(page: Page, hash: string, heading: string | RegExp): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(`#/${hash}`)}`);
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
}

it("mounts are listed, and a new one is created empty and selected", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await go(page, "system/mounts", "System");
  const table = page.getByRole("table", { name: "Mounts" });
  await table.getByRole("row").filter({ hasText: "pki" }).getByText("In use").waitFor();
  await page.getByRole("button", { name: "New mount" }).click();
  const dialog = page.getByRole("dialog", { name: "New mount" });
  const make = (): Promise<void> => dialog.getByRole("button", { name: "Create mount" }).click();
  for (const [path, why] of [
    ["", "Enter a path"],
    ["pki", "pki already exists"],
    ["sys/mine", "reserved path"],
    ["a b", "a b: use letters, digits"],
  ] as const) {
    await dialog.getByLabel("Path").fill(path);
    await make();
    await dialog.getByText(why).waitFor();
  }
  await dialog.getByLabel("Path").fill("teams/web");
  await dialog.getByLabel("Description").fill("Of the web team");
  await dialog.getByLabel("Maximum lifetime").fill("90d");
  await make();
  await dialog.waitFor({ state: "detached" });
  // An empty mount in the browser starts with the templates.
  await page.waitForURL(/mount=teams.*#\/start$/);
  await go(page, "system/mounts", "System");
  const made = table.getByRole("row").filter({ hasText: "teams/web" });
  await made.getByText("In use").waitFor();
  expect(await made.innerText()).toContain("90 days");
  expect(await made.innerText()).toContain("Of the web team");
  // The switch at the top left lists the mounts too.
  await page.getByRole("button", { name: "mount teams/web" }).click();
  await page
    .getByRole("dialog", { name: "Choose a mount or server" })
    .getByRole("button", { name: "Open pki" })
    .click();
  await page.getByRole("link", { name: "Dev CA Root" }).waitFor();
  expect(window.complaints).toEqual([]);
});

it("a mount with partitions is created, and its settings show the size of each partition", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await go(page, "system/mounts", "System");
  await page.getByRole("button", { name: "Settings of pki" }).click();
  const own = page.getByRole("dialog", { name: "Settings of pki" });
  await own.getByText(/^One partition with about \d+ rows/).waitFor();
  await own.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "New mount" }).click();
  const dialog = page.getByRole("dialog", { name: "New mount" });
  await dialog.getByLabel("Path").fill("devices");
  await dialog.getByLabel("Partitions").selectOption("4");
  await dialog.getByRole("button", { name: "Create mount" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.waitForURL(/mount=devices.*#\/start$/);
  await go(page, "system/mounts", "System");
  await page.getByRole("button", { name: "Settings of devices" }).click();
  const settings = page.getByRole("dialog", { name: "Settings of devices" });
  const rows = settings.getByRole("table", { name: "Partitions" }).getByRole("row");
  await rows.nth(4).waitFor();
  expect(await rows.count()).toBe(5);
  expect(await rows.nth(1).innerText()).toMatch(/^0\s+Ready\s+\d+/);
  expect(window.complaints).toEqual([]);
});

it("settings of a mount are changed, and a default lifetime above the maximum is rejected at its field", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await go(page, "system/mounts", "System");
  const dialog = page.getByRole("dialog", { name: "Settings of pki" });
  const open = (): Promise<void> => page.getByRole("button", { name: "Settings of pki" }).click();
  const save = (): Promise<void> => dialog.getByRole("button", { name: "Save" }).click();
  await open();
  await dialog.getByLabel("Description").fill("Für die Werkstatt");
  await dialog.getByLabel("Listed for").selectOption("unauth");
  await dialog.getByLabel("Default lifetime").fill("2y");
  await save();
  await dialog.getByText("2y: not a duration").waitFor();
  await dialog.getByLabel("Default lifetime").fill("400d");
  await dialog.getByLabel("Maximum lifetime").fill("90d");
  await save();
  await dialog.getByText("The default exceeds the maximum (90d)").waitFor();
  await dialog.getByLabel("Default lifetime").fill("30d");
  await save();
  await dialog.waitFor({ state: "detached" });
  const row = page.getByRole("table", { name: "Mounts" }).getByRole("row", { name: /^pki/ });
  await row.getByText("Für die Werkstatt").waitFor();
  await row.getByText("90 days").waitFor();
  const held = await page.evaluate<object>(
    "fetch('./v1/sys/mounts/pki/tune').then((answer) => answer.json()).then(({ data }) => data)",
  );
  expect(held).toMatchObject({
    default_lease_ttl: 30 * 86_400,
    max_lease_ttl: 90 * 86_400,
    listing_visibility: "unauth",
  });
  // The settings are shown again; a setting that is cleared gets the server's value.
  await open();
  expect(await dialog.getByLabel("Default lifetime").inputValue()).toBe("30d");
  await dialog.getByLabel("Maximum lifetime").fill("");
  await save();
  await row.getByText("Server maximum").waitFor();
  expect(window.complaints).toEqual([]);
});

it("Delete… in the settings of a mount asks before edits are lost, and API names are shown on request", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await go(page, "system/mounts", "System");
  await page.getByRole("button", { name: "Settings of pki" }).click();
  const dialog = page.getByRole("dialog", { name: "Settings of pki" });
  const name = dialog.getByText("max_lease_ttl");
  await dialog.getByLabel("Maximum lifetime").waitFor();
  expect(await name.count()).toBe(0);
  await dialog.getByRole("button", { name: "API names", pressed: false }).click();
  await name.waitFor();
  const press = (button: string): Promise<void> =>
    page.getByRole("button", { name: button, exact: true }).last().click();
  await dialog.getByLabel("Description").fill("Not saved yet");
  await press("Delete…");
  await page.getByRole("dialog", { name: "Leave without saving?" }).waitFor();
  await press("Keep editing");
  expect(await dialog.getByLabel("Description").inputValue()).toBe("Not saved yet");
  await press("Delete…");
  await press("Leave");
  await page.getByRole("dialog", { name: "Delete the mount pki?" }).waitFor();
  await press("Cancel");
  expect(window.complaints).toEqual([]);
});

it("deleting a mount shows its contents and requires typing its path; afterwards another mount is selected or offered", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await issue(page, "www.dev.test");
  await page.evaluate(
    "fetch('./v1/sys/mounts/teams/web', { method: 'POST', body: JSON.stringify({ type: 'pki' }) })",
  );
  await go(page, "system/mounts", "System");
  const dialog = page.getByRole("dialog");
  const ask = async (path: string): Promise<void> => {
    await page.getByRole("button", { name: `Settings of ${path}` }).click();
    await dialog.getByRole("button", { name: "Delete…" }).click();
    await dialog.getByRole("heading", { name: `Delete the mount ${path}?` }).waitFor();
  };
  const remove = dialog.getByRole("button", { name: "Delete mount" });
  await ask("pki");
  await dialog.getByText("Dev CA Root, Dev CA Servers").waitFor();
  // The certificates of the CAs are included.
  expect(await dialog.locator(".facts").innerText()).toMatch(/Certificates\s+3$/);
  await dialog.getByRole("button", { name: "Cancel" }).and(page.locator(":focus")).waitFor();
  await dialog.getByLabel("Type pki to confirm").fill("pk");
  expect(await remove.isDisabled()).toBe(true);
  await dialog.getByLabel("Type pki to confirm").fill("pki");
  await remove.click();
  await page.getByText("Mount pki deleted. Mount teams/web is now open").waitFor();
  await page.waitForURL(/mount=teams.*#\/system\/mounts$/);
  await page
    .getByRole("row", { name: /^teams\/web/ })
    .getByText("In use")
    .waitFor();
  expect(await page.getByRole("button", { name: "Settings of pki" }).count()).toBe(0);
  await ask("teams/web");
  await dialog.getByLabel("Type teams/web to confirm").fill("teams/web");
  await remove.click();
  await page.getByText("No CA mounts yet.").waitFor();
  // Views of a missing mount say so, and link to where another one can be chosen or created.
  await go(page, "roles", "Roles");
  await page.getByText("Mount teams/web does not exist").waitFor();
  await page.getByRole("link", { name: "Choose a mount" }).click();
  await page.getByRole("button", { name: "New mount" }).click();
  expect(await dialog.getByLabel("Path").inputValue()).toBe("pki");
  await dialog.getByRole("button", { name: "Create mount" }).click();
  await page.waitForURL(/#\/start$/);
  expect(window.complaints).toEqual([]);
});

it("the page of a CA shows the roles that use it, its certificates, and a link to issue from it", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await issue(page, "www.dev.test");
  const open = async (name: string): Promise<void> => {
    await go(page, "overview", "Overview");
    await page.getByRole("link", { name, exact: true }).click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
  };
  await open("Dev CA Servers");
  const roles = page.getByRole("region", { name: "Roles that use this CA" });
  const signed = page.getByRole("region", { name: "Valid certificates from this CA" });
  await roles.getByRole("link", { name: "dev-server", exact: true }).waitFor();
  await signed.getByRole("link", { name: "www.dev.test" }).waitFor();
  await signed.getByRole("link", { name: "Show all" }).click();
  await page.getByRole("heading", { level: 1, name: "Certificates" }).waitFor();
  await page.getByRole("link", { name: "www.dev.test" }).waitFor();
  await page.goBack();
  await roles.getByRole("link", { name: "Issue with role dev-server" }).click();
  await page.getByRole("heading", { level: 1, name: "Issue a certificate" }).waitFor();
  expect(await page.getByLabel("Role", { exact: true }).inputValue()).toBe("dev-server");
  // The root has signed its intermediate and has no role; a role created here uses it.
  await open("Dev CA Root");
  await roles.getByText("No role uses this authority.").waitFor();
  await roles.getByRole("link", { name: "New role" }).click();
  await page.getByRole("heading", { level: 1, name: "New role" }).waitFor();
  expect(await page.getByLabel("Signed by").locator("option:checked").innerText()).toBe(
    "Dev CA Root",
  );
  expect(window.complaints).toEqual([]);
});

/** The OpenAPI document from which the reference is rendered. */
const documentedCalls = readFileSync(join(root, "docs/openapi.json"), "utf8");

it("role, issuer, default, SAN, CRL and mount are each explained in one sentence with a link to the reference", async () => {
  window = await openDevCa(at);
  const { page } = window;
  const met: readonly (readonly [of: keyof typeof terms, hash: string, heading: string])[] = [
    ["role", "roles", "Roles"],
    ["issuer", "overview", "Overview"],
    ["standard", "overview", "Overview"],
    ["san", "issue", "Issue a certificate"],
    ["crl", "revocation", "Revocation"],
    ["mount", "system/mounts", "System"],
  ];
  expect(met.map(([of]) => of).toSorted()).toEqual(Object.keys(terms).toSorted());
  for (const [of, hash, heading] of met) {
    const [about, endpoint, more] = terms[of];
    await go(page, hash, heading);
    await page.getByText(about).waitFor();
    const link = page.getByRole("link", { name: more });
    expect(await link.getAttribute("href")).toBe(`#/api/${endpoint}`);
    expect(documentedCalls).toContain(`"operationId":"${endpoint}"`);
    if (of === "mount") await link.click();
  }
  await page.locator("h1").getByText("API reference").waitFor();
  await page.locator("main details[open]").first().waitFor();
  // locators by role and text would search the whole reference
  await go(page, "settings", "Settings");
  await page.getByRole("button", { name: /^This browser/ }).click();
  await page.getByRole("dialog").getByRole("link", { name: "Mounts" }).click();
  await page.getByText(terms.mount[0]).waitFor();
  expect(window.complaints).toEqual([]);
});
