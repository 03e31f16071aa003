import { afterAll, beforeAll, expect, it } from "vitest";
import type { Locator, Page } from "playwright";
import { devCa, host, openWindow, type Host, type Window } from "./support.ts";

let at: Host;
let window: Window;
let page: Page;
beforeAll(async () => {
  at = await host({ headers: true });
  window = await openWindow(at);
  ({ page } = window);
  await devCa(page);
});
afterAll(async () => {
  expect(window.complaints).toEqual([]);
  await window.context.close();
  await at.close();
});

const button = (name: string | RegExp): Locator =>
  page.getByRole("button", { name, exact: typeof name === "string" });
const show = (view: string): Promise<unknown> =>
  page.evaluate(`location.hash = ${JSON.stringify(`#/${view}`)}`);

/** Calls the browser's authority; gives the whole answer. */
const call = <T>(method: string, path: string, body?: object): Promise<T> =>
  page.evaluate(
    `fetch(${JSON.stringify(`./v1/${path}`)}, ${JSON.stringify({ method, ...(body && { body: JSON.stringify(body) }) })}).then((answer) => (answer.status === 204 ? {} : answer.json()))`,
  );

it("leases are found step by step or by id, and revoking one revokes its certificate", async () => {
  await call("POST", "pki/roles/lease", { allow_any_name: true, generate_lease: true });
  const issued: { lease_id: string; data: { serial_number: string } }[] = [];
  for (const name of ["a", "b"])
    issued.push(await call("POST", "pki/issue/lease", { common_name: `${name}.dev.test` }));
  const [first, second] = issued;
  await show("system/leases");
  for (const part of ["pki/", "issue/", "lease/"])
    await page.getByRole("table", { name: "Leases" }).getByRole("link", { name: part }).click();
  await page.getByRole("heading", { name: "Leases below pki/issue/lease/" }).waitFor();
  await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
  expect(await page.getByRole("table", { name: "Leases" }).getByRole("link").count()).toBe(2);
  await page.getByLabel("Lease id").fill(first?.lease_id ?? "");
  await button("Look up").click();
  await page.getByRole("heading", { name: "Lease", exact: true }).waitFor();
  await button("Revoke…").click();
  await button("Revoke lease").click();
  await expect
    .poll(() => page.getByRole("table", { name: "Leases" }).getByRole("link").count())
    .toBe(1);
  await show(`certificates/${first?.data.serial_number.replaceAll(":", "") ?? ""}`);
  await page
    .getByText(/^Revoked /)
    .first()
    .waitFor();
  await show("system/leases/pki/issue/");
  await button("Revoke all of these…").click();
  await page.getByLabel("Type pki/issue/ to confirm").fill("pki/issue/");
  await button("Revoke all").click();
  await page.getByText("Leases are being revoked").waitFor();
  await show(`certificates/${second?.data.serial_number.replaceAll(":", "") ?? ""}`);
  await page
    .getByText(/^Revoked /)
    .first()
    .waitFor();
});
