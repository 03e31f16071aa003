import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { Locator, Page } from "playwright";
import { host, openDevCa, openWindow, type Host, type Window } from "./support.ts";

let at: Host;
let window: Window;
const folder = mkdtempSync(join(tmpdir(), "sealwright-authority-"));
const openssl = (...args: string[]): string =>
  execFileSync("openssl", args, {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });

beforeAll(async () => {
  at = await host();
  openssl(
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-keyout",
    "old.key",
    "-out",
    "old.pem",
    "-days",
    "900",
    "-subj",
    "/C=NO/O=Old House/CN=Old Root",
    "-addext",
    "basicConstraints=critical,CA:TRUE",
    "-addext",
    "keyUsage=critical,keyCertSign,cRLSign",
  );
  openssl("x509", "-in", "old.pem", "-outform", "DER", "-out", "old.cer");
  openssl(
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-keyout",
    "leaf.key",
    "-out",
    "leaf.pem",
    "-subj",
    "/CN=www.example.com",
    "-addext",
    "basicConstraints=critical,CA:FALSE",
  );
});
afterEach(async () => {
  await window.close();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await at.close();
});

const file = (name: string): string => readFileSync(join(folder, name), "utf8");
const show = async (page: Page, name: string): Promise<void> => {
  await page.evaluate("location.hash = '#/overview'");
  await page.getByRole("link", { name, exact: true }).first().click();
  await page.getByRole("heading", { level: 1, name }).waitFor();
};
const read = (page: Page, path: string): Promise<Record<string, unknown>> =>
  page.evaluate(
    `fetch('./v1/pki/${path}').then((answer) => answer.json()).then((said) => said.data)`,
  );
async function importText(page: Page, text: string): Promise<Locator> {
  await page.evaluate("location.hash = '#/overview'");
  await page.getByRole("button", { name: "Import…", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Import authorities" });
  await dialog
    .getByLabel("CA certificates, and the private keys of CAs that will sign here")
    .fill(text);
  return dialog;
}

it("an external CA is imported with its key, can sign, and its key is not left in the page", async () => {
  window = await openDevCa(at);
  const { page } = window;
  const leafAlone = await importText(page, file("leaf.pem"));
  await leafAlone.getByText("www.example.com, not a CA: not imported").waitFor();
  expect(await leafAlone.getByRole("button", { name: "Import", exact: true }).isDisabled()).toBe(
    true,
  );
  await leafAlone.getByRole("button", { name: "Cancel" }).click();
  await leafAlone.waitFor({ state: "detached" });
  // a full chain as on a server, indented as in YAML
  const bundle = `made elsewhere\n${file("leaf.pem")}${file("old.pem")}${file("old.key")}`;
  const dialog = await importText(page, bundle.replace(/^(?=.)/gm, "  "));
  await dialog.getByText("Old Root, until").waitFor();
  await dialog.getByText("www.example.com, not a CA: not imported").waitFor();
  await dialog.getByText("with its key").waitFor();
  await dialog.getByRole("button", { name: "Import with key" }).click();
  // no client can reach the page, so missing URLs are not a defect
  await page.getByRole("status").getByText("One authority imported").waitFor();
  expect(await page.getByText("This mount has no URLs for issuers").count()).toBe(0);
  await page.getByRole("heading", { level: 1, name: "Old Root" }).waitFor();
  await page.getByText("In this mount, encrypted").waitFor();
  expect(
    await page.evaluate(
      "document.documentElement.outerHTML + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)",
    ),
  ).not.toContain(file("old.key").slice(60, 110));
  await importText(page, file("old.pem"));
  await page.getByRole("button", { name: "Import", exact: true }).last().click();
  await page.getByText("One authority already in this mount").waitFor();
  expect(window.complaints).toEqual([]);
});

it("a CA certificate without its key is imported as PEM or DER and cannot sign; a leaf is reported before the import", async () => {
  window = await openDevCa(at);
  const { page } = window;
  const dialog = await importText(page, "");
  expect(await dialog.getByRole("button", { name: "Import", exact: true }).isDisabled()).toBe(true);
  await dialog.locator("input[type=file]").setInputFiles([
    {
      name: "old.cer",
      mimeType: "application/pkix-cert",
      buffer: readFileSync(join(folder, "old.cer")),
    },
  ]);
  await dialog.getByText("without a key").waitFor();
  await dialog.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Old Root" }).waitFor();
  await page.getByText("Not stored here, so this CA cannot sign").waitFor();
  const again = await importText(
    page,
    "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
  );
  await again.locator(".tone-danger").first().waitFor();
  await again.getByRole("button", { name: "Import", exact: true }).click();
  await again.getByRole("alert").waitFor();
  expect(window.complaints).toEqual([]);
});

it("the actions of a CA appear at once, and create a CA below it that it signs", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await show(page, "Dev CA Root");
  await page.addInitScript(`{
    const real = fetch;
    const gate = new Promise((open) => { globalThis.describeServer = open; });
    globalThis.fetch = (url, init) =>
      String(url).includes("openapi") ? gate.then(() => real(url, init)) : real(url, init);
  }`);
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "Dev CA Root" }).waitFor();
  const actions = page.getByRole("article", { name: "Dev CA Root" }).locator("footer button");
  await actions.first().waitFor({ state: "attached" });
  expect(await actions.filter({ visible: true }).count()).toBe(0);
  const before = await actions.allInnerTexts();
  await page.evaluate("describeServer()");
  await actions.first().waitFor();
  expect(await actions.allTextContents()).toEqual(
    expect.arrayContaining(["Change…", "Cross-sign…", "Sign a CSR…", "Revoke…"]),
  );
  expect(await actions.count()).toBe(before.length);
  await page.getByRole("button", { name: "Create a CA below this one…" }).click();
  const dialog = page.getByRole("dialog", { name: "Add authority" });
  await dialog.getByLabel("Common name").fill("Site CA");
  expect(await dialog.getByLabel("Signed by").locator("option:checked").innerText()).toBe(
    "Dev CA Root",
  );
  await dialog.getByRole("button", { name: "Create authority" }).click();
  await page.getByText("Site CA created").waitFor();
  await show(page, "Site CA");
  await page.getByRole("region", { name: "Trust the root Dev CA Root" }).waitFor();
  expect(await page.getByRole("button", { name: "Create a CA below this one…" }).count()).toBe(0);
  expect(window.complaints).toEqual([]);
});

it("changing a CA sends only the changed fields", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await show(page, "Dev CA Servers");
  const sent: string[] = [];
  page.on(
    "request",
    (request) => void (request.method() === "PATCH" && sent.push(request.postData() ?? "")),
  );
  await page.getByRole("button", { name: "Change…" }).click();
  const dialog = page.getByRole("dialog", { name: "Change Dev CA Servers" });
  await dialog.getByLabel("Name in the API").fill("not a name!");
  await dialog.getByText("letters, digits").waitFor();
  await dialog.getByLabel("Name in the API").fill("front-door");
  await dialog.getByLabel(/Signs OCSP responses/).uncheck();
  await dialog.getByLabel("Certificates that would outlast this CA").selectOption("truncate");
  await dialog.getByText("URLs in certificates issued by this CA").click();
  await dialog.getByLabel("OCSP", { exact: true }).fill("http://ocsp.test/{{issuer_id}}");
  await dialog.getByLabel(/^Fill in placeholders/).check();
  await dialog.getByText("Chain", { exact: true }).click();
  await dialog.getByLabel("Manual chain").fill("self\ndev-root");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText("front-door", { exact: true }).waitFor();
  await page.getByText("signs CRLs, signs certificates", { exact: true }).waitFor();
  expect(sent).toEqual([
    JSON.stringify({
      issuer_name: "front-door",
      usage: ["read-only", "issuing-certificates", "crl-signing"].toSorted(
        (a, b) => order(a) - order(b),
      ),
      leaf_not_after_behavior: "truncate",
      ocsp_servers: ["http://ocsp.test/{{issuer_id}}"],
      manual_chain: ["self", "dev-root"],
      enable_aia_url_templating: true,
    }),
  ]);
  const { issuer_id: id } = await read(page, "issuer/front-door");
  const { issuer_id: root } = await read(page, "issuer/dev-root");
  expect(await read(page, "issuer/front-door")).toMatchObject({
    issuer_name: "front-door",
    leaf_not_after_behavior: "truncate",
    ocsp_servers: ["http://ocsp.test/{{issuer_id}}"],
    manual_chain: [id, root],
    usage: "crl-signing,issuing-certificates,read-only",
  });
  expect(window.complaints).toEqual([]);
});

it("URLs of an issuer are shown on its page and offered by the issue form, and an invalid one is reported where it is visible", async () => {
  window = await openDevCa(at, { viewport: { width: 1000, height: 600 } });
  const { page } = window;
  await show(page, "Dev CA Servers");
  await page.getByText("Inherited from the mount").waitFor();
  await page.getByRole("button", { name: "Change…" }).click();
  const dialog = page.getByRole("dialog", { name: "Change Dev CA Servers" });
  await dialog.getByText("URLs in certificates issued by this CA").click();
  await dialog.getByLabel("OCSP", { exact: true }).fill("no URL");
  await dialog.getByText("Chain", { exact: true }).click();
  await dialog.locator(".scroller").evaluate((element) => element.scrollTo(0, 0));
  await dialog.getByLabel("Name in the API").press("Enter");
  const alert = dialog.getByRole("alert").filter({ hasText: "invalid URL" });
  await alert.waitFor();
  const [shown, buttons] = await Promise.all([
    alert.boundingBox(),
    dialog.getByRole("button", { name: "Save" }).boundingBox(),
  ]);
  expect((shown?.y ?? 0) + (shown?.height ?? 0)).toBeLessThan(buttons?.y ?? 0);
  expect(shown?.y).toBeGreaterThan(0);
  await dialog.getByLabel("OCSP", { exact: true }).fill("http://ocsp.test/own");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("http://ocsp.test/own", { exact: true }).waitFor();
  await page.evaluate("location.hash = '#/issue/dev-server?name=a.test'");
  await page.getByText("No issuer URL (AIA)").waitFor();
  await page.getByText("The issuer dev-servers has its own URLs").waitFor();
  expect(await page.getByRole("button", { name: "Save this mount’s URLs now" }).count()).toBe(0);
  await page.getByRole("link", { name: "Change the URLs of dev-servers…" }).click();
  await dialog.waitFor();
  // the request with the rejected URL
  expect(window.complaints.filter((text) => !text.includes("400"))).toEqual([]);
});
const order = (usage: string): number =>
  ["read-only", "crl-signing", "issuing-certificates"].indexOf(usage);

/** Replaces Dev CA Root, the default issuer; the first attempt to change the role that names it fails. */
async function createSuccessor(page: Page): Promise<void> {
  await page.evaluate(
    "fetch('./v1/pki/roles/rooted', { method: 'POST', body: JSON.stringify({ allow_any_name: true, key_type: 'ec', issuer_ref: 'dev-root' }) })",
  );
  await page.reload();
  await page.getByText("rooted", { exact: true }).waitFor();
  await page.evaluate(`
    const real = fetch;
    globalThis.fetch = (url, init) => init?.method === "PATCH" && String(url).endsWith("/roles/rooted")
      ? (globalThis.fetch = real, Promise.resolve(Response.json({ errors: ["storage failed"] }, { status: 500 })))
      : real(url, init)`);
  await page.getByRole("button", { name: "Create successor…" }).click();
  const dialog = page.getByRole("dialog", { name: "Create a successor of Dev CA Root" });
  await expect
    .poll(() => dialog.locator("ol li > div").allInnerTexts())
    .toEqual([
      "Create Dev CA Root G2 with a new key",
      "Cross-sign the new root with Dev CA Root",
      "Make the new CA the default issuer",
      "Switch the role rooted to the new CA",
    ]);
  await dialog.getByRole("button", { name: "Create successor" }).click();
  await dialog.getByRole("alert").filter({ hasText: "storage failed" }).waitFor();
  expect((await read(page, "roles/rooted"))["issuer_ref"]).toBe("dev-root");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByRole("link", { name: "Create a successor of Dev CA Servers" }).waitFor();
  expect(await dialog.getByRole("link", { name: /^Create a successor/ }).count()).toBe(1);
  await dialog.getByRole("button", { name: "Close" }).waitFor();
  await expect
    .poll(() => page.evaluate("document.activeElement.textContent"))
    .toBe("Create a successor of Dev CA Root");
  await dialog.getByRole("link", { name: "Open Dev CA Root G2" }).click();
  await page.getByRole("heading", { level: 1, name: "Dev CA Root G2" }).waitFor();
  const [made, crossed] = await Promise.all([
    read(page, "issuer/dev-ca-root-g2"),
    read(page, "issuer/dev-ca-root-g2-cross-signed"),
  ]);
  expect(crossed["key_id"]).toBe(made["key_id"]);
  expect((await read(page, "config/issuers"))["default"]).toBe(made["issuer_id"]);
  expect((await read(page, "roles/rooted"))["issuer_ref"]).toBe("dev-ca-root-g2");
}

it("a CA becomes the default and gets a successor; revoking or deleting a CA requires typing its name", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await show(page, "Dev CA Root");
  await page.getByRole("button", { name: "Make default" }).click();
  const question = page.getByRole("dialog", { name: "Make Dev CA Root the default issuer?" });
  await question.getByRole("button", { name: "Make default" }).click();
  await page.getByText("Dev CA Root is the default issuer").waitFor();
  const id = new URL(page.url()).hash.split("/").at(-1);
  expect((await read(page, "config/issuers"))["default"]).toBe(id);
  const due = page.getByRole("region", { name: "Lifecycle of this CA" }).getByRole("listitem");
  await due.filter({ hasText: "Successor due" }).waitFor();
  await createSuccessor(page);
  await show(page, "Dev CA Root");
  await due
    .filter({ hasText: "Successor created" })
    .getByRole("link", { name: /^Dev CA Root G2/ })
    .waitFor();
  await show(page, "Dev CA Servers");
  await page.getByRole("button", { name: "Revoke…" }).click();
  const revocation = page.getByRole("dialog", { name: "Revoke this CA?" });
  await revocation.getByText("The CRL of Dev CA Root lists this CA.").waitFor();
  await revocation
    .getByText(/These roles can no longer issue certificates: .*dev-server/)
    .waitFor();
  await revocation.getByLabel(/^Type/).fill("Dev CA Servers");
  await revocation.getByRole("button", { name: "Revoke" }).click();
  await page.getByText("Dev CA Servers revoked").waitFor();
  expect((await read(page, "issuer/dev-servers"))["revoked"]).toBe(true);
  const life = page.getByRole("region", { name: "Lifecycle of this CA" }).getByRole("listitem");
  await life
    .filter({ hasText: "Revoked" })
    .getByText("The CA can never issue certificates again")
    .waitFor();
  expect((await life.locator("b").allInnerTexts()).toSorted()).toEqual([
    "Created",
    "Expires",
    "Revoked",
  ]);
  await page.getByText("Make default").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Change…" }).click();
  await page.getByRole("button", { name: "Delete…" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete this CA?" });
  expect(await dialog.getByRole("button", { name: "Delete" }).isDisabled()).toBe(true);
  await dialog.getByLabel(/^Type/).fill("Dev CA Servers");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByText("Dev CA Servers deleted").waitFor();
  await expect.poll(() => page.getByRole("link", { name: "Dev CA Servers" }).count()).toBe(0);
  expect(window.complaints).toEqual([]);
});

it("a key is cross-signed by another root and a CSR is signed as a CA; openssl verifies the chains", async () => {
  window = await openDevCa(at);
  const { page } = window;
  const dialog = await importText(page, file("old.pem") + file("old.key"));
  await dialog.getByRole("button", { name: "Import with key" }).click();
  await page.getByRole("heading", { level: 1, name: "Old Root" }).waitFor();
  await page.getByRole("button", { name: "Cross-sign…" }).click();
  const wizard = page.getByRole("dialog", { name: "Cross-sign Old Root" });
  await wizard.getByLabel("Signed by").selectOption({ label: "Dev CA Root" });
  await wizard.getByRole("button", { name: "Cross-sign", exact: true }).click();
  await wizard.waitFor({ state: "detached" });
  await page.getByText("Old Root cross-signed by Dev CA Root").waitFor();
  await page.getByText("CA certificate from Dev CA Root").waitFor();
  await page.getByText("old-root-by-dev-ca-root", { exact: true }).waitFor();
  await page.getByRole("link", { name: /a root$/ }).waitFor();
  const [crossed, root] = await Promise.all([
    read(page, "issuer/old-root-by-dev-ca-root"),
    read(page, "issuer/dev-root"),
  ]);
  writeFileSync(join(folder, "crossed.pem"), String(crossed["certificate"]));
  writeFileSync(join(folder, "root.pem"), String(root["certificate"]));
  const about = (name: string): string =>
    openssl("x509", "-in", name, "-noout", "-subject", "-pubkey", "-ext", "subjectKeyIdentifier");
  expect(about("crossed.pem")).toBe(about("old.pem"));
  openssl(
    "req",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-keyout",
    "leaf.key",
    "-out",
    "leaf.csr",
    "-subj",
    "/CN=leaf.example",
  );
  openssl(
    "x509",
    "-req",
    "-in",
    "leaf.csr",
    "-CA",
    "old.pem",
    "-CAkey",
    "old.key",
    "-days",
    "9",
    "-out",
    "leaf.pem",
  );
  expect(openssl("verify", "-CAfile", "old.pem", "leaf.pem")).toContain("OK");
  expect(
    openssl("verify", "-CAfile", "root.pem", "-untrusted", "crossed.pem", "leaf.pem"),
  ).toContain("OK");
  await show(page, "Dev CA Root");
  await page.getByRole("button", { name: "Sign a CSR…" }).click();
  const signing = page.getByRole("dialog", { name: "Sign a CA with Dev CA Root" });
  await signing.getByLabel("Certificate signing request").fill(file("leaf.csr"));
  await expect.poll(() => signing.getByLabel("Common name").inputValue()).toBe("leaf.example");
  await signing.getByRole("button", { name: "Sign", exact: true }).click();
  const chain = page
    .getByRole("dialog", { name: "leaf.example signed" })
    .getByRole("group", { name: "The certificate and its issuers" });
  const signed = await chain.innerText();
  expect(signed.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
  writeFileSync(join(folder, "sub.pem"), signed);
  expect(openssl("verify", "-CAfile", "root.pem", "sub.pem")).toContain("OK");
  expect(openssl("x509", "-in", "sub.pem", "-noout", "-ext", "basicConstraints")).toContain(
    "CA:TRUE, pathlen:0",
  );
  await page.keyboard.press("Escape");
  await page.evaluate("location.hash = '#/overview'");
  await page.getByText("Cross-signed · old-root-by-dev-ca-root").waitFor();
  expect(await page.getByRole("link", { name: "Old Root", exact: true }).count()).toBe(1);
  expect(await page.getByRole("link", { name: /^Old Root \([0-9a-f]{8}\)$/ }).count()).toBe(1);
  expect(window.complaints).toEqual([]);
});

it("signing a CSR unchanged requires confirmation, a root is signed again, and CRLs get another signature algorithm", async () => {
  window = await openDevCa(at);
  const { page } = window;
  const ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const subject = ["-subj", "/O=Anybody/CN=any.example"];
  openssl("req", ...ec, "-keyout", "any.key", "-out", "any.csr", ...subject);
  const leaf = ["-key", "any.key", "-CA", "old.pem", "-CAkey", "old.key", "-days", "9"];
  openssl("req", "-x509", ...leaf, "-subj", "/CN=below.example", "-out", "below.pem");
  const root = await read(page, "issuer/dev-root");
  writeFileSync(join(folder, "root.pem"), String(root["certificate"]));
  const signedText = (name: string): Promise<string> =>
    page
      .getByRole("dialog", { name: `${name} signed` })
      .getByRole("group", { name: "The certificate and its issuers" })
      .innerText();
  // its path length is 0, so that it cannot sign CAs
  await show(page, "Dev CA Servers");
  await page.getByRole("button", { name: "Sign a CSR…" }).click();
  const unchanged = page.getByRole("dialog", { name: "Sign a CSR unchanged with Dev CA Servers" });
  await unchanged.getByText("No role checks this certificate").waitFor();
  await unchanged.getByLabel("Certificate signing request").fill(file("any.csr"));
  await unchanged.getByText("Public key fingerprint (SHA-256)").waitFor();
  await unchanged.getByRole("button", { name: "Sign", exact: true }).click();
  await unchanged.getByText("Confirm that you have read the CSR").waitFor();
  await unchanged.getByLabel("I have read the CSR").check();
  await unchanged.getByRole("button", { name: "Sign", exact: true }).click();
  writeFileSync(join(folder, "any.pem"), await signedText("any.example"));
  expect(openssl("verify", "-CAfile", "root.pem", "-untrusted", "any.pem", "any.pem")).toContain(
    "OK",
  );
  expect(openssl("x509", "-in", "any.pem", "-noout", "-subject")).toContain("Anybody");
  await page.keyboard.press("Escape");
  await show(page, "Dev CA Root");
  await page.getByRole("button", { name: "Sign a CSR…" }).click();
  await page
    .getByRole("dialog", { name: "Sign a CA with Dev CA Root" })
    .getByLabel("Sign", { exact: true })
    .selectOption("self-issued");
  const again = page.getByRole("dialog", { name: "Sign a root with Dev CA Root" });
  await again.getByText("Clients of Dev CA Root will trust everything below this root").waitFor();
  const given = again.getByLabel("Root certificate");
  await given.fill(file("any.pem"));
  await again.getByText("This is not a root certificate.").waitFor();
  expect(await again.getByRole("button", { name: "Sign", exact: true }).isDisabled()).toBe(true);
  await given.fill(file("old.pem"));
  await again.getByRole("button", { name: "Sign", exact: true }).click();
  writeFileSync(join(folder, "again.pem"), await signedText("Old Root"));
  expect(
    openssl("verify", "-CAfile", "root.pem", "-untrusted", "again.pem", "below.pem"),
  ).toContain("OK");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Change…" }).click();
  const change = page.getByRole("dialog", { name: "Change Dev CA Root" });
  await change.getByLabel(/^Signature algorithm of CRLs/).selectOption("ECDSAWithSHA512");
  await change.getByRole("button", { name: "Save" }).click();
  await change.waitFor({ state: "detached" });
  expect(await read(page, "issuer/dev-root")).toMatchObject({
    revocation_signature_algorithm: "ECDSAWithSHA512",
  });
  expect(window.complaints).toEqual([]);
});

it("a CA with name constraints shows them, has them in its certificate and issues no other names", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await page.evaluate("location.hash = '#/overview'");
  await page.getByRole("button", { name: "Add authority" }).click();
  const dialog = page.getByRole("dialog", { name: "Add authority" });
  await dialog.getByLabel("Signed by").selectOption({ label: "Dev CA Root" });
  await dialog.getByLabel("Common name").fill("Narrow");
  await dialog.getByText("Name constraints").click();
  const only = dialog.getByRole("group", { name: "Permitted" });
  const never = dialog.getByRole("group", { name: "Excluded" });
  await only.getByLabel("Domains", { exact: true }).fill("narrow.test, wide.test");
  await only.getByLabel("IP ranges").fill("10.0.0.0/8");
  await only.getByLabel("Email addresses, hosts or domains").fill("narrow.test");
  await only.getByLabel("URI hosts").fill(".narrow.test");
  await never.getByLabel("Domains", { exact: true }).fill("secret.narrow.test");
  await never.getByLabel("IP ranges").fill("10.9.0.0/16");
  // An intermediate is the default, so that there is no root to replace.
  expect(await dialog.getByLabel("Make the new CA the default issuer").count()).toBe(0);
  await dialog.getByRole("button", { name: "Create authority" }).click();
  await dialog.waitFor({ state: "detached" });
  await show(page, "Narrow");
  const card = page.getByRole("region", { name: "Name constraints" });
  for (const text of ["narrow.test", "wide.test", "10.0.0.0", "secret.narrow.test", "10.9.0.0"])
    expect(await card.innerText()).toContain(text);
  writeFileSync(
    join(folder, "narrow.pem"),
    String((await read(page, "issuer/narrow"))["certificate"]),
  );
  const stands = openssl("x509", "-in", "narrow.pem", "-noout", "-ext", "nameConstraints");
  for (const text of [
    "DNS:narrow.test",
    "IP:10.0.0.0/255.0.0.0",
    "email:narrow.test",
    "URI:.narrow.test",
    "IP:10.9.0.0/255.255.0.0",
  ])
    expect(stands).toContain(text);
  await page.evaluate(
    "fetch('./v1/pki/roles/narrow', { method: 'POST', body: JSON.stringify({ allow_any_name: true, key_type: 'ec', issuer_ref: 'narrow' }) })",
  );
  await page.evaluate("location.hash = '#/issue/narrow?name=www.other.test'");
  await page.getByRole("status").filter({ hasText: "Would be denied" }).waitFor();
  await page.getByLabel("Name 1", { exact: true }).fill("www.wide.test");
  await page.getByRole("status").filter({ hasText: "Would be issued" }).waitFor();
  expect(window.complaints).toEqual([]);
});

it("after the first root the console offers to create an issuing CA, which becomes the default", async () => {
  window = await openWindow(at, "overview?empty=1");
  const { page } = window;
  const dialog = page.getByRole("dialog", { name: "Add authority" });
  const make = async (name: string): Promise<void> => {
    await dialog.getByLabel("Common name").fill(name);
    await dialog.getByRole("button", { name: "Create authority" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("link", { name }).waitFor();
  };
  await page.getByRole("button", { name: "Create a root" }).click();
  await make("By Hand Root");
  const offer = page.getByRole("button", { name: "Create an issuing CA…" });
  await offer.waitFor();
  await page.getByRole("link", { name: "By Hand Root" }).click();
  await page.getByRole("heading", { level: 1, name: "By Hand Root" }).waitFor();
  await offer.click();
  expect(await dialog.getByLabel("Make the new CA the default issuer").isChecked()).toBe(true);
  const height = async (): Promise<number> => (await dialog.boundingBox())?.height ?? 0;
  const before = await height();
  for (const template of ["Intermediate CA", "Root", "Signed by an external CA", "Issuing CA"]) {
    await dialog.getByRole("button", { name: template, exact: true }).click();
    expect(await height(), template).toBe(before);
  }
  await dialog.getByLabel("Common name").fill("By Hand Servers");
  await dialog.getByRole("button", { name: "Create authority" }).click();
  await page.getByRole("heading", { level: 1, name: "By Hand Servers" }).waitFor();
  expect(await offer.count()).toBe(0);
  await page.getByRole("link", { name: "Create a role" }).click();
  await page.getByText("Storage and validity").click();
  const signer = page.getByLabel("Signed by").locator("option:checked");
  await expect.poll(() => signer.innerText()).toBe("By Hand Servers");
  await page.evaluate("location.hash = '#/overview'");
  await page.getByRole("row").filter({ hasText: "By Hand Servers" }).getByText("Default").waitFor();
  expect(await offer.count()).toBe(0);
  // The history no longer leads to the declined start view.
  await page.evaluate("location.hash = '#/settings'");
  await page.goBack();
  await page.getByRole("link", { name: "By Hand Root" }).waitFor();
});

it("a user who declines the setup is not led to it again", async () => {
  window = await openWindow(at, "settings");
  const { page } = window;
  const title = (name: string): Promise<void> =>
    page.getByRole("heading", { level: 1, name }).waitFor();
  await title("Settings");
  await page.getByRole("link", { name: "Overview" }).click();
  await title("A certificate authority, in this tab");
  await page.goBack();
  await title("Settings");
  await page.goForward();
  await page.getByRole("link", { name: "start empty" }).click();
  await title("Overview");
  await page.evaluate("location.hash = '#/settings'");
  await title("Settings");
  await page.getByRole("link", { name: "Overview" }).click();
  await title("Overview");
  await page.getByText("No authorities yet").waitFor();
  await page.goto(page.url().replace(/#.*/, ""));
  await title("Overview");
  await page.getByText("No authorities yet").waitFor();
});
