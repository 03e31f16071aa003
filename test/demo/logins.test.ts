import { afterAll, beforeAll, expect, it } from "vitest";
import type { Locator, Page } from "playwright";
import { remote } from "./remote.ts";
import { host, openWindow, type Host, type Window } from "./support.ts";

let at: Host;
let window: Window;
let page: Page;
beforeAll(async () => {
  at = await host({ headers: true });
  // The authority of the browser has login methods too, though nobody needs to sign in to it.
  window = await openWindow(at, "access/logins");
  ({ page } = window);
});
afterAll(async () => {
  expect(window.complaints).toEqual([]);
  await window.context.close();
  await at.close();
});

const button = (name: string | RegExp): Locator =>
  page.getByRole("button", { name, exact: typeof name === "string" });
const dialog = (name: string | RegExp): Locator => page.getByRole("dialog", { name });

async function enable(type: string, path: string): Promise<void> {
  await page.evaluate("location.hash = '#/access/logins'");
  await button("Enable a method").click();
  await page.getByLabel("Type").selectOption(type);
  await page.getByLabel("Path").fill(path);
  await button("Enable").click();
  await page.getByRole("heading", { name: `auth/${path || type}` }).waitFor();
}

it("a method is enabled at a path, and its role has ids, of which the secret one is seen once", async () => {
  await page.getByRole("table", { name: "Login methods" }).getByText("auth/token").waitFor();
  await button("Enable a method").click();
  await page.getByLabel("Type").selectOption("approle");
  await page.getByLabel("Path").fill("../sys");
  await button("Enable").click();
  await dialog("Enable a login method").getByText("no mount can have this name").waitFor();
  await page.keyboard.press("Escape");
  await enable("approle", "ci/build");
  await button("New role").click();
  await button("Save").click();
  await dialog("New role").getByText("A name is needed").waitFor();
  await dialog("New role").getByLabel("Name", { exact: true }).fill("web");
  await dialog("New role").getByLabel("Policies").fill("pki-user");
  await dialog("New role").getByLabel("Lifetime of a token").fill("1h");
  await button("Save").click();
  await button("Change web").click();
  expect(await dialog("Change web").getByLabel("Lifetime of a token").inputValue()).toBe("1h");
  expect(await dialog("Change web").getByLabel("Policies").inputValue()).toBe("pki-user");
  await page.keyboard.press("Escape");
  await button("Ids of web").click();
  const role = dialog("Ids of web").getByRole("group", { name: "Role id" });
  expect(await role.textContent()).toMatch(/^[\w-]{36}$/);
  await button("Make a secret id").click();
  const made = dialog("Secret id made");
  const secret = await made.getByRole("group", { name: "Secret id", exact: true }).textContent();
  expect(secret).toMatch(/^[\w-]{36}$/);
  await made.getByLabel("I have saved the secret id").check();
  await made.getByRole("button", { name: "Close", exact: true }).click();
  await made.waitFor({ state: "detached" });
  expect(await page.content()).not.toContain(secret);
  await button("Ids of web").click();
  await page.getByRole("button", { name: /^Destroy secret id/ }).click();
  await dialog("Ids of web").getByText("It has no secret id yet.").waitFor();
  await page.keyboard.press("Escape");
});

it("a method is disabled once its path was typed", async () => {
  await enable("approle", "");
  await button("Disable…").click();
  await page.getByLabel("Type approle to confirm").fill("approle");
  await button("Disable").click();
  const list = page.getByRole("table", { name: "Login methods" });
  await list.getByText("auth/ci/build").waitFor();
  expect(await list.getByText("auth/approle").count()).toBe(0);
});

it("a login by a method at its own path takes the place of a token, and what it refuses is told", async () => {
  const far = await remote([new URL(at.url).origin]);
  const ask = async <T>(path: string, body: object): Promise<T> => {
    const answer = await fetch(`${far.base}/v1/${path}`, {
      method: "POST",
      headers: { "X-Service-Token": far.token },
      body: JSON.stringify(body),
    });
    return (answer.status === 204 ? {} : await answer.json()) as T;
  };
  await ask("sys/auth/ci/build", { type: "approle" });
  await ask("auth/ci/build/role/web", { token_policies: ["pki-user"], token_ttl: "1h" });
  await ask("auth/ci/build/role/web/role-id", { role_id: "the-role" });
  const { data } = await ask<{ data: { secret_id: string } }>(
    "auth/ci/build/role/web/secret-id",
    {},
  );
  const opened = await openWindow({ ...at, url: `${at.url}connect.html` }, "settings");
  const { page: other, context } = opened;
  const press = (name: string): Promise<void> =>
    other.getByRole("button", { name, exact: true }).click();
  await other.getByLabel("Address").fill(far.base);
  await other.getByLabel("Sign in with").selectOption("approle");
  await press("Connect");
  await other.getByText("Secret id is missing").waitFor();
  await other.getByLabel("Role id").fill("the-role");
  await other.getByLabel("Secret id").fill("wrong");
  await other.getByLabel("Path of the method").fill("ci/build");
  await press("Connect");
  await other.getByRole("alert").getByText("invalid role or secret ID").waitFor();
  await other.getByLabel("Secret id").fill(data.secret_id);
  await press("Connect");
  await other.getByRole("link", { name: /^Signed in as .*, until/ }).click();
  await other.getByRole("link", { name: "pki-user" }).waitFor();
  const kept =
    "JSON.stringify({ ...sessionStorage }) + JSON.stringify({ ...localStorage }) + location.href";
  expect(await other.evaluate(kept)).not.toMatch(new RegExp(`${data.secret_id}|s\\.\\w{32}`));
  await press("Sign out");
  await press("Sign out and revoke");
  await other.getByText(/^Signed out of/).waitFor();
  expect(opened.complaints.filter((text) => !text.startsWith(`request to ${far.base}/`))).toEqual(
    [],
  );
  await context.close();
  await far.close();
});
