import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSecureContext } from "node:tls";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Locator, Page } from "playwright";
import { host, openDevCa, type Host, type Window } from "./support.ts";

let at: Host;
let window: Window;
let page: Page;
const folder = mkdtempSync(join(tmpdir(), "sealwright-archives-"));
beforeAll(async () => {
  at = await host({ headers: true });
  window = await openDevCa(at);
  ({ page } = window);
});
afterAll(async () => {
  expect(window.complaints).toEqual([]);
  await window.context.close();
  await at.close();
  rmSync(folder, { recursive: true, force: true });
});

const button = (name: string | RegExp): Locator =>
  page.getByRole("button", { name, exact: typeof name === "string" });
const dialog = (name: string): Locator => page.getByRole("dialog", { name });
/** Runs openssl with the words of a line, followed by arguments that may contain spaces. */
const openssl = (line: string, ...more: readonly string[]): string =>
  execFileSync("openssl", [...line.split(" "), ...more], {
    cwd: folder,
    encoding: "utf8",
    stdio: "pipe",
  });
const newRoot = (file: string, name: string): string =>
  openssl(
    `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -keyout ${file}.key -out ${file}.pem -subj`,
    `/CN=${name}`,
  );
/** Saves the download of a click under a name in the folder. */
async function saved(name: string, press: Locator): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent("download"), press.click()]);
  const path = join(folder, name);
  await download.saveAs(path);
  return path;
}

it("an issued certificate is saved as PKCS#12, JKS or PKCS#7, each archive with its own password", async () => {
  await page.getByLabel("Name 1", { exact: true }).fill("archived.dev.test");
  await button("Issue certificate").click();
  const issued = dialog("Issued");
  await issued.getByText("As an archive: PKCS#12, JKS, PKCS#7").click();
  const password = async (): Promise<string> =>
    (await issued.getByRole("group", { name: "Archive password" }).textContent()) ?? "";
  const kind = issued.getByLabel("Archive type");
  const today = await password();
  expect(today).toMatch(/^[A-Za-z0-9]{22}$/);
  const pfx = readFileSync(
    await saved("today.p12", issued.getByRole("button", { name: "Save as .p12" })),
  );
  createSecureContext({ pfx, passphrase: today });
  expect(() => createSecureContext({ pfx, passphrase: "changeit" })).toThrow();
  // the key was saved, but not the password of its archive
  expect(await issued.getByLabel("I have saved the key").isChecked()).toBe(true);
  expect(await issued.getByRole("button", { name: "Close", exact: true }).isDisabled()).toBe(true);
  await page.keyboard.press("Escape");
  await issued.getByText("The password is not saved yet").waitFor();
  await issued.getByText("As an archive: PKCS#12, JKS, PKCS#7").click();
  await issued.getByText("As an archive: PKCS#12, JKS, PKCS#7").click();
  expect(await password()).toBe(today);
  await kind.selectOption("jks");
  expect(await password()).toBe(today);
  const keptPassword = issued.getByLabel("I have saved the password");
  await keptPassword.check();
  await kind.selectOption("modern2023");
  const older = await password();
  expect(older).not.toBe(today);
  await saved("older.p12", issued.getByRole("button", { name: "Save as .p12" }));
  await keptPassword.check();
  const read = openssl(`pkcs12 -in older.p12 -nodes -passin pass:${older}`);
  expect(read).toContain("BEGIN PRIVATE KEY");
  expect(read.match(/BEGIN CERTIFICATE/g)).toHaveLength(3);
  expect(read).toContain("archived.dev.test");
  await kind.selectOption("jks");
  const jks = readFileSync(
    await saved("old.jks", issued.getByRole("button", { name: "Save as .jks" })),
  );
  await keptPassword.check();
  expect(jks.subarray(0, 4).toString("hex")).toBe("feedfeed");
  await kind.selectOption("pkcs7");
  expect(await issued.getByRole("group", { name: "Archive password" }).count()).toBe(0);
  await saved("all.p7b", issued.getByRole("button", { name: "Save as .p7b" }));
  const chain = openssl("pkcs7 -inform DER -in all.p7b -print_certs");
  expect(chain.match(/BEGIN CERTIFICATE/g)).toHaveLength(3);
  await issued.getByLabel("I have saved the key").check();
  await issued.getByRole("button", { name: "Show certificate" }).click();
  await page.getByRole("heading", { level: 1, name: "archived.dev.test" }).waitFor();
  const text = await page.content();
  for (const secret of [today, older]) expect(text).not.toContain(secret);
});

it("a stored certificate is downloaded with its issuers as PKCS#7", async () => {
  await button("Download…").first().click();
  await saved(
    "stored.p7b",
    page.getByRole("button", { name: "Certificate and all issuers as .p7b" }),
  );
  const chain = openssl("pkcs7 -inform DER -in stored.p7b -print_certs");
  expect(chain.match(/BEGIN CERTIFICATE/g)).toHaveLength(3);
  await page.keyboard.press("Escape");
});

it("CA certificates are imported from PKCS#7, as a file or as text", async () => {
  for (const [name, form] of [
    ["First Foreign Root", "DER"],
    ["Second Foreign Root", "PEM"],
  ] as const) {
    newRoot("foreign", name);
    openssl(`crl2pkcs7 -nocrl -certfile foreign.pem -outform ${form} -out foreign.p7`);
    await page.evaluate("location.hash = '#/overview'");
    await button("Import…").click();
    const importing = dialog("Import authorities");
    if (form === "PEM")
      await importing
        .getByLabel("CA certificates, and the private keys of CAs that will sign here")
        .fill(readFileSync(join(folder, "foreign.p7"), "utf8"));
    else await importing.locator("input[type=file]").setInputFiles(join(folder, "foreign.p7"));
    await importing.getByText(`${name}, until`, { exact: false }).waitFor();
    await importing.getByRole("button", { name: "Import", exact: true }).click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
  }
  writeFileSync(join(folder, "none.p7"), "no archive");
  await page.evaluate("location.hash = '#/overview'");
  await button("Import…").click();
  await dialog("Import authorities")
    .locator("input[type=file]")
    .setInputFiles(join(folder, "none.p7"));
  await dialog("Import authorities").getByRole("alert").getByText("none.p7").waitFor();
  await page.keyboard.press("Escape");
});

it("a CA with its key is imported from PKCS#12, which the page decrypts with the password", async () => {
  newRoot("own", "Archived Root");
  const pack = (file: string, password: string): string =>
    openssl(
      `pkcs12 -export -in own.pem -inkey own.key -out ${file} -iter 10000 -passout`,
      `pass:${password}`,
    );
  pack("own.p12", "the password of it");
  await page.evaluate("location.hash = '#/overview'");
  await button("Import…").click();
  const importing = dialog("Import authorities");
  await importing.locator("input[type=file]").setInputFiles(join(folder, "own.p12"));
  const password = importing.getByLabel("Password for own.p12");
  await password.fill("another");
  await button("Open the archive").click();
  await importing.getByText("the password is wrong", { exact: false }).waitFor();
  expect(await password.getAttribute("aria-invalid")).toBe("true");
  await password.fill("the password of it");
  await button("Open the archive").click();
  await importing.getByText("Archived Root, until", { exact: false }).waitFor();
  await importing.getByText("with its key", { exact: false }).waitFor();
  expect(await password.count()).toBe(0);
  await importing.getByRole("button", { name: "Import with key" }).click();
  await page.getByRole("heading", { level: 1, name: "Archived Root" }).waitFor();
  expect(await page.content()).not.toContain("PRIVATE KEY");
  pack("open.p12", "");
  await page.keyboard.press("Escape");
  await page.evaluate("location.hash = '#/overview'");
  await button("Import…").click();
  await importing.locator("input[type=file]").setInputFiles(join(folder, "open.p12"));
  await importing.getByText("with its key", { exact: false }).waitFor();
  await page.keyboard.press("Escape");
});
