import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:https";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Locator, Page } from "playwright";
import { signingService } from "../../examples/signing-service/service.ts";
import { localKey } from "../../examples/signing-service/signing-key.ts";
import { certificate, dial, listening, now } from "../net/tls-fixture.ts";
import { remote, type Remote } from "./remote.ts";
import { host, openWindow, type Host, type Window } from "./support.ts";

const serviceCa = await certificate({ name: "CA of the service", ca: true });
const own = await certificate({ issuer: serviceCa, names: { dns: ["keeper.example"] } });
const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const signing = signingService({
  keys: new Map([["root", localKey(privateKey)]]),
  token: "a-token",
});
const server = createServer(
  { key: own.key.pem, cert: own.pem },
  (request, response) => void signing(request, response),
);

let at: Host;
let far: Remote;
let window: Window;
let page: Page;
beforeAll(async () => {
  const port = await listening(server);
  at = await host({ headers: true });
  far = await remote([new URL(at.url).origin], () => now * 1000, {
    dial: () => dial(port),
    resolve: async ({ type }) => (type === "A" ? ["93.184.216.34"] : []),
  });
  window = await openWindow({ ...at, url: `${at.url}connect.html` }, "settings");
  ({ page } = window);
  await page.getByLabel("Address").fill(far.base);
  await page.getByLabel("Token", { exact: true }).fill(far.token);
  await button("Connect").click();
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
});
afterAll(async () => {
  expect(window.complaints.filter((text) => !text.startsWith(`request to ${far.base}/`))).toEqual(
    [],
  );
  await window.context.close();
  await far.close();
  await at.close();
  server.close().closeAllConnections();
});

const button = (name: string | RegExp): Locator =>
  page.getByRole("button", { name, exact: typeof name === "string" });
const dialog = (name: string | RegExp): Locator => page.getByRole("dialog", { name });
const card = (name: string): Locator => page.getByRole("region", { name, exact: true });
const show = (view: string): Promise<unknown> =>
  page.evaluate(`location.hash = ${JSON.stringify(`#/${view}`)}`);

it("a managed key is registered, and invalid settings are reported at their fields", async () => {
  await show("keys");
  await page.getByRole("link", { name: "In a key service" }).click();
  await page.getByText("No managed keys yet.").waitFor();
  await button("Register a key").click();
  const form = dialog("Register a managed key");
  await button("Register").click();
  await form.getByText("Enter a name").waitFor();
  await form.getByText("Address is missing").waitFor();
  const apiName = form.getByText("client_cert_bundle", { exact: true });
  expect(await apiName.count()).toBe(0);
  await form.getByRole("button", { name: "API names", pressed: false }).click();
  await apiName.waitFor();
  await form.getByRole("button", { name: "API names", pressed: true }).click();
  await form.getByLabel("Type", { exact: true }).selectOption("awskms");
  await button("Register").click();
  await form.getByText("Secret access key is missing").waitFor();
  await form.getByLabel("Type", { exact: true }).selectOption("https");
  await form.getByLabel("Name", { exact: true }).fill("root");
  await form.getByLabel("Address", { exact: true }).fill("https://keeper.example");
  await button("Register").click();
  await form.getByText("set token or client_cert_bundle", { exact: false }).waitFor();
  await form.getByLabel("Token", { exact: true }).fill("another-token");
  await form.getByLabel("CA certificates for the service").fill(serviceCa.pem);
  await form.getByText("More", { exact: true }).click();
  await form.getByLabel("Data to sign").selectOption("raw");
  await button("Register").click();
  await page.getByRole("heading", { level: 2, name: "root" }).waitFor();
});

it("a test shows whether the key can sign, and its secret is replaced without being shown", async () => {
  await button("Sign test data").click();
  await card("Test").getByRole("alert").getByText("401", { exact: false }).waitFor();
  await button("Change…").click();
  const form = dialog("Change root");
  expect(await form.getByLabel("Token", { exact: true }).inputValue()).toBe("");
  expect(await form.getByLabel("Data to sign").inputValue()).toBe("raw");
  await form.getByLabel("Token", { exact: true }).fill("a-token");
  await button("Save").click();
  await page.getByText("Saved", { exact: true }).waitFor();
  await button("Sign test data").click();
  await card("Test").getByRole("status").getByText("The key works").waitFor();
  await card("Test").getByText("ECDSA with SHA-256").waitFor();
  await page.getByRole("group", { name: "Public key" }).getByText("BEGIN PUBLIC KEY").waitFor();
  expect(await page.content()).not.toContain("a-token");
});

it("a mount that is allowed to use a managed key creates a root that signs with it", async () => {
  await button("Allow pki").click();
  await page.getByText("pki may use the key").waitFor();
  await show("keys/managed");
  const row = page.getByRole("table", { name: "Managed keys" }).getByRole("row", { name: /root/ });
  await row.getByText("pki", { exact: true }).waitFor();
  await show("overview");
  await button("Create a root").click();
  const form = dialog("Add authority");
  await form.getByLabel("Common name").fill("Kept Elsewhere");
  await form.getByLabel("Key", { exact: true }).selectOption({ label: "Managed key root" });
  await button("Create authority").click();
  await page.getByRole("link", { name: "Kept Elsewhere" }).waitFor();
  const [id = ""] = (await far.ca.pki.listKeys({})).keys;
  expect(await far.ca.pki.readKey({ key_ref: id })).toMatchObject({ managed_key_name: "root" });
  await show("keys");
  await page.getByRole("table", { name: "Keys" }).getByText("Managed key root").waitFor();
});

it("a managed key in use cannot be deleted, which is explained; an unused one can", async () => {
  await show("keys/managed/https/root");
  await button("Delete…").click();
  const question = dialog("Delete this managed key?");
  await question.getByLabel("Type root to confirm").fill("root");
  await question.getByRole("button", { name: "Delete" }).click();
  await question.getByRole("alert").getByText("pki", { exact: false }).first().waitFor();
  await button("Cancel").click();
  await show("keys/managed");
  await button("Register a key").click();
  const form = dialog("Register a managed key");
  await form.getByLabel("Name", { exact: true }).fill("root");
  await form.getByLabel("Address", { exact: true }).fill("https://keeper.example");
  await form.getByLabel("Token", { exact: true }).fill("a-token");
  await button("Register").click();
  await form.getByText("root: a managed key with this name already exists").waitFor();
  await form.getByLabel("Name", { exact: true }).fill("spare");
  await button("Register").click();
  await page.getByRole("heading", { level: 2, name: "spare" }).waitFor();
  await button("Delete…").click();
  await dialog("Delete this managed key?").getByLabel("Type spare to confirm").fill("spare");
  await dialog("Delete this managed key?").getByRole("button", { name: "Delete" }).click();
  await page.getByText("Managed key deleted").waitFor();
  expect(await page.getByRole("link", { name: "spare" }).count()).toBe(0);
});
