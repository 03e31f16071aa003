import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { Page } from "playwright";
import { remote, type Remote } from "./remote.ts";
import { host, openWindow, type Host, type Window } from "./support.ts";

let at: Host;
let far: Remote;
let window: Window;
/** Offset of the server's clock from real time, milliseconds. */
let ahead = 0;
beforeAll(async () => {
  at = await host();
  far = await remote([new URL(at.url).origin], () => Date.now() + ahead);
  const { pki } = far.ca;
  await pki.generateRoot({ common_name: "Far Root", key_type: "ec" });
  await pki.writeRole({ name: "any", allow_any_name: true, key_type: "ec", ttl: "24h" });
  await pki.writeCrlConfig({ auto_rebuild: true });
});
afterEach(async () => {
  expect(window.complaints.filter((text) => !text.includes(`${far.base}/v1/`))).toEqual([]);
  await window.context.close();
});
afterAll(async () => {
  await far.close();
  await at.close();
});

/** Issues a certificate and returns its serial number. */
async function issued(name: string): Promise<string> {
  const { serial_number: serial } = await far.ca.pki.issue({ role: "any", common_name: name });
  return serial;
}
const go = (page: Page, hash: string): Promise<unknown> =>
  page.evaluate(`location.hash = ${JSON.stringify(`#/${hash}`)}`);
/** Connects to the server and opens a view. */
async function opened(view: string): Promise<Page> {
  window = await openWindow({ ...at, url: `${at.url}connect.html` });
  const { page } = window;
  await page.getByLabel("Address").fill(far.base);
  await page.getByLabel("Token", { exact: true }).fill(far.token);
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await go(page, view);
  return page;
}

it("the entries of a CRL are paged and link to certificates and OCSP, and CRL settings are validated with warnings", async () => {
  const { pki } = far.ca;
  const serials: string[] = [];
  for (let i = 0; i < 60; i++) {
    const serial = await issued(`host-${i}.example`);
    await pki.revoke({ serial_number: serial, reason: "superseded" });
    serials.push(serial);
  }
  await pki.rotateCrl({});
  const page = await opened("revocation");
  const row = page.getByRole("row").filter({ hasText: "Far Root" });
  await row.filter({ hasText: "60" }).waitFor();
  await row.getByRole("link", { name: "Far Root" }).click();
  const entries = page.getByRole("table", { name: "Revoked certificates" });
  await entries.getByRole("link", { name: "host-59.example" }).waitFor();
  expect(await entries.getByRole("row").count()).toBe(51);
  await page.getByRole("button", { name: "Next entries" }).click();
  await page.getByText("51 to 60 of 60").waitFor();
  expect(await page.getByRole("button", { name: "Next entries" }).isDisabled()).toBe(true);
  await page.getByLabel("Serial number in this CRL").fill(serials[7] ?? "");
  await page.getByText("1 to 1 of 1").waitFor();
  await entries.getByRole("link", { name: "host-7.example" }).click();
  await page.getByRole("heading", { level: 1, name: "host-7.example" }).waitFor();
  await page.getByRole("link", { name: "Query OCSP" }).click();
  const answer = page.getByRole("region", { name: "OCSP response" });
  await answer.getByText(/UTC, superseded$/).waitFor();
  await answer.getByText("Signed by Far Root, the issuer itself").waitFor();
  await answer.getByText("Matches the request", { exact: true }).waitFor();
  await page.getByLabel("Serial number", { exact: true }).fill("7f:00");
  await page.getByRole("button", { name: "Query", exact: true }).click();
  await page
    .getByText(
      "This mount has no certificate with this serial number. Choose the certificate’s issuer.",
    )
    .waitFor();
  await go(page, "revocation");
  const settings = page.getByRole("region", { name: "CRL and OCSP settings" });
  await settings.getByLabel("Rebuild before expiry").fill("80h");
  await settings.getByRole("button", { name: "Save" }).click();
  await settings.getByText("Must be shorter than the CRL lifetime").waitFor();
  await settings.getByLabel("Rebuild before expiry").fill("6h");
  await settings.getByLabel("delta CRLs between complete CRLs").check();
  await settings.getByRole("button", { name: "Save" }).click();
  await page.getByRole("link", { name: "Far Root delta" }).waitFor();
  await settings.getByText("New certificates do not contain the URL of the delta CRL").waitFor();
  expect(await page.evaluate("document.activeElement.textContent")).toBe("Save");
  expect(await pki.readCrlConfig({})).toMatchObject({
    enable_delta: true,
    auto_rebuild_grace_period: "6h",
  });
  await pki.writeCrlConfig({ cross_cluster_revocation: true, shards: 2 });
  await pki.revoke({ serial_number: "12:34:56:78" });
  await go(page, "issue/any?name=a.example");
  await page.getByText("No CRL or OCSP URL").waitFor();
  await page.getByText(`these URLs begin with ${far.base}/v1/pki, which only`).waitFor();
  await page.getByRole("button", { name: "Save this mount’s URLs now" }).click();
  await page.getByText("No CRL or OCSP URL").waitFor({ state: "detached" });
  await expect.poll(() => page.evaluate("document.activeElement.tagName")).toBe("H1");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search or go to" }).fill("url");
  await page.getByRole("option", { name: /^URL of the mount(?! in)/ }).click();
  const mountUrls = page.getByRole("region", { name: "URLs of the mount" });
  const inCertificates = mountUrls.getByLabel("URL of the mount in certificates");
  expect(await mountUrls.getByLabel("URL of the mount", { exact: true }).inputValue()).toBe(
    `${far.base}/v1/pki`,
  );
  await inCertificates.fill("pki.example");
  await mountUrls.getByRole("button", { name: "Save" }).click();
  await mountUrls.getByText("Must begin with https:// or http://").waitFor();
  await inCertificates.fill("http://pki.example/v1/pki");
  await mountUrls.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  expect(await pki.readCluster({})).toEqual({
    path: `${far.base}/v1/pki`,
    aia_path: "http://pki.example/v1/pki",
  });
  await page.getByText("In certificates issued by the default issuer").click();
  await page.getByText(`${far.base}/v1/pki/ocsp`, { exact: true }).waitFor();
  expect(await page.getByRole("button", { name: "Save this mount’s URLs now" }).count()).toBe(0);
  await page.getByText("{{cluster_path}}/ocsp", { exact: true }).waitFor();
  await go(page, "revocation");
  await settings.getByText("Several clusters").waitFor();
  expect(await settings.getByText("New certificates do not contain the URL of").count()).toBe(0);
  expect((await pki.readUrls({})).delta_crl_distribution_points).toHaveLength(1);
  await page.getByText("Open an authority to see the CRLs of its shards.").waitFor();
  const waiting = page.getByRole("table", { name: "Revocation requests" });
  await waiting.getByText("Waiting for the certificate").waitFor();
});

it("an import into a mount of a server without URLs offers to set them", async () => {
  const { pki } = far.ca;
  const none = { issuing_certificates: [], crl_distribution_points: [], ocsp_servers: [] };
  await pki.writeUrls({ ...none, delta_crl_distribution_points: [] });
  const root = await pki.generateExportedRoot({
    common_name: "Carried Root",
    key_type: "ec",
  });
  await pki.deleteIssuer({ issuer_ref: root.issuer_id });
  await pki.deleteKey({ key_ref: root.key_id });
  const page = await opened("overview");
  await page.getByRole("button", { name: "Add authority" }).click();
  const adding = page.getByRole("dialog", { name: "Add authority" });
  await adding.getByText("This mount has no CRL, OCSP or issuer URL").waitFor();
  expect(await adding.getByLabel("Make the new CA the default issuer").isChecked()).toBe(true);
  await adding.getByRole("button", { name: "Intermediate CA" }).click();
  expect(await adding.getByLabel("Make the new CA the default issuer").isChecked()).toBe(false);
  await adding.getByRole("button", { name: "Save this mount’s URLs now" }).click();
  await adding.getByText("This mount has no CRL, OCSP").waitFor({ state: "detached" });
  const focused = (): Promise<unknown> => page.evaluate("document.activeElement.textContent");
  await expect.poll(focused).toBe("Add authority");
  await adding.getByRole("button", { name: "Cancel" }).click();
  await pki.writeUrls({ ...none, delta_crl_distribution_points: [] });
  await page.getByRole("button", { name: "Import…", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Import authorities" });
  await dialog
    .getByLabel("CA certificates, and the private keys of CAs that will sign here")
    .fill(`${root.certificate}\n${root.private_key}`);
  await dialog.getByRole("button", { name: "Import with key" }).click();
  const imported = page.getByRole("dialog", { name: /^One authority imported/ });
  await imported.getByText("This mount has no URLs for issuers").waitFor();
  await imported.getByRole("button", { name: "Set URLs…" }).waitFor();
  await imported.getByRole("button", { name: "Close" }).click();
});

it("CRL shards without a CRL URL cause a warning next to the setting, with buttons instead of a dialog", async () => {
  const { pki } = far.ca;
  await pki.writeUrls({ crl_distribution_points: [], delta_crl_distribution_points: [] });
  await pki.writeCrlConfig({ shards: 0, enable_delta: false });
  const page = await opened("revocation");
  const settings = page.getByRole("region", { name: "CRL and OCSP settings" });
  await settings.getByLabel("CRL shards").fill("4");
  await settings.getByRole("button", { name: "Save" }).click();
  await settings.getByText("New certificates are not assigned to a CRL shard").waitFor();
  expect(await page.getByRole("dialog").count()).toBe(0);
  await settings.getByRole("button", { name: "Set URLs…" }).click();
  const dialog = page.getByRole("dialog", { name: "URLs in certificates" });
  const apiName = dialog.getByText("enable_templating");
  expect(await apiName.count()).toBe(0);
  await dialog.getByRole("button", { name: "API names", pressed: false }).click();
  await apiName.waitFor();
  await dialog.getByRole("button", { name: "API names", pressed: true }).click();
  expect(await dialog.getByLabel("CRL", { exact: true }).getAttribute("placeholder")).toBe(
    `${far.base}/v1/pki/issuer/{{issuer_id}}/crl/der`,
  );
  await dialog.getByLabel("CRL", { exact: true }).fill("{{cluster_path}}/crl/der");
  await dialog.getByRole("button", { name: "Save" }).click();
  await settings
    .getByText("New certificates are not assigned to a CRL shard")
    .waitFor({ state: "detached" });
  await pki.patchIssuer({ issuer_ref: "default", issuing_certificates: ["http://a.test/ca.der"] });
  await go(page, "keys");
  await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
  await go(page, "revocation");
  await settings.getByText("New certificates are not assigned to a CRL shard").waitFor();
  await settings.getByText("Issuers with their own URLs:").getByRole("link").click();
  await page.getByRole("dialog", { name: "Change Far Root" }).waitFor();
  await pki.patchIssuer({ issuer_ref: "default", issuing_certificates: [] });
  await pki.writeCrlConfig({ shards: 0 });
});

it("search results are revoked after typing their number, and tidy deletes expired certificates or is cancelled", async () => {
  for (const name of ["web-1.example", "web-2.example", "mail.example"]) await issued(name);
  const page = await opened("certificates?q=web-");
  await page.getByRole("button", { name: "Revoke all matches…" }).click();
  const dialog = page.getByRole("dialog", { name: "Revoke 2 certificates?" });
  await dialog.getByText("web-1.example, web-2.example").waitFor();
  expect(await dialog.getByRole("button", { name: "Revoke" }).isDisabled()).toBe(true);
  await dialog.getByLabel(/^Type/).fill("2");
  await dialog.getByLabel("Reason").selectOption("keyCompromise");
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await page.getByText("2 certificates revoked. Will be on the next CRL").waitFor();
  await expect.poll(() => page.getByText("Revoked", { exact: true }).count()).toBe(3);
  expect(await page.getByRole("button", { name: "Revoke all matches…" }).count()).toBe(1);
  ahead = 10 * 86_400_000;
  await go(page, "revocation/tidy");
  const runNow = page.getByRole("region", { name: "Run now" });
  await runNow.getByRole("button", { name: "API names", pressed: false }).click();
  await runNow.getByText("safety_buffer", { exact: true }).waitFor();
  await runNow.getByRole("button", { name: "API names", pressed: true }).click();
  const begin = async (): Promise<void> => {
    await page.getByRole("button", { name: "Run tidy…" }).click();
    await page.getByRole("dialog").getByText("expired certificates", { exact: true }).waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Run tidy" }).click();
    await page.getByRole("button", { name: "Cancel this run" }).waitFor();
  };
  await begin();
  await page.getByRole("button", { name: "Cancel this run" }).click();
  // the next step ends the run only after the cancellation
  await page.getByText("Cancelling", { exact: true }).waitFor();
  await far.ca.tick();
  await page.getByText("Cancelled", { exact: true }).waitFor();
  await begin();
  for (let i = 0; i < 50; i++) await far.ca.tick();
  const run = page.getByRole("region", { name: "Last run" });
  await run.getByText("Finished", { exact: true }).first().waitFor();
  expect(await run.getByText("Certificates deleted").count()).toBe(2);
  await page.getByLabel("run automatically").check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Choose at least one").waitFor();
});
