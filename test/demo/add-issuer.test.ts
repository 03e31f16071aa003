import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { Locator, Page } from "playwright";
import { host, openDevCa, type Host, type Window } from "./support.ts";

let at: Host;
let window: Window;
const folder = mkdtempSync(join(tmpdir(), "sealwright-addauthority-"));
/** Runs openssl with the words of a line. */
const openssl = (line: string): string =>
  execFileSync("openssl", line.split(" "), {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });

beforeAll(async () => {
  at = await host();
});
afterEach(async () => {
  await window.context.close();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await at.close();
});

async function adding(): Promise<{ page: Page; dialog: Locator }> {
  window = await openDevCa(at);
  const { page } = window;
  await page.evaluate("location.hash = '#/overview'");
  await page.getByRole("button", { name: "Add authority" }).click();
  return { page, dialog: page.getByRole("dialog", { name: "Add authority" }) };
}
const read = (page: Page, path: string): Promise<Record<string, unknown>> =>
  page.evaluate(
    `fetch('./v1/pki/${path}').then((answer) => answer.json()).then((said) => said.data)`,
  );
const listed = async (page: Page, path: string): Promise<readonly string[]> =>
  ((await read(page, `${path}?list=true`))["keys"] ?? []) as readonly string[];

it("a new CA has the chosen organization, country, path length and last day", async () => {
  const { page, dialog } = await adding();
  await dialog.getByRole("button", { name: "Intermediate CA", exact: true }).click();
  await dialog.getByLabel("Common name").fill("Deep");
  await dialog.getByLabel("Valid for").selectOption({ label: "Until a date" });
  const day = `${new Date().getUTCFullYear() + 2}-06-30`;
  await dialog.getByLabel("Last day").fill(day);
  await dialog.getByText("Organization, country and location").click();
  await dialog.getByLabel("Organization", { exact: true }).fill("Fernhill, Ltd");
  await dialog.getByLabel("Country").fill("SE");
  await dialog.getByLabel("Locality").fill("Lund");
  await dialog.getByRole("button", { name: "Create authority" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Deep", exact: true }).waitFor();
  writeFileSync(join(folder, "deep.pem"), String((await read(page, "issuer/deep"))["certificate"]));
  const text = openssl(
    "x509 -in deep.pem -noout -subject -enddate -text -nameopt RFC2253,sep_multiline",
  );
  for (const value of [
    "O=Fernhill\\, Ltd",
    "C=SE",
    "L=Lund",
    "CN=Deep",
    "CA:TRUE, pathlen:1",
    "P-384",
  ])
    expect(text).toContain(value);
  expect(new Date(/notAfter=(.*)/.exec(text)?.[1] ?? "").toISOString()).toBe(
    `${day}T23:59:59.000Z`,
  );
  // A CA with a sufficient path length is offered as a signer; one without is not.
  await page.getByRole("button", { name: "Add authority" }).click();
  await dialog.getByLabel("Signed by").selectOption({ label: "Deep" });
  await dialog.getByLabel("Common name").fill("Deeper");
  await dialog.getByRole("button", { name: "Create authority" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Add authority" }).click();
  const signers = await dialog.getByLabel("Signed by").locator("option").allInnerTexts();
  expect(signers).toContain("Deep");
  expect(signers).not.toContain("Deeper");
  // A root with an RSA key has a choice of digest and padding, and may have a longer lifetime.
  await dialog.getByRole("button", { name: "Root", exact: true }).click();
  expect(await dialog.getByLabel("Signature").count()).toBe(0);
  await dialog.getByLabel("Common name").fill("Old");
  await dialog.getByLabel("Key", { exact: true }).selectOption("rsa 2048");
  await dialog.getByLabel("Signature").selectOption("RSA-PSS with SHA-384");
  await dialog.getByLabel("Valid for").selectOption("25 years");
  await dialog.getByRole("button", { name: "Create authority" }).click();
  await dialog.waitFor({ state: "detached" });
  writeFileSync(join(folder, "old.pem"), String((await read(page, "issuer/old"))["certificate"]));
  const root = openssl("x509 -in old.pem -noout -dates -text");
  expect(root).toContain("Signature Algorithm: rsassaPss");
  expect(root).toContain("Hash Algorithm: sha384");
  const [begins = 0, ends = 0] = ["notBefore", "notAfter"].map((edge) =>
    Date.parse(new RegExp(`${edge}=(.*)`).exec(root)?.[1] ?? ""),
  );
  expect(Math.round((ends - begins) / (365 * 86_400_000))).toBe(25);
  expect(window.complaints).toEqual([]);
});

it("a CA below an offline root starts as a CSR, and can sign after its certificate is imported", async () => {
  const { page, dialog } = await adding();
  await dialog.getByRole("button", { name: "Signed by an external CA" }).click();
  expect(await dialog.getByLabel("Valid for").count()).toBe(0);
  await dialog.getByLabel("Common name").fill("Branch");
  await dialog.getByText("Organization, country and location").click();
  await dialog.getByLabel("Organization", { exact: true }).fill("Fernhill");
  await dialog.getByRole("button", { name: "Create CSR" }).click();
  const made = page.getByRole("dialog", { name: "CSR created" });
  const [saved] = await Promise.all([
    page.waitForEvent("download"),
    made.getByRole("button", { name: "Save Branch.csr" }).click(),
  ]);
  await saved.saveAs(join(folder, "branch.csr"));
  expect(await made.getByRole("group", { name: "CSR" }).innerText()).toBe(
    readFileSync(join(folder, "branch.csr"), "utf8").trim(),
  );
  await made.getByRole("button", { name: "Close" }).click();
  openssl(
    "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout root.key -out root.pem -days 900 -subj /CN=Offline -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign",
  );
  const asked = openssl("req -in branch.csr -noout -text -verify");
  for (const value of ["CN = Branch", "O = Fernhill", "CA:TRUE", "Certificate Sign"])
    expect(asked).toContain(value);
  openssl(
    "x509 -req -in branch.csr -CA root.pem -CAkey root.key -days 800 -copy_extensions copyall -out branch.pem",
  );
  await page.getByRole("button", { name: "Import…" }).click();
  const importing = page.getByRole("dialog", { name: "Import authorities" });
  await importing
    .getByLabel("CA certificates, and the private keys of CAs that will sign here")
    .fill(readFileSync(join(folder, "branch.pem"), "utf8"));
  await importing.getByText("Branch, until").waitFor();
  await importing.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Branch" }).waitFor();
  await page.getByText("In this mount, encrypted").waitFor();
  expect(window.complaints).toEqual([]);
});

it("an invalid country and a past last day are reported at their fields, and nothing is created", async () => {
  const { page, dialog } = await adding();
  const before = [await listed(page, "issuers"), await listed(page, "keys")];
  await dialog.getByLabel("Common name").fill("Wrong");
  await dialog.getByLabel("Valid for").selectOption({ label: "Until a date" });
  await dialog.getByLabel("Last day").fill("2020-01-01");
  await dialog.getByText("Organization, country and location").click();
  await dialog.getByLabel("Country").fill("Sweden");
  await dialog.getByRole("button", { name: "Create authority" }).click();
  await dialog.getByText("Choose a future date").waitFor();
  await dialog.getByText("Sweden: use two letters, such as SE").waitFor();
  expect([await listed(page, "issuers"), await listed(page, "keys")]).toEqual(before);
});
