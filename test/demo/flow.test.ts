import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Download, Page } from "playwright";
import {
  devCa,
  host,
  issue,
  openDevCa,
  openWindow,
  settingsAfterRevocation,
  type Host,
  type Window,
} from "./support.ts";

let at: Host;
let window: Window;
const folder = mkdtempSync(join(tmpdir(), "sealwright-flow-"));
const openssl = (...args: string[]): string =>
  execFileSync("openssl", args, {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });

beforeAll(async () => {
  at = await host({ worker: "kept" });
});
afterEach(async () => {
  await window.context.close();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await at.close();
});

async function saved(
  page: Page,
  press: () => Promise<void>,
): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([page.waitForEvent("download"), press()]);
  return read(download);
}
async function read(download: Download): Promise<{ name: string; text: string }> {
  return {
    name: download.suggestedFilename(),
    text: readFileSync(await download.path(), "latin1"),
  };
}

describe("the first run", () => {
  it("one click creates a Dev CA, another one issues a certificate, and openssl verifies the saved files", async () => {
    window = await openWindow(at);
    const { page } = window;
    await page.waitForURL(/#\/start$/);
    const asked: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/v1/")) asked.push(request.url());
    });
    await devCa(page);
    expect(await page.getByLabel("Name 1", { exact: true }).inputValue()).toBe("localhost");
    await page.getByRole("button", { name: "Issue certificate" }).click();
    const dialog = page.getByRole("dialog", { name: "Issued" });
    await dialog.waitFor();
    // the duration depends on the machine; the number of mostly sequential calls depends on the console
    expect(asked.length).toBeLessThanOrEqual(20);
    const { name, text } = await saved(page, () =>
      dialog.getByRole("button", { name: "Save key and chain" }).click(),
    );
    expect(name).toBe("localhost.key-and-chain.pem");
    await dialog.getByText("Next: trust the root on the machines that connect").click();
    await dialog.getByRole("tab", { name: "Node.js" }).click();
    await dialog.getByText('export NODE_EXTRA_CA_CERTS="$PWD/Dev-CA-Root.pem"').waitFor();
    await dialog.getByLabel("I have saved the key").check();
    await dialog.getByRole("button", { name: "Show certificate" }).click();
    await page.getByRole("button", { name: "Download" }).click();
    const root = await saved(page, () =>
      page.getByRole("button", { name: "Root as .pem" }).click(),
    );
    writeFileSync(join(folder, "all.pem"), text);
    writeFileSync(join(folder, "root.pem"), root.text);
    expect(
      openssl(
        "verify",
        "-x509_strict",
        "-CAfile",
        "root.pem",
        "-untrusted",
        "all.pem",
        "-verify_hostname",
        "localhost",
        "-purpose",
        "sslserver",
        "all.pem",
      ),
    ).toContain("OK");
    expect(openssl("pkey", "-in", "all.pem", "-pubout")).toBe(
      openssl("x509", "-in", "all.pem", "-pubkey", "-noout"),
    );
    expect(window.complaints).toEqual([]);
  });

  it("leaving the dialog with an unsaved key asks first, and afterwards the key is gone from the page", async () => {
    window = await openDevCa(at);
    const { page } = window;
    await page.getByRole("button", { name: "Issue certificate" }).click();
    const dialog = page.getByRole("dialog", { name: "Issued" });
    const key = (await dialog.getByLabel("Private key", { exact: true }).textContent()) ?? "";
    expect(key).toContain("BEGIN PRIVATE KEY");
    await page.keyboard.press("Escape");
    await dialog.getByText("The key is not saved yet").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await dialog.waitFor();
    await page.evaluate("location.hash = '#/overview'");
    await dialog.waitFor();
    await expect.poll(() => page.evaluate("location.hash")).toMatch(/^#\/issue/);
    await dialog.getByLabel("I have saved the key").check();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(
      await page.evaluate(
        "document.documentElement.outerHTML + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)",
      ),
    ).not.toContain(key.slice(60, 120));
    expect(window.complaints).toEqual([]);
  });
});

it("a CSR created with openssl is signed, and the instructions then name its chain and a separate key file", async () => {
  openssl(
    "req",
    "-new",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-keyout",
    "own.key",
    "-out",
    "own.csr",
    "-subj",
    "/O=Example/CN=own.dev.test",
    "-addext",
    "subjectAltName=DNS:own.dev.test,IP:10.1.2.3",
  );
  window = await openDevCa(at);
  const { page } = window;
  await page.getByRole("button", { name: "CSR", exact: true }).click();
  await page
    .getByLabel("Certificate signing request")
    .fill(readFileSync(join(folder, "own.csr"), "utf8"));
  await page.getByText("DNS:own.dev.test, IP:10.1.2.3").waitFor();
  await page.getByText(/takes at most the common name from this subject/).waitFor();
  await page.getByRole("button", { name: "Sign certificate" }).click();
  const dialog = page.getByRole("dialog", { name: "Issued" });
  const { text } = await saved(page, () =>
    dialog.getByRole("button", { name: "Save certificate and chain" }).click(),
  );
  writeFileSync(join(folder, "own.pem"), text);
  expect(openssl("x509", "-in", "own.pem", "-pubkey", "-noout")).toBe(
    openssl("pkey", "-in", "own.key", "-pubout"),
  );
  expect(openssl("x509", "-in", "own.pem", "-noout", "-ext", "subjectAltName")).toContain(
    "IP Address:10.1.2.3",
  );
  expect(openssl("x509", "-in", "own.pem", "-noout", "-subject").trim()).toMatch(
    /^subject= ?CN ?= ?own\.dev\.test$/,
  );
  expect(await dialog.getByLabel("Private key").count()).toBe(0);
  await dialog.getByText("As an archive: PKCS#7", { exact: true }).click();
  const kinds = dialog.getByLabel("Archive type").locator("option");
  await expect.poll(() => kinds.allInnerTexts()).toEqual(["PKCS#7"]);
  await dialog.getByRole("button", { name: "Show certificate" }).click();
  await page.getByRole("tab", { name: "Install" }).click();
  const configuration = page.getByLabel("nginx configuration", { exact: true });
  expect((await configuration.innerText()).match(/\w+ +\/etc[^;]+/g)).toEqual([
    "ssl_certificate     /etc/ssl/private/own.dev.test.chain.pem",
    "ssl_certificate_key /etc/ssl/private/own.dev.test.key.pem",
  ]);
  await page.getByText("Replace own.dev.test.key.pem with the name of your key file.").waitFor();
  await page.getByLabel("The private key is in a separate file").uncheck();
  await configuration.filter({ hasText: "own.dev.test.key-and-chain.pem" }).waitFor();
  expect(window.complaints).toEqual([]);
});

it("a revoked certificate is listed in the downloaded CRL, which the notice states even if the CRL settings load slowly", async () => {
  window = await openDevCa(at);
  const { page } = window;
  const serial = await issue(page, "old.dev.test");
  await settingsAfterRevocation(page);
  await page.getByRole("button", { name: "Revoke…" }).click();
  const dialog = page.getByRole("dialog", { name: "Revoke this certificate?" });
  await dialog.waitFor();
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Cancel");
  expect(await dialog.getByRole("button", { name: "Revoke" }).isDisabled()).toBe(true);
  expect((await dialog.locator("dd").allInnerTexts()).slice(0, 2)).toEqual([
    serial,
    "Dev CA Servers",
  ]);
  await dialog.getByLabel("Reason").selectOption("keyCompromise");
  await dialog.getByLabel(/^Type/).fill("old.dev.test");
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await page.getByText("Revoked: key compromise. Now on the CRL").waitFor();
  await page.getByText(/^Revoked \d.*: key compromise$/).waitFor();
  await page.getByText("Published in the CRL of Dev CA Servers.").waitFor();
  await page.getByRole("link", { name: "the CRL of Dev CA Servers" }).click();
  await page.getByRole("table", { name: "Revoked certificates" }).getByText(serial).waitFor();
  const crl = await saved(page, () =>
    page.getByRole("button", { name: "Download the CRL as PEM" }).click(),
  );
  writeFileSync(join(folder, "list.pem"), crl.text);
  const listed = openssl("crl", "-in", "list.pem", "-noout", "-text");
  expect(listed).toContain(`Serial Number: ${serial.toUpperCase()}`);
  expect(listed).toContain("Key Compromise");
  expect(window.complaints).toEqual([]);
});

it("a browser authority answers requests of the page, LIST included, keeps its data over a reload, and works offline", async () => {
  window = await openWindow(at);
  const { page, context } = window;
  await devCa(page);
  const serial = await issue(page, "kept.dev.test");
  const listing = await page.evaluate(
    "fetch('./v1/pki/certs', { method: 'LIST' }).then((answer) => answer.json())",
  );
  expect((listing as { data: { keys: string[] } }).data.keys).toContain(
    serial.match(/../g)?.join(":"),
  );
  expect(at.asked.filter((path) => path.startsWith("v1"))).toEqual([]);
  await context.setOffline(true);
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "kept.dev.test" }).waitFor();
  await issue(page, "offline.dev.test");
  await page.getByRole("link", { name: "Certificates", exact: true }).first().click();
  await page.getByRole("link", { name: "kept.dev.test" }).waitFor();
  await page.getByRole("link", { name: "offline.dev.test" }).waitFor();
  await page.getByLabel("Filter by name, serial number").fill("kept");
  await page.getByText("1 shown").waitFor();
  expect(page.url()).toContain("q=kept");
  expect(window.complaints).toEqual([]);
});

it("a navigation to a path of the API cannot change anything", async () => {
  window = await openDevCa(at);
  const answer = await window.page.goto(`${at.url}v1/pki/crl/rotate`);
  expect(answer?.fromServiceWorker()).toBe(true);
  expect(answer?.status()).toBe(403);
});

it("markup and bidirectional controls in names are shown as plain text", async () => {
  window = await openDevCa(at);
  const { page } = window;
  const evil = "<img src=x onerror=document.title='broken'>\u202egnp.exe";
  const write = (path: string, body: object): Promise<unknown> =>
    page.evaluate(
      `fetch('./v1/pki/${path}', { method: 'POST', body: ${JSON.stringify(JSON.stringify(body))} }).then((answer) => answer.json())`,
    );
  await write("roles/odd", {
    allow_any_name: true,
    enforce_hostnames: false,
    cn_validations: ["disabled"],
    key_type: "ec",
    issuer_ref: "default",
    organization: [evil],
    use_csr_sans: false,
  });
  const answer = (await write("issue/odd", {
    common_name: "<script>document.title='broken'</script>",
    exclude_cn_from_sans: true,
  })) as {
    data?: { serial_number: string };
    errors?: string[];
  };
  expect(answer.errors).toBeUndefined();
  await page.goto(`${at.url}#/certificates/${answer.data?.serial_number.replaceAll(":", "")}`);
  await page
    .getByRole("heading", { level: 1, name: "<script>document.title='broken'</script>" })
    .waitFor();
  expect(
    await page.getByText(/img src=x onerror=document\.title='broken'/).count(),
  ).toBeGreaterThan(0);
  expect(await page.locator("main").innerText()).not.toContain("\u202e");
  expect(await page.title()).not.toBe("broken");
  await page.goto(`${at.url}#/certificates`);
  await page.getByRole("link", { name: "<script>" }).waitFor();
  await page.goto(`${at.url}#/roles/odd`);
  await page.getByText("Subject", { exact: true }).click();
  expect(await page.locator("main img, main script").count()).toBe(0);
  expect(window.complaints).toEqual([]);
});
