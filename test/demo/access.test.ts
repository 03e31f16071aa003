import { generateKeyPairSync, sign } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Locator, Page, Request } from "playwright";
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
const tab = (name: string): Locator => page.getByRole("tab", { name, exact: true });
const dialog = (name: string | RegExp): Locator => page.getByRole("dialog", { name });
const card = (name: string | RegExp): Locator => page.getByRole("region", { name });

async function show(view: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(`#/${view}`)}`);
}
/** Signs in with a token in the sign-in form. */
async function signIn(token: string): Promise<void> {
  await tab("Token").click();
  await page.getByLabel("Token", { exact: true }).fill(token);
  await page.getByRole("button", { name: /^(Connect|Sign in)$/ }).click();
  await page.getByRole("link", { name: /^Signed in as/ }).waitFor();
}
/** Returns what the page has stored outside memory, and its URL. */
const kept = (): Promise<string> =>
  page.evaluate(
    "JSON.stringify({ ...sessionStorage }) + JSON.stringify({ ...localStorage }) + location.href",
  );

/** Calls the authority directly, without the page. */
async function ask<T>(method: string, path: string, body?: object, token = far.token): Promise<T> {
  const answer = await fetch(`${far.base}/v1/${path}`, {
    method,
    headers: { "X-Service-Token": token },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (answer.status === 204 ? {} : await answer.json()) as T;
}

it("a signed-in user sees their identity and permissions", async () => {
  await show("access");
  await card("Current token").getByText("tester").waitFor();
  const rows = page.getByRole("table", { name: "Permissions" });
  await rows.getByRole("row", { name: /Revoke certificates.*Yes/ }).waitFor();
  await page.getByLabel("Path").fill("/v1/pki/issue/web");
  await button("Check").click();
  await page.getByText("Capabilities at this path").getByText("root").waitFor();
});

it("a policy is created, rejected with the faulty line, tested, changed and deleted", async () => {
  await show("access/policies");
  const list = page.getByRole("table", { name: "Policies" });
  await list.getByRole("row", { name: /^default.*Built in/ }).waitFor();
  await list.getByRole("row", { name: /^pki-user.*Ready-made/ }).waitFor();
  await button("New policy").click();
  await page.getByLabel("Name", { exact: true }).fill("Team/Web");
  const text = page.getByLabel("Text", { exact: true });
  await text.fill('path "pki/issue/web" {\n  capabilities = ["raed"]\n}\n');
  await button("Create policy").click();
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
  await button("Create policy").click();
  await page.getByRole("heading", { name: "Policy team/web" }).waitFor();
  await page.getByRole("link", { name: "Test it" }).click();
  expect(await page.getByLabel("Policies", { exact: true }).inputValue()).toBe("team/web");
  await button("Test").click();
  const answer = page.getByRole("status");
  await answer.getByText("Would be allowed").waitFor();
  await answer.getByText("pki/issue/*").waitFor();
  await page.getByLabel("Path").fill("pki/revoke");
  await button("Test").click();
  await answer.getByText("Would be denied").waitFor();
  await page.getByLabel("Evaluate").selectOption("draft");
  await page
    .getByLabel("Policy text")
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

it("the page of a policy that does not exist offers to create it with this name", async () => {
  await show("access/policies/team/absent");
  await page.getByText("There is no policy with this name.").waitFor();
  await button("Create this policy").click();
  const form = dialog("New policy");
  expect(await form.getByLabel("Name", { exact: true }).inputValue()).toBe("team/absent");
  const text = 'path "pki/issue/absent" {\n  capabilities = ["update"]\n}\n';
  await form.getByLabel("Text", { exact: true }).fill(text);
  await button("Create policy").click();
  await form.waitFor({ state: "detached" });
  await button("Save policy").waitFor();
  expect(await page.getByLabel("Text", { exact: true }).inputValue()).toBe(text);
});

it("edits of a policy are not lost on leaving, and do not overwrite a newer version without a warning", async () => {
  const text = (path: string): string => `path "${path}" {\n  capabilities = ["read"]\n}\n`;
  const stored = async (): Promise<string> =>
    (await ask<{ data: { policy: string } }>("GET", "sys/policies/acl/shared")).data.policy;
  await ask("POST", "sys/policies/acl/shared", { policy: text("a") });
  await show("access/policies/shared");
  await page.getByLabel("Text", { exact: true }).fill(text("mine"));
  await show("access/tokens");
  await dialog("Leave without saving?")
    .getByText("Your changes to this policy are not saved")
    .waitFor();
  await button("Keep editing").click();
  await ask("POST", "sys/policies/acl/shared", { policy: text("theirs") });
  await button("Save policy").click();
  await page.getByText("Changed elsewhere").waitFor();
  expect(await stored()).toBe(text("theirs"));
  expect(await page.getByLabel("Text", { exact: true }).inputValue()).toBe(text("mine"));
  await button("Show the new version").click();
  expect(await page.getByLabel("Text", { exact: true }).inputValue()).toBe(text("theirs"));
  await page.getByLabel("Text", { exact: true }).fill(text("*").replace("read", "sudo"));
  await button("Save policy").click();
  await page.getByText("Confirm full access, or remove the permissions that grant it").waitFor();
  await page.getByLabel("Text", { exact: true }).fill(text("both"));
  await button("Save policy").click();
  await page.getByText("Policy saved").waitFor();
  expect(await stored()).toBe(text("both"));
});

it("text typed into a policy while it loads is kept", async () => {
  const [stored, typed] = ["a", "b"].map(
    (path) => `path "${path}" {\n  capabilities = ["read"]\n}\n`,
  );
  await ask("POST", "sys/policies/acl/quick", { policy: stored });
  await page.evaluate((text) => {
    new MutationObserver((_, observer) => {
      const field = document.querySelector("textarea");
      if (!field) return;
      observer.disconnect();
      field.value = text ?? "";
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }).observe(document.body, { childList: true, subtree: true });
  }, typed);
  await show("access/policies/quick");
  await button("Save policy").click();
  await page.getByText("Policy saved").waitFor();
  expect(await page.getByLabel("Text", { exact: true }).inputValue()).toBe(typed);
});

it("a token is created, shown once, looked up, renewed and revoked", async () => {
  await show("access/tokens");
  await button("New token").click();
  await page.getByLabel("Name", { exact: true }).fill("maria");
  await button("Create token").click();
  await dialog("New token").getByText("Choose at least one policy").waitFor();
  expect(await dialog("New token").getByLabel("root", { exact: true }).count()).toBe(0);
  for (const spelled of ["root", " Root", "default\nROOT"]) {
    await page.getByLabel("Other policies", { exact: true }).fill(spelled);
    await dialog("New token").getByText("This token has full access").waitFor();
    await button("Create token").click();
    await dialog("New token")
      .getByText("Confirm full access, or remove the permissions that grant it")
      .waitFor();
    await page.getByLabel("Other policies", { exact: true }).fill("rooted");
    await dialog("New token")
      .getByText("This token has full access")
      .waitFor({ state: "detached" });
  }
  await page.getByLabel("Other policies", { exact: true }).fill("");
  await page.getByRole("checkbox", { name: /^default/ }).check();
  await page.getByLabel("Lifetime", { exact: true }).fill("a while");
  await button("Create token").click();
  await dialog("New token").getByText("not a duration").waitFor();
  await page.getByLabel("Lifetime", { exact: true }).fill("2h");
  await button("Create token").click();
  const made = dialog("Token created");
  const token = (await made.getByRole("group", { name: "Token", exact: true }).textContent()) ?? "";
  expect(token).toMatch(/^s\.\w{32}$/);
  await page.keyboard.press("Escape");
  await made.getByText("The token is not saved yet").waitFor();
  await made.getByLabel("I have saved the token").check();
  await made.getByRole("button", { name: "Close", exact: true }).click();
  await made.waitFor({ state: "detached" });
  expect(await page.content()).not.toContain(token);
  expect(await kept()).not.toContain(token);
  await page.getByRole("table", { name: "Tokens" }).getByText("token-maria").waitFor();
  await page.getByLabel("Token or accessor").fill(token);
  await button("Look up").click();
  await card("token-maria").getByText("in 2 hours").waitFor();
  expect(await kept()).not.toContain(token);
  await button("Renew").click();
  await page.getByText("Token renewed").waitFor();
  await button("Revoke…").click();
  await dialog("Revoke this token?").getByText("every token created from it").waitFor();
  await button("Revoke token").click();
  await page.getByRole("heading", { name: "Look up a token" }).waitFor();
  await page.getByText("No stored tokens").waitFor();
});

it("the list of tokens marks the user's own token and shows creation times", async () => {
  await ask("POST", "sys/policies/acl/lister", {
    policy:
      'path "auth/token/accessors" {\n  capabilities = ["list", "sudo"]\n}\npath "auth/token/lookup-accessor" {\n  capabilities = ["update"]\n}\n',
  });
  const made = { policies: ["lister"], ttl: "1h" };
  const create = (display_name: string): Promise<{ auth: { client_token: string } }> =>
    ask("POST", "auth/token/create", { ...made, display_name });
  await create("other");
  const { auth } = await create("own");
  await show("access");
  await button("Sign out").click();
  await page.getByText(/^Signed out of/).waitFor();
  await signIn(auth.client_token);
  await page.getByRole("link", { name: /^Signed in as token-own/ }).waitFor();
  await show("access/tokens");
  const row = (name: string): Locator =>
    page.getByRole("table", { name: "Tokens" }).getByRole("row").filter({ hasText: name });
  await row("token-own").getByText("Your token").waitFor();
  expect(await row("token-other").getByText("Your token").count()).toBe(0);
  expect(await row("token-other").locator("time").count()).toBe(2);
  await show("access");
  await button("Sign out").click();
  await button("Sign out and revoke").click();
  await page.getByText(/^Signed out of/).waitFor();
  await signIn(far.token);
});

it("a user with few permissions sees what is missing, and can revoke the token at sign-out", async () => {
  await ask("POST", "sys/policies/acl/few", {
    policy: 'path "pki/certs" {\n  capabilities = ["list"]\n}\n',
  });
  const { auth } = await ask<{ auth: { client_token: string } }>("POST", "auth/token/create", {
    policies: ["few"],
    display_name: "guest",
    ttl: "1h",
  });
  await show("access");
  await button("Sign out").click();
  await page.getByText(/^Signed out of/).waitFor();
  await signIn(auth.client_token);
  await page.getByRole("link", { name: /^Signed in as token-guest, until/ }).waitFor();
  const rows = page.getByRole("table", { name: "Permissions" });
  await rows.getByRole("row", { name: /List certificates.*Yes/ }).waitFor();
  await rows.getByRole("row", { name: /List tokens.*No.*lacks list and sudo/ }).waitFor();
  await show("access/tokens");
  await page.getByText("Your token lacks list and sudo on auth/token/accessors").waitFor();
  await page.getByRole("link", { name: "your permissions" }).click();
  await button("Sign out").click();
  const asked = dialog(/^Sign out of/);
  await asked
    .getByText("also revokes the token, all tokens created with it, and all certificates")
    .waitFor();
  const cancel = asked.getByRole("button", { name: "Cancel" });
  expect(await cancel.evaluate((element) => element.matches(":focus"))).toBe(true);
  await asked.getByRole("button", { name: "Sign out and revoke" }).click();
  await page.getByText(/^Signed out of/).waitFor();
  const { errors } = await ask<{ errors?: readonly string[] }>(
    "GET",
    "auth/token/lookup-self",
    undefined,
    auth.client_token,
  );
  expect(errors?.join()).toContain("invalid token");
  await signIn(far.token);
});

it("a user created in the console signs in with name and password", async () => {
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search or go to" }).fill("user");
  await page.getByRole("option", { name: /^New user/ }).click();
  // there is no method with passwords yet
  await dialog("Enable a login method").getByText("Create the user in the next step").waitFor();
  await button("Cancel").click();
  await button("Enable passwords…").click();
  await button("Enable").click();
  await dialog("New user").getByRole("button", { name: "Cancel" }).click();
  await show("access/policies/pki-admin");
  await page.getByRole("link", { name: "Assign it to a user" }).click();
  await page.getByRole("link", { name: "New user" }).click();
  const given = dialog("New user").getByRole("checkbox", { name: /^pki-admin/ });
  await given.waitFor();
  expect(await given.isChecked()).toBe(true);
  await given.uncheck();
  expect(await dialog("New user").getByText("keep the current password").count()).toBe(0);
  await page.getByLabel("Name", { exact: true }).fill("maria");
  const password = page.getByLabel("Password", { exact: true });
  await password.fill("a");
  await dialog("New user").getByText("Easy to guess: shorter than 12 characters.").waitFor();
  await button("Generate a password").click();
  const generated = dialog("New user").getByRole("group", { name: "Generated password" });
  expect(await generated.textContent()).toMatch(/^[0-9A-Za-z]{22}$/);
  expect(await password.inputValue()).toBe(await generated.textContent());
  await password.fill("a password of this test");
  await generated.waitFor({ state: "detached" });
  expect(await dialog("New user").getByText("Easy to guess").count()).toBe(0);
  await dialog("New user").getByText("No policies are chosen").waitFor();
  const offered = dialog("New user").getByRole("checkbox", { name: /^pki-user/ });
  await offered.check();
  await dialog("New user")
    .getByText("Allows issuing and signing with the roles of mount pki")
    .waitFor();
  await page.getByLabel("Other policies").fill("web-onlyy");
  expect(await dialog("New user").getByText("No policies are chosen").count()).toBe(0);
  await dialog("New user").getByText("web-onlyy: this policy does not exist").waitFor();
  await page.getByLabel("Other policies").fill("root");
  await button("Save").click();
  await dialog("New user")
    .getByText("Confirm full access, or remove the permissions that grant it")
    .waitFor();
  await page.getByLabel("Other policies").fill("");
  await button("Save").click();
  await page.getByText("maria signs in with this user name and the password").waitFor();
  await page
    .getByRole("table", { name: "Users" })
    .getByRole("link", { name: "pki-user" })
    .waitFor();
  await button("Change maria").click();
  expect(await password.inputValue()).toBe("");
  await dialog("Change maria").getByText("keep the current password").waitFor();
  expect(await page.getByRole("checkbox", { name: /^pki-user/ }).isChecked()).toBe(true);
  expect(await page.getByLabel("Other policies").inputValue()).toBe("");
  await page.keyboard.press("Escape");
  await show("access");
  await button("Sign out").click();
  await page.getByText(/^Signed out of/).waitFor();
  await tab("User name").click();
  await page.getByLabel("User name").fill("maria");
  await page.getByLabel("Password").fill("wrong");
  await button("Sign in").click();
  await page.getByRole("alert").getByText("The user name or the password is wrong.").waitFor();
  await page.getByLabel("Password").fill("a password of this test");
  await button("Sign in").click();
  await page.getByRole("link", { name: /^Signed in as .*maria, until/ }).waitFor();
  const rows = page.getByRole("table", { name: "Permissions" });
  await rows.getByRole("row", { name: /Issue certificates.*Yes/ }).waitFor();
  expect(await kept()).not.toContain("a password of this test");
  await button("Sign out").click();
  await dialog(/^Sign out of/)
    .getByRole("button", { name: "Sign out", exact: true })
    .click();
  await page.getByText(/^Signed out of/).waitFor();
  await signIn(far.token);
  await show("access/entities");
  await page.getByText("No groups yet.").waitFor();
  await page.getByRole("table", { name: "Entities" }).getByRole("link", { name: "maria" }).click();
  const known = page.getByRole("table", { name: "Known as" });
  await known.getByRole("row", { name: /maria.*auth\/userpass/ }).waitFor();
});

it("a user whom failed logins have locked is marked, and can be unlocked in the list and in the form", async () => {
  const at = "auth/locking";
  await ask("POST", "sys/auth/locking", { type: "userpass" });
  for (const name of ["eve", "sam"])
    await ask("POST", `${at}/users/${name}`, { password: "a third of this test", policies: "x" });
  const lock = async (): Promise<void> => {
    for (let n = 0; n < 5; n++) await ask("POST", `${at}/login/eve`, { password: "wrong" }, "");
  };
  await lock();
  const reads: string[] = [];
  const note = (request: Request): void => void reads.push(request.url().replace(far.base, ""));
  page.on("request", note);
  await show("access/logins/locking");
  const rows = page.getByRole("table", { name: "Users" }).getByRole("row");
  const row = rows.filter({ hasText: "eve" });
  await row.getByText(/until \d+ \w+ \d+ \d\d:\d\d UTC$/).waitFor();
  expect(await rows.getByText("Locked").count()).toBe(1);
  // the list needs no request for each user
  expect(reads.filter((path) => path.includes("/users/"))).toEqual([]);
  page.off("request", note);
  await button("Unlock eve").click();
  await page.getByText("eve is unlocked").waitFor();
  await row.getByText("Locked").waitFor({ state: "detached" });
  await lock();
  await button("Change eve").click();
  const form = dialog("Change eve");
  await form.getByText(/^Locked until /).waitFor();
  await form.getByRole("button", { name: "Unlock eve" }).click();
  await form.getByText(/^Locked until /).waitFor({ state: "detached" });
  await form.getByRole("button", { name: "Cancel" }).click();
  expect(await rows.getByText("Locked").count()).toBe(0);
});

it("a login method that is visible to all is offered before sign-in without typing its path", async () => {
  const ways = (): Promise<readonly string[]> => page.getByRole("tab").allTextContents();
  const signOut = async (): Promise<void> => {
    await show("access");
    await button("Sign out").click();
    const question = dialog(/^Sign out of/).getByRole("button", { name: "Sign out", exact: true });
    await question
      .or(page.getByText(/^Signed out of/))
      .first()
      .waitFor();
    if (await question.isVisible()) await question.click();
    await page.getByText(/^Signed out of/).waitFor();
  };
  await ask("POST", "sys/auth/staff", { type: "userpass", description: "People of the house" });
  await ask("POST", "auth/staff/users/jo", { password: "another of this test" });
  await ask("POST", "sys/auth/quiet", { type: "userpass" });
  await signOut();
  await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
  expect(await ways()).not.toContain("People of the house");
  await signIn(far.token);
  await show("access/logins/staff");
  await button("Change visibility and token settings").click();
  await page.getByLabel("Shown before sign-in").selectOption("unauth");
  await button("Save").click();
  await page.getByText("Saved", { exact: true }).waitFor();
  await signOut();
  // the method that was used last is selected
  await page.getByRole("tab", { name: "Token", selected: true }).waitFor();
  await tab("People of the house").click();
  expect(await ways()).toEqual([
    "People of the house",
    "Token",
    "Single sign-on",
    "AppRole",
    "JWT",
  ]);
  expect(await page.getByLabel("Path of the method").inputValue()).toBe("staff");
  await page.getByLabel("User name").fill("jo");
  await page.getByLabel("Password").fill("another of this test");
  await button("Sign in").click();
  await page.getByRole("link", { name: /^Signed in as .*jo, until/ }).waitFor();
  await signOut();
  await signIn(far.token);
});

/** Counts dialogs that are rendered but not open yet, which would miss a key press. */
const watchDialogs = `{
  globalThis.drawnClosed = 0;
  new MutationObserver(() => {
    if (document.querySelector("dialog:not([open])")) globalThis.drawnClosed++;
  }).observe(document.body, { childList: true, subtree: true });
}`;

it("a group of existing entities is created, changed and deleted", async () => {
  const { data } = await ask<{ data: { key_info: Record<string, { name: string }> } }>(
    "GET",
    "identity/entity/id?list=true",
  );
  const [id = "", { name = "" } = {}] = Object.entries(data.key_info)[0] ?? [];
  await show("access/entities");
  await page.evaluate(watchDialogs);
  await button("New group").click();
  const made = dialog("New group");
  await made.getByLabel("Name", { exact: true }).fill("web");
  expect(await page.evaluate("globalThis.drawnClosed")).toBe(0);
  await made.getByLabel("Other policies").fill("pki-user");
  await made.getByLabel("Entities").fill(`${name}\nnobody`);
  await button("Create group").click();
  await made.getByText("nobody: no entity has this name or ID").waitFor();
  await made.getByLabel("Entities").fill(name);
  await button("Create group").click();
  await page.getByRole("heading", { level: 2, name: "web" }).waitFor();
  const read = (): Promise<{ data: object }> => ask("GET", "identity/group/name/web");
  expect((await read()).data).toMatchObject({
    type: "internal",
    policies: ["pki-user"],
    member_entity_ids: [id],
  });
  await button("Change…").click();
  const form = dialog("Change web");
  expect(await form.getByLabel("Entities").inputValue()).toBe(name);
  await form.getByLabel("Other policies").fill("root");
  await button("Save").click();
  await form.getByRole("alert").getByText("cannot have the policy root").waitFor();
  await form.getByLabel("Other policies").fill("pki-auditor");
  await form.getByLabel("Entities").fill("");
  await button("Save").click();
  await card("web").getByRole("link", { name: "pki-auditor" }).waitFor();
  expect((await read()).data).toMatchObject({ member_entity_ids: [] });
  await button("Change…").click();
  await button("Delete…").click();
  await dialog("Delete this group?").getByText("pki-auditor, pki-user").waitFor();
  await button("Delete").click();
  await page.getByText("No groups yet.").waitFor();
});

it("an external group is mapped to a group name of a login method", async () => {
  const others = await ask<{ data: { id: string } }>("POST", "identity/group", {
    name: "others",
    type: "external",
  });
  const staff = await ask<{ data: { accessor: string } }>("GET", "sys/auth/staff");
  await ask("POST", "identity/group-alias", {
    name: "taken",
    mount_accessor: staff.data.accessor,
    canonical_id: others.data.id,
  });
  await show("access/entities");
  await button("New group").click();
  const made = dialog("New group");
  await made.getByLabel("Name", { exact: true }).fill("builders");
  await made.getByLabel("Kind").selectOption("external");
  expect(await made.getByLabel("Name", { exact: true }).inputValue()).toBe("builders");
  expect(await made.getByLabel("Entities").count()).toBe(0);
  await made.getByLabel("Known as").fill("taken");
  await made.getByLabel("Login method").selectOption({ label: "auth/staff" });
  await button("Create group").click();
  await made.getByText("this name is an alias of a group").waitFor();
  await made.getByLabel("Known as").fill("build");
  await button("Create group").click();
  await card("builders")
    .getByText(/^build \(auth\/staff/)
    .waitFor();
  await button("Change…").click();
  await dialog("Change builders").getByLabel("Known as").fill("");
  await button("Save").click();
  await expect.poll(() => card("builders").getByText("Known as").count()).toBe(0);
});

it("a JWT signs in once the login method has the public key of its issuer and a role", async () => {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  await show("access/logins");
  await button("Enable a method").click();
  await page.getByLabel("Type").selectOption("jwt");
  await page.getByLabel("Path").fill("ci");
  await button("Enable").click();
  const pem = publicKey.export({ type: "spki", format: "pem" });
  await page.getByLabel("Public keys").fill(pem);
  await card("Trust").getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  expect((await page.getByLabel("Public keys").inputValue()).trim()).toBe(pem.trim());
  // settings without a field in the form stay unchanged
  const own = { oidc_response_mode: "form_post", oidc_response_types: ["code"] };
  await ask("POST", "auth/ci/config", { jwt_validation_pubkeys: [pem], ...own });
  await show("access/logins");
  await show("access/logins/ci");
  await page.getByLabel("Default role").fill("build");
  await card("Trust").getByRole("button", { name: "Save" }).click();
  await expect
    .poll(async () => (await ask<{ data: object }>("GET", "auth/ci/config")).data)
    .toMatchObject({ ...own, default_role: "build" });
  await button("New role").click();
  const form = dialog("New role");
  await form.getByLabel("Name", { exact: true }).fill("build");
  await form.getByLabel("Audiences").fill("ca");
  await form.getByLabel("Required claims").fill("ref=main,dev");
  await form.getByLabel("Other policies").fill("pki-user");
  await form.getByRole("button", { name: "Save" }).click();
  await button("Change build").click();
  expect(await page.getByLabel("Required claims").inputValue()).toBe("ref=main,dev");
  await page.keyboard.press("Escape");
  await show("access");
  await button("Sign out").click();
  await page.getByText(/^Signed out of/).waitFor();
  await tab("JWT").click();
  await page.getByText("Advanced", { exact: true }).click();
  await page.getByLabel("Path of the method").fill("ci");
  await page.getByLabel("Role", { exact: true }).fill("build");
  const now = Math.floor(Date.now() / 1000);
  const text = [
    { alg: "ES256", typ: "JWT" },
    { sub: "job-1", aud: "ca", ref: "dev", iat: now, exp: now + 300 },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  const signature = sign("sha256", Buffer.from(text), {
    key: privateKey,
    dsaEncoding: "ieee-p1363",
  });
  await page.getByLabel("JWT", { exact: true }).fill(`${text}.${signature.toString("base64url")}`);
  await button("Sign in").click();
  await page.getByRole("link", { name: /^Signed in as .*job-1, until/ }).waitFor();
  await button("Sign out").click();
  await button("Sign out and revoke").click();
  await page.getByText(/^Signed out of/).waitFor();
  await signIn(far.token);
});
