import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { Page } from "playwright";
import { terms } from "../../demo/terms.ts";
import { devCa, host, issue, openWindow, type Host, type Window } from "./support.ts";

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

it("mounts are listed, and a new one is made, turned to and empty", async () => {
  window = await openWindow(at);
  const { page } = window;
  await devCa(page);
  await go(page, "system/mounts", "System");
  const table = page.getByRole("table", { name: "Mounts" });
  await table.getByRole("row").filter({ hasText: "pki" }).getByText("In use").waitFor();
  await page.getByRole("button", { name: "New mount" }).click();
  const dialog = page.getByRole("dialog", { name: "New mount" });
  const make = (): Promise<void> => dialog.getByRole("button", { name: "Make mount" }).click();
  for (const [path, why] of [
    ["", "A mount needs a path"],
    ["pki", "pki exists already"],
    ["sys/mine", "the server has that path itself"],
    ["a b", "a b: letters, digits"],
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
  // A browser's mount with nothing in it begins with the ready-made starts.
  await page.waitForURL(/mount=teams.*#\/start$/);
  await go(page, "system/mounts", "System");
  const made = table.getByRole("row").filter({ hasText: "teams/web" });
  await made.getByText("In use").waitFor();
  expect(await made.innerText()).toContain("90 days");
  expect(await made.innerText()).toContain("Of the web team");
  await page.getByRole("button", { name: "Open pki" }).click();
  await page.getByRole("link", { name: "Dev CA Root" }).waitFor();
  expect(window.complaints).toEqual([]);
});

it("an authority has the roles that use it, what it has signed, and the way to issue from it", async () => {
  window = await openWindow(at);
  const { page } = window;
  await devCa(page);
  await issue(page, "www.dev.test");
  const open = async (name: string): Promise<void> => {
    await go(page, "overview", "Overview");
    await page.getByRole("link", { name, exact: true }).click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
  };
  await open("Dev CA Servers");
  const roles = page.getByRole("region", { name: "Roles that use it" });
  const signed = page.getByRole("region", { name: "Valid certificates from it" });
  await roles.getByRole("link", { name: "dev-server", exact: true }).waitFor();
  await signed.getByRole("link", { name: "www.dev.test" }).waitFor();
  await signed.getByRole("link", { name: "Show all" }).click();
  await page.getByRole("heading", { level: 1, name: "Certificates" }).waitFor();
  await page.getByRole("link", { name: "www.dev.test" }).waitFor();
  await page.goBack();
  await roles.getByRole("link", { name: "Issue from dev-server" }).click();
  await page.getByRole("heading", { level: 1, name: "Issue a certificate" }).waitFor();
  expect(await page.getByLabel("Role", { exact: true }).inputValue()).toBe("dev-server");
  // The root has signed its issuing authority and serves no role; a role made here names it.
  await open("Dev CA Root");
  await roles.getByText("No role uses this authority.").waitFor();
  await roles.getByRole("link", { name: "New role" }).click();
  await page.getByRole("heading", { level: 1, name: "New role" }).waitFor();
  expect(await page.getByLabel("Signed by").locator("option:checked").innerText()).toBe(
    "Dev CA Root",
  );
  expect(window.complaints).toEqual([]);
});

it("role, issuer, default, SAN, CRL and mount are each told in a sentence where they are met, with the way to more", async () => {
  window = await openWindow(at);
  const { page } = window;
  await devCa(page);
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
    await page.getByRole("link", { name: more }).click();
    await page.getByRole("heading", { level: 1, name: "API reference" }).waitFor();
    expect(new URL(page.url()).hash).toBe(`#/api/${endpoint}`);
    await page.locator("main details[open]").first().waitFor();
  }
  await page.getByRole("button", { name: /^This browser/ }).click();
  await page.getByRole("dialog").getByRole("link", { name: "Mounts" }).click();
  await page.getByText(terms.mount[0]).waitFor();
  expect(window.complaints).toEqual([]);
});
