import { afterAll, beforeAll, expect, it } from "vitest";
import type { Page } from "playwright";
import { host, openDevCa, type Host, type Window } from "./support.ts";

let at: Host;
let window: Window;
let page: Page;
beforeAll(async () => {
  at = await host();
  window = await openDevCa(at);
  ({ page } = window);
});
afterAll(async () => {
  expect(window.complaints).toEqual([]);
  await window.close();
  await at.close();
});

/** Returns the name of the focused element. */
const focused = (): Promise<string> =>
  page.evaluate(
    "(document.activeElement.getAttribute('aria-label') ?? document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent).trim()",
  );

/** Presses Tab until the element has the focus, and returns the names passed on the way. */
async function tabTo(name: RegExp): Promise<readonly string[]> {
  const passed: string[] = [];
  for (let i = 0; i < 80; i++) {
    await page.keyboard.press("Tab");
    const now = await focused();
    if (name.test(now)) return passed;
    passed.push(now);
  }
  throw new Error(`Tab did not reach ${name}: ${passed.join(" | ")}`);
}
const press = (key: string): Promise<void> => page.keyboard.press(key);

it("a certificate is issued with the keyboard alone: the button comes after the fields and before the preview", async () => {
  await page.evaluate("location.hash = '#/issue/dev-server'");
  await page.getByRole("heading", { level: 1, name: "Issue a certificate" }).waitFor();
  await page.getByLabel("Name 1", { exact: true }).waitFor();
  await tabTo(/^Name 1$/);
  await page.keyboard.type("keys.dev.test");
  await page.getByRole("region", { name: "Preview" }).or(page.getByLabel("Preview")).waitFor();
  const passed = await tabTo(/^Issue certificate$/);
  expect(passed).toContain("Add a name");
  expect(passed.filter((name) => /^(?:Copy|As an API call)/.test(name))).toEqual([]);
  await press("Enter");
  const dialog = page.getByRole("dialog", { name: "Issued" });
  await dialog.waitFor();
  expect(await focused()).toBe("Save key and chain");
  await tabTo(/^I have saved the key$/);
  await press("Space");
  await tabTo(/^Show certificate$/);
  await press("Enter");
  await page.getByRole("heading", { level: 1, name: "keys.dev.test" }).waitFor();
});

it("a certificate is revoked with the keyboard alone: Cancel has the focus first, and closing returns it to the opener", async () => {
  const dialog = page.getByRole("dialog", { name: "Revoke this certificate?" });
  await tabTo(/^Revoke…$/);
  await press("Enter");
  await dialog.waitFor();
  await expect.poll(focused).toBe("Cancel");
  await press("Escape");
  await dialog.waitFor({ state: "detached" });
  expect(await focused()).toBe("Revoke…");
  await press("Enter");
  await expect.poll(focused).toBe("Cancel");
  await page.keyboard.press("Shift+Tab");
  expect(await focused()).toMatch(/^Type keys\.dev\.test to confirm/);
  await page.keyboard.type("keys.dev.test");
  await press("Enter");
  await page
    .getByText(/^Revoked /)
    .first()
    .waitFor();
  await expect.poll(focused).toBe("keys.dev.test");
});

it("a role is created and changed with the keyboard alone", async () => {
  await page.evaluate("location.hash = '#/roles'");
  await page.getByRole("heading", { level: 1, name: "Roles" }).waitFor();
  await page.getByRole("table", { name: "Roles" }).waitFor();
  await tabTo(/^New role$/);
  await press("Enter");
  await page.getByRole("heading", { level: 1, name: "New role" }).waitFor();
  await page.getByLabel("Name", { exact: true }).waitFor();
  await tabTo(/^Name$/);
  await page.keyboard.type("keyboard");
  await tabTo(/^Email$/);
  await press("Enter");
  await tabTo(/^Domains$/);
  await page.keyboard.type("example.test");
  await tabTo(/^Save role$/);
  await press("Enter");
  await page.getByRole("heading", { level: 1, name: "keyboard" }).waitFor();
  await page.getByText("Template: Email").waitFor();
  await tabTo(/^Maximum lifetime$/);
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("400d");
  await press("Enter");
  await page.getByText("Role saved; the changes apply to new requests").waitFor();
});
