import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { Page } from "playwright";
import { issueMany } from "./issue-many.ts";
import { host, issue, openDevCa, type Host, type Window } from "./support.ts";

let at: Host;
let window: Window;
beforeAll(async () => {
  at = await host();
});
afterEach(async () => {
  await window.close();
});
afterAll(async () => {
  await at.close();
});

interface Made {
  readonly serial_number: string;
  readonly certificate: string;
  readonly issuer_id: string;
}
const send = async (page: Page, path: string, body: object): Promise<Made> =>
  (
    await page.evaluate<{ data: Made }>(
      `fetch('./v1/pki/${path}', { method: 'POST', body: ${JSON.stringify(JSON.stringify(body))} }).then((answer) => (answer.status === 204 ? {} : answer.json()))`,
    )
  ).data;
const bare = (serial: string): string => serial.replaceAll(":", "");
const sha256 = (page: Page, pem: string): Promise<string> =>
  page.evaluate(`(async () => {
    const der = Uint8Array.from(atob(${JSON.stringify(pem.replace(/-----[^-]+-----|\s/g, ""))}), (character) => character.charCodeAt(0));
    return [...new Uint8Array(await crypto.subtle.digest('SHA-256', der))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  })()`);
/** Returns `n1000.dev.test` and the names that follow it. */
const numbered = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => `n${1000 + i}.dev.test`);
/**
 * Limits search pages to ten rows, so that a few certificates exceed what is loaded automatically.
 */
const fewAtATime = (page: Page): Promise<unknown> =>
  page.evaluate(
    "{ const real = fetch; globalThis.fetch = (url, init) => real(String(url).replace('limit=5000', 'limit=10'), init); undefined }",
  );
const go = async (page: Page, hash: string): Promise<void> => {
  await page.evaluate("location.hash = '#/settings'");
  await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
};
const anyName = {
  allow_any_name: true,
  enforce_hostnames: false,
  key_type: "ec",
  key_bits: 256,
  server_flag: false,
  issuer_ref: "dev-servers",
};
const filter = (page: Page) => page.getByRole("searchbox", { name: /^Filter by name/ });
const rows = (page: Page) => page.getByRole("table", { name: "Certificates" }).locator("tbody tr");
/** Searches and waits until the rows have the given names. */
async function finds(page: Page, q: string, names: readonly string[]): Promise<void> {
  await filter(page).fill(q);
  await expect
    .poll(() => rows(page).getByRole("link").allInnerTexts(), { message: q })
    .toEqual(names);
}

/** Delays searches for certificates until the page calls `reply()`. */
const delaySearches = (page: Page): Promise<unknown> =>
  page.evaluate(`{
    const real = fetch;
    const replied = new Promise((resolve) => (globalThis.reply = resolve));
    globalThis.fetch = async (url, init) => {
      if (/\\/certs?(?:[/?]|$)/.test(url)) await replied;
      return real(url, init);
    };
  }`);

it("a certificate is found by every name in any case, by part of its serial number and by its fingerprint", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await send(page, "roles/person", anyName);
  const jane = await send(page, "issue/person", {
    common_name: "Jane Doe",
    alt_names: "jane@example.org",
    exclude_cn_from_sans: true,
  });
  const web = await send(page, "issue/dev-server", {
    common_name: "web.dev.test",
    alt_names: "api.dev.test",
    ip_sans: "10.1.2.3",
  });
  await go(page, "#/certificates");
  await page.getByRole("link", { name: "web.dev.test" }).waitFor();
  for (const [q, name] of [
    ["Dev CA Root", "Dev CA Root"],
    ["Jane Doe", "Jane Doe"],
    ["dev ca root", "Dev CA Root"],
    ["jane d", "Jane Doe"],
    ["WEB.dev.test", "web.dev.test"],
    ["JANE@example.org", "Jane Doe"],
    ["api.dev.test", "web.dev.test"],
    ["dev CA r", "Dev CA Root"],
    ["API.dev", "web.dev.test"],
    ["a root", "Dev CA Root"],
    ["10.1.2.3", "web.dev.test"],
    [bare(jane.serial_number).slice(0, 6), "Jane Doe"],
    [bare(web.serial_number).slice(0, 8), "web.dev.test"],
    ["doe", "Jane Doe"],
    [
      `${bare(web.serial_number).slice(0, 4)} ${bare(web.serial_number).slice(4, 8)}…`,
      "web.dev.test",
    ],
    [jane.serial_number, "Jane Doe"],
    [web.serial_number.slice(0, 14).toUpperCase(), "web.dev.test"],
    ["ane doe", "Jane Doe"],
    [`serial=${bare(web.serial_number).toUpperCase()}`, "web.dev.test"],
    ["Jane", "Jane Doe"],
    [`0x${bare(jane.serial_number)}`, "Jane Doe"],
    [await sha256(page, web.certificate), "web.dev.test"],
    [
      `SHA256 Fingerprint=${(await sha256(page, jane.certificate)).replace(/../g, "$&:").slice(0, -1).toUpperCase()}`,
      "Jane Doe",
    ],
  ] as const)
    await finds(page, q, [name]);
  await page
    .getByRole("status")
    .filter({ hasText: "The text is treated as a fingerprint" })
    .waitFor();
  await finds(page, "api.dev", ["web.dev.test"]);
  await page.getByText("No name begins with “api.dev”; these contain it.").waitFor();
  const palette = page.getByRole("combobox", { name: "Search or go to" });
  const options = page.getByRole("listbox", { name: "Results" });
  // before the reply, which selects the only match, Enter opens the list
  for (const [q, name] of [
    ["jane doe", "Jane Doe"],
    ["api.dev.test", "web.dev.test"],
    [`serial=${bare(web.serial_number).slice(0, 30)}`, "web.dev.test"],
  ] as const) {
    await go(page, "#/settings");
    await page.keyboard.press("Control+k");
    await delaySearches(page);
    await palette.fill(q);
    // Enter would open the certificate once its search has found only one
    await options.getByRole("option", { name: /^Search certificates/ }).click();
    await page.getByRole("heading", { level: 1, name: "Certificates" }).waitFor();
    await page.evaluate("reply()");
    await rows(page).getByRole("link", { name }).waitFor();
  }
  // The keyboard alone reaches roles, certificates, API calls and actions.
  const chosen = async (q: string, option: RegExp, title: string): Promise<void> => {
    await page.keyboard.press("Control+k");
    await palette.fill(q);
    const found = options.getByRole("option", { name: option });
    await found.waitFor();
    for (let i = 0; (await found.getAttribute("aria-selected")) !== "true"; i++) {
      expect(i, `${q}: ${title}`).toBeLessThan(30);
      await palette.press("ArrowDown");
    }
    expect(await palette.getAttribute("aria-activedescendant")).toBe(
      await found.getAttribute("id"),
    );
    await palette.press("Enter");
    // a locator by role would search the whole API reference
    await page.locator("h1").getByText(title, { exact: true }).waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.tagName")).toBe("H1");
  };
  await chosen("person", /^person$/, "person");
  // an API name selects its CA without an arrow key
  await page.keyboard.press("Control+k");
  await palette.fill("dev-servers");
  await options.getByRole("option", { name: /^Dev CA Servers/, selected: true }).waitFor();
  await palette.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Dev CA Servers" }).waitFor();
  await chosen("jane", /^Jane Doe/, "Jane Doe");
  await chosen("dns resolver", /^DNS resolver/, "ACME");
  await chosen("revoke certificate", /^POST \/v1\/pki\/revoke /, "API reference");
  // locators would search the whole reference
  await page.evaluate("location.hash = '#/settings'");
  await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
  await page.keyboard.press("Control+k");
  const recent = page.getByRole("group", { name: "Recent" }).getByRole("option");
  expect(await recent.allInnerTexts()).toMatchObject([
    expect.stringMatching(/^POST/),
    expect.stringMatching(/^DNS resolver/),
    expect.stringMatching(/^Jane Doe/),
    "Dev CA Servers",
    "person",
  ]);
  await palette.fill("nothing-like-this");
  await page.getByText("Nothing matches “nothing-like-this”.").waitFor();
  const searches: string[] = [];
  page.on("request", (request) => {
    if (/\/certs?(?:[/?]|$)/.test(request.url())) searches.push(request.url());
  });
  const print = await sha256(page, jane.certificate);
  const janesOption = options.getByRole("option", { name: /^Jane Doe/, selected: true });
  await palette.fill(print);
  await janesOption.waitFor();
  await palette.fill(print.replace(/../g, "$&:").slice(0, -1).toUpperCase());
  await expect.poll(() => searches.length).toBe(2);
  await janesOption.waitFor();
  await palette.fill(print.slice(0, 40));
  await page.getByText("enter the SHA-256 fingerprint").waitFor();
  await palette.fill("revoke a certificate…");
  await palette.press("Enter");
  const picked = page.getByRole("combobox", { name: /^Certificate to revoke/ });
  await picked.fill("web");
  await options.getByRole("option", { name: /^web\.dev\.test/ }).waitFor();
  await picked.press("Enter");
  await page.getByRole("dialog", { name: "Revoke this certificate?" }).waitFor();
  expect(new URL(page.url()).hash).toBe(`#/certificates/${bare(web.serial_number)}`);
  expect(window.complaints).toEqual([]);
});

it("a certificate issued in one window appears in the list of another window", async () => {
  window = await openDevCa(at);
  const { page, context } = window;
  const other = await context.newPage();
  await other.goto(`${at.url}#/certificates`);
  await rows(other).getByRole("link", { name: "Dev CA Root" }).waitFor();
  await issue(page, "new.dev.test");
  await rows(other).getByRole("link", { name: "new.dev.test" }).waitFor();
  expect(window.complaints).toEqual([]);
});

it("a search by serial number respects the other filters, and its rows show role and state", async () => {
  window = await openDevCa(at);
  const { page } = window;
  const { serial_number: serial } = await send(page, "issue/dev-server", {
    common_name: "gone.dev.test",
  });
  await send(page, "revoke", { serial_number: serial });
  await go(page, `#/certificates?q=${bare(serial).slice(0, 8)}`);
  await rows(page)
    .filter({ hasText: "gone.dev.test" })
    .filter({ hasText: "dev-server" })
    .filter({ hasText: "Revoked" })
    .waitFor();
  await page.getByRole("button", { name: "Valid", exact: true }).click();
  await page.getByText("No certificate matches.").waitFor();
  await page.getByRole("link", { name: "Inspect a file" }).waitFor();
});

it("names that only contain the searched text are a click away if others begin with it", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await send(page, "issue/dev-server", { common_name: "api.dev.test" });
  await send(page, "issue/dev-server", { common_name: "web.dev.test", alt_names: "api.dev.test" });
  await go(page, "#/certificates?q=api");
  await page.getByRole("link", { name: "api.dev.test" }).waitFor();
  expect(await rows(page).count()).toBe(1);
  await page.getByRole("button", { name: "Search inside names" }).click();
  await page.getByRole("link", { name: "web.dev.test" }).waitFor();
  expect(await rows(page).count()).toBe(2);
  expect(page.url()).toContain("match=any");
});

it("renewing a certificate whose common name is not a SAN offers its role, that name and a new file name", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await send(page, "roles/person", anyName);
  const jane = await send(page, "issue/person", {
    common_name: "Jane Doe",
    alt_names: "jane@example.org",
    exclude_cn_from_sans: true,
  });
  await go(page, `#/certificates/${bare(jane.serial_number)}`);
  await page.getByText("Issued by the role person").waitFor();
  await page.getByRole("link", { name: "Renew" }).click();
  await page.getByRole("heading", { level: 1, name: "Renew Jane Doe" }).waitFor();
  await page.getByText("The old certificate stays valid until it expires or is revoked.").waitFor();
  expect(await page.getByLabel("Role", { exact: true }).inputValue()).toBe("person");
  expect(await page.getByLabel("Name 1", { exact: true }).inputValue()).toBe("Jane Doe");
  expect(await page.getByLabel("Name 2", { exact: true }).inputValue()).toBe("jane@example.org");
  await page.getByRole("button", { name: "Renew certificate" }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Save key and chain" }).click(),
  ]);
  const [, start = ""] =
    /^Jane-Doe-([0-9a-f]{8})\.key-and-chain\.pem$/.exec(download.suggestedFilename()) ?? [];
  expect(start).not.toBe("");
  expect(bare(jane.serial_number).startsWith(start)).toBe(false);
  await page.getByLabel("I have saved the key").check();
  await page.getByRole("button", { name: "Revoke the old certificate…" }).click();
  const revoking = page.getByRole("dialog", { name: "Revoke this certificate?" });
  expect(await revoking.getByLabel("Reason").inputValue()).toBe("superseded");
  expect(page.url()).toContain(bare(jane.serial_number));
});

it("renewing a certificate whose role was deleted asks for a role and preselects none", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await send(page, "roles/passing", { ...anyName, server_flag: true });
  const { serial_number: serial } = await send(page, "issue/passing", {
    common_name: "left.dev.test",
  });
  await page.evaluate("fetch('./v1/pki/roles/passing', { method: 'DELETE' })");
  await go(page, `#/certificates/${bare(serial)}`);
  await page.getByRole("heading", { level: 1, name: "left.dev.test" }).waitFor();
  expect(await page.getByRole("link", { name: "Renew" }).count()).toBe(0);
  await page.getByRole("button", { name: "Renew" }).click();
  const dialog = page.getByRole("dialog", { name: "Renew" });
  await dialog
    .getByText("The certificate was issued with the role passing, which no longer exists.")
    .waitFor();
  expect(await dialog.getByLabel("Role", { exact: true }).inputValue()).toBe("");
  expect(await dialog.getByRole("button", { name: "Continue" }).isDisabled()).toBe(true);
  await dialog.getByLabel("Role", { exact: true }).selectOption("dev-server");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("heading", { level: 1, name: "Renew left.dev.test" }).waitFor();
  expect(await page.getByLabel("Role", { exact: true }).inputValue()).toBe("dev-server");
  expect(await page.getByLabel("Name 1", { exact: true }).inputValue()).toBe("left.dev.test");
});

it("the CSV export contains every matching certificate, not only the loaded rows, and states their number", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await issueMany(page, numbered(130));
  await fewAtATime(page);
  await go(page, "#/certificates?q=n1");
  await page.getByRole("status").filter({ hasText: "80 shown; there are more" }).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export CSV" }).click(),
  ]);
  const lines = readFileSync(await download.path(), "utf8").split("\r\n");
  expect(new Set(lines.map((line) => line.split(",")[2])).size).toBe(131);
  await page.getByText("Saved certificates.csv: 130 certificates").waitFor();
  expect(window.complaints).toEqual([]);
});

it("the list shows the newest certificates if not all are loaded, and sorting by another column loads all", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await issueMany(page, numbered(110));
  // becomes valid half a minute after the others
  await send(page, "roles/late", { ...anyName, not_before_duration: "1s" });
  await send(page, "issue/late", { common_name: "latest.dev.test", ttl: "2400h" });
  await fewAtATime(page);
  // the first search waits until the certificates are indexed by start of validity
  await expect
    .poll(async () => {
      await go(page, "#/certificates");
      await page.getByText(/^Showing /).waitFor();
      return page.getByText(/^Showing /).innerText();
    })
    .toMatch(/^Showing the newest 80 certificates\. /);
  expect(await rows(page).getByRole("link").first().innerText()).toBe("latest.dev.test");
  expect(await page.getByRole("columnheader", { name: "Issued" }).getAttribute("aria-sort")).toBe(
    "descending",
  );
  // more certificates match than are loaded, so the newest of them are shown
  await go(page, "#/certificates?issuer=dev-servers");
  await page.getByText("Showing the newest 80 certificates").waitFor();
  expect(await rows(page).getByRole("link").first().innerText()).toBe("latest.dev.test");
  await page.getByRole("button", { name: "Name" }).click();
  await page.getByRole("status").filter({ hasText: "111 shown" }).waitFor();
  expect(await rows(page).getByRole("link").first().innerText()).toBe("latest.dev.test");
  expect(await page.getByText(/^Showing /).count()).toBe(0);
  expect(window.complaints).toEqual([]);
});

it("an export that fails saves nothing and reports the reason", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await issueMany(page, numbered(110));
  await fewAtATime(page);
  await go(page, "#/certificates?q=n1");
  await page.getByRole("status").filter({ hasText: "80 shown; there are more" }).waitFor();
  await page.evaluate("globalThis.fetch = () => Promise.reject(new TypeError('gone'))");
  await page.getByRole("button", { name: "Export CSV" }).click();
  await page
    .getByRole("alert")
    .filter({ hasText: "Nothing was exported. No connection" })
    .waitFor();
});

it("the list of expiring certificates includes CAs that are marked as expiring", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await send(page, "root/generate/internal", {
    common_name: "Ends Soon Root",
    issuer_name: "ends-soon",
    key_type: "ec",
    ttl: "4320h",
  });
  await send(page, "issue/dev-server", { common_name: "later.dev.test", ttl: "4320h" });
  await send(page, "issue/dev-server", { common_name: "near.dev.test", ttl: "3120h" });
  // 55 of 180 days are left for the first two: within the last third, but more than the 30 days of a
  // leaf.
  await page.clock.setFixedTime(Date.now() + 125 * 86_400_000);
  await go(page, "#/certificates?status=soon");
  await page.getByRole("link", { name: "Ends Soon Root" }).waitFor();
  expect((await rows(page).getByRole("link").allInnerTexts()).toSorted()).toEqual([
    "Ends Soon Root",
    "near.dev.test",
  ]);
  await go(page, "#/certificates?status=soon&q=near");
  await page.getByRole("status").filter({ hasText: "1 shown" }).waitFor();
  expect(window.complaints).toEqual([]);
});

/** Reports whether the row has the focus and is completely visible. */
const isHeld = (page: Page, name: string): Promise<boolean> =>
  page.evaluate(
    `(() => { const { textContent } = document.activeElement; const { top, bottom } = document.activeElement.getBoundingClientRect(); return textContent === ${JSON.stringify(name)} && top >= 0 && bottom <= innerHeight; })()`,
  );

it.each([
  ["the browser's own Back", (page: Page) => page.goBack().then(() => {})],
  ["the link above the certificate", (page: Page) => page.locator("a.back").click()],
])("going back from a certificate with %s restores the position in the list", async (_, back) => {
  window = await openDevCa(at);
  const { page } = window;
  await issueMany(page, numbered(260));
  await fewAtATime(page);
  await go(page, "#/certificates?q=n1&sort=name");
  await page.getByRole("status").filter({ hasText: "80 shown; there are more" }).waitFor();
  await expect
    .poll(async () => {
      await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
      return page.getByRole("status").filter({ hasText: "shown" }).innerText();
    })
    .toBe("260 shown");
  await expect.poll(() => page.evaluate("(scrollTo(0, 200 * 52), scrollY)")).toBe(200 * 52);
  const link = page.getByRole("link", { name: "n1203.dev.test" });
  await link.click();
  await page.getByRole("heading", { level: 1, name: "n1203.dev.test" }).waitFor();
  await back(page);
  await link.waitFor();
  await expect.poll(() => isHeld(page, "n1203.dev.test")).toBe(true);
  expect(new URL(page.url()).hash).toBe("#/certificates?q=n1&sort=name");
  await page.getByRole("status").filter({ hasText: "260 shown" }).waitFor();
  // Another filter starts a new search, and other ways to the list begin at its top.
  await finds(page, "n1203", ["n1203.dev.test"]);
  await page.getByRole("link", { name: "n1203.dev.test" }).click();
  await page.getByRole("heading", { level: 1, name: "n1203.dev.test" }).waitFor();
  await go(page, "#/certificates?q=n1&sort=name");
  await page.getByRole("status").filter({ hasText: "80 shown" }).waitFor();
  expect(await page.evaluate("scrollY")).toBe(0);
  expect(window.complaints).toEqual([]);
});

it("a certificate revoked on its page is shown as revoked after going back to the list", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await issueMany(page, numbered(10));
  await go(page, "#/certificates?q=n1003");
  await page.getByRole("link", { name: "n1003.dev.test" }).click();
  await page.getByRole("button", { name: "Revoke…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(/^Type/).fill("n1003.dev.test");
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await page.getByText(/^Revoked \d/).waitFor();
  await page.locator("a.back").click();
  await rows(page).filter({ hasText: "n1003.dev.test" }).filter({ hasText: "Revoked" }).waitFor();
  expect(new URL(page.url()).hash).toBe("#/certificates?q=n1003");
});
