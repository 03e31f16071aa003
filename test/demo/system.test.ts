import { afterAll, beforeAll, expect, it } from "vitest";
import type { Locator, Page } from "playwright";
import { remote } from "./remote.ts";
import { devCa, host, issue, openWindow, type Host, type Window } from "./support.ts";

let at: Host;
let window: Window;
let page: Page;
beforeAll(async () => {
  at = await host({ headers: true, worker: "lean" });
  window = await openWindow(at);
  ({ page } = window);
  await devCa(page);
});
afterAll(async () => {
  expect(window.complaints).toEqual([]);
  await window.context.close();
  await at.close();
});

interface Named {
  readonly issuer_name: string;
}
interface Revocable {
  readonly data: { readonly revocation_time: number };
}
const button = (name: string | RegExp): Locator =>
  page.getByRole("button", { name, exact: typeof name === "string" });
const show = (view: string): Promise<unknown> =>
  page.evaluate(`location.hash = ${JSON.stringify(`#/${view}`)}`);

/** Calls the browser's CA and returns the reply. */
const call = <T>(method: string, path: string, body?: object): Promise<T> =>
  page.evaluate(
    `fetch(${JSON.stringify(`./v1/${path}`)}, ${JSON.stringify({ method, ...(body && { body: JSON.stringify(body) }) })}).then((answer) => (answer.status === 204 ? {} : answer.json()))`,
  );

it("leases are found step by step or by ID, and revoking a lease revokes its certificate", async () => {
  await call("POST", "pki/roles/lease", { allow_any_name: true, generate_lease: true });
  const issued: { lease_id: string; data: { serial_number: string } }[] = [];
  for (const name of ["a", "b"])
    issued.push(await call("POST", "pki/issue/lease", { common_name: `${name}.dev.test` }));
  const [first, second] = issued;
  await show(`certificates/${first?.data.serial_number.replaceAll(":", "") ?? ""}`);
  await page.getByText("The certificate has a lease").waitFor();
  await page.getByRole("link", { name: "a lease" }).click();
  await page.getByText(first?.lease_id ?? "none", { exact: true }).waitFor();
  await show("system/leases");
  for (const part of ["pki/", "issue/", "lease/"])
    await page.getByRole("table", { name: "Leases" }).getByRole("link", { name: part }).click();
  await page.getByRole("heading", { name: "Leases under pki/issue/lease/" }).waitFor();
  await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
  expect(await page.getByRole("table", { name: "Leases" }).getByRole("link").count()).toBe(2);
  await page.getByLabel("Lease ID").fill(first?.lease_id ?? "");
  await button("Look up").click();
  await page.getByRole("heading", { name: "Lease", exact: true }).waitFor();
  await button("Revoke…").click();
  await button("Revoke lease").click();
  await expect
    .poll(() => page.getByRole("table", { name: "Leases" }).getByRole("link").count())
    .toBe(1);
  await show(`certificates/${first?.data.serial_number.replaceAll(":", "") ?? ""}`);
  await page
    .getByText(/^Revoked /)
    .first()
    .waitFor();
  await show("system/leases/pki/issue/");
  await button("Revoke all these…").click();
  await page.getByLabel("Type pki/issue/ to confirm").fill("pki/issue/");
  await button("Revoke all").click();
  await page.getByText("Leases are being revoked").waitFor();
  const path = `pki/cert/${second?.data.serial_number ?? ""}`;
  await expect
    .poll(async () => (await call<Revocable>("GET", path)).data.revocation_time)
    .toBeGreaterThan(0);
  await show(`certificates/${second?.data.serial_number.replaceAll(":", "") ?? ""}`);
  await page
    .getByText(/^Revoked /)
    .first()
    .waitFor();
});

it("a token typed as a lease ID does not get into the URL", async () => {
  await show("system/leases");
  await page.getByLabel("Lease ID").fill(`s.${"a1B2".repeat(8)}`);
  await button("Look up").click();
  await page.getByText("looks like a token").waitFor();
  expect(page.url()).toMatch(/#\/system\/leases$/);
});

it("actions are listed as sentences with links, newest first, and filtered by endpoint", async () => {
  await show("system");
  const table = page.getByRole("table", { name: "Activity" });
  const first = table.getByRole("row").nth(1);
  await first.getByRole("link", { name: /^revokeLease/ }).waitFor();
  await table
    .getByText(/^this browser revoked lease/)
    .first()
    .waitFor();
  await page.getByLabel("Path or endpoint name").fill("writeRole");
  await first.getByText(/^this browser saved role lease/).waitFor();
  await first.getByText("POST pki/roles/", { exact: false }).waitFor();
  await first.getByText("Details").click();
  await first.getByText("Request", { exact: true }).waitFor();
  expect(page.url()).toContain("what=writeRole");
  expect(await page.content()).not.toContain("PRIVATE KEY");
});

it("the activity names an issuer that a call refers to by ID, and shows changes made in another window", async () => {
  await show("system?what=writeIssuer");
  const rows = page.getByRole("table", { name: "Activity" }).getByRole("row");
  await rows.nth(1).waitFor();
  const before = await rows.count();
  const { data } = await call<{ data: { keys: string[]; key_info: Record<string, Named> } }>(
    "GET",
    "pki/issuers?list=true",
  );
  const id = data.keys.find((one) => data.key_info[one]?.issuer_name === "dev-servers") ?? "";
  await call("POST", `pki/issuer/${id}`, { issuer_name: "dev-servers" });
  // as another window does after a change
  await page.evaluate(
    "new BroadcastChannel('sealwright').postMessage(new URL('./', location.href).href.replace(/\\/$/, ''))",
  );
  await expect.poll(() => rows.count()).toBe(before + 1);
  const saved = rows.nth(1).filter({ hasText: "this browser saved issuer dev-servers" });
  await saved.getByRole("link", { name: "dev-servers" }).click();
  await page.getByRole("heading", { level: 1, name: "Dev CA Servers" }).waitFor();
});

it("the activity finds an issuance by the name in the certificate, and links certificate and role", async () => {
  await show("system");
  await page.getByLabel("Name or serial number").fill("b.dev.test");
  const rows = page.getByRole("table", { name: "Activity" }).getByRole("row");
  await expect.poll(() => rows.count()).toBe(2);
  await rows.getByText("this browser issued b.dev.test with role lease").waitFor();
  await rows.getByRole("link", { name: "lease", exact: true }).waitFor();
  await rows.getByRole("link", { name: "b.dev.test" }).click();
  await page.getByRole("heading", { level: 1, name: "b.dev.test" }).waitFor();
});

it("the chart counts issued certificates by role and issuer, names its source, and opens the certificates of a day", async () => {
  await show("system");
  const card = page.getByRole("region", { name: "Last 30 days" });
  const today = card.locator(".chart a").last();
  const label = async (): Promise<string> => (await today.getAttribute("aria-label")) ?? "";
  await expect.poll(label).toMatch(/: 4 certificates issued, 2 lease, 2 without a role$/);
  await card.getByText(/^Source: the audit log of mount pki, complete since/).waitFor();
  await card.getByRole("button", { name: "By issuer" }).click();
  await expect
    .poll(label)
    .toMatch(
      /: 4 certificates issued, 2 dev-servers, 1 dev-root, 1 self-signed$|: 4 certificates issued, 2 dev-servers, 1 self-signed, 1 dev-root$/,
    );
  await card.getByRole("button", { name: "ACME failures" }).click();
  await card.getByText("No orders failed in this period.").waitFor();
  await card.getByRole("button", { name: "Issued" }).click();
  await today.click();
  await page.waitForURL(/#\/certificates\?since=[\d-]+&until=[\d-]+$/);
  await page.getByRole("link", { name: "a.dev.test" }).waitFor();
});

it("refreshing the activity leaves no gap before older events", async () => {
  const make = async (from: number, to: number): Promise<void> => {
    for (let n = from; n < to; n++) await call("POST", `pki/roles/gap-${n}`, {});
  };
  await show("system/leases");
  await make(0, 120);
  await show("system?what=writeRole");
  const rows = page.getByRole("table", { name: "Activity" }).getByRole("row");
  await button("Older").click();
  await expect.poll(() => rows.count()).toBeGreaterThan(120);
  await make(120, 125);
  await button("Refresh").click();
  await expect.poll(() => button("Older").count()).toBe(1);
  await button("Older").click();
  await expect.poll(() => rows.count()).toBeGreaterThan(125);
});

/** Saves the download of a click and returns its path. */
async function saved(on: Page, press: () => Promise<void>): Promise<string> {
  const [download] = await Promise.all([on.waitForEvent("download"), press()]);
  return download.path();
}
const choose = (on: Page, file: string): Promise<void> =>
  on.getByLabel("Backup", { exact: true }).setInputFiles(file);

it("the CA of one browser is moved to another with a backup that only the passphrase decrypts", async () => {
  await show("system/backup");
  await page.getByLabel("Passphrase", { exact: true }).fill("short");
  await button("Save a backup").click();
  await page.getByText("At least 12 characters").waitFor();
  await page.getByLabel("Passphrase", { exact: true }).fill("a passphrase of this test");
  await page.getByLabel("Repeat passphrase").fill("a passphrase of this test");
  const file = await saved(page, () => button("Save a backup").click());
  const other = await openWindow(at, "system/backup");
  const press = (name: string): Promise<void> =>
    other.page.getByRole("button", { name, exact: true }).click();
  await choose(other.page, file);
  await other.page.getByLabel("Backup passphrase").fill("another passphrase");
  await press("Verify");
  await other.page.getByRole("alert").getByText("wrong passphrase for the backup").waitFor();
  await other.page.getByLabel("Backup passphrase").fill("a passphrase of this test");
  await press("Verify");
  await other.page.getByText("Complete and intact").waitFor();
  await press("Restore…");
  await press("Restore");
  await other.page.getByRole("link", { name: "Dev CA Servers" }).waitFor();
  await issue(other.page, "after.dev.test");
  expect(other.complaints).toEqual([]);
  await other.context.close();
});

it("a mount of a Worker is downloaded, verified, deleted and restored", async () => {
  const far = await remote([new URL(at.url).origin]);
  await far.ca.pki.generateRoot({ exported: "internal", common_name: "Far Root" });
  await far.ca.pki.writeUrls({ ocsp_servers: [`${far.base}/v1/pki/ocsp`] });
  const other = await openWindow({ ...at, url: `${at.url}connect.html` }, "settings");
  const press = (name: string): Promise<void> =>
    other.page.getByRole("button", { name, exact: true }).click();
  await other.page.getByLabel("Address").fill(far.base);
  await other.page.getByLabel("Token", { exact: true }).fill(far.token);
  await press("Connect");
  await other.page.getByRole("link", { name: "Far Root" }).waitFor();
  await other.page.evaluate("location.hash = '#/system/backup'");
  await other.page.getByText("The file does not contain tokens, policies, login methods").waitFor();
  const file = await saved(other.page, () => press("Download a backup"));
  await choose(other.page, file);
  const path = other.page.getByLabel("Restore as mount");
  for (const name of ["pki", "two", "pki/two"]) {
    await path.fill(name);
    await other.page
      .getByText(
        "This server has the mount of this backup, as pki, and cannot have a copy beside it",
      )
      .waitFor();
  }
  await other.page.getByText("Restore the backup on another server. Only to replace pki").waitFor();
  await path.fill("pki");
  await press("Verify");
  await other.page.getByText(/Complete and intact, \d+ rows/).waitFor();
  const restore = other.page.getByRole("button", { name: "Restore…" });
  await expect.poll(() => restore.getAttribute("title")).toMatch(/^This server has the mount/);
  await far.ca.sys.deleteMount({ path: "pki" });
  await far.ca.sys.createMount({ path: "other", type: "pki" });
  await path.fill("other/two");
  await press("Verify");
  await other.page.getByText("Mount other exists, and mounts cannot be nested").waitFor();
  await path.fill("two");
  await press("Verify");
  await expect.poll(() => restore.getAttribute("title")).toBe(null);
  await press("Restore…");
  await other.page.getByText("URLs, which may name mount pki").waitFor();
  await press("Restore");
  await other.page.getByRole("link", { name: "Far Root" }).waitFor();
  const task = other.page.getByRole("region", { name: "Needs action" }).getByRole("listitem");
  await task.getByText("The URLs in new certificates name another mount: /v1/pki").waitFor();
  await task.getByRole("link", { name: "Change URLs" }).click();
  await other.page.getByText(`${far.base}/v1/pki/ocsp`).waitFor();
  const told = other.complaints.filter((text) => !text.startsWith(`request to ${far.base}/`));
  expect(told).toEqual([]);
  await other.context.close();
  await far.close();
});
