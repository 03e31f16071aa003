import { afterAll, beforeAll, expect, it } from "vitest";
import type { Locator, Page } from "playwright";
import { remote, type Remote } from "./remote.ts";
import { host, openWindow, type Host, type Window } from "./support.ts";

let at: Host;
let far: Remote;
let window: Window;
let page: Page;
beforeAll(async () => {
  at = await host({ headers: true });
  far = await remote([new URL(at.url).origin]);
  window = await openWindow({ ...at, url: `${at.url}connect.html` }, "settings");
  ({ page } = window);
  await page.getByLabel("Address").fill(far.base);
  await signIn(far.token);
});
afterAll(async () => {
  expect(window.complaints.filter((text) => !text.startsWith(`request to ${far.base}/`))).toEqual(
    [],
  );
  await window.context.close();
  await far.close();
  await at.close();
});

const button = (name: string | RegExp): Locator =>
  page.getByRole("button", { name, exact: typeof name === "string" });
const dialog = (name: string | RegExp): Locator => page.getByRole("dialog", { name });
const card = (name: string | RegExp): Locator => page.getByRole("region", { name });

async function show(view: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(`#/${view}`)}`);
}
/** Signs in with a token where the form for it is. */
async function signIn(token: string): Promise<void> {
  await page.getByLabel("Token", { exact: true }).fill(token);
  await page.getByRole("button", { name: /^(Connect|Sign in)$/ }).click();
  await page.getByRole("link", { name: /^Signed in as/ }).waitFor();
}
it("whoever is signed in sees who they are and what they may do", async () => {
  await show("access");
  await card("Who am I").getByText("tester").waitFor();
  const rows = page.getByRole("table", { name: "What may I do" });
  await rows.getByRole("row", { name: /Revoke certificates.*Yes/ }).waitFor();
  await page.getByLabel("Path").fill("/v1/pki/issue/web");
  await button("Ask").click();
  await page.getByText("At this path the token has").getByText("root").waitFor();
});

it("a policy is made, refused with the line that is wrong, tested, changed and deleted", async () => {
  await show("access/policies");
  const list = page.getByRole("table", { name: "Policies" });
  await list.getByRole("row", { name: /^default.*built in/ }).waitFor();
  await button("New policy").click();
  await page.getByLabel("Name", { exact: true }).fill("Team/Web");
  const text = page.getByLabel("Text", { exact: true });
  await text.fill('path "pki/issue/web" {\n  capabilities = ["raed"]\n}\n');
  await button("Make policy").click();
  await dialog("New policy")
    .getByText(/failed to parse policy: line 2/)
    .waitFor();
  await dialog("New policy").getByText('capabilities = ["raed"]').waitFor();
  expect(
    await page.evaluate(
      "document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)",
    ),
  ).toBe('  capabilities = ["raed"]');
  await text.fill('path "pki/issue/*" {\n  capabilities = ["update"]\n}\n');
  await button("Make policy").click();
  await page.getByRole("heading", { name: "Policy team/web" }).waitFor();
  await page.getByRole("link", { name: "Test it" }).click();
  expect(await page.getByLabel("Policies", { exact: true }).inputValue()).toBe("team/web");
  await button("Test").click();
  const answer = page.getByRole("status");
  await answer.getByText("Would be allowed").waitFor();
  await answer.getByText("pki/issue/*").waitFor();
  await page.getByLabel("Path").fill("pki/revoke");
  await button("Test").click();
  await answer.getByText("Would be refused").waitFor();
  await page.getByLabel("Judge by").selectOption("draft");
  await page
    .getByLabel("Text of the policy")
    .fill('path "pki/revoke" {\n  capabilities = ["update"]\n}\n');
  await button("Test").click();
  await answer.getByText("Would be allowed").waitFor();
  await show("access/policies/team/web");
  await page.getByRole("button", { name: "Delete…" }).click();
  await page.getByLabel("Type team/web to confirm").fill("team/web");
  await button("Delete policy").click();
  await list.getByRole("row", { name: /^default/ }).waitFor();
  expect(await list.getByText("team/web").count()).toBe(0);
});
