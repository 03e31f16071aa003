import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { Page } from "playwright";
import { host, openDevCa, type Host, type Window } from "./support.ts";

let at: Host;
let window: Window;
beforeAll(async () => {
  at = await host();
});
afterEach(async () => {
  expect(window.complaints).toEqual([]);
  await window.context.close();
});
afterAll(async () => {
  await at.close();
});

const send = (page: Page, path: string, body: object): Promise<unknown> =>
  page.evaluate(
    `fetch('./v1/pki/${path}', { method: 'POST', body: ${JSON.stringify(JSON.stringify(body))} }).then((answer) => answer.text())`,
  );
const day = 86_400_000;
/** Opens the overview with the clock on another day. */
async function overview(page: Page, days = 0): Promise<void> {
  if (days !== 0) await page.clock.setFixedTime(Date.now() + days * day);
  await page.evaluate("location.hash = '#/overview'");
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
}
const wanting = (page: Page) =>
  page.getByRole("region", { name: "Needs action" }).getByRole("listitem");
async function opened(): Promise<Page> {
  window = await openDevCa(at);
  return window.page;
}

it("every CA that is counted as needing action is listed: a revoked one and those that are not yet valid", async () => {
  const page = await opened();
  await send(page, "root/generate/internal", {
    common_name: "Short Root",
    issuer_name: "short",
    key_type: "ec",
    ttl: "20h",
  });
  await send(page, "issuer/dev-servers/revoke", {});
  await overview(page, -400);
  await page.getByText("3 authorities. 3 need action.").waitFor();
  expect(await wanting(page).count()).toBe(3);
  expect(await wanting(page).filter({ hasText: "Dev CA Servers is revoked" }).count()).toBe(1);
  expect(
    await wanting(page)
      .filter({ hasText: /Dev CA Root is not valid before \d+ \w+ \d{4}/ })
      .count(),
  ).toBe(1);
});

it("a revoked intermediate is not labelled as an issuing CA", async () => {
  const page = await opened();
  await page.evaluate(`(async () => {
    const post = async (path, body) =>
      (await fetch("./v1/pki/" + path, { method: "POST", body: JSON.stringify(body) })).json();
    const { data } = await post("intermediate/generate/internal", { common_name: "Regions", key_type: "ec" });
    const signed = await post("issuer/dev-root/sign-intermediate", {
      csr: data.csr,
      common_name: "Regions",
      max_path_length: 1,
      ttl: "9000h",
    });
    const { data: set } = await post("intermediate/set-signed", { certificate: signed.data.certificate });
    await post("issuer/" + set.imported_issuers[0] + "/revoke", {});
  })()`);
  await overview(page);
  const kindOf = async (name: string): Promise<string> =>
    page.getByRole("row").filter({ hasText: name }).locator(".who .sub").first().innerText();
  expect(await kindOf("Regions")).toMatch(/^Intermediate/);
  expect(await kindOf("Dev CA Servers")).toMatch(/^Issuing/);
  expect(await kindOf("Dev CA Root")).toMatch(/^Root/);
});

it("a revoked root that is not the default needs no action", async () => {
  const page = await opened();
  await send(page, "root/generate/internal", {
    common_name: "Old Root",
    issuer_name: "old",
    key_type: "ec",
    ttl: "87600h",
  });
  await send(page, "issuer/old/revoke", {});
  await overview(page);
  await page.getByText("3 authorities. Nothing needs action.").waitFor();
  expect(await wanting(page).count()).toBe(0);
});

it("the lifetime of a CA that is not yet valid is drawn from its start, not from today", async () => {
  const page = await opened();
  await overview(page, -5 * 365);
  const bar = page.getByRole("row").filter({ hasText: "Dev CA Root" }).locator(".span-bar");
  await bar.waitFor();
  const today = (await bar.locator("line.now").boundingBox())?.x ?? Infinity;
  const drawn = await Promise.all(
    (await bar.locator("rect").all()).map((rect) => rect.boundingBox()),
  );
  const whole = (await bar.boundingBox())?.width ?? 0;
  expect(drawn.length).toBe(1);
  expect((drawn[0]?.x ?? 0) - today).toBeGreaterThan(whole / 5);
  expect(await bar.locator("rect[width^='-']").count()).toBe(0);
});

it("certificates in the last third of their lifetime need action unless they have a successor, and are listed", async () => {
  const page = await opened();
  for (const name of ["one.dev.test", "two.dev.test"])
    await send(page, "issue/dev-server", { common_name: name, ttl: "960h" });
  await overview(page);
  await page.getByText("2 authorities. Nothing needs action.").waitFor();
  expect(await wanting(page).count()).toBe(0);
  await page.evaluate("location.hash = '#/settings'");
  // 25 of 40 days are left
  await overview(page, 15);
  await page.getByText("2 authorities. Nothing needs action.").waitFor();
  await page.evaluate("location.hash = '#/settings'");
  await overview(page, 30);
  await page.getByText("2 authorities. 2 certificates need action.").waitFor();
  expect(await wanting(page).count()).toBe(1);
  await send(page, "issue/dev-server", { common_name: "two.dev.test", ttl: "2400h" });
  await page.reload();
  await page.getByText("2 authorities. One certificate needs action.").waitFor();
  await wanting(page)
    .filter({ hasText: "One certificate expires soon" })
    .getByRole("link", { name: "Show" })
    .click();
  await page.getByRole("status").filter({ hasText: "1 shown" }).waitFor();
});

it("the forecast ignores OCSP responders, but counts a certificate that is only named like one", async () => {
  const page = await opened();
  await send(page, "issuer/dev-servers/ocsp-responder", {});
  const csr = await page.evaluate(
    `fetch('./v1/pki/intermediate/generate/internal', { method: 'POST', body: '{"common_name":"Dev CA Servers OCSP responder","key_type":"ec"}' }).then((answer) => answer.json()).then(({ data }) => data.csr)`,
  );
  await send(page, "sign-verbatim", { csr, ttl: "960h" });
  await overview(page);
  await page
    .getByRole("group", { name: /^One certificate expires in the next 13 weeks/ })
    .waitFor();
});

it("the forecast reads only certificates named like a responder, and counts them if they cannot be read", async () => {
  const page = await opened();
  for (const name of ["Plain", "Dev CA Servers OCSP responder"]) {
    const csr = await page.evaluate(
      `fetch('./v1/pki/intermediate/generate/internal', { method: 'POST', body: '{"common_name":"${name}","key_type":"ec"}' }).then((answer) => answer.json()).then(({ data }) => data.csr)`,
    );
    await send(page, "sign-verbatim", { csr, ttl: "960h" });
  }
  await page.evaluate(`{
    const real = fetch;
    globalThis.batches = [];
    globalThis.fetch = (url, init) => {
      if (!String(url).includes("/batch/certs")) return real(url, init);
      globalThis.batches.push(JSON.parse(init.body).serial_numbers.length);
      return Promise.resolve(new Response('{"errors":["unavailable"]}', { status: 500 }));
    };
  }`);
  await overview(page);
  await page.getByRole("group", { name: /^2 certificates expire in the next 13 weeks/ }).waitFor();
  expect(await page.evaluate("[...new Set(batches)]")).toEqual([1]);
});

it("CAs and certificates that need action are counted separately", async () => {
  const page = await opened();
  await send(page, "issuer/dev-servers/revoke", {});
  await send(page, "root/generate/internal", {
    common_name: "Alone",
    issuer_name: "alone",
    key_type: "ec",
    ttl: "87600h",
  });
  await send(page, "roles/alone", { allow_any_name: true, key_type: "ec", issuer_ref: "alone" });
  await send(page, "issue/alone", { common_name: "one.dev.test", ttl: "720h" });
  await overview(page, 25);
  await page.getByText("3 authorities. One authority and one certificate need action.").waitFor();
  expect(await wanting(page).count()).toBe(2);
});

it("certificates of a revoked CA and an expiring external CA need action, and the lists explain why", async () => {
  const page = await opened();
  await send(page, "issue/dev-server", { common_name: "one.dev.test", ttl: "2400h" });
  const csr = await page.evaluate(
    `fetch('./v1/pki/intermediate/generate/internal', { method: 'POST', body: '{"common_name":"Branch CA","key_type":"ec"}' }).then((answer) => answer.json()).then(({ data }) => data.csr)`,
  );
  await send(page, "issuer/dev-root/sign-intermediate", {
    csr,
    common_name: "Branch CA",
    ttl: "1920h",
  });
  await overview(page);
  await page.getByText("2 authorities. One certificate needs action.").waitFor();
  await wanting(page)
    .filter({ hasText: /Branch CA expires in \d+ days/ })
    .getByText("Ask the CA’s owner for a new CSR and sign it")
    .waitFor();
  await page.evaluate("location.hash = '#/settings'");
  await send(page, "issuer/dev-servers/revoke", {});
  await send(page, "config/issuers", { default: "dev-root" });
  await send(page, "roles/dev-server", { issuer_ref: "default", allow_any_name: true });
  await page.reload();
  await overview(page);
  await page.getByText("2 authorities. 2 certificates need action.").waitFor();
  await wanting(page)
    .filter({ hasText: "1 valid certificate issued by Dev CA Servers, which is revoked" })
    .getByRole("link", { name: "Show" })
    .click();
  const row = page.getByRole("row").filter({ hasText: "one.dev.test" });
  await row.getByText("Issuer revoked").waitFor();
  await row.getByRole("link", { name: "one.dev.test" }).click();
  await page.getByText("Its CA Dev CA Servers is revoked").waitFor();
  await page.getByText("CA revoked", { exact: true }).waitFor();
  await page.evaluate("location.hash = '#/certificates'");
  await page
    .getByRole("row")
    .filter({ hasText: "Branch CA" })
    .getByText("Authority", { exact: true })
    .waitFor();
});

const colors = (page: Page): Promise<readonly string[]> =>
  page
    .locator(".chart rect:not(.hit)")
    .evaluateAll((bars) => bars.map((bar) => getComputedStyle(bar).fill));
const colorOf = (page: Page, name: string): Promise<string> =>
  page.evaluate(
    `(() => { const p = document.createElement('p'); p.style.color = 'var(--${name})'; document.body.append(p); return getComputedStyle(p).color; })()`,
  );

it("a bar of the forecast is amber for certificates that need action, and neutral otherwise", async () => {
  const page = await opened();
  for (const [name, ttl] of [
    ["one.dev.test", "960h"],
    ["two.dev.test", "1500h"],
  ])
    await send(page, "issue/dev-server", { common_name: name, ttl });
  await overview(page);
  const chart = page.getByRole("group", { name: /^2 certificates expire/ });
  await chart.waitFor();
  const [warn, edge] = [await colorOf(page, "warn-fill"), await colorOf(page, "edge")];
  expect(await colors(page)).toEqual([edge, edge]);
  expect(await page.getByText("needs action", { exact: true }).count()).toBe(0);
  await page.evaluate("location.hash = '#/settings'");
  await overview(page, 30);
  await page
    .getByRole("group", { name: /1 in week 2, 1 of them needs action, 1 in week 5/ })
    .waitFor();
  expect(await colors(page)).toEqual([warn, edge]);
  await page.locator(".legend").getByText("needs action", { exact: true }).waitFor();
});

it("the forecast is as wide as its card at every width, and its labels neither overflow nor overlap", async () => {
  const page = await opened();
  for (const ttl of ["24h", "200h", "400h", "720h", "1500h"])
    await send(page, "issue/dev-server", { common_name: "one.dev.test", ttl });
  const card = page.getByRole("region", { name: "Expiring in the next 13 weeks" });
  for (const width of [1920, 1080, 320]) {
    await page.setViewportSize({ width, height: 800 });
    await overview(page);
    await card.locator(".chart a").first().waitFor();
    const [frame, chart] = [await card.boundingBox(), await card.locator(".chart").boundingBox()];
    expect((frame?.width ?? 0) - (chart?.width ?? 0)).toBeLessThanOrEqual(36);
    const words = await card
      .locator(".chart .period")
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON() as DOMRect));
    // how many dates fit into a narrow chart depends on their widths, and so on today's date
    expect(words.length).toBeGreaterThanOrEqual(width === 320 ? 4 : 5);
    for (const [i, word] of words.entries()) {
      expect(word.x).toBeGreaterThanOrEqual(words[i - 1]?.right ?? frame?.x ?? 0);
      expect(word.right).toBeLessThanOrEqual((frame?.x ?? 0) + (frame?.width ?? 0));
    }
  }
});

it("a bar of the forecast shows its numbers to pointer and keyboard, and opens the certificates of its week", async () => {
  const page = await opened();
  for (const [name, ttl] of [
    ["soon.dev.test", "200h"],
    ["one.dev.test", "700h"],
    ["two.dev.test", "701h"],
  ])
    await send(page, "issue/dev-server", { common_name: name, ttl });
  // the server renews the responder's certificate, so it is not counted
  await send(page, "issuer/dev-servers/ocsp-responder", {});
  await overview(page);
  const bars = page.locator(".chart a");
  const tip = page.locator(".chart-tip");
  await bars.nth(1).hover();
  await tip.getByText("2 certificates expire").waitFor();
  await page.getByRole("heading", { level: 1 }).hover();
  await tip.waitFor({ state: "detached" });
  await bars.first().focus();
  await tip.getByText("1 certificate expires").waitFor();
  await page.keyboard.press("ArrowRight");
  await tip.getByText("2 certificates expire").waitFor();
  await page.keyboard.press("Escape");
  await tip.waitFor({ state: "detached" });
  await page.getByText("Show as table").click();
  const cells = await page.getByRole("row", { name: / 2 2$/ }).getByRole("cell").allTextContents();
  expect(await bars.nth(1).getAttribute("aria-label")).toBe(
    `${cells[0]}: 2 certificates expire, 2 not issued through ACME`,
  );
  await bars.nth(1).focus();
  await page.keyboard.press("Enter");
  // including the certificate of the responder
  await page.getByRole("status").filter({ hasText: "3 shown" }).waitFor();
  await page.getByRole("link", { name: "one.dev.test" }).waitFor();
});

it("an empty forecast is a sentence instead of an empty chart", async () => {
  const page = await opened();
  await overview(page);
  await page
    .getByRole("region", { name: "Expiring in the next 13 weeks" })
    .getByText("No certificate expires in the next 13 weeks.", { exact: true })
    .waitFor();
  expect(await page.locator(".chart").count()).toBe(0);
});

/** Answers searches with pages of 1000 certificates, ten of which expire each hour. */
const pretend = (total: number): string => `
  const real = fetch, at = Date.now();
  const info = (i) => ({ common_name: 'h' + i, issuer: '', role: '', not_before: new Date(at - 1e9).toISOString(), not_after: new Date(at + 36e5 + i * 36e4).toISOString(), dns_names: [], state: 'valid' });
  globalThis.fetch = (url, init) => {
    const { pathname, searchParams } = new URL(url, location.href);
    if (!pathname.endsWith('/certs/search')) return real(url, init);
    const from = Number(searchParams.get('cursor') ?? 0), to = Math.min(${total}, from + 1000);
    const keys = Array.from({ length: to - from }, (_, i) => (from + i).toString(16).padStart(16, '0').match(/../g).join(':'));
    return Promise.resolve(Response.json({ data: { keys, key_info: Object.fromEntries(keys.map((key, i) => [key, info(from + i)])), cursor: to < ${total} ? String(to) : '' } }));
  }`;

it("the forecast counts ten thousand certificates week by week", async () => {
  const page = await opened();
  await page.evaluate(pretend(10_000));
  await overview(page);
  await page
    .getByRole("group", {
      name: /^10000 certificates expire in the next 13 weeks: \d+ in week 1, \d+ of them need action, 1680 in week 2, /,
    })
    .waitFor();
  expect(await page.getByText("not counted").count()).toBe(0);
});

it("the forecast states up to which day it is complete if there are more certificates than it counts", async () => {
  const page = await opened();
  await page.evaluate(pretend(12_000));
  await overview(page);
  await page
    .getByText(
      /^Incomplete after \d+ \w+ \d{4}: more than 10000 certificates expire in this period, and only the first 10000 are counted\.$/,
    )
    .waitFor();
  await page.getByText("not counted", { exact: true }).waitFor();
});
