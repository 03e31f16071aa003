import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { Page } from "playwright";
import { judged, looks, staysInWidth, violations } from "./axe.ts";
import { issueMany } from "./issue-many.ts";
import { host, openDevCa, settingsAfterRevocation, type Host, type Window } from "./support.ts";
import { filesOf } from "./zipped.ts";

let at: Host;
let window: Window;
beforeAll(async () => {
  at = await host();
});
afterEach(async () => {
  expect(window.complaints).toEqual([]);
  await window.close();
});
afterAll(async () => {
  await at.close();
});

interface Made {
  readonly serial_number: string;
  readonly certificate: string;
}
const send = async (page: Page, path: string, body: object): Promise<Made> =>
  (
    await page.evaluate<{ data: Made }>(
      `fetch('./v1/pki/${path}', { method: 'POST', body: ${JSON.stringify(JSON.stringify(body))} }).then((answer) => (answer.status === 204 ? {} : answer.json()))`,
    )
  ).data;
const any = {
  allow_any_name: true,
  allow_ip_sans: true,
  enforce_hostnames: false,
  key_type: "ec",
  key_bits: 256,
  issuer_ref: "dev-servers",
  max_ttl: "8760h",
  no_store: false,
};
const day = 86_400;
/**
 * Issues certificates for names, each valid for some days and issued some days ago. Returns the start
 * of their validity.
 */
async function issued(
  page: Page,
  all: readonly (readonly [name: string, ago: number, days: number])[],
): Promise<readonly number[]> {
  const now = Math.floor(Date.now() / 1000);
  const begins: number[] = [];
  for (const [name, ago, days] of all) {
    // backdate the certificate to the day on which it counts as issued
    await send(page, "roles/past", {
      ...any,
      not_before_duration: Math.max(30, ago * day),
      ttl: days * day,
    });
    const { certificate } = await send(page, "issue/past", { common_name: name });
    const begin = Date.parse(new X509Certificate(certificate).validFrom) / 1000;
    expect(Math.abs(begin - (now - Math.max(30, ago * day)))).toBeLessThan(600);
    begins.push(begin);
  }
  return begins;
}
const table = (page: Page) => page.getByRole("table", { name: "Certificates" });
const names = (page: Page): Promise<readonly string[]> =>
  table(page).locator("tbody tr a").allInnerTexts();
const list = async (page: Page, query = ""): Promise<void> => {
  await page.evaluate("location.hash = '#/settings'");
  await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
  await page.evaluate(`location.hash = '#/certificates${query}'`);
  await table(page).waitFor();
};
const choose = (page: Page, name: string) => table(page).getByRole("checkbox", { name });

it("the list shows the newest certificates first, and is sorted by name, issue or expiry with the order in the URL", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await issued(page, [
    ["b.test", 20, 300],
    ["a.test", 5, 100],
    ["c.test", 1, 200],
  ]);
  await list(page, "?q=test&match=any&role=past");
  const shows = (of: readonly string[]): Promise<void> =>
    expect.poll(() => names(page)).toEqual(of.map((name) => `${name}.test`));
  await shows(["c", "a", "b"]);
  const heading = (name: string) => page.getByRole("columnheader", { name });
  const press = (name: string): Promise<void> => heading(name).getByRole("button").click();
  expect(await heading("Issued").getAttribute("aria-sort")).toBe("descending");
  await press("Issued");
  await shows(["b", "a", "c"]);
  await press("Name");
  await shows(["a", "b", "c"]);
  expect(await heading("Name").getAttribute("aria-sort")).toBe("ascending");
  await press("Name");
  await shows(["c", "b", "a"]);
  await press("Expires");
  await shows(["a", "c", "b"]);
  expect(page.url()).toContain("sort=expires");
  await page.reload();
  await shows(["a", "c", "b"]);
  await press("Expires");
  await shows(["b", "c", "a"]);
});

it("certificates issued recently are one selection away, and the list shows the number of certificates by state", async () => {
  window = await openDevCa(at);
  const { page } = window;
  const begins = await issued(page, [
    ["old.test", 20, 300],
    ["week.test", 4, 300],
    ["new.test", 0, 300],
    ["gone.test", 0, 300],
  ]);
  const late = await send(page, "issue/past", { common_name: "late.test" });
  await send(page, "revoke", { serial_number: late.serial_number });
  await list(page, "?role=past");
  await page.getByText("5 shown").waitFor();
  await page.getByText("4 valid, 1 revoked", { exact: true }).waitFor();
  const since = page.getByLabel("Issued", { exact: true });
  const shows = (of: readonly string[]): Promise<void> =>
    expect.poll(async () => (await names(page)).toSorted()).toEqual(of);
  await since.selectOption("7");
  await shows(["gone.test", "late.test", "new.test", "week.test"]);
  await since.selectOption("30");
  await shows(["gone.test", "late.test", "new.test", "old.test", "week.test"]);
  await since.selectOption("today");
  expect(page.url()).toContain("since=today");
  // They are backdated by half a minute: around midnight, some of them begin yesterday.
  const today = Math.floor(Date.now() / 86_400_000) * day;
  const latest: readonly (readonly [name: string, begin: number])[] = [
    ["gone.test", begins[3] ?? 0],
    ["late.test", Date.parse(new X509Certificate(late.certificate).validFrom) / 1000],
    ["new.test", begins[2] ?? 0],
  ];
  await shows(latest.filter(([, begin]) => begin >= today).map(([name]) => name));
});

it("columns keep their position when rows change, and the headings stay visible with 200 rows", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await issueMany(
    page,
    Array.from({ length: 210 }, (_, i) => `n${1000 + i}.dev.test`),
  );
  await list(page, "?q=n100");
  await page.getByText("10 shown").waitFor();
  const places = (): Promise<unknown> =>
    page.evaluate(
      "[...document.querySelectorAll('.inventory th')].map((th) => Math.round(th.getBoundingClientRect().left))",
    );
  const before = await places();
  await page.getByRole("searchbox", { name: /^Filter by name/ }).fill("n1");
  await page.getByText("210 shown").waitFor();
  expect(await places()).toEqual(before);
  await page.evaluate("scrollTo(0, 5000)");
  await expect
    .poll(() =>
      page.evaluate(
        "Math.round(document.querySelector('.inventory th').getBoundingClientRect().top)",
      ),
    )
    .toBe(64);
  expect(
    await page.evaluate(
      "document.elementFromPoint(...(({ left, top }) => [left + 8, top + 16])(document.querySelector('.inventory th.name .sort').getBoundingClientRect())).closest('th') !== null",
    ),
  ).toBe(true);
});

it("selected certificates are revoked in one call with a reason, and exported with fingerprint, issuer and revocation", async () => {
  window = await openDevCa(at);
  const { page } = window;
  const made: Made[] = [];
  for (const name of ["one", "two", "three", "four"])
    made.push(await send(page, "issue/dev-server", { common_name: `${name}.dev.test` }));
  await send(page, "roles/any", any);
  const many = await send(page, "issue/any", {
    common_name: "many.test",
    alt_names: Array.from({ length: 8 }, (_, i) => `n${i}.many.test`).join(),
    ip_sans: "192.0.2.7",
  });
  await list(page);
  await choose(page, "Select one.dev.test").check();
  await choose(page, "Select two.dev.test").check();
  const calls: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("revoke")) calls.push(new URL(request.url()).pathname);
  });
  const bar = page.getByRole("region", { name: "Selected certificates" });
  await bar.getByText("2 selected").waitFor();
  await bar.getByRole("button", { name: "Revoke…" }).click();
  const dialog = page.getByRole("dialog", { name: "Revoke 2 certificates?" });
  await dialog.getByText("one.dev.test").waitFor();
  expect(await dialog.getByText("three.dev.test").count()).toBe(0);
  await dialog.getByLabel("Reason").selectOption("keyCompromise");
  expect(await dialog.getByRole("button", { name: "Revoke", exact: true }).isDisabled()).toBe(true);
  await dialog.getByLabel(/^Type/).fill("2");
  await dialog.getByRole("button", { name: "Revoke", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText("2 certificates revoked. Now on the CRL").waitFor();
  // One call, so that the CRL is signed once.
  expect(calls.map((path) => path.slice(path.indexOf("/v1/")))).toEqual(["/v1/pki/certs/revoke"]);
  await expect.poll(() => table(page).getByText("Revoked", { exact: true }).count()).toBe(2);
  expect(await bar.count()).toBe(0);

  await page.getByRole("checkbox", { name: /^Select all/ }).check();
  await choose(page, "Select four.dev.test").uncheck();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    bar.getByRole("button", { name: "Export selected as CSV" }).click(),
  ]);
  const [head = "", ...lines] = readFileSync(await download.path(), "utf8").split("\r\n");
  const columns = head.split(",").map((name) => name.slice(1, -1));
  const cells = (name: string): Readonly<Record<string, string>> => {
    const line = lines.find((one) => one.startsWith(`"${name}"`)) ?? "";
    return Object.fromEntries(line.split(",").map((cell, i) => [columns[i], cell.slice(1, -1)]));
  };
  const print = (of: Made | undefined): string =>
    new X509Certificate(of?.certificate ?? "").fingerprint256.toLowerCase();
  expect(cells("one.dev.test")).toMatchObject({
    sha256_fingerprint: print(made[0]),
    issuer_common_name: "Dev CA Servers",
    role: "dev-server",
    state: "revoked",
    revocation_time: expect.stringMatching(/^20\d\d-\d\d-\d\dT/),
    revocation_reason: "keyCompromise",
  });
  expect(cells("three.dev.test")).toMatchObject({
    sha256_fingerprint: print(made[2]),
    revocation_time: "",
    revocation_reason: "",
  });
  // A list entry has at most five names of each type.
  expect(cells("many.test")["other_names"]?.split(" ")).toEqual([
    ...Array.from({ length: 8 }, (_, i) => `n${i}.many.test`),
    "192.0.2.7",
  ]);
  expect(cells("many.test")["sha256_fingerprint"]).toBe(print(many));
  expect(lines.some((line) => line.includes("four.dev.test"))).toBe(false);
});

it("a revocation of several certificates reports those not revoked, and continues after an interruption", async () => {
  window = await openDevCa(at);
  const { page } = window;
  const made: Made[] = [];
  for (const name of ["one", "two", "three"])
    made.push(await send(page, "issue/dev-server", { common_name: `${name}.dev.test` }));
  await send(page, "config/crl", { auto_rebuild: true });
  await list(page, "?role=dev-server");
  await page.getByRole("checkbox", { name: "Select all 3 shown" }).check();
  await settingsAfterRevocation(page);
  await page.getByRole("button", { name: "Revoke…" }).click();
  await page.evaluate(
    "{ const real = fetch; let calls = 0; globalThis.fetch = (url, init) => String(url).endsWith('/revoke') && ++calls === 1 ? Promise.resolve(Response.json({ errors: ['busy'] }, { status: 503 })) : real(url, init); }",
  );
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(/^Type/).fill("3");
  await dialog.getByRole("button", { name: "Revoke", exact: true }).click();
  await dialog.getByText("Revoked 0 certificates of 3 before an error: busy").waitFor();
  // Another caller revokes one of them first.
  await send(page, "revoke", { serial_number: made[1]?.serial_number });
  await dialog.getByRole("button", { name: "Revoke", exact: true }).click();
  await page.getByText("2 certificates revoked. Will be on the next CRL").waitFor();
  await page.getByText("One was already revoked.").waitFor();
});

it("on a server without revocation by serial numbers the selected certificates are revoked one by one", async () => {
  window = await openDevCa(at);
  const { page } = window;
  for (const name of ["one", "two", "three"])
    await send(page, "issue/dev-server", { common_name: `${name}.dev.test` });
  await list(page, "?role=dev-server");
  await page.getByRole("checkbox", { name: "Select all 3 shown" }).check();
  await page.getByRole("button", { name: "Revoke…" }).click();
  await page.evaluate(
    "{ const real = fetch; let calls = 0; const no = (status, text) => Promise.resolve(Response.json({ errors: [text] }, { status })); globalThis.fetch = (url, init) => String(url).endsWith('/certs/revoke') ? no(400, 'unknown field serial_numbers: a filter') : String(url).endsWith('/revoke') && ++calls === 2 ? no(503, 'busy') : real(url, init); }",
  );
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(/^Type/).fill("3");
  await dialog.getByRole("button", { name: "Revoke", exact: true }).click();
  await dialog.getByText("Revoked 1 certificate of 3 before an error: busy").waitFor();
  await dialog.getByRole("button", { name: "Revoke", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  await expect.poll(() => table(page).getByText("Revoked", { exact: true }).count()).toBe(3);
});

it("selected certificates are renewed by their roles with all names, the keys are saved in one file, and the old ones are marked", async () => {
  window = await openDevCa(at);
  const { page } = window;
  const names = Array.from({ length: 7 }, (_, i) => `n${i}.many.test`);
  await send(page, "roles/any", { ...any, not_before_duration: 3600, ttl: "24h" });
  await send(page, "issue/any", { common_name: "many.test", alt_names: names.join() });
  await send(page, "issue/any", { common_name: "other.test" });
  await send(page, "roles/any", any);
  await list(page);
  await choose(page, "Select many.test").check();
  await choose(page, "Select other.test").check();
  await choose(page, "Select Dev CA Servers").check();
  await page.getByRole("button", { name: "Renew…" }).click();
  const asking = page.getByRole("dialog", { name: "Renew 2 certificates?" });
  await asking.getByText("Skipped: a CA certificate").waitFor();
  await asking.getByRole("button", { name: "Renew", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "2 of 2 renewed" });
  expect(await dialog.getByRole("button", { name: "Close" }).isDisabled()).toBe(true);
  await page.keyboard.press("Escape");
  await dialog.getByText("The keys are not saved yet").waitFor();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    dialog.getByRole("button", { name: "Save keys and chains" }).click(),
  ]);
  const files = [...filesOf(await download.path())].toSorted();
  const leaves = files.map(
    ([, pem]) => new X509Certificate(pem.slice(pem.indexOf("-----BEGIN CERT"))),
  );
  // the names of a single renewal
  expect(files.map(([name]) => name)).toEqual(
    ["many.test", "other.test"].map(
      (name, i) => `${name}-${leaves[i]?.serialNumber.slice(0, 8).toLowerCase()}.key-and-chain.pem`,
    ),
  );
  const [leaf] = leaves;
  const pem = files[0]?.[1] ?? "";
  for (const name of ["many.test", ...names]) expect(leaf?.checkHost(name)).toBe(name);
  expect(pem).toMatch(/^-----BEGIN PRIVATE KEY-----/);
  await dialog.getByRole("button", { name: "Close" }).click();
  await expect.poll(() => table(page).getByText("Renewed", { exact: true }).count()).toBe(2);
});

it("confusable names are marked in the list, and decoded there, on their page and in Inspect", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await send(page, "roles/any", any);
  await send(page, "issue/any", { common_name: "xn--e1awd7f.example" });
  const plain = await send(page, "issue/any", { common_name: "xn--bcher-kva.example" });
  await send(page, "issue/any", { common_name: "epic.example" });
  await list(page);
  const row = (name: string) =>
    table(page)
      .locator("tbody tr")
      .filter({ has: page.getByRole("link", { name, exact: true }) });
  await row("xn--e1awd7f.example").getByText("Lookalike").waitFor();
  await row("xn--e1awd7f.example").getByText("looks like epic.example").waitFor();
  await row("xn--bcher-kva.example").getByText("bücher.example").waitFor();
  for (const name of ["xn--bcher-kva.example", "epic.example"])
    expect(await row(name).getByText("Lookalike").count()).toBe(0);
  await row("xn--e1awd7f.example").getByRole("link").click();
  await page.getByText("It looks like epic.example").waitFor();
  await page.evaluate("location.hash = '#/inspect'");
  await page.getByLabel("PEM, DER as base64 or hex").fill(plain.certificate);
  await page.getByText("bücher.example").waitFor();
});

it.each(looks)(
  "the list, its selection and its dialogs pass axe-core and fit the width in the %s theme at %i pixels",
  async (...look) => {
    window = await judged(at, look);
    const { page } = window;
    await send(page, "roles/any", any);
    const all = Array.from({ length: 40 }, (_, i) => `n${i}.a-rather-long-name.many.test`);
    await send(page, "issue/any", { common_name: "many.test", alt_names: all.join() });
    await send(page, "issue/any", { common_name: "xn--e1awd7f.example" });
    const passes = async (): Promise<void> => {
      expect(await violations(window)).toEqual([]);
      expect(await staysInWidth(window)).toBe(true);
    };
    await list(page);
    await passes();
    await choose(page, "Select many.test").check();
    await choose(page, "Select xn--e1awd7f.example").check();
    await passes();
    await page.getByRole("button", { name: "Revoke…" }).click();
    await page.getByRole("dialog").getByText("This cannot be undone.").waitFor();
    await passes();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Renew…" }).click();
    await passes();
    await page.getByRole("button", { name: "Renew", exact: true }).click();
    await page.getByRole("dialog", { name: "2 of 2 renewed" }).waitFor();
    await passes();
  },
);
