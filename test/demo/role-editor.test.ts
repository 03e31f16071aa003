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

async function edit(page: Page, name: string): Promise<void> {
  await page.evaluate(`location.hash = '#/roles/${name}'`);
  await page.getByRole("button", { name: "Save role" }).waitFor();
}
const role = (page: Page, name: string): Promise<Record<string, unknown>> =>
  page.evaluate(
    `fetch('./v1/pki/roles/${name}').then((answer) => answer.json()).then((said) => said.data)`,
  );
/** Records the requests that the editor sends from now on. */
function sentOf(page: Page): readonly string[] {
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/roles/") && request.method() !== "GET")
      sent.push(`${request.method()} ${request.postData() ?? ""}`);
  });
  return sent;
}

it("a preset fills in its values, is marked as selected while they are unchanged, and can be discarded", async () => {
  window = await openDevCa(at);
  const { page } = window;
  const before = await role(page, "dev-server");
  await edit(page, "dev-server");
  const preset = (name: string) => page.getByRole("button", { name, exact: true });
  await page.getByText("Template: Web server").click();
  expect(await preset("Web server").getAttribute("aria-pressed")).toBe("true");
  await preset("Email").click();
  await page.getByText("Template: Email").waitFor();
  expect(await preset("Email").getAttribute("aria-pressed")).toBe("true");
  expect(await page.getByLabel("Key", { exact: true }).inputValue()).toBe("rsa");
  expect(await page.getByRole("checkbox", { name: "Email", exact: true }).isChecked()).toBe(true);
  expect(await page.getByRole("checkbox", { name: "Key encipherment" }).isChecked()).toBe(true);
  expect(await page.getByRole("textbox", { name: "Domains" }).inputValue()).toBe("test\nlocalhost");
  await page
    .getByRole("status")
    .getByText(/^\d+ unsaved changes$/)
    .waitFor();
  await page.getByLabel("Key size").selectOption("4096");
  expect(await preset("Email").getAttribute("aria-pressed")).toBe("false");
  await page.getByText("Template: none").waitFor();
  await page.getByRole("button", { name: "Discard changes" }).click();
  await page.getByRole("button", { name: "Discard changes" }).waitFor({ state: "detached" });
  expect(await preset("Web server").getAttribute("aria-pressed")).toBe("true");
  expect(await role(page, "dev-server")).toEqual(before);
  await edit(page, "new");
  await page.getByLabel("Name", { exact: true }).fill("clients");
  await preset("Client").click();
  await page.getByRole("textbox", { name: "Domains" }).fill("svc.test");
  await expect.poll(() => page.getByLabel("Name to check").inputValue()).toBe("www.svc.test");
  await page.getByRole("button", { name: "Save role" }).click();
  await page.getByRole("heading", { level: 1, name: "clients" }).waitFor();
  expect(await role(page, "clients")).toMatchObject({
    server_flag: false,
    client_flag: true,
    allow_wildcard_certificates: false,
    allowed_domains: ["svc.test"],
    key_usage: ["DigitalSignature"],
    ttl: "720h",
  });
  expect(window.complaints).toEqual([]);
});

it("a role that allows any name, or not its domains, must be confirmed, once, and again with wildcards", async () => {
  window = await openDevCa(at);
  const { page } = window;
  const save = page.getByRole("button", { name: "Save role" });
  const confirm = page.getByLabel("Allow this");
  await edit(page, "new");
  await page.getByLabel("Name", { exact: true }).fill("people");
  const sent = sentOf(page);
  const domains = page.getByLabel("Domains", { exact: true });
  await domains.fill("*.dev.test");
  expect(await page.getByLabel("Save it anyway").count()).toBe(0);
  await save.click();
  await page.getByText("Confirm this, or change the fields above").waitFor();
  expect(await domains.getAttribute("aria-invalid")).toBe(null);
  expect(await page.getByLabel("Save it anyway").count()).toBe(1);
  await page.getByRole("button", { name: "User or device", exact: true }).click();
  await page.getByText("certificates for any name", { exact: true }).waitFor();
  expect(await page.getByLabel("Save it anyway").count()).toBe(0);
  await save.click();
  await page.getByText("Confirm this, or change the fields above").waitFor();
  await confirm.check();
  await page.getByLabel(/^Wildcards/).check();
  await page.getByText("certificates for any name, and wildcards for any domain").waitFor();
  expect(await confirm.isChecked()).toBe(false);
  expect(sent).toEqual([]);
  await page.getByLabel(/^Wildcards/).uncheck();
  await confirm.check();
  await save.click();
  await page.getByRole("heading", { level: 1, name: "people" }).waitFor();
  await page.getByLabel("Default lifetime").fill("30d");
  expect(await confirm.count()).toBe(0);
  await save.click();
  await page.getByText("Role saved; the changes apply to new requests").waitFor();
  expect(await role(page, "people")).toMatchObject({ allow_any_name: true, ttl: "720h" });
});

it("key usages and EKUs are checkboxes, unknown ones stay until removed, and only changed ones are sent", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await page.evaluate(
    "fetch('./v1/pki/roles/odd', { method: 'POST', body: JSON.stringify({ allow_any_name: true, key_type: 'ec', key_usage: ['digitalsignature', 'Whatever'] }) })",
  );
  const sent = sentOf(page);
  await edit(page, "odd");
  expect(await page.getByRole("checkbox", { name: "Digital signature" }).isChecked()).toBe(true);
  expect(await page.getByRole("checkbox", { name: "Whatever" }).isChecked()).toBe(true);
  await page.getByRole("checkbox", { name: "Key agreement" }).check();
  await page.getByRole("checkbox", { name: "Whatever" }).click();
  await page.getByText("Extensions and signature").click();
  await page.getByRole("checkbox", { name: "Time stamping" }).check();
  await page.getByLabel("Hash", { exact: true }).selectOption({ label: "SHA-384" });
  await page.getByRole("button", { name: "Save role" }).click();
  await page.getByText("Role saved").waitFor();
  expect(sent).toEqual([
    `PATCH ${JSON.stringify({
      key_usage: ["digitalsignature", "KeyAgreement"],
      ext_key_usage: ["TimeStamping"],
      signature_bits: 384,
    })}`,
  ]);
  expect(window.complaints).toEqual([]);
});

it("the latest expiry is a rule or a time, and an invalid time is reported at its field", async () => {
  window = await openDevCa(at);
  const { page } = window;
  const sent = sentOf(page);
  await edit(page, "dev-server");
  await page.getByText("Storage and validity").click();
  await page.getByLabel("Requested expiry").selectOption({ label: "Up to a fixed time" });
  const time = page.getByLabel("Latest expiry");
  expect(await time.inputValue()).toMatch(/^\d{4}-\d\d-\d\dT00:00:00Z$/);
  await time.fill("next year");
  await page.getByRole("button", { name: "Save role" }).click();
  await page.getByText("next year: not a time").waitFor();
  await time.fill("2030-01-01T00:00:00Z");
  await page.getByRole("button", { name: "Save role" }).click();
  await page.getByText("Role saved").waitFor();
  expect(sent).toEqual([`PATCH ${JSON.stringify({ not_after_bound: "2030-01-01T00:00:00Z" })}`]);
  expect(window.complaints).toEqual([]);
});

it.each([
  [1280, 700],
  [320, 640],
])(
  "the save button stays visible and covers no focused element at %i pixels",
  async (width, height) => {
    window = await openDevCa(at, { viewport: { width, height } });
    const { page } = window;
    await edit(page, "new");
    const bar = page.locator(".bar");
    const save = page.getByRole("button", { name: "Save role" });
    let fields = 0;
    for (let i = 0; i < 40; i++) {
      await page.keyboard.press("Tab");
      const [button, edge, focus] = [
        await save.boundingBox(),
        await bar.boundingBox(),
        await page.evaluate<number>(
          "document.activeElement.closest('form .stack') ? document.activeElement.getBoundingClientRect().bottom : 0",
        ),
      ];
      expect((button?.y ?? -1) >= 0 && (button?.y ?? 0) + (button?.height ?? 0) <= height).toBe(
        true,
      );
      fields += focus > 0 ? 1 : 0;
      expect(focus).toBeLessThanOrEqual((edge?.y ?? 0) + 1);
    }
    expect(fields).toBeGreaterThan(20);
  },
);

it("API names are shown on request, and are still shown after a reload", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await edit(page, "dev-server");
  const form = page.getByRole("form", { name: "Edit dev-server" });
  expect(await form.getByText("allowed_domains", { exact: true }).count()).toBe(0);
  await page.getByRole("button", { name: "API names" }).click();
  await form.getByText("allowed_domains", { exact: true }).waitFor();
  await form.getByText("key_usage", { exact: true }).waitFor();
  await page.reload();
  await form.getByText("allowed_domains", { exact: true }).waitFor();
  expect(await page.getByRole("button", { name: "API names" }).getAttribute("aria-pressed")).toBe(
    "true",
  );
  await page.getByRole("button", { name: "API names" }).click();
  await form.getByText("allowed_domains", { exact: true }).waitFor({ state: "detached" });
});
