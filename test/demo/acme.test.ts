import { afterAll, beforeAll, expect, it } from "vitest";
import type { Locator, Page } from "playwright";
import { devCa, host, openWindow, type Host, type Window } from "./support.ts";

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

async function show(part: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(`#/acme${part && `/${part}`}`)}`);
  await page.getByRole("heading", { level: 1, name: "ACME" }).waitFor();
}
const button = (name: string | RegExp): Locator => page.getByRole("button", { name });

it("turning ACME on allows only orders with a role by default, and sets the URL of the mount", async () => {
  await show("");
  await page.getByText("ACME is off: clients are rejected until you turn it on.").waitFor();
  await button("Turn on").click();
  const dialog = page.getByRole("dialog", { name: "Turn ACME on?" });
  const orders = dialog.getByLabel("Orders without a role");
  expect(await orders.inputValue()).toBe("forbid");
  expect(await dialog.getByLabel(/^URL of the mount/).inputValue()).toBe(`${at.url}v1/pki`);
  await dialog.getByRole("button", { name: "Set URL and turn on" }).click();
  await page.getByText("On", { exact: true }).waitFor();
  await button("Turn off…").click();
  await page.getByRole("dialog").getByRole("button", { name: "Turn off" }).click();
  await button("Turn on").click();
  await orders.selectOption("sign-verbatim");
  await dialog.getByText("Clients get certificates for every name").waitFor();
  await dialog.getByRole("button", { name: "Turn on" }).click();
  await page.getByText("On", { exact: true }).waitFor();
});

it("a role for TLS servers is preselected for a directory", async () => {
  const role = "./v1/pki/roles/a-client";
  const fields = JSON.stringify({ server_flag: false, client_flag: true });
  await page.evaluate(
    `fetch('${role}', { method: 'POST', body: '${fields}' }).then((answer) => answer.text())`,
  );
  await show("accounts");
  await show("");
  const choice = page.getByLabel("Role", { exact: true });
  expect(await choice.locator("option").nth(2).innerText()).toBe("a-client");
  expect(await choice.inputValue()).toBe("dev-server");
  await page.evaluate(`fetch('${role}', { method: 'DELETE' }).then((answer) => answer.text())`);
});

it("the commands for clients contain the directory URL of the chosen role", async () => {
  await show("");
  const address = page.getByRole("group", { name: "Directory URL" });
  await page.getByLabel("Role", { exact: true }).selectOption("dev-server");
  expect(await address.textContent()).toBe(`${at.url}v1/pki/roles/dev-server/acme/directory`);
  const text = page.getByRole("group", { name: "Command for certbot" });
  expect(await text.textContent()).toContain("/roles/dev-server/acme/directory");
  await page.getByRole("link", { name: "set the URL" }).click();
  await page.getByLabel("URL of the mount", { exact: true }).waitFor();
  await show("");
  await page.getByLabel("Role", { exact: true }).selectOption("dev-server");
  // an example name that this role allows
  await expect.poll(() => text.textContent()).toContain("-d www.test");
  await page.getByLabel("Name for the certificate").fill("www.other.example");
  await page.getByText("Role dev-server rejects this name: ").waitFor();
  await page.getByRole("link", { name: "the page of the default issuer" }).click();
  await page.getByRole("region", { name: /^Trust th/ }).waitFor();
  await show("");
  await page.getByRole("tab", { name: "certbot" }).press("End");
  await page.getByRole("group", { name: "Command for Traefik" }).waitFor();
});

it("an external account binding key is shown once and is not left in the page", async () => {
  await show("");
  await button("New key").click();
  const form = page.getByRole("dialog");
  await form.getByLabel("Issue without a challenge").check();
  await form.getByRole("button", { name: "Create key" }).click();
  await form.getByText("Enter the names that need no challenge").waitFor();
  await form.getByLabel("Allowed names and addresses").fill("*.plant.test\n10.20.0.0/16");
  await form.getByLabel("Accounts").fill("5");
  await form.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog", { name: "Key created" });
  const key = await dialog.getByRole("group", { name: "Key", exact: true }).textContent();
  await dialog.getByText(`export EAB_HMAC_KEY=${key}`, { exact: true }).waitFor();
  expect(key).toMatch(/^[\w-]{43}$/);
  await page.keyboard.press("Escape");
  await dialog.getByText("The key is not saved yet").waitFor();
  await dialog.getByLabel("I have saved the key").check();
  await dialog.getByRole("button", { name: "Close", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await page.content()).not.toContain(key);
  const table = page.getByRole("table", { name: "External account binding (EAB) keys" });
  expect(await table.getByRole("row").count()).toBe(2);
  await table.getByText("*.plant.test, 10.20.0.0/16").waitFor();
  await table.getByText("No challenge required; up to 5 accounts").waitFor();
  await table.getByRole("button", { name: /^Revoke key/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByText("No unused keys", { exact: false }).waitFor();
});

it("a new binding key takes the chosen role, and the commands then contain its ID", async () => {
  await show("");
  const shown = page.getByLabel("Role", { exact: true });
  await shown.selectOption("");
  await button("New key").click();
  const form = page.getByRole("dialog");
  const role = form.getByLabel("Role", { exact: true });
  expect(await role.inputValue()).toBe("");
  await role.selectOption("dev-server");
  await form.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog", { name: "Key created" });
  await dialog.getByText(/\/v1\/pki\/roles\/dev-server\/acme\/directory$/).waitFor();
  const id = await dialog.getByRole("group", { name: "Key ID", exact: true }).innerText();
  await dialog.getByLabel("I have saved the key").check();
  await dialog.getByRole("button", { name: "Close", exact: true }).click();
  await expect.poll(() => shown.inputValue()).toBe("dev-server");
  await page.getByRole("tab", { name: "certbot" }).click();
  await page
    .getByRole("group", { name: "Command for certbot" })
    .filter({ hasText: "/roles/dev-server/acme/directory" })
    .filter({ hasText: `--eab-kid ${id.trim()} ` })
    .waitFor();
  const chosen = page.getByLabel("External account binding (EAB) key", { exact: true });
  const secret = page.getByRole("group", { name: "Command that sets the key" });
  expect(await secret.innerText()).toBe("export EAB_HMAC_KEY=KEY");
  await page.evaluate("location.hash = '#/settings'");
  await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
  await show("");
  await expect.poll(() => chosen.inputValue()).toBe(id.trim());
  await page.reload();
  await expect.poll(() => chosen.inputValue()).toBe(id.trim());
  expect(await shown.inputValue()).toBe("dev-server");
  await button(`Delete key ${id.trim()}`).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No unused keys", { exact: false }).waitFor();
});

/** Orders a certificate for a name with the page's ACME client, and starts the validation. */
async function order(name: string, role = "dev-server"): Promise<void> {
  await orderOnly(name, role);
  await button("Ready: continue").click();
}
async function orderOnly(name: string, role = "dev-server"): Promise<void> {
  await show("try");
  await page.getByLabel("Role", { exact: true }).selectOption(role);
  await page.getByLabel("Name", { exact: true }).fill(name);
  await button("Order a certificate").click();
  await page.getByRole("heading", { name: `Prove control of ${name}` }).waitFor();
}
const steps = async (): Promise<readonly string[]> => {
  const all = await page
    .getByRole("list", { name: "Requests" })
    .locator("summary")
    .allTextContents();
  return all.map((text) => text.trim());
};

it("the ACME try-out suggests a name that the role allows and warns about one that it rejects", async () => {
  await show("try");
  await page.getByLabel("Role", { exact: true }).selectOption("dev-server");
  const name = page.getByLabel("Name", { exact: true });
  expect(await name.inputValue()).toBe("www.test");
  await name.fill("www.other.example");
  await page.getByText("Role dev-server rejects this name: ").waitFor();
});

it("the ACME client of the page gets a certificate after its challenge is accepted, and revokes it", async () => {
  await order("www.dev.test");
  const asked = page.getByRole("region", { name: "Challenges to confirm" });
  await asked.getByText("/.well-known/acme-challenge/", { exact: false }).waitFor();
  await button("Accept www.dev.test").click();
  await page.getByText("www.dev.test, expires", { exact: false }).waitFor();
  expect(await asked.count()).toBe(0);
  const told = await steps();
  for (const step of [
    /^GET directory\s*200/,
    /^POST new-account\s*201/,
    /^POST new-order\s*201/,
    /^POST challenge\/\S+\/http-01\s*200/,
    /^POST order\/\S+\/finalize\s*200/,
    /^POST order\/\S+\/cert\s*200/,
  ])
    expect(
      told.some((text) => step.test(text)),
      String(step),
    ).toBe(true);
  await button("Revoke with ACME").click();
  await page.getByText("was revoked through ACME", { exact: false }).waitFor();
  await page.getByRole("link", { name: "Show certificate" }).click();
  await page.getByRole("heading", { level: 1, name: "www.dev.test" }).waitFor();
  await page
    .getByText(/^Revoked /)
    .first()
    .waitFor();
  await page.evaluate("location.hash = '#/certificates?source=acme'");
  const row = page.getByRole("row", { name: /www\.dev\.test/ });
  await row.getByText("ACME", { exact: true }).waitFor();
  expect(await page.content()).not.toContain("PRIVATE KEY");
});

it("a refused challenge shows its reason at the order, and its account can be revoked and reinstated", async () => {
  await order("nas.dev.test");
  await button("Refuse nas.dev.test").click();
  await page.getByText("Validation failed:", { exact: false }).waitFor();
  await show("");
  const orders = page.getByRole("list", { name: "Recent orders" });
  const failed = orders.getByRole("listitem").filter({ hasText: "nas.dev.test" });
  await failed.getByText("incorrectResponse", { exact: true }).waitFor();
  await failed.getByText("rejected by the user", { exact: false }).waitFor();
  await failed.getByRole("link", { name: "account" }).click();
  await page.getByRole("button", { name: "Revoke account…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke account" }).click();
  await button("Reinstate").click();
  await page.getByRole("button", { name: "Revoke account…" }).waitFor();
  await page
    .getByRole("list", { name: "Orders of this account" })
    .getByText("nas.dev.test")
    .first()
    .waitFor();
});

it("a second order can be created while the first waits for its challenge", async () => {
  await order("first.dev.test");
  await page.getByText("The server is validating the challenge.").waitFor();
  await page.getByLabel("Name", { exact: true }).fill("second.dev.test");
  await button("Order a certificate").click();
  await page.getByRole("heading", { name: "Prove control of second.dev.test" }).waitFor();
  await button("Ready: continue").click();
  await button("Accept second.dev.test").click();
  await page.getByText("second.dev.test, expires", { exact: false }).waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
  await button("Accept first.dev.test").click();
});

it("for draft challenge types the try-out shows the DNS record that the server queries", async () => {
  const types = ["http-01", "dns-01", "dns-account-01", "dns-persist-01"];
  const settings = { challenge_types: types, issuer_domain_names: ["ca.dev.test"] };
  await page.evaluate(
    `fetch('./v1/pki/config/acme', { method: 'POST', body: ${JSON.stringify(JSON.stringify(settings))} })`,
  );
  for (const [type, record] of [
    ["dns-account-01", /^_[a-z2-7]{16}\._acme-challenge\.account\.dev\.test$/],
    ["dns-persist-01", /^_validation-persist\.persist\.dev\.test$/],
  ] as const) {
    const name = `${type.slice(4, -3)}.dev.test`;
    await orderOnly(name);
    const proof = page.getByRole("region", { name: `Prove control of ${name}` });
    await proof.getByLabel("Challenge").selectOption(type);
    const shown = (label: string) =>
      proof.getByRole("group", { name: label, exact: true }).textContent();
    await expect.poll(() => shown("Location")).toMatch(record);
    const [where, expected] = [await shown("Location"), await shown("Expected content")];
    await button("Ready: continue").click();
    const asked = page.getByRole("region", { name: "Challenges to confirm" });
    const queried = (label: string) => asked.getByRole("group", { name: label }).textContent();
    expect(await queried(`Where: ${name}`)).toBe(where);
    expect(await queried(`Expected: ${name}`)).toBe(expected);
    await button(`Accept ${name}`).click();
    await page.getByText(`${name}, expires`, { exact: false }).waitFor();
  }
});

it("a service worker that was stopped during a challenge asks again at the next request", async () => {
  await order("ended.dev.test");
  await button("Accept ended.dev.test").waitFor();
  const devtools = await window.context.newCDPSession(page);
  const states: string[] = [];
  devtools.on("ServiceWorker.workerVersionUpdated", ({ versions }) =>
    states.push(...versions.map(({ runningStatus }) => runningStatus)),
  );
  await devtools.send("ServiceWorker.enable");
  await devtools.send("ServiceWorker.stopAllWorkers");
  await expect.poll(() => states).toContain("stopped");
  await page.getByText("The server is validating the challenge.").waitFor();
  // The list shown here is that of the stopped worker; another window gets that of the new one.
  const second = await window.context.newPage();
  await second.goto(`${at.url}#/overview`);
  await second.getByRole("button", { name: "Accept ended.dev.test" }).click();
  await page.getByText("ended.dev.test, expires", { exact: false }).waitFor();
  await second.close();
});

it("the service worker passes HEAD requests and the headers of ACME through", async () => {
  const headers = await page.evaluate<Record<string, string>>(
    "fetch('./v1/pki/acme/new-nonce', { method: 'HEAD' }).then((answer) => Object.fromEntries(answer.headers))",
  );
  expect(headers["replay-nonce"]).toMatch(/^[\w-]+$/);
  expect(headers["link"]).toBe(`<${at.url}v1/pki/acme/directory>;rel="index"`);
});

it("an order for a name that the role does not allow is rejected with the server's message", async () => {
  await show("try");
  await page.getByLabel("Role", { exact: true }).selectOption("dev-server");
  await page.getByLabel("Name", { exact: true }).fill("www.elsewhere.example");
  await button("Order a certificate").click();
  await page.getByRole("alert").getByText("www.elsewhere.example", { exact: false }).waitFor();
  expect((await steps()).at(-1)).toMatch(/^POST new-order\s*400/);
});

it("a setting is saved, and an invalid one is reported at its field", async () => {
  await show("settings");
  await page.getByLabel("Account binding").selectOption("always-required");
  await page.getByLabel("Allowed roles").fill("dev-server, *");
  await button("Save").click();
  await page.getByText("* means all, so it must be the only entry").waitFor();
  await page.getByLabel("Allowed roles").fill("dev-server");
  await button("Save").click();
  await page.getByText("Saved").waitFor();
});

it("device attestation is configured with roots in PEM and its challenge type", async () => {
  await show("");
  await show("settings");
  const root = String(await page.evaluate("fetch('v1/pki/ca/pem').then((reply) => reply.text())"));
  await page.getByLabel("Challenge types").fill("http-01\ndns-01\ndevice-attest-01");
  await page.getByLabel("Apple attestation roots").fill(root);
  await page.getByLabel("Devices that may attest").fill("C02*\nserial 7");
  await button("Save").click();
  await page.getByText("Saved").waitFor();
  await show("");
  await show("settings");
  const stored = ["Apple attestation roots", "Devices that may attest", "TPM roots"];
  const values = await Promise.all(stored.map((label) => page.getByLabel(label).inputValue()));
  expect(values).toEqual([root.trim(), "C02*\nserial 7", ""]);
});

it("the ACME client of the page creates a binding key if required, and another tab can decide challenges", async () => {
  const second = await window.context.newPage();
  await second.goto(`${at.url}#/overview`);
  await second.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await order("bound.dev.test");
  await second.getByRole("button", { name: "Accept bound.dev.test" }).waitFor();
  await second.getByRole("button", { name: "Accept bound.dev.test" }).click();
  await page.getByText("bound.dev.test, expires", { exact: false }).waitFor();
  expect(await button("Accept bound.dev.test").count()).toBe(0);
  await second.close();
});
