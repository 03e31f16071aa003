import { afterAll, beforeAll, expect, it } from "vitest";
import type { Locator, Page } from "playwright";
import { now } from "../net/tls-fixture.ts";
import { answering, policyServer, serviceCa, serviceLeaf, yes } from "../external/service.ts";
import { remote, type Remote } from "./remote.ts";
import { host, openDevCa, openWindow, type Host, type Window } from "./support.ts";

let at: Host;
let far: Remote;
let window: Window;
let page: Page;
const service = await policyServer();
beforeAll(async () => {
  at = await host({ headers: true });
  far = await remote([new URL(at.url).origin], () => now * 1000, service.ways);
  await far.ca.pki.generateRoot({ exported: "internal", common_name: "Far Root", key_type: "ec" });
  window = await openWindow({ ...at, url: `${at.url}connect.html` }, "settings");
  ({ page } = window);
  await page.getByLabel("Address").fill(far.base);
  await page.getByLabel("Token", { exact: true }).fill(far.token);
  await button("Connect").click();
  await page.getByRole("link", { name: "Far Root" }).waitFor();
});
afterAll(async () => {
  expect(window.complaints.filter((text) => !text.startsWith(`request to ${far.base}/`))).toEqual(
    [],
  );
  await window.context.close();
  await far.close();
  await at.close();
  service.close();
});

const button = (name: string | RegExp): Locator =>
  page.getByRole("button", { name, exact: typeof name === "string" });
const show = (view: string): Promise<unknown> =>
  page.evaluate(`location.hash = ${JSON.stringify(`#/${view}`)}`);
const card = (name: string): Locator => page.getByRole("region", { name, exact: true });
const saved = (): Promise<void> => page.getByText("Saved", { exact: true }).waitFor();

it("a policy service is configured, and invalid settings are reported at their fields", async () => {
  await show("external");
  await page.getByText("Off", { exact: true }).waitFor();
  await button("Check now").click();
  await card("The service").getByText("no policy service is configured").waitFor();
  await page.getByLabel("Service URL").fill("http://policy.example");
  await button("Save").click();
  await page.getByText("Must begin with https://").waitFor();
  await page.getByLabel("Service URL").fill("https://policy.example/decide?by=rules");
  await button("Save").click();
  await page.getByText("Set CA certificates or a pinned certificate").waitFor();
  await page.getByLabel("CA certificates for the service").fill(serviceLeaf.pem);
  await page.getByLabel("Issue by external policy").check();
  await button("Save").click();
  await page.getByText("trusted_ca contains a certificate that is not a CA certificate").waitFor();
  await page.getByLabel("CA certificates for the service").fill(serviceCa.pem);
  await page.getByText("Data about the caller").click();
  await page.getByLabel("Entity data").fill("{name: name");
  await button("Save").click();
  const entity = page.getByLabel("Entity data");
  await page.getByText("the JMESPath expression is not valid", { exact: false }).waitFor();
  expect(await entity.getAttribute("aria-invalid")).toBe("true");
  await entity.fill("{name: name, team: metadata.team}");
  await page.getByLabel("Timeout").fill("5s");
  await button("Save").click();
  await saved();
  await page.getByText("On", { exact: true }).waitFor();
  expect(await page.getByLabel("Timeout").inputValue()).toBe("5s");
});

it("a check shows the response of the policy service, and the last success and failure stay visible", async () => {
  const said = card("The service").getByRole("status");
  await page.getByLabel("Policy name").fill("servers");
  await button("Check now").click();
  await said.getByText("The service accepted the request", { exact: true }).waitFor();
  expect(service.asked.at(-1)).toMatchObject({ vault_request_values: { policy_name: "servers" } });
  await card("The service").getByText("Valid", { exact: true }).waitFor();
  service.behavior = answering(({ request_uuid }) => ({ request_uuid, error: "not on Sundays" }));
  await button("Check now").click();
  await said.getByText("not on Sundays").waitFor();
  await said.getByText("The service rejected the request").waitFor();
  service.behavior = (_, response) => void response.writeHead(302, { Location: "/" }).end();
  await button("Check now").click();
  await said.getByText("Invalid response").waitFor();
  await card("The service").getByText("Last failure").waitFor();
  await card("The service").getByText("Invalid", { exact: true }).waitFor();
  service.behavior = answering(yes);
});

it("for a browser authority the console explains that it cannot call a policy service, and shows a policy function instead", async () => {
  const own = await openDevCa(at);
  await own.page.evaluate("location.hash = '#/external'");
  await own.page.getByText("A browser page cannot call a policy service").waitFor();
  await own.page
    .getByRole("group", { name: "A policy function" })
    .getByText("externalPolicy: async")
    .waitFor();
  expect(await own.page.getByLabel("Service URL").count()).toBe(0);
  await own.page.getByLabel("Issue by external policy").check();
  await own.page.getByRole("button", { name: "Save" }).click();
  await own.page.getByRole("alert").getByText("external_service_url").waitFor();
  expect(own.complaints).toEqual([]);
  await own.context.close();
});
