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
  await window.close();
});
afterAll(async () => {
  await at.close();
});

const send = (
  page: Page,
  path: string,
  body: object,
): Promise<{ data?: { serial_number: string } }> =>
  page.evaluate(
    `fetch('./v1/pki/${path}', { method: 'POST', body: ${JSON.stringify(JSON.stringify(body))} }).then((answer) => (answer.status === 204 ? {} : answer.json()))`,
  );
/** Issues a certificate with a new role that has the given fields, and opens its page. */
async function shown(role: object, fields: { common_name: string }): Promise<Page> {
  window = await openDevCa(at);
  const { page } = window;
  const any = {
    allow_any_name: true,
    enforce_hostnames: false,
    key_type: "ec",
    key_bits: 256,
    server_flag: false,
    client_flag: false,
    issuer_ref: "dev-servers",
  };
  await send(page, "roles/own", { ...any, ...role });
  const { data } = await send(page, "issue/own", fields);
  await page.evaluate(
    `location.hash = '#/certificates/${data?.serial_number.replaceAll(":", "")}'`,
  );
  await page.getByRole("heading", { level: 1, name: fields.common_name }).waitFor();
  await page.getByRole("complementary", { name: "Chain" }).getByText("this certificate").waitFor();
  return page;
}
const tab = (page: Page) => page.getByRole("tab", { name: "Install" });

it.each([
  ["an S/MIME certificate", { email_protection_flag: true }, { common_name: "jane@example.org" }],
  ["a client certificate", { client_flag: true }, { common_name: "worker-1.dev.test" }],
  [
    "a server certificate without a host name",
    { server_flag: true },
    { common_name: "Some Server", exclude_cn_from_sans: true },
  ],
])("the page of %s has no instructions for web servers", async (_, role, fields) => {
  const page = await shown(role, fields);
  expect(await tab(page).count()).toBe(0);
  await page.getByRole("button", { name: "Download" }).click();
  await page
    .getByRole("dialog", { name: "Download" })
    .getByText("Certificate and issuer")
    .waitFor();
  const text = await page.evaluate<string>("document.querySelector('main').innerText");
  if (!("server_flag" in role)) expect(text).not.toMatch(/nginx|the server|most servers/);
  expect(text).not.toContain("server_name");
});

it.each([
  [
    "a host name",
    { common_name: "web.dev.test" },
    "server_name web.dev.test;",
    "-connect web.dev.test:443",
  ],
  [
    "an address",
    { common_name: "10.1.2.3", ip_sans: "10.1.2.3", exclude_cn_from_sans: true },
    "server_name 10.1.2.3;",
    "-connect 10.1.2.3:443",
  ],
  [
    "an IPv6 address",
    { common_name: "six", ip_sans: "2001:db8::1", exclude_cn_from_sans: true },
    "server_name [2001:db8::1];",
    "-connect [2001:db8::1]:443",
  ],
  [
    "a wildcard",
    { common_name: "*.dev.test" },
    "server_name *.dev.test;",
    "-connect www.dev.test:443",
  ],
])(
  "the page of a server certificate for %s has instructions for that name",
  async (_, fields, name, connect) => {
    const page = await shown({ server_flag: true, allow_ip_sans: true }, fields);
    await page
      .getByRole("complementary", { name: "Chain" })
      .getByText("intermediate, sent by the server")
      .waitFor();
    await tab(page).click();
    await page
      .getByLabel("nginx configuration", { exact: true })
      .filter({ hasText: name })
      .waitFor();
    await page
      .getByLabel("Check with openssl", { exact: true })
      .filter({ hasText: connect })
      .waitFor();
  },
);

it("downloads have distinct file names, also after a renewal, and those with a private key say so", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await page.getByRole("button", { name: "Issue certificate" }).click();
  const issued = page.getByRole("dialog", { name: "Issued" });
  const names: string[] = [];
  const save = async (press: () => Promise<void>): Promise<void> => {
    const [download] = await Promise.all([page.waitForEvent("download"), press()]);
    names.push(download.suggestedFilename());
  };
  for (const button of ["Save key and chain", "Key only", "Chain only"])
    await save(() => issued.getByRole("button", { name: button }).click());
  await issued.getByLabel("I have saved the key").check();
  await issued.getByRole("button", { name: "Show certificate" }).click();
  await page.getByRole("button", { name: "Download" }).click();
  const dialog = page.getByRole("dialog", { name: "Download" });
  await dialog.getByRole("button", { name: "Root as .pem" }).waitFor();
  for (const button of await dialog.getByRole("button", { name: / as \./ }).all())
    await save(() => button.click());
  await dialog.getByRole("button", { name: "Close" }).click();
  await page.getByRole("link", { name: "Renew" }).click();
  // a later expiry than that of the old certificate
  await page.getByLabel("Valid for").selectOption("9528h");
  await page.getByRole("button", { name: "Renew certificate" }).click();
  await save(() => issued.getByRole("button", { name: "Save key and chain" }).click());
  await issued.getByRole("button", { name: "Show certificate" }).click();
  await page.getByText(/^Renews the certificate [0-9a-f]{8}…, issued/).waitFor();
  await page.getByRole("button", { name: "Download" }).click();
  await save(() => dialog.getByRole("button", { name: "Certificate and issuer" }).click());
  await dialog.getByRole("button", { name: "Close" }).click();
  await tab(page).click();
  const configuration = page.getByLabel("nginx configuration", { exact: true });
  const renewed = `localhost-${new URL(page.url()).hash.split("/").at(-1)?.slice(0, 8)}`;
  expect(await configuration.innerText()).toContain(`/${renewed}.key-and-chain.pem;`);
  expect(names).toEqual([
    "localhost.key-and-chain.pem",
    "localhost.key.pem",
    "localhost.chain.pem",
    "localhost.chain.pem",
    "localhost.pem",
    "localhost.cer",
    "localhost.p7b",
    "Dev-CA-Root.pem",
    `${renewed}.key-and-chain.pem`,
    `${renewed}.chain.pem`,
  ]);
});

it("after a lost reply to a revocation a button shows whether the certificate was revoked; the first tab replaces Install", async () => {
  const page = await shown({ server_flag: true }, { common_name: "gone.dev.test" });
  await tab(page).click();
  await page.evaluate(
    "{ const real = fetch; globalThis.fetch = async (url, init) => { const answer = await real(url, init); if (String(url).endsWith('/revoke')) throw new TypeError('gone'); return answer; }; undefined }",
  );
  await page.getByRole("button", { name: "Revoke…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(/^Type/).fill("gone.dev.test");
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await dialog.getByText("The response was lost").waitFor();
  await dialog.getByRole("button", { name: "Open the certificate" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText(/^Revoked \d/).waitFor();
  expect(await tab(page).count()).toBe(0);
  const contents = page.getByRole("region", { name: "Contents" });
  expect(await contents.getByRole("tab", { selected: true }).allInnerTexts()).toEqual(["Details"]);
  await contents.getByRole("tabpanel").getByText("Serial number", { exact: true }).waitFor();
});

it("instructions for web servers name the downloaded files, and the openssl check names the saved root", async () => {
  const page = await shown({ server_flag: true }, { common_name: "web.dev.test" });
  await tab(page).click();
  // the files that “Save key and chain” and “Download…” save
  for (const [name, count] of [
    ["nginx", 2],
    ["Apache", 2],
    ["HAProxy", 1],
  ] as const) {
    await page.getByRole("tab", { name }).click();
    const text = await page.getByLabel(`${name} configuration`, { exact: true }).innerText();
    expect(text.match(/\/[\w.-]+\.pem/g)).toEqual(
      Array.from({ length: count }, () => "/web.dev.test.key-and-chain.pem"),
    );
  }
  await page.getByText("followed by web.dev.test.chain.pem, which").waitFor();
  await page
    .getByLabel("Check with openssl", { exact: true })
    .filter({ hasText: "-CAfile Dev-CA-Root.pem" })
    .waitFor();
});

it.each([
  ["Mozilla/5.0 (X11; Linux x86_64)", "Debian, Ubuntu", "Dev-CA-Root.crt"],
  ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)", "macOS", "Dev-CA-Root.pem"],
  ["Mozilla/5.0 (Windows NT 10.0; Win64; x64)", "Windows", "Dev-CA-Root.cer"],
  ["Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)", "iOS", "Dev-CA-Root.crt"],
  ["Mozilla/5.0 (Linux; Android 15; Pixel 9)", "Android", "Dev-CA-Root.crt"],
])("on %s the trust instructions begin with %s and save %s", async (userAgent, title, file) => {
  window = await openDevCa(at, { userAgent });
  const { page } = window;
  await page.evaluate("location.hash = '#/overview'");
  await page.getByRole("link", { name: "Dev CA Root", exact: true }).click();
  const card = page.getByRole("region", { name: "Trust this root" });
  const chosen = card.getByRole("tab", { selected: true });
  await expect.poll(() => chosen.innerText()).toBe(title);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    card.getByRole("button", { name: `Save ${file}` }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(file);
});

it("a renewed certificate links to its successor, and the successor links back", async () => {
  const page = await shown(
    { server_flag: true, not_before_duration: 7200, ttl: "24h" },
    { common_name: "web.dev.test" },
  );
  expect(await page.getByText(/^Renewed by/).count()).toBe(0);
  await send(page, "roles/own", {
    allow_any_name: true,
    key_type: "ec",
    key_bits: 256,
    issuer_ref: "dev-servers",
    client_flag: false,
  });
  const next = await send(page, "issue/own", { common_name: "web.dev.test" });
  await send(page, "issue/own", { common_name: "web.dev.test.other" });
  await page.reload();
  await page.locator(".state").getByText("Renewed", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Revoke…" }).click();
  const revoking = page.getByRole("dialog", { name: "Revoke this certificate?" });
  expect(await revoking.getByLabel("Reason").inputValue()).toBe("superseded");
  await revoking.getByLabel("Reason").selectOption("");
  expect(await revoking.getByLabel("Reason").inputValue()).toBe("");
  await revoking.getByRole("button", { name: "Cancel" }).click();
  const renew = page.locator(".card").getByRole("link", { name: "Renew", exact: true });
  await renew.waitFor();
  await send(page, "revoke", { serial_number: page.url().split("/").at(-1) });
  await page.reload();
  await page.locator(".state").getByText("Revoked", { exact: true }).waitFor();
  await page.getByText(/^Renewed by/).waitFor();
  await renew.waitFor({ state: "detached" });
  await page
    .getByText(/^Renewed by/)
    .getByRole("link")
    .click();
  await expect
    .poll(() => page.url())
    .toContain(next.data?.serial_number.replaceAll(":", "") ?? "?");
  await page.getByText(/^Renews the certificate [0-9a-f]{8}…, issued/).waitFor();
  await page.locator(".state").getByText("Valid", { exact: true }).waitFor();
  expect(await page.getByText(/^Renewed by/).count()).toBe(0);
});

it("below a revoked root the console tells users to remove the root from clients, not to install it", async () => {
  const page = await shown({ server_flag: true }, { common_name: "web.dev.test" });
  const chain = page.getByRole("complementary", { name: "Chain" });
  await chain.getByText("root, install it in clients").waitFor();
  await page.getByRole("link", { name: "Dev CA Root", exact: true }).click();
  await page.getByRole("region", { name: "Trust this root" }).waitFor();
  const ids = await page.evaluate<Record<string, { issuer_name: string }>>(
    "fetch('./v1/pki/issuers?list=true').then((answer) => answer.json()).then(({ data }) => data.key_info)",
  );
  const [root] = Object.entries(ids).find(([, one]) => one.issuer_name === "dev-root") ?? [];
  await send(page, `issuer/${root}/revoke`, {});
  await page.reload();
  await page.getByText("The root Dev CA Root is revoked").waitFor();
  await page
    .getByText("Every client that trusts this root still accepts all certificates")
    .waitFor();
  expect(await page.getByRole("region", { name: "Trust this root" }).count()).toBe(0);
  await page.goBack();
  await chain.getByText("root, revoked: remove it from clients").waitFor();
  await page.getByText("CA revoked").waitFor();
  await page.getByText("then remove the revoked root from the clients").waitFor();
  expect(await tab(page).count()).toBe(0);
});
