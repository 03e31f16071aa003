import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { judged, looks, staysInWidth, violations } from "./axe.ts";
import { host, issue, openDevCa, openWindow, type Host } from "./support.ts";

let at: Host;
const folder = mkdtempSync(join(tmpdir(), "sealwright-inspect-"));
beforeAll(async () => {
  at = await host();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await at.close();
});

it("a certificate with a non-ASCII DNS name shows the valid names and an error for the invalid one", async () => {
  const key = [
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-keyout",
    "one.key",
  ];
  const names = [
    "-subj",
    "/CN=good.test",
    "-addext",
    "subjectAltName=DNS:good.test,DNS:bucher.test",
  ];
  execFileSync(
    "openssl",
    ["req", "-x509", ...key, ...names, "-outform", "DER", "-out", "one.der"],
    { cwd: folder, stdio: "ignore" },
  );
  const der = readFileSync(join(folder, "one.der"));
  der[der.indexOf("bucher.test") + 1] = 0xfc;
  const { page, context, complaints } = await openWindow(at, "inspect");
  await page.getByLabel("PEM, DER as base64 or hex").fill(der.toString("base64"));
  const card = page.getByRole("region", { name: "Certificate good.test" });
  const told = card.locator("dd").filter({ hasText: "DNS:good.test" });
  await told
    .filter({ hasText: "Name 2: " })
    .filter({ hasText: "a DNS name is not ASCII" })
    .waitFor();
  expect(
    await card
      .locator("dd")
      .filter({ hasText: /^None$/ })
      .count(),
  ).toBe(0);
  expect(complaints).toEqual([]);
  await context.close();
});

it("a certificate of this mount is verified up to its root even if only the certificate is pasted", async () => {
  const { page, context, complaints } = await openDevCa(at);
  await issue(page, "own.dev.test");
  const pem: string = await page.evaluate(`(async () => {
    const ask = async (path) => (await (await fetch("./v1/pki/" + path)).json()).data;
    const all = await Promise.all((await ask("certs?list=true")).keys.map((key) => ask("cert/" + key)));
    return all.map(({ certificate }) => certificate).join("\\n");
  })()`);
  await page.evaluate("location.hash = '#/inspect'");
  await page.getByLabel("PEM, DER as base64 or hex").fill(pem);
  const card = page.getByRole("region", { name: "Certificate own.dev.test" });
  await card.locator(".badge.ok").getByText("Chain verified").waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

it("a forged leaf is reported next to the real root, a pasted root is not trusted, and a leaf without its issuer is not verified", async () => {
  const openssl = (...args: string[]): unknown =>
    execFileSync("openssl", args, { cwd: folder, stdio: "ignore" });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const root = [
    "-days",
    "800",
    "-subj",
    "/CN=One Root",
    "-addext",
    "subjectKeyIdentifier=01:02:03:04",
  ];
  for (const file of ["root", "false"])
    openssl("req", "-x509", ...key, "-keyout", `${file}.key`, "-out", `${file}.pem`, ...root);
  for (const [file, by] of [
    ["real", "root"],
    ["forged", "false"],
  ] as const)
    openssl(
      "req",
      "-x509",
      "-days",
      "400",
      ...key,
      "-keyout",
      `${file}.key`,
      "-out",
      `${file}.pem`,
      "-subj",
      `/CN=${file}.test`,
      "-CA",
      `${by}.pem`,
      "-CAkey",
      `${by}.key`,
    );
  const pem = (...files: string[]): string =>
    files.map((file) => readFileSync(join(folder, `${file}.pem`), "utf8")).join("");
  const { page, context, complaints } = await openWindow(at, "inspect");
  const field = page.getByLabel("PEM, DER as base64 or hex");
  await field.fill(pem("real", "forged", "root"));
  const card = (name: string) => page.getByRole("region", { name: `Certificate ${name}` });
  await card("forged.test")
    .locator(".badge.danger")
    .getByText("Signature does not verify")
    .waitFor();
  await card("forged.test")
    .getByText("The signature does not verify with the key of One Root, the stated issuer.")
    .waitFor();
  expect(await card("forged.test").locator(".badge.ok").count()).toBe(0);
  await card("real.test").locator(".badge").getByText("Chain ends at a pasted root").waitFor();
  expect(await page.locator("main .badge.ok").count()).toBe(0);
  await field.fill(pem("real"));
  await card("real.test").locator(".badge").getByText("Not verified", { exact: true }).waitFor();
  await card("real.test")
    .locator("dd")
    .getByText(/^Not expired; expires in/)
    .waitFor();
  expect(
    await page
      .getByText("Valid", { exact: true })
      .locator("visible=true")
      .and(page.locator(".badge *, .badge"))
      .count(),
  ).toBe(0);
  await page.clock.setFixedTime(Date.now() + 900 * 86_400_000);
  await field.fill(pem("real"));
  await card("real.test").locator(".badge").getByText("Expired").waitFor();
  await card("real.test").locator(".badge").getByText("Not verified").waitFor();
  expect(await page.getByText("In date").count()).toBe(0);
  expect(complaints).toEqual([]);
  await context.close();
});

it("Inspect shows the signatures of a chain, and lints and ASN.1 of certificates, CSRs, CRLs and PKCS#7", async () => {
  const openssl = (...args: string[]): unknown =>
    execFileSync("openssl", args, { cwd: folder, stdio: "ignore" });
  const ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  openssl("req", "-x509", ...ec, "-keyout", "up.key", "-out", "up.pem", "-subj", "/CN=Up Root");
  const leaf = ["-keyout", "down.key", "-out", "down.pem", "-subj", "/CN=down.test"];
  openssl("req", "-x509", ...ec, ...leaf, "-CA", "up.pem", "-CAkey", "up.key");
  openssl("req", "-new", "-key", "down.key", "-subj", "/CN=asks.test", "-out", "asks.pem");
  openssl(
    "crl2pkcs7",
    "-nocrl",
    "-certfile",
    "down.pem",
    "-certfile",
    "up.pem",
    "-out",
    "both.p7b",
  );
  const { page, context, complaints } = await openDevCa(at);
  const crl = await page.evaluate<string>(
    "fetch('./v1/pki/crl/pem').then((answer) => answer.text())",
  );
  await page.evaluate("location.hash = '#/inspect'");
  const field = page.getByLabel("PEM, DER as base64 or hex");
  const read = (file: string): string => readFileSync(join(folder, file), "utf8");
  await field.fill(read("both.p7b") + read("asks.pem") + crl);
  const card = page.getByRole("region", { name: "Certificate down.test" });
  const chain = card.getByRole("list", { name: "Chain of down.test" });
  await expect.poll(() => chain.locator("li b").allInnerTexts()).toEqual(["Up Root", "down.test"]);
  await chain.getByText("Signature verified with the key of Up Root").waitFor();
  await card.getByText("Lints", { exact: true }).click();
  await card.getByText("CA without key usage; it must have CertSign").waitFor();
  await card.getByText(/^\d+ rules checked \(RFC 5280, /).waitFor();
  await card.getByText("ASN.1", { exact: true }).click();
  await card.getByRole("region", { name: "ASN.1" }).getByText("common name").first().waitFor();
  const request = page.getByRole("region", { name: "Request asks.test" });
  await request.getByText("Signed by its own key").waitFor();
  await request.getByText("ASN.1", { exact: true }).click();
  await request.getByRole("region", { name: "ASN.1" }).getByText("asks.test").waitFor();
  const list = page.getByRole("region", { name: /^CRL of / });
  await list.getByText("Signature verified").waitFor();
  await list.getByText("ASN.1", { exact: true }).click();
  await list.getByRole("region", { name: "ASN.1" }).getByText("crl number").waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

it("an archive asks for its password with the focus in the field, again after Clear, and an expired certificate is not green", async () => {
  const openssl = (...args: string[]): unknown =>
    execFileSync("openssl", args, { cwd: folder, stdio: "ignore" });
  const ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const root = ["-keyout", "top.key", "-out", "top.pem", "-subj", "/CN=Top Root"];
  openssl("req", "-x509", "-days", "800", ...ec, ...root);
  const leaf = ["-keyout", "low.key", "-out", "low.pem", "-subj", "/CN=low.test"];
  openssl("req", "-x509", "-days", "40", ...ec, ...leaf, "-CA", "top.pem", "-CAkey", "top.key");
  const files = ["-in", "low.pem", "-inkey", "low.key", "-certfile", "top.pem"];
  openssl("pkcs12", "-export", ...files, "-passout", "pass:secret", "-out", "low.p12");
  const { page, context, complaints } = await openWindow(at, "inspect");
  const choose = () => page.locator("input[type=file]").setInputFiles(join(folder, "low.p12"));
  const password = page.getByLabel("Password");
  await choose();
  await expect
    .poll(() => password.evaluate((field) => field === document.activeElement))
    .toBe(true);
  await page.clock.setFixedTime(Date.now() + 60 * 86_400_000);
  await password.fill("secret");
  await password.press("Enter");
  const chain = page.getByRole("list", { name: "Chain of low.test" }).getByRole("listitem");
  await chain.filter({ hasText: "low.test" }).getByText("Expired", { exact: false }).waitFor();
  expect(await chain.filter({ hasText: "Self-signed" }).locator(".tone-warn").count()).toBe(0);
  expect(await chain.filter({ hasText: "low.test" }).locator(".tone-ok").count()).toBe(0);
  expect(await password.count()).toBe(0);
  await expect.poll(() => page.evaluate("document.activeElement.tagName")).toBe("H2");
  await page.getByRole("button", { name: "Clear" }).click();
  await choose();
  await password.waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

it("a pasted chain shows its length, and whether its order is right for a server", async () => {
  const openssl = (...args: string[]): unknown =>
    execFileSync("openssl", args, { cwd: folder, stdio: "ignore" });
  const ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const root = ["-keyout", "a.key", "-out", "a.pem", "-subj", "/CN=A Root"];
  openssl("req", "-x509", ...ec, ...root);
  const leaf = ["-keyout", "b.key", "-out", "b.pem", "-subj", "/CN=b.test"];
  openssl("req", "-x509", ...ec, ...leaf, "-CA", "a.pem", "-CAkey", "a.key");
  const { page, context, complaints } = await openWindow(at, "inspect");
  const field = page.getByLabel("PEM, DER as base64 or hex");
  const read = (file: string): string => readFileSync(join(folder, file), "utf8");
  await field.fill(read("a.pem") + read("b.pem"));
  await page.getByText("One chain of 2 certificates, in the wrong order for a server").waitFor();
  await field.fill(read("b.pem") + read("a.pem"));
  await page.getByText("in the order in which a server must send them, except the root.").waitFor();
  expect(await page.getByText("wrong order").count()).toBe(0);
  await field.fill(read("b.pem"));
  await page.getByRole("region", { name: "Certificate b.test" }).waitFor();
  await expect.poll(() => page.getByText("One chain").count()).toBe(0);
  expect(complaints).toEqual([]);
  await context.close();
});

it("entries of a CRL link to certificates of this mount on request, and no call is made before", async () => {
  const { page, context, complaints } = await openDevCa(at);
  const serial = await issue(page, "gone.dev.test");
  const crl = await page.evaluate<string>(
    `fetch('./v1/pki/revoke', { method: 'POST', body: JSON.stringify({ serial_number: '${serial.replace(/..(?!$)/g, "$&:")}' }) }).then(() => fetch('./v1/pki/crl/pem')).then((answer) => answer.text())`,
  );
  await page.evaluate("location.hash = '#/inspect'");
  await page.getByRole("heading", { level: 1, name: "Inspect" }).waitFor();
  const asked: string[] = [];
  page.on("request", (request) => asked.push(`${request.method()} ${request.url()}`));
  // The view always loads the existing CAs and whether the mount has a log, and may still be doing
  // so.
  const sent = (): readonly string[] =>
    asked.filter(
      (call) =>
        call.includes("/v1/") &&
        !/^LIST .*\/issuers$|^GET .*\/(?:issuer\/[\w-]+|config\/log)$/.test(call),
    );
  await page.getByLabel("PEM, DER as base64 or hex").fill(crl);
  const list = page.getByRole("region", { name: /^CRL of / });
  await list.getByText("Searches This browser, mount pki").waitFor();
  await list.getByRole("row").nth(1).waitFor();
  expect(sent()).toEqual([]);
  await list.getByRole("button", { name: "Find these certificates" }).click();
  await list.getByText("1 of the 1 shown here").waitFor();
  expect(sent()).toEqual([expect.stringMatching(/^POST .*\/v1\/pki\/batch\/certs$/)]);
  await list.getByRole("link", { name: "gone.dev.test" }).click();
  await page.getByRole("heading", { level: 1, name: "gone.dev.test" }).waitFor();
  // A CRL of another issuer may contain the same serial number by chance; it must not match a
  // certificate of this mount.
  writeFileSync(
    join(folder, "ca.conf"),
    "[ca]\ndatabase=index.txt\ndefault_md=sha256\ndefault_crl_days=9\n",
  );
  writeFileSync(
    join(folder, "index.txt"),
    `R\t351231235959Z\t261101000000Z\t${serial.toUpperCase()}\tunknown\t/CN=x\n`,
  );
  const conf = ["-config", "ca.conf", "-name", "ca"];
  const openssl = (...args: string[]): unknown =>
    execFileSync("openssl", args, { cwd: folder, stdio: "ignore" });
  const other = ["-keyout", "other.key", "-out", "other.pem", "-subj", "/CN=Other Root"];
  openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", ...other);
  const key = ["-cert", "other.pem", "-keyfile", "other.key"];
  openssl("ca", ...conf, "-gencrl", ...key, "-out", "other.crl");
  await page.evaluate("location.hash = '#/inspect'");
  await page
    .getByLabel("PEM, DER as base64 or hex")
    .fill(readFileSync(join(folder, "other.crl"), "utf8"));
  const strange = page.getByRole("region", { name: "CRL of CN=Other Root" });
  await strange.getByRole("button", { name: "Find these certificates" }).click();
  await strange.getByText("0 of the 1 shown here").waitFor();
  expect(await strange.getByRole("link", { name: "gone.dev.test" }).count()).toBe(0);
  expect(complaints).toEqual([]);
  await context.close();
});

it.each(looks)(
  "a forged chain, lints and ASN.1 pass axe-core and fit the width in the %s theme at %i pixels",
  async (...look) => {
    const window = await judged(at, look);
    const { page, complaints } = window;
    await page.evaluate("location.hash = '#/inspect'");
    const files = ["forged", "root"].map((file) =>
      readFileSync(join(folder, `${file}.pem`), "utf8"),
    );
    await page.getByLabel("PEM, DER as base64 or hex").fill(files.join(""));
    const card = page.getByRole("region", { name: "Certificate forged.test" });
    const chain = card.getByRole("list", { name: "Chain of forged.test" });
    await chain.locator("li.broken").getByText("Signature does not verify").waitFor();
    expect(await chain.locator("li.verified").count()).toBe(0);
    await card.getByText("Lints", { exact: true }).click();
    await card.getByText("ASN.1", { exact: true }).click();
    await card.getByRole("region", { name: "ASN.1" }).waitFor();
    expect(await violations(window)).toEqual([]);
    expect(await staysInWidth(window)).toBe(true);
    expect(complaints).toEqual([]);
    await window.context.close();
  },
);
