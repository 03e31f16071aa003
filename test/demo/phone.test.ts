import { afterAll, beforeAll, expect, it } from "vitest";
import { host, issue, openDevCa, type Host, type Window } from "./support.ts";
import { viewIds } from "./views.ts";

let at: Host;
let window: Window;
let serial: string;
beforeAll(async () => {
  at = await host();
  window = await openDevCa(at, { viewport: { width: 390, height: 844 } });
  serial = await issue(window.page, "one.dev.test");
});
afterAll(async () => {
  await window.context.close();
  await at.close();
});

/**
 * Lists controls that are lower or narrower than 44 pixels. A checkbox counts with its label; links
 * within text do not count.
 */
const small = `[...document.querySelectorAll('button, select, textarea, summary, a.btn, a.back, [role=tab], input:not([type=file])')]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }))
  .map((one) => [one, (['checkbox', 'radio'].includes(one.type) ? one.closest('label') : one).getBoundingClientRect()])
  .filter(([, { width, height }]) => width > 1 && (Math.round(height) < 44 || Math.round(width) < 44))
  .map(([one, { width, height }]) => one.tagName + ' ' + (one.getAttribute('aria-label') ?? one.textContent) + ' ' + Math.round(width) + 'x' + Math.round(height))`;

it.each([
  // each test begins at the settings
  ...viewIds.filter((id) => !["start", "authorities", "settings"].includes(id)),
  "certificates?match=any",
  "certificates?q=nothing",
  "roles/dev-server",
  "revocation/ocsp",
  "revocation/urls",
  "revocation/tidy",
  "acme/accounts",
  "acme/settings",
  "acme/try",
])("on a phone all controls of the view %s are at least 44 pixels high and wide", async (view) => {
  const { page } = window;
  await page.evaluate("location.hash = '#/settings'");
  await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
  await page.evaluate(
    `location.hash = '#/${view === "certificate" ? `certificates/${serial}` : view}'`,
  );
  await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor({ state: "detached" });
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
  expect(await page.evaluate(small)).toEqual([]);
});

it.each(["Download…", "Revoke…"])(
  "on a phone all controls of the dialog %s are at least 44 pixels high and wide",
  async (button) => {
    const { page } = window;
    await page.evaluate("location.hash = '#/settings'");
    await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
    await page.evaluate(`location.hash = '#/certificates/${serial}'`);
    await page.getByRole("button", { name: button, exact: true }).click();
    await page.getByRole("dialog").getByRole("button").first().waitFor();
    expect(await page.evaluate(small)).toEqual([]);
    await page.keyboard.press("Escape");
  },
);

it("a phone shows all digits of a serial number, and the states of certificates in search results", async () => {
  const { page } = window;
  await page.evaluate(`location.hash = '#/revocation/ocsp?serial=${serial}'`);
  const field = page.getByLabel("Serial number", { exact: true });
  await field.waitFor();
  expect(await field.inputValue()).toMatch(/^[0-9a-f]{38,40}$/);
  const hiddenWidth = (selector: string): Promise<number> =>
    page.evaluate(
      `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector(${JSON.stringify(selector)}))`,
    );
  expect(await hiddenWidth(".serial input")).toBe(0);
  await page.keyboard.press("Control+k");
  const search = page.getByRole("combobox", { name: "Search or go to" });
  await search.fill("one.dev");
  const hint = page.getByRole("option", { name: /^one\.dev\.test/ }).locator(".small");
  await hint.waitFor();
  await expect.poll(() => hint.innerText()).toMatch(/^Valid .* from Dev CA Servers$/);
  expect(await hiddenWidth("[role=option] .small")).toBe(0);
  // a token is not searched for, which a toast says
  await search.fill("hvs.abcdefghijklmnop");
  const toast = page.locator(".toast").filter({ hasText: "This looks like a token" });
  await toast.waitFor();
  const [fieldBox, toastBox] = [await search.boundingBox(), await toast.boundingBox()];
  expect(toastBox?.y).toBeGreaterThan((fieldBox?.y ?? 0) + (fieldBox?.height ?? 0));
  await page.keyboard.press("Escape");
});

it("a phone shows the permissions of the token and the number of entries of a CRL, and the count below the activity has a margin", async () => {
  const { page } = window;
  await page.evaluate("location.hash = '#/access'");
  const rows = page.getByRole("table", { name: "Permissions" });
  await rows
    .getByRole("row", { name: /Revoke certificates/ })
    .getByText("Yes", { exact: true })
    .waitFor();
  const body = JSON.stringify({ serial_number: serial.replace(/../g, "$&:").slice(0, -1) });
  await page.evaluate(
    `fetch('./v1/pki/revoke', { method: 'POST', body: ${JSON.stringify(body)} }).then((answer) => answer.text())`,
  );
  await page.evaluate("location.hash = '#/revocation'");
  await page.getByRole("cell", { name: "1 entry" }).waitFor();
  await page.evaluate("location.hash = '#/system'");
  const count = page.getByText(/^\d+ of \d+ loaded$/);
  await count.waitFor();
  const card = page.getByRole("region", { name: "Activity" });
  const [text, edge] = [await count.boundingBox(), await card.boundingBox()];
  expect((text?.x ?? 0) - (edge?.x ?? 0)).toBeGreaterThan(8);
});

it("on a phone two buttons are beside the title of their view", async () => {
  const { page } = window;
  await page.evaluate("location.hash = '#/keys'");
  const button = page.getByRole("button", { name: "New key" });
  await button.waitFor();
  const title = await page.getByRole("heading", { level: 1, name: "Keys" }).boundingBox();
  const other = await page.getByRole("button", { name: "Import…" }).boundingBox();
  for (const box of [other, await button.boundingBox()])
    expect(box?.y).toBeLessThan((title?.y ?? 0) + (title?.height ?? 0));
});

it("at 1024 pixels the check of a name is above the edited role, and on a phone below it", async () => {
  const { page } = window;
  await page.evaluate("location.hash = '#/roles/dev-server'");
  const check = page.getByRole("complementary", { name: "Try a name" });
  const field = page.getByLabel("Domains", { exact: true });
  await check.waitFor();
  const isAbove = async (): Promise<boolean> =>
    ((await check.boundingBox())?.y ?? 0) < ((await field.boundingBox())?.y ?? 0);
  expect(await isAbove()).toBe(false);
  await page.setViewportSize({ width: 1024, height: 768 });
  expect(await isAbove()).toBe(true);
  await page.setViewportSize({ width: 390, height: 844 });
});
