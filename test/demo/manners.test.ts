import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { Page } from "playwright";
import { devCa, host, issue, openDevCa, openWindow, type Host, type Window } from "./support.ts";

let at: Host;
let window: Window;

beforeAll(async () => {
  at = await host({ headers: true });
});
afterEach(async () => {
  expect(window.complaints).toEqual([]);
  await window.context.close();
});
afterAll(async () => {
  await at.close();
});

async function opened(): Promise<Page> {
  window = await openDevCa(at);
  return window.page;
}
const go = (page: Page, hash: string): Promise<unknown> =>
  page.evaluate(`location.hash = ${JSON.stringify(`#/${hash}`)}`);
const hashOf = (page: Page): string => new URL(page.url()).hash;

it("a row's link opened in another window does not navigate this one, and selecting text opens nothing", async () => {
  const page = await opened();
  const serial = await issue(page, "rows.dev.test");
  await go(page, "certificates");
  const link = page.getByRole("link", { name: "rows.dev.test" });
  // Clicks that the page leaves to the browser are recorded and then cancelled: headless Chromium does
  // not always show the windows that it opens itself.
  await page.evaluate(
    "addEventListener('click', (event) => { window.left = !event.defaultPrevented; event.preventDefault(); }, { once: true })",
  );
  await link.click({ modifiers: ["ControlOrMeta"] });
  expect(await page.evaluate("window.left")).toBe(true);
  expect(hashOf(page)).toBe("#/certificates");
  const row = page.getByRole("row").filter({ has: link });
  const state = row.getByText("Valid");
  const box = await state.boundingBox();
  if (!box) throw new Error("the row is not visible");
  await page.mouse.move(box.x + box.width - 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.up();
  expect(await page.evaluate("getSelection().toString()")).not.toBe("");
  expect(hashOf(page)).toBe("#/certificates");
  await page.evaluate("getSelection().empty()");
  await state.click();
  await expect.poll(() => hashOf(page)).toBe(`#/certificates/${serial}`);
});

it("editing a role is a view under its own name with a link back to the list", async () => {
  const page = await opened();
  await go(page, "roles");
  await page
    .getByRole("table", { name: "Roles" })
    .getByRole("link", { name: "dev-server" })
    .click();
  await page.getByRole("heading", { level: 1, name: "dev-server", exact: true }).waitFor();
  expect(await page.getByRole("table", { name: "Roles" }).count()).toBe(0);
  await page.getByRole("link", { name: "Roles", exact: true }).last().click();
  await page.getByRole("heading", { level: 1, name: "Roles", exact: true }).waitFor();
  await page.getByRole("link", { name: "New role" }).click();
  await page.getByRole("heading", { level: 1, name: "New role", exact: true }).waitFor();
  await go(page, "roles/none");
  await page.getByText("This mount has no such role.").waitFor();
});

it("the message about a saved file appears above the open dialog", async () => {
  const page = await opened();
  await page.getByRole("button", { name: "Issue certificate" }).click();
  const dialog = page.getByRole("dialog", { name: "Issued" });
  await dialog.getByRole("button", { name: "Chain only" }).click();
  await page.getByText("Saved localhost.chain.pem").waitFor();
  // the text is rendered before the popover opens
  const isOpen = () => page.evaluate("document.querySelector('.toast').matches(':popover-open')");
  await expect.poll(isOpen).toBe(true);
  await dialog.getByLabel("I have saved the key").check();
  await page.keyboard.press("Escape");
});

it("a certificate with many names shows the first ones, all of them on request, and filters them", async () => {
  const page = await opened();
  const names = Array.from({ length: 130 }, (_, i) => `host-${i}.dev.test`);
  const init = {
    method: "POST",
    body: JSON.stringify({ common_name: names[0], alt_names: names.join(",") }),
  };
  const serial = await page.evaluate<string>(
    `fetch('./v1/pki/issue/dev-server', ${JSON.stringify(init)}).then((answer) => answer.json()).then(({ data }) => data.serial_number.replaceAll(':', ''))`,
  );
  await go(page, `certificates/${serial}`);
  const shown = (): Promise<number> => page.locator(".chips .badge").count();
  const more = page.getByRole("button", { name: "118 more names" });
  await more.waitFor();
  expect(await shown()).toBe(12);
  await more.click();
  await expect.poll(shown).toBe(130);
  await page.getByRole("searchbox", { name: "Filter 130 names" }).fill("HOST-12");
  await expect.poll(shown).toBe(11);
  await page.getByRole("button", { name: "Show fewer" }).click();
  await expect.poll(shown).toBe(12);
  await go(page, "certificates");
  await page
    .getByRole("row")
    .filter({ hasText: "host-0.dev.test" })
    .getByText("+129", { exact: true })
    .waitFor();
});

it("a CA certificate is downloaded as PEM, as DER and with its root, in the same dialog as a leaf", async () => {
  const page = await opened();
  await go(page, "overview");
  await page.getByRole("link", { name: "Dev CA Servers" }).click();
  await page.getByRole("button", { name: "Download" }).click();
  const dialog = page.getByRole("dialog", { name: "Download" });
  for (const [button, file] of [
    ["Certificate as .pem", "Dev-CA-Servers.pem"],
    ["Certificate as .cer", "Dev-CA-Servers.cer"],
    ["Root as .pem", "Dev-CA-Root.pem"],
  ] as const) {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      dialog.getByRole("button", { name: button }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(file);
  }
  expect(await dialog.getByText("nginx").count()).toBe(0);
  expect(await dialog.getByText("private key").count()).toBe(0);
  await page.keyboard.press("Escape");
});

it("a CSR is read from a file that is dropped on its field", async () => {
  const page = await opened();
  // Enter moves to the button instead of issuing, and the input survives switching to the other
  // mode.
  await page.getByLabel("Name 1", { exact: true }).fill("kept.dev.test");
  await page.keyboard.press("Enter");
  await expect
    .poll(() => page.evaluate("document.activeElement.textContent"))
    .toBe("Issue certificate");
  expect(await page.getByRole("dialog").count()).toBe(0);
  const which = (name: string): Promise<void> =>
    page.getByRole("button", { name, exact: true }).click();
  await which("CSR");
  await which("Role");
  expect(await page.getByLabel("Name 1", { exact: true }).inputValue()).toBe("kept.dev.test");
  await which("CSR");
  const field = page.getByLabel("Certificate signing request");
  await field.evaluate((element) => {
    const files = new DataTransfer();
    files.items.add(new File(["no request"], "some.csr"));
    element.dispatchEvent(
      new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true }),
    );
  });
  await expect.poll(() => field.getAttribute("aria-invalid")).toBe("true");
});

it("the API call named in the URL is open, visible and not wider than the window", async () => {
  const page = await opened();
  await page.setViewportSize({ width: 941, height: 900 });
  const ids = await page.evaluate<readonly string[]>(
    "fetch('./v1/sys/internal/specs/openapi').then((answer) => answer.json()).then(({ paths }) => Object.entries(paths).filter(([path]) => path.startsWith('/v1/')).flatMap(([, verbs]) => Object.values(verbs).map(({ operationId }) => operationId)))",
  );
  await go(page, "api/writeRole");
  await page.locator("details[open]").first().waitFor();
  expect(
    await page.evaluate(
      "[...document.querySelectorAll('.card')].filter((card) => card.scrollWidth > card.clientWidth + 1).length",
    ),
  ).toBe(0);
  await go(page, `api/${ids.at(-20)}`);
  const open = page.locator("details[open]").first();
  await open.waitFor();
  const top = (): Promise<number> =>
    open.evaluate((element) => element.getBoundingClientRect().top / innerHeight);
  await expect.poll(top).toBeLessThan(0.9);
  expect(await top()).toBeGreaterThan(0);
});

it("a dark page is printed in light colors, without navigation, filters and buttons", async () => {
  const page = await opened();
  await go(page, "certificates");
  await page.getByRole("table", { name: "Certificates" }).waitFor();
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  expect(await page.evaluate("getComputedStyle(document.body).color")).toBe("rgb(23, 28, 38)");
  for (const part of [
    page.getByRole("navigation", { name: "Main", exact: true }),
    page.locator(".filters"),
    page.getByRole("button", { name: "Export CSV" }),
  ])
    expect(await part.isVisible()).toBe(false);
  await page.emulateMedia({ media: "screen" });
});

it("a warning of the server stays until it is closed, even if the action changes the view", async () => {
  window = await openWindow(at, "roles/new");
  const { page } = window;
  await page.getByLabel("Name", { exact: true }).fill("early");
  await page.getByRole("textbox", { name: "Domains" }).fill("early.test");
  await page.getByRole("button", { name: "Save role" }).click();
  let dialog = page.getByRole("dialog", { name: "Role early created" });
  await dialog.getByText("no issuer exists with that reference").waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  await page.getByRole("heading", { level: 1, name: "early" }).waitFor();
  await go(page, "start");
  await devCa(page);
  await go(page, "overview");
  await page.getByRole("link", { name: "Dev CA Servers" }).click();
  await page.getByRole("button", { name: "Change…" }).click();
  await page.getByRole("button", { name: "Delete…" }).click();
  await page.getByLabel(/^Type/).fill("Dev CA Servers");
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  dialog = page.getByRole("dialog", { name: "Dev CA Servers deleted" });
  await dialog.getByText(/^1 roles reference .*: dev-server$/).waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
});

it("the browser reports nothing about the headers of the page", async () => {
  const page = await opened();
  const said: string[] = [];
  page.on("console", (message) => void said.push(message.text()));
  await page.reload();
  await page.getByRole("heading", { level: 1 }).waitFor();
  expect(said.filter((text) => /feature|policy|header/i.test(text))).toEqual([]);
});
