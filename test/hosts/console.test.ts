import { chromium, type Browser } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { issue, openWindow } from "../demo/support.ts";
import { apiOf } from "../http/api.ts";
import { chromiumLaunch } from "../support/chromium.ts";
import { runtimes, type RunningHost } from "./hosts.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await chromium.launch(await chromiumLaunch());
});
afterAll(() => browser.close());

describe.each(runtimes)("the console of $host", ({ start }) => {
  let server: RunningHost;
  beforeAll(async () => {
    server = await start({ console: true, workers: 2 });
  });
  afterAll(() => server.stop());

  it("signs in, creates a root and a role, issues a certificate and revokes it", async () => {
    const { page, context, complaints } = await openWindow({ browser, url: `${server.url}/demo/` });
    const { host } = new URL(server.url);
    await page.getByRole("heading", { level: 1, name: `Sign in to ${host}` }).waitFor();
    await page.getByLabel("Token", { exact: true }).fill(server.token);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("button", { name: "Create a root" }).click();
    await page.getByLabel("Common name").fill("Console Root");
    await page.getByRole("button", { name: "Create authority" }).click();
    await page.getByRole("link", { name: "Console Root" }).waitFor();
    await page.evaluate("location.hash = '#/roles/new'");
    await page.getByLabel("Name", { exact: true }).fill("web");
    await page.getByRole("textbox", { name: "Domains" }).fill("web.example");
    await page.getByRole("button", { name: "Save role" }).click();
    await page.getByRole("heading", { level: 1, name: "web" }).waitFor();
    const serial = await issue(page, "www.web.example");
    await page.getByRole("button", { name: "Revoke…" }).click();
    const dialog = page.getByRole("dialog", { name: "Revoke this certificate?" });
    await dialog.getByLabel("Reason").selectOption("superseded");
    await dialog.getByLabel(/^Type/).fill("www.web.example");
    await dialog.getByRole("button", { name: "Revoke" }).click();
    await page.getByText("Revoked: superseded. Now on the CRL").waitFor();
    await page.getByText(/^Revoked \d.*: superseded$/).waitFor();
    const { data } = await apiOf(server)("GET", "pki/certs/revoked?list=true");
    expect(data.keys.map((key) => key.replaceAll(":", ""))).toEqual([serial]);
    expect(complaints).toEqual([]);
    await context.close();
  });
});
