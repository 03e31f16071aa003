import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { Page } from "playwright";
import { issueMany } from "./issue-many.ts";
import { host, openDevCa, type Host, type Window } from "./support.ts";

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

const call = (page: Page, path: string, body: object): Promise<unknown> =>
  page.evaluate(
    `fetch('./v1/pki/${path}', { method: 'POST', body: ${JSON.stringify(JSON.stringify(body))} }).then((answer) => answer.text())`,
  );
const go = async (page: Page, hash: string): Promise<void> => {
  await page.evaluate("location.hash = '#/settings'");
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  await page.getByRole("heading", { level: 1, name: "Certificates" }).waitFor();
};
const shown = async (page: Page, text: string): Promise<void> =>
  page.getByRole("status").filter({ hasText: text }).waitFor();

it("certificates are found by name, part of a name, serial number, state, issuer, role and expiry, with the filters in the URL", async () => {
  window = await openDevCa(at);
  const { page } = window;
  const serials = await issueMany(page, ["nas.dev.test", "nas-2.dev.test", "mail.dev.test"]);
  await call(page, "roles/short", {
    allow_any_name: true,
    key_type: "ec",
    key_bits: 256,
    issuer_ref: "dev-root",
  });
  await issueMany(page, ["far.example"], { role: "short", ttl: "6000h" });
  await call(page, "root/generate/internal", { common_name: "Nameless Root", key_type: "ec" });
  await call(page, "root/generate/internal", {
    common_name: "Dev CA Root",
    issuer_name: "second",
    key_type: "ec",
  });
  await call(page, "revoke", { serial_number: serials[1] });
  await go(page, "#/certificates?q=nas");
  await shown(page, "2 shown");
  await page.getByLabel("Filter by name, serial number").fill("ail.dev");
  await shown(page, "1 shown. No name begins with “ail.dev”; these contain it.");
  await page.getByText("More filters").click();
  await page.getByLabel("Name match").selectOption("any");
  await expect
    .poll(() => page.getByRole("status").filter({ hasText: "1 shown" }).innerText())
    .toBe("1 shown");
  expect(page.url()).toContain("q=ail.dev&match=any");
  await page.getByLabel("Filter by name, serial number").fill(serials[2] ?? "");
  await page.getByRole("link", { name: "mail.dev.test" }).waitFor();
  await shown(page, "1 shown");
  await go(page, "#/certificates");
  await page.getByRole("button", { name: "Revoked" }).click();
  await shown(page, "1 shown");
  await page.getByRole("link", { name: "nas-2.dev.test" }).waitFor();
  expect(page.url()).toContain("status=revoked");
  await go(page, "#/certificates?role=short");
  await shown(page, "1 shown");
  await page.getByRole("link", { name: "far.example" }).waitFor();
  await go(page, "#/certificates");
  await page.getByRole("link", { name: "far.example" }).waitFor();
  await page.getByLabel("Issuer", { exact: true }).selectOption({ label: "Dev CA Servers" });
  const issuers = (
    await page.getByLabel("Issuer", { exact: true }).locator("option").allInnerTexts()
  ).toSorted();
  expect(issuers).toEqual([
    "All issuers",
    "Dev CA Root (dev-root)",
    "Dev CA Root (second)",
    "Dev CA Servers",
    "Nameless Root",
  ]);
  await shown(page, "3 shown");
  const until = new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10);
  await go(page, `#/certificates?to=${until}&role=dev-server`);
  await shown(page, "3 shown");
  await go(page, `#/certificates?from=${until}&role=short`);
  await shown(page, "1 shown");
  await page.reload();
  await shown(page, "1 shown");
  expect(await page.getByLabel("Expires from").inputValue()).toBe(until);
  // A failed search shows an error instead of the rows of another search.
  await page.evaluate(
    "held = fetch; globalThis.fetch = (url, init) => (String(url).includes('certs/search') ? Promise.resolve(Response.json({ errors: ['no index'] }, { status: 500 })) : held(url, init))",
  );
  await page.getByRole("button", { name: "Revoked" }).click();
  await page
    .getByRole("alert")
    .filter({ hasText: "no index" })
    .getByText("The search failed.")
    .waitFor();
  expect(await page.getByRole("link", { name: "far.example" }).count()).toBe(0);
  await page.evaluate("globalThis.fetch = held");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("alert").waitFor({ state: "detached" });
  const filter = page.getByLabel("Filter by name, serial number");
  await filter.fill("nothing-like-this");
  await page.getByRole("button", { name: "Clear the filters" }).click();
  await page.getByRole("link", { name: "mail.dev.test" }).waitFor();
  expect(new URL(page.url()).hash).toBe("#/certificates");
  await filter.fill("nothing-like-this");
  await shown(page, "0 shown");
  await filter.fill("");
  await page.getByRole("link", { name: "mail.dev.test" }).waitFor();
  expect(await filter.evaluate((field) => field === document.activeElement)).toBe(true);
  expect(window.complaints).toEqual([]);
});

it("pages are read by cursor until all rows are loaded, without duplicates or gaps", async () => {
  window = await openDevCa(at);
  const { page } = window;
  const serials = await issueMany(
    page,
    Array.from({ length: 130 }, (_, i) => `n${String(i).padStart(3, "0")}.dev.test`),
  );
  await page.evaluate(
    "{ const real = fetch; globalThis.pages = 0; globalThis.fetch = (url, init) => (String(url).includes('certs/search') && pages++, real(String(url).replace('limit=5000', 'limit=20'), init)); }",
  );
  await go(page, "#/certificates?q=n");
  await shown(page, "130 shown");
  expect(await page.evaluate("pages")).toBe(7);
  expect(
    await page.getByRole("table", { name: "Certificates" }).getAttribute("aria-rowcount"),
  ).toBe("131");
  const listed = await page.evaluate<readonly string[]>(
    "[...document.querySelectorAll('tbody a')].map((link) => link.hash.split('/').at(-1))",
  );
  expect(listed.toSorted()).toEqual(serials.map((serial) => serial.replaceAll(":", "")).toSorted());
  expect(window.complaints).toEqual([]);
});

/** Answers searches with this many rows in total and per page, after the page has rendered. */
const pretend = (total = 100_000, perPage = 10_000): string => `{
  const real = fetch;
  const total = ${total};
  globalThis.fetch = (url, init) => {
    const { pathname, searchParams } = new URL(url, location.href);
    if (!pathname.endsWith('/certs/search')) return real(url, init);
    // All of them are valid; expired ones are searched last.
    if (searchParams.has('not_after_to')) return Promise.resolve(Response.json({ data: { keys: [], key_info: {}, cursor: '' } }));
    const from = Number(searchParams.get('cursor') ?? 0);
    const to = Math.min(total, from + ${perPage});
    const keys = Array.from({ length: to - from }, (_, i) => (from + i).toString(16).padStart(16, '0').match(/../g).join(':'));
    const info = (key, i) => ({ common_name: 'host-' + (from + i) + '.with-a-rather-long-name.dev.test', issuer: '', role: 'dev-server', not_before: '2026-01-01T00:00:00Z', not_after: '2036-01-01T00:00:00Z', dns_names: [], state: 'valid' });
    const data = { keys, key_info: Object.fromEntries(keys.map((key, i) => [key, info(key, i)])), cursor: to < total ? String(to) : '' };
    return new Promise((done) => setTimeout(() => done(Response.json({ data })), 60));
  };
}`;

/**
 * Returns the CPU time of the page during `act` in milliseconds: thread time, which excludes other
 * load of the machine.
 */
async function computing({ page, context }: Window, act: () => Promise<unknown>): Promise<number> {
  const session = await context.newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const spent = async (): Promise<number> => {
    const { metrics } = await session.send("Performance.getMetrics");
    return 1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? NaN);
  };
  const before = await spent();
  await act();
  const after = await spent();
  await session.detach();
  return after - before;
}

for (const width of [1280, 390])
  it(`at most sixty of 100,000 rows are rendered at ${width} pixels, and the focus survives scrolling`, async () => {
    window = await openDevCa(at, { viewport: { width, height: 900 } });
    const { page } = window;
    // The page sorts all rows again with each page of a reply.
    await page.evaluate(pretend(100_000, 50_000));
    await go(page, "#/certificates");
    // Scrolling to the end loads more.
    const atEnd = async (): Promise<string> => {
      await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
      return page.getByRole("status").filter({ hasText: "shown" }).innerText();
    };
    await expect.poll(() => atEnd().catch(() => "")).toBe("100\u00a0000 shown");
    const inPage = (): Promise<number> =>
      page.evaluate("document.querySelectorAll('tbody tr:not(.gap)').length");
    expect(await inPage()).toBeLessThanOrEqual(60);
    const height = width > 940 ? 52 : 88;
    expect(
      await page.evaluate(
        "[...new Set([...document.querySelectorAll('tbody tr:not(.gap)')].map((row) => row.offsetHeight))]",
      ),
    ).toEqual([height]);
    await page.evaluate("scrollTo(0, 0)");
    await page.getByRole("link", { name: "host-3.with-a-rather-long-name.dev.test" }).focus();
    for (const row of [40, 3000, 77_777]) {
      await page.evaluate(`scrollTo(0, ${row * height})`);
      await page.locator(`[aria-rowindex="${row + 2}"]`).waitFor();
      expect(await inPage()).toBeLessThanOrEqual(61);
      expect(await page.evaluate("document.activeElement.hash")).toBe(
        "#/certificates/0000000000000003",
      );
    }
    const jump = (): Promise<unknown> =>
      page.evaluate(
        "new Promise((done) => { scrollTo(0, 2000000); requestAnimationFrame(() => setTimeout(done)); })",
      );
    expect(await computing(window, jump)).toBeLessThan(500);
    await page.evaluate("scrollTo(0, 0)");
    await page.locator('[aria-rowindex="2"]').waitFor();
    expect(await page.evaluate("document.activeElement.hash")).toBe(
      "#/certificates/0000000000000003",
    );
    expect(
      await page.evaluate(
        "document.documentElement.scrollWidth <= document.documentElement.clientWidth",
      ),
    ).toBe(true);
    expect(window.complaints).toEqual([]);
  });

it("scrolling to the end at the moment when rows arrive loads the next page too", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await page.evaluate(pretend(1000, 100));
  await go(page, "#/certificates");
  await shown(page, "800 shown; there are more");
  // right after each change of the page, before the browser paints it
  await page.evaluate(
    "new MutationObserver(() => scrollTo(0, document.documentElement.scrollHeight)).observe(document.querySelector('main'), { childList: true, subtree: true, characterData: true }); scrollTo(0, document.documentElement.scrollHeight)",
  );
  await shown(page, "1 000 shown");
  expect(window.complaints).toEqual([]);
});

it("certificates of a server without search are listed and filtered in the page", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await issueMany(page, ["old-one.dev.test", "old-two.dev.test"]);
  await page.evaluate(
    "const real = fetch; globalThis.fetch = (url, init) => String(url).includes('/certs/search') ? Promise.resolve(new Response('{}', { status: 404 })) : real(url, init)",
  );
  await go(page, "#/certificates");
  await page.getByRole("link", { name: "old-one.dev.test" }).waitFor();
  await page.getByLabel("Filter by name, serial number").fill("two");
  await shown(page, "1 shown of");
  expect(await page.getByLabel("Role", { exact: true }).count()).toBe(0);
  expect(window.complaints).toEqual([]);
});

it("a page that fails to load is reported below the rows and can be requested again", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await page.evaluate(pretend());
  await go(page, "#/certificates");
  await shown(page, "10 000 shown; there are more");
  await page.evaluate(
    "globalThis.pretended = fetch; globalThis.fetch = () => Promise.reject(new TypeError('gone'))",
  );
  await page.getByRole("button", { name: "Show more" }).dispatchEvent("click");
  await page.getByText(/Rows from 10001 onwards could not be loaded/).waitFor();
  await page.evaluate("globalThis.fetch = pretended");
  await page.getByRole("button", { name: "Try again" }).click();
  await shown(page, "20 000 shown; there are more");
  expect(window.complaints).toEqual([]);
});

it("the forecast counts expiring certificates with one search instead of reading each certificate", async () => {
  window = await openDevCa(at);
  const { page } = window;
  const serials = await issueMany(
    page,
    Array.from({ length: 130 }, (_, i) => `host-${i}.dev.test`),
  );
  await call(page, "revoke", { serial_number: serials[0] });
  const asked: string[] = [];
  page.on("request", (request) => void asked.push(new URL(request.url()).pathname));
  await page.evaluate("location.hash = '#/overview'");
  await page
    .getByRole("group", { name: "129 certificates expire in the next 13 weeks: 129 in week 2." })
    .waitFor();
  await page
    .getByText("Authorities, their OCSP responders and revoked certificates are excluded.")
    .waitFor();
  expect(asked.filter((path) => path.includes("/pki/cert/"))).toEqual([]);
  expect(asked.filter((path) => path.endsWith("/pki/certs/search")).length).toBe(1);
});

it("the forecast states how far it has counted if there are too many certificates", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await page.evaluate(`
    const real = fetch;
    const ends = (days) => new Date(Date.now() + days * 86400000).toISOString();
    const info = (days) => ({ common_name: 'h' + days, issuer: '', role: '', not_before: ends(-1), not_after: ends(days), dns_names: [], state: 'valid' });
    const found = { keys: ['01', '02', '03'], key_info: { '01': info(1), '02': info(8), '03': info(9) }, cursor: 'next' };
    globalThis.fetch = (url, init) => String(url).includes('/certs/search') ? Promise.resolve(Response.json({ data: found })) : real(url, init)`);
  await page.evaluate("location.hash = '#/overview'");
  await page
    .getByRole("group", {
      name: "30 or more certificates expire in the next 13 weeks: 10 in week 1, 20 in week 2; later weeks are not counted.",
    })
    .waitFor();
  await page.getByText("the first 30 are counted.").waitFor();
  await page.locator(".chart").getByText("20+", { exact: true }).waitFor();
  await page.getByText("not counted", { exact: true }).waitFor();
});

it("renewing offers the role that issued the certificate, not the first role in the list", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await call(page, "roles/another", { allow_any_name: true, key_type: "ec", key_bits: 256 });
  const [serial = ""] = await issueMany(page, ["one.dev.test"]);
  await page.evaluate(`location.hash = '#/certificates/${serial.replaceAll(":", "")}'`);
  await page.getByText("Issued by the role dev-server").waitFor();
  await page.getByRole("link", { name: "Renew" }).click();
  await page.getByRole("heading", { level: 1, name: "Renew one.dev.test" }).waitFor();
  expect(await page.getByLabel("Role", { exact: true }).inputValue()).toBe("dev-server");
  expect(await page.getByLabel("Name 1", { exact: true }).inputValue()).toBe("one.dev.test");
});
