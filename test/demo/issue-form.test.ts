import { execFileSync } from "node:child_process";
import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { Locator, Page } from "playwright";
import { judged, looks, staysInWidth, violations } from "./axe.ts";
import { host, openDevCa, type Host, type Window } from "./support.ts";

let at: Host;
let window: Window;
const folder = mkdtempSync(join(tmpdir(), "sealwright-issue-"));
beforeAll(async () => {
  at = await host();
});
afterEach(async () => {
  expect(window.complaints).toEqual([]);
  await window.close();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await at.close();
});

const saveRole = (page: Page, name: string, fields: object): Promise<unknown> =>
  page.evaluate(
    `fetch('./v1/pki/roles/${name}', { method: 'POST', body: ${JSON.stringify(JSON.stringify({ allow_any_name: true, enforce_hostnames: false, key_type: "ec", key_bits: 256, issuer_ref: "dev-servers", max_ttl: "8760h", ...fields }))} }).then((answer) => answer.text())`,
  );
const dialogOf = (page: Page) => page.getByRole("dialog", { name: "Issued" });
const saved = async (page: Page, button: string): Promise<string> => {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    dialogOf(page).getByRole("button", { name: button }).click(),
  ]);
  return readFileSync(await download.path(), "utf8");
};
/** Presses Issue and returns what the dialog saves. */
async function issued(page: Page): Promise<{ pem: string; certificate: X509Certificate }> {
  await page.getByRole("button", { name: "Issue certificate" }).click();
  const pem = await saved(page, "Save key and chain");
  return { pem, certificate: new X509Certificate(pem.slice(pem.indexOf("-----BEGIN CERT"))) };
}
const again = async (page: Page, hash = "#/issue"): Promise<void> => {
  await page.evaluate("location.hash = '#/settings'");
  await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
  await page.evaluate(`location.hash = '${hash}'`);
  await page.getByLabel("Role", { exact: true }).waitFor();
};

it("a role is chosen by purpose, or created from a template if there is none, and a common name may contain spaces", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await saveRole(page, "any-server", { server_flag: true, client_flag: false });
  await again(page);
  const role = page.getByLabel("Role", { exact: true });
  await role.selectOption("dev-server");
  await page.getByText(/For TLS servers\..*Signed by Dev CA Servers\./).waitFor();
  await page.getByText("Choose by purpose").click();
  await page.getByRole("button", { name: "any-server", exact: true }).click();
  expect(await role.inputValue()).toBe("any-server");
  await page.getByLabel("Name 1", { exact: true }).fill("still.dev.test");
  await page.getByRole("button", { name: "dev-server", exact: true }).click();
  expect(await page.getByLabel("Name 1", { exact: true }).inputValue()).toBe("still.dev.test");
  await page.getByText("A new role for this purpose sets: code signing; digital").waitFor();
  await page.getByRole("link", { name: "Create a role for code signing" }).click();
  await page.getByRole("heading", { level: 1, name: "New role" }).waitFor();
  await page.getByText("Template: Code signing").waitFor();
  await page.getByLabel("Name", { exact: true }).fill("code");
  await page.getByLabel("Allow this").check();
  await page.getByRole("button", { name: "Save role" }).click();
  await page.getByRole("link", { name: "Issue certificate" }).click();
  await page.getByText(/For code signing\..*Signed by/).waitFor();
  await page.getByLabel("Name 1", { exact: true }).fill("Fernhill Ltd");
  const { certificate } = await issued(page);
  expect(certificate.subject).toContain("CN=Fernhill Ltd");
  expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.3"]);
});

it("typed input survives a visit to another view until it is issued or cleared", async () => {
  window = await openDevCa(at);
  const { page } = window;
  const first = page.getByLabel("Name 1", { exact: true });
  const visit = async (): Promise<void> => {
    await page.evaluate("location.hash = '#/keys'");
    await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
    await page.evaluate("location.hash = '#/issue'");
    await first.waitFor();
  };
  await again(page);
  await first.fill("kept.dev.test");
  await visit();
  expect(await first.inputValue()).toBe("kept.dev.test");
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  expect(await first.inputValue()).toBe("");
  await first.fill("issued.dev.test");
  await issued(page);
  await visit();
  expect(await first.inputValue()).toBe("");
});

it("a role deleted in another window is no longer offered, and an unchecked request is not shown as issuable", async () => {
  window = await openDevCa(at);
  const { page, context } = window;
  await saveRole(page, "any-server", {});
  await again(page);
  const role = page.getByLabel("Role", { exact: true });
  await role.selectOption("any-server");
  await page.getByLabel("Name 1", { exact: true }).fill("two.dev.test");
  const outcome = page.getByRole("complementary", { name: "Preview" });
  // It appears twice: on screen and, a moment later, for screen readers.
  await outcome.getByText("Would be issued").first().waitFor();
  // deleted by a call that no window is notified of
  await page.evaluate("fetch('./v1/pki/roles/any-server', { method: 'DELETE' })");
  await page.getByLabel("Name 1", { exact: true }).fill("three.dev.test");
  await outcome.getByText("unknown role: any-server").waitFor();
  await outcome.getByText("The server could not check this request").waitFor();
  await expect.poll(() => page.getByText("Would be issued").count()).toBe(0);
  const other = await context.newPage();
  await other.goto(`${at.url}#/settings`);
  await other.evaluate(
    "new BroadcastChannel('sealwright').postMessage(new URL('./', location.href).href.replace(/\\/$/, ''))",
  );
  await expect.poll(() => role.inputValue()).toBe("dev-server");
  expect(await page.getByLabel("Name 1", { exact: true }).inputValue()).toBe("three.dev.test");
  await outcome.getByText("Would be issued").first().waitFor();
});

it("a refused form can be sent without another input once its role allows the request", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await saveRole(page, "narrow", { allow_any_name: false, allowed_domains: "narrow.test" });
  await again(page);
  await page.getByLabel("Role", { exact: true }).selectOption("narrow");
  await page.getByLabel("Name 1", { exact: true }).fill("www.wide.test");
  const button = page.getByRole("button", { name: "Issue certificate" });
  await expect.poll(() => button.getAttribute("aria-disabled")).toBe("true");
  await saveRole(page, "narrow", { allow_any_name: true });
  // as another window does after a change
  await page.evaluate(
    "new BroadcastChannel('sealwright').postMessage(new URL('./', location.href).href.replace(/\\/$/, ''))",
  );
  await expect.poll(() => button.getAttribute("aria-disabled")).toBe(null);
  expect(await page.getByLabel("Name 1", { exact: true }).inputValue()).toBe("www.wide.test");
});

it("a certificate has the typed lifetime or expires on the chosen day, and an invalid lifetime is not sent", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await page.getByLabel("Name 1", { exact: true }).fill("own.dev.test");
  await page.getByLabel("Valid for").selectOption("own");
  await page.getByLabel("Lifetime", { exact: true }).fill("45 moons");
  await page.getByRole("button", { name: "Issue certificate" }).click();
  await page.getByRole("alert").getByText("such as 36h, 45d or 1h30m").waitFor();
  await page.getByLabel("Lifetime", { exact: true }).fill("1d12h");
  const { certificate } = await issued(page);
  const lasts = (Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)) / 3_600_000;
  expect(Math.round(lasts)).toBe(36);
  await dialogOf(page).getByRole("button", { name: "Close" }).click();
  const last = new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10);
  await page.getByLabel("Valid for").selectOption("until");
  await page.getByLabel("Last day, UTC").fill(last);
  const { certificate: until } = await issued(page);
  expect(new Date(until.validTo).toISOString()).toBe(`${last}T23:59:59.000Z`);
});

it("the subject has its own common name, serial number and user IDs, and the form shows what the role adds", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await saveRole(page, "person", {
    organization: ["Example Works"],
    allowed_user_ids: ["jane", "jdoe"],
    allowed_serial_numbers: ["SN-*"],
    server_flag: false,
  });
  await again(page, "#/issue/person?name=jane@example.org");
  await page.getByText("Subject", { exact: true }).click();
  await page.getByText("The role adds O=Example Works.").waitFor();
  await page.getByLabel("Common name", { exact: true }).fill("Jane Doe");
  await page.getByLabel("Exclude the common name").check();
  await page.getByLabel("Serial number in the subject").fill("SN-7");
  await page.getByLabel("User IDs").fill("jane\njdoe");
  const { certificate } = await issued(page);
  expect(certificate.subject.split("\n").toSorted()).toEqual([
    "CN=Jane Doe",
    "O=Example Works",
    "UID=jane",
    "UID=jdoe",
    "serialNumber=SN-7",
  ]);
  expect(certificate.subjectAltName).toBe("email:jane@example.org");
});

it.each([
  ["a role with a fixed key type", { key_type: "ec", key_bits: 256 }, "ec"],
  ["a role that allows any key", { key_type: "any", key_bits: 0 }, "ec"],
  [
    "a role that ignores the names in CSRs",
    { key_type: "rsa", key_bits: 2048, use_csr_common_name: false, use_csr_sans: false },
    "rsa",
  ],
])(
  "for %s a key is generated in the page, never sent, and saved as PEM and PKCS#12",
  async (_, fields, kind) => {
    window = await openDevCa(at);
    const { page } = window;
    await saveRole(page, "own", { ...fields, allow_ip_sans: true });
    const sent: string[] = [];
    page.on("request", (request) => void sent.push(request.postData() ?? ""));
    await again(page, "#/issue/own?name=www.own.test,alt.own.test,192.0.2.9");
    const key = page.getByLabel("Key", { exact: true });
    const choices = await key.locator("option").allInnerTexts();
    expect(choices.some((text) => text.startsWith("On the server: "))).toBe(
      fields.key_type !== "any",
    );
    await key.selectOption({
      label: choices.find((text) => text.startsWith("In this browser: ")) ?? "",
    });
    await page
      .getByRole("complementary", { name: "Preview" })
      .getByText("Would be issued")
      .first()
      .waitFor();
    const { pem, certificate } = await issued(page);
    await dialogOf(page).getByText("It was generated in this page and never sent.").waitFor();
    const own = createPrivateKey(pem);
    expect(own.asymmetricKeyType).toBe(kind);
    const spki = createPublicKey(own).export({ type: "spki", format: "der" });
    expect(certificate.publicKey.export({ type: "spki", format: "der" }).equals(spki)).toBe(true);
    expect(certificate.subject).toContain("CN=www.own.test");
    expect(certificate.subjectAltName?.split(", ").toSorted()).toEqual([
      "DNS:alt.own.test",
      "DNS:www.own.test",
      "IP Address:192.0.2.9",
    ]);
    const secret = own.export({ type: "pkcs8", format: "der" }).toString("base64").slice(60, 120);
    expect(sent.some((body) => body.includes("BEGIN CERTIFICATE REQUEST"))).toBe(true);
    for (const body of sent) {
      expect(body).not.toContain("PRIVATE KEY");
      expect(body.replaceAll("\\n", "")).not.toContain(secret);
    }

    await dialogOf(page).getByText("As an archive").click();
    await dialogOf(page).getByLabel("Archive type").selectOption("modern2023");
    const password = await dialogOf(page)
      .getByLabel("Archive password", { exact: true })
      .innerText();
    const [archive] = await Promise.all([
      page.waitForEvent("download"),
      dialogOf(page).getByRole("button", { name: "Save as .p12" }).click(),
    ]);
    const file = join(folder, `${kind}.p12`);
    await archive.saveAs(file);
    const opened = execFileSync(
      "openssl",
      ["pkcs12", "-in", file, "-passin", `pass:${password.trim()}`, "-nodes", "-nocerts"],
      { encoding: "utf8" },
    );
    const inside = createPublicKey(createPrivateKey(opened.slice(opened.indexOf("-----BEGIN"))));
    expect(inside.export({ type: "spki", format: "der" }).equals(spki)).toBe(true);
  },
);

it("the last used role is selected unless the URL names another; of several unused roles none is", async () => {
  window = await openDevCa(at);
  const { page } = window;
  const role = page.getByLabel("Role", { exact: true });
  for (const name of ["a-first", "zebra"]) await saveRole(page, name, {});
  await again(page);
  expect(await role.locator("option:checked").innerText()).toBe("Choose a role");
  await page.getByLabel("Name 1", { exact: true }).fill("www.zebra.test");
  await page.getByRole("button", { name: "Issue certificate" }).click();
  await page.getByRole("alert").getByText("Choose a role").waitFor();
  const outcome = page.getByRole("complementary", { name: "Preview" }).locator(".outcome");
  await outcome.getByText("Complete the form to check it").first().waitFor();
  await role.selectOption("zebra");
  expect(await role.locator("option").allInnerTexts()).not.toContain("Choose a role");
  await issued(page);
  await dialogOf(page).getByRole("button", { name: "Close" }).click();
  await again(page);
  expect(await role.inputValue()).toBe("zebra");
  await page.reload();
  await expect.poll(() => role.inputValue()).toBe("zebra");
  await again(page, "#/issue/a-first");
  expect(await role.inputValue()).toBe("a-first");
});

it("the dialog with a key puts the focus on its save button, says why it cannot be closed yet, and saving the key ticks its confirmation", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await page.getByLabel("Name 1", { exact: true }).fill("once.dev.test");
  await page.getByRole("button", { name: "Issue certificate" }).click();
  const dialog = dialogOf(page);
  await dialog.waitFor();
  await expect
    .poll(() => page.evaluate("document.activeElement.textContent"))
    .toBe("Save key and chain");
  const tick = dialog.getByLabel("I have saved the key");
  expect(await tick.isChecked()).toBe(false);
  const close = dialog.getByRole("button", { name: "Close" });
  // not `disabled`: Firefox does not wrap Tab past a disabled button at the end of a dialog
  await close.focus();
  await dialog.getByText("First save the key, or confirm that you have saved it").waitFor();
  await saved(page, "Chain only");
  expect(await tick.isChecked()).toBe(false);
  await saved(page, "Key only");
  await expect.poll(() => tick.isChecked()).toBe(true);
  await page.setViewportSize({ width: 1280, height: 480 });
  await dialog.getByText("As an archive").click();
  await dialog.getByText("Next: trust the root").click();
  const trust = dialog.getByRole("button", { name: /^Save Dev-CA-Root/ });
  await trust.waitFor();
  const bottom = async (target: Locator): Promise<number> => {
    const box = await target.boundingBox();
    return box ? box.y + box.height : Infinity;
  };
  expect(await bottom(trust)).toBeLessThan((await close.boundingBox())?.y ?? 0);
  await close.click();
  await dialog.waitFor({ state: "detached" });
  await page.locator(".said").getByRole("link", { name: "once.dev.test" }).click();
  await page.getByRole("heading", { level: 1, name: "once.dev.test" }).waitFor();
});

it.each(looks)(
  "the expanded issue form passes axe-core and fits the width in the %s theme at %i pixels",
  async (...look) => {
    window = await judged(at, look);
    const { page } = window;
    await page.getByLabel("Name 1", { exact: true }).fill("www.dev.test");
    await page.getByText("Subject", { exact: true }).click();
    await page.getByLabel("Valid for").selectOption("own");
    await page.getByLabel("Lifetime", { exact: true }).fill("none");
    expect(await violations(window)).toEqual([]);
    await page.getByLabel("Valid for").selectOption("until");
    await page.getByLabel("Key", { exact: true }).selectOption({ index: 1 });
    await page
      .getByRole("complementary", { name: "Preview" })
      .getByText("Would be issued")
      .first()
      .waitFor();
    expect(await violations(window)).toEqual([]);
    expect(await staysInWidth(window)).toBe(true);
  },
);

it("lifetimes beyond the maximum of the role or the expiry of its issuer are not offered", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await saveRole(page, "month", { max_ttl: "720h" });
  await page.evaluate(
    `fetch('./v1/pki/root/generate/internal', { method: 'POST', body: JSON.stringify({ common_name: 'Short Root', issuer_name: 'short-root', key_type: 'ec', ttl: '2000h' }) }).then((answer) => answer.text())`,
  );
  await saveRole(page, "short", { issuer_ref: "short-root" });
  const lifetimes = page.getByLabel("Valid for").locator("option");
  const offered = async (): Promise<readonly string[]> =>
    (await lifetimes.allInnerTexts()).slice(1);
  const typed = ["Another lifetime…", "Until a date…"];
  await again(page, "#/issue/month");
  await expect.poll(offered).toEqual(["1 day", "7 days", "30 days", ...typed]);
  await page.getByLabel("Role", { exact: true }).selectOption("dev-server");
  await expect.poll(offered).toContain("397 days");
  await page.getByLabel("Role", { exact: true }).selectOption("short");
  await expect.poll(offered).toEqual(["1 day", "7 days", "30 days", ...typed]);
  await page.getByLabel("Valid for").selectOption("own");
  await page.getByLabel("Lifetime", { exact: true }).fill("36h");
  await page.getByText("= 1 day 12 hours").waitFor();
});
