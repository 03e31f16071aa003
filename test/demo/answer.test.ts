import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { Page } from "playwright";
import { host, openDevCa, type Host, type Window } from "./support.ts";

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

/** Opens the issue form with names and waits for its check. */
async function ask(page: Page, names: string, outcome: string): Promise<void> {
  await page.evaluate("location.hash = '#/settings'");
  await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
  await page.evaluate(`location.hash = '#/issue/dev-server?name=${names}'`);
  await page.getByRole("status").filter({ hasText: outcome }).waitFor();
  await page.getByText("Checked by the server").waitFor();
}

it("passed checks are collapsed into one line, and failed checks are shown above it", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await ask(page, "www.dev.test", "Would be issued");
  const verdict = page.getByRole("region", { name: "Would this be allowed?" });
  const passed = verdict.getByText(/^\d+ checks passed$/);
  const key = verdict.getByText("Key: ECDSA P-256, set by the role");
  expect(await key.isVisible()).toBe(false);
  const count = Number((await passed.innerText()).split(" ")[0]);
  expect(count).toBeGreaterThan(3);
  await passed.click();
  await key.waitFor();
  const folded = verdict.locator("details li");
  expect(await folded.count()).toBe(count);
  await ask(page, "www.dev.test,wiki.internal", "Would be denied");
  const rows = await verdict.locator(".trace > li").allInnerTexts();
  expect(rows[0]).toMatch(/^wiki\.internal: /);
  expect(rows[1]).toMatch(/checks passed$/);
  expect(window.complaints).toEqual([]);
});

it.each([
  [1000, 700],
  [390, 844],
  [320, 640],
])(
  "the outcome of the check stays visible next to the button at %i pixels while typing",
  async (width, height) => {
    window = await openDevCa(at, { viewport: { width, height } });
    const { page } = window;
    await ask(page, "wiki.internal", "Would be denied");
    const inSight = async (text: string): Promise<boolean> => {
      const box = await page.locator(".bar").getByText(text, { exact: true }).boundingBox();
      return box !== null && box.y >= 0 && box.y + box.height <= height;
    };
    expect(await inSight("Issue certificate")).toBe(true);
    expect(await inSight("Would be denied")).toBe(true);
    // The bar must not hide the focused element.
    await page.getByLabel("Valid for").focus();
    const [field, bar] = await Promise.all(
      [page.getByLabel("Valid for"), page.locator(".bar")].map((one) => one.boundingBox()),
    );
    expect((field?.y ?? 0) + (field?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0);
    // The reason is shown once, and a request that is certain to fail cannot be sent.
    expect(
      await page.getByRole("button", { name: "Issue certificate" }).getAttribute("title"),
    ).toMatch(/^The server would reject wiki\.internal: .*not allowed by this role/);
  },
);

it("notices about missing URLs open the form for the URLs, and disappear once they are set", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await ask(page, "www.dev.test", "Would be issued");
  const verdict = page.getByRole("region", { name: "Would this be allowed?" });
  await verdict.getByText("No issuer URL (AIA)").waitFor();
  await page.getByLabel("Name 1", { exact: true }).fill("kept.dev.test");
  await verdict.getByRole("button", { name: "Set URLs…" }).click();
  const dialog = page.getByRole("dialog", { name: "URLs in certificates" });
  await dialog.getByLabel("Issuer’s certificate").fill("http://ca.dev.test/ca.der");
  await dialog.getByLabel("CRL", { exact: true }).fill("http://ca.dev.test/ca.crl");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await verdict.getByText("No issuer URL (AIA)").waitFor({ state: "detached" });
  expect(await verdict.getByText("No CRL or OCSP URL").count()).toBe(0);
  // The input is kept, and saving has issued nothing.
  expect(await page.getByLabel("Name 1", { exact: true }).inputValue()).toBe("kept.dev.test");
  expect(await page.getByRole("dialog").count()).toBe(0);
  expect(window.complaints).toEqual([]);
});
