import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Locator, Page } from "playwright";
import { parseCertificate } from "../../src/x509/certificate.ts";
import { decodePem } from "../../src/base/pem.ts";
import { remote, type Remote } from "./remote.ts";
import { host, openWindow, type Host, type Window } from "./support.ts";

let at: Host;
let far: Remote;
let window: Window;
let page: Page;
const folder = mkdtempSync(join(tmpdir(), "sealwright-est-"));
beforeAll(async () => {
  at = await host({ headers: true });
  far = await remote([new URL(at.url).origin]);
  await far.ca.pki.generateRoot({
    exported: "internal",
    common_name: "Far Root",
    key_type: "ec",
    ttl: "87600h",
  });
  await far.ca.pki.writeRole({
    name: "device",
    allowed_domains: ["example.com"],
    allow_subdomains: true,
    key_type: "ec",
  });
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
  rmSync(folder, { recursive: true, force: true });
});

const button = (name: string | RegExp): Locator =>
  page.getByRole("button", { name, exact: typeof name === "string" });
const show = (view: string): Promise<unknown> =>
  page.evaluate(`location.hash = ${JSON.stringify(`#/${view}`)}`);
/** Calls the authority directly, without the page. */
async function ask<T>(method: string, path: string, body?: object): Promise<T> {
  const answer = await fetch(`${far.base}/v1/${path}`, {
    method,
    headers: { "X-Service-Token": far.token },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (answer.status === 204 ? {} : await answer.json()) as T;
}

it("the EST form reports errors at their fields and saves labels and CSR attributes", async () => {
  await show("est");
  await page.getByText("EST is off.").waitFor();
  await page.getByLabel("Labels").fill("devices=role:device\nDevices=sign-verbatim");
  await page.getByLabel("CSR attributes").fill("challenge");
  await page.getByLabel("Use /.well-known/est without a label").check();
  await button("Save").click();
  await page.getByText("Duplicate label").waitFor();
  await page.getByText("Use dotted-decimal notation", { exact: false }).waitFor();
  await page.getByText("Paths without a label need a policy").waitFor();
  await page.getByLabel("Labels").fill("devices=role:none");
  await page.getByLabel("CSR attributes").fill("1.2.840.113549.1.9.7");
  await page.getByLabel("Paths without a label").selectOption("role:device");
  await button("Save").click();
  await page.getByText("the role none in a path policy does not exist").waitFor();
  await page.getByLabel("Labels").fill("devices=role:device");
  await page.getByLabel("Answer EST requests").check();
  await button("Save").click();
  await page.getByText("Saved", { exact: true }).or(page.getByRole("dialog")).first().waitFor();
  const { data } = await ask<{ data: object }>("GET", "pki/config/est");
  expect(data).toMatchObject({
    enabled: true,
    default_mount: true,
    default_path_policy: "role:device",
    label_to_path_policy: { devices: "role:device" },
    csr_attributes: ["1.2.840.113549.1.9.7"],
  });
  await page.keyboard.press("Escape");
  await page.getByText("nobody can enroll, because no authenticators are set").waitFor();
});

it("choosing a login method for EST clients also permits the mount to use it", async () => {
  await ask("POST", "sys/auth/devices", { type: "userpass", config: { token_type: "batch" } });
  await ask("POST", "auth/devices/users/device", {
    password: "a password of this test",
    token_policies: ["enrol"],
  });
  await ask("POST", "sys/policies/acl/enrol", {
    policy:
      'path "pki/roles/device/est/*" {\n  capabilities = ["create", "update"]\n}\npath "pki/est/*" {\n  capabilities = ["create", "update"]\n}',
  });
  await show("overview");
  await show("est");
  await page.getByLabel("By user name and password").selectOption({ label: "auth/devices" });
  await button("Save enrollment").click();
  await page.getByText("Saved", { exact: true }).waitFor();
  const { data } = await ask<{ data: { accessor: string } }>("GET", "sys/auth/devices");
  const tune = await ask<{ data: object }>("GET", "sys/mounts/pki/tune");
  expect(tune.data).toMatchObject({ delegated_auth_accessors: [data.accessor] });
  const config = await ask<{ data: object }>("GET", "pki/config/est");
  expect(config.data).toMatchObject({ authenticators: { userpass: { accessor: data.accessor } } });
  // it disappears once the saved settings are read again
  await page.getByText("nobody can enroll").waitFor({ state: "detached" });
  await button("Turn off…").click();
  await button("Turn off").click();
  await page.getByText("EST is off.").waitFor();
  await button("Turn on").click();
  await page.getByText("EST is off.").waitFor({ state: "detached" });
});

it("the shown commands enrol a device unchanged, at a label and at the path of a role", async () => {
  for (const [i, where] of ["Label devices", "Path for role device"].entries()) {
    const name = `device-${i}.example.com`;
    await page.getByLabel("Path", { exact: true }).selectOption({ label: where });
    await page.getByLabel("Name for the certificate").fill(name);
    const text = await page
      .getByRole("group", { name: "Commands for curl and openssl" })
      .textContent();
    await promisify(execFile)("sh", ["-ec", text ?? ""], {
      cwd: folder,
      env: { PATH: process.env["PATH"], EST_PASSWORD: "a password of this test" },
    });
    const [block] = decodePem(readFileSync(join(folder, "est.pem"), "utf8"));
    const made = parseCertificate(block?.der ?? new Uint8Array());
    const listed = await ask<{ data: { keys: readonly string[] } }>("GET", "pki/certs?list=true");
    expect(listed.data.keys).toContain(
      Buffer.from(made.serial)
        .toString("hex")
        .replace(/(..)(?!$)/g, "$1:"),
    );
    expect(readFileSync(join(folder, "cacerts.pem"), "utf8")).toContain("Far Root");
  }
});

it("for a path that a client does not support the console says so instead of showing a command", async () => {
  await page.getByRole("tab", { name: "estclient" }).click();
  await page.getByText("supports only paths under /.well-known/est: choose a label").waitFor();
  await page.getByLabel("Path", { exact: true }).selectOption({ label: "Label devices" });
  const text = page.getByRole("group", { name: "Commands for estclient" });
  expect(await text.textContent()).toContain("-aps devices");
  expect(await text.textContent()).toContain(`-server ${new URL(far.base).host}`);
});
