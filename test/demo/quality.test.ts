import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addAxe, violations } from "./axe.ts";
import { devCa, host, issue, openWindow, workspace, type Host, type Window } from "./support.ts";
import { navigation } from "./views.ts";

let at: Host;

beforeAll(async () => {
  at = await host({ headers: true, worker: "lean" });
});
afterAll(async () => {
  await at.close();
});

/** Each theme and each width once: themes set only colors, which test/demo/contrast.test.ts checks. */
const combinations = [
  ["light", 1280],
  ["dark", 390],
] as const;

describe.each(combinations)("in the %s theme at %i pixels", (colorScheme, width) => {
  let window: Window;
  let serial: string;
  beforeAll(async () => {
    window = await openWindow(at, "", {
      colorScheme,
      viewport: { width, height: 900 },
    });
    await addAxe(window);
    await window.page
      .getByRole("heading", { level: 1, name: "A certificate authority, in this tab" })
      .waitFor();
    expect(await violations(window)).toEqual([]);
    await devCa(window.page);
    serial = await issue(window.page, "www.dev.test");
    await workspace(window.page, "lab-core", [
      {
        key: "region",
        value: "eu-north",
        category: "terraform",
        description: "Where the lab lives",
      },
      { key: "DNS_TOKEN", value: "hidden", category: "env", sensitive: true },
      {
        key: "node_pools",
        value:
          '{\n  small = 3\n  "a-very-long-name-without-a-break-in-it-that-goes-on-and-on" = 2\n}',
        category: "terraform",
        hcl: true,
      },
      {
        key: "A_KEY_WITHOUT_ANY_PLACE_WHERE_A_LINE_COULD_BREAK_".repeat(2),
        value: "x".repeat(400),
        category: "env",
      },
    ]);
  });
  afterAll(async () => {
    await window.context.close();
  });

  /** Asserts that the view has no violations, fits the width and has caused no complaints. */
  async function check(): Promise<void> {
    await window.page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
    expect(await violations(window)).toEqual([]);
    await staysInItsWidth();
  }
  async function staysInItsWidth(): Promise<void> {
    const sideways =
      "[document.documentElement, ...document.querySelectorAll('dialog[open], .card, .body, fieldset')].filter((box) => box.scrollWidth > box.clientWidth + 1).map((box) => box.className || box.tagName)";
    expect(await window.page.evaluate(sideways)).toEqual([]);
    expect(window.complaints).toEqual([]);
  }

  const views: readonly (readonly [hash: () => string, heading: string])[] = [
    ...navigation
      .filter(([id]) => !["issue", "api"].includes(id))
      .map(([id, title]) => [() => id, title] as const),
    [() => "certificates?status=expired", "Certificates"],
    [() => "certificates?q=www&match=any&to=2099-01-01", "Certificates"],
    [() => `certificates/${serial}`, "www.dev.test"],
    [() => "certificates/00", "Certificate"],
    [() => "issue/dev-server?name=www.dev.test,nothing.example,10.0.0.1", "Issue a certificate"],
    [() => "roles/dev-server", "dev-server"],
    [() => "roles/new", "New role"],
    [() => `revocation/ocsp?serial=${serial}`, "Revocation"],
    [() => "revocation/tidy", "Revocation"],
    [() => "acme/accounts", "ACME"],
    [() => "acme/settings", "ACME"],
    [() => "acme/try", "ACME"],
    [() => "keys/managed", "Keys"],
    [() => "access/policies", "Access"],
    [() => "access/policies/default", "Access"],
    [() => "access/tester", "Access"],
    [() => "access/tokens", "Access"],
    [() => "access/logins", "Access"],
    [() => "access/entities", "Access"],
    [() => "system/mounts", "System"],
    [() => "system/leases", "System"],
    // the whole reference has forty thousand elements of the same few types
    [() => "api?q=roles", "API reference"],
    [() => "variables/default/lab-core", "lab-core"],
    [() => "variables/default/none", "Variables"],
    [() => "nowhere", "Nothing here"],
  ];
  it.each(
    views.map(([hash, heading]) => ({
      shown: hash().replace("undefined", ":serial"),
      hash,
      heading,
    })),
  )(
    "#/$shown passes axe-core, fits the width and moves the focus to its title",
    async ({ hash, heading }) => {
      const { page } = window;
      await page.evaluate("location.hash = '#/start'");
      await page.evaluate(`location.hash = ${JSON.stringify(`#/${hash()}`)}`);
      await page.getByRole("heading", { level: 1, name: heading, exact: true }).waitFor();
      await check();
      await expect.poll(() => page.evaluate("document.activeElement.tagName")).toBe("H1");
      expect(await page.title()).toMatch(/ · Sealwright$/);
      expect(await page.locator("h1:visible").count()).toBe(1);
    },
  );

  it("the whole API reference fits the width", async () => {
    await window.page.evaluate("location.hash = '#/api'");
    await window.page.getByText("/v1/pki/roles/:name").first().waitFor();
    await staysInItsWidth();
  });

  it("the start page of a mount with CAs and the dialogs of keys pass axe-core, and the bottom bar marks the current view", async () => {
    const { page } = window;
    await page.evaluate("location.hash = '#/start'");
    await page.getByText("This mount already has CAs").waitFor();
    await check();
    await page.evaluate("location.hash = '#/keys'");
    await page.getByRole("table", { name: "Keys" }).waitFor();
    if (width < 940)
      expect(
        await page.getByRole("button", { name: "More", exact: true }).getAttribute("aria-current"),
      ).toBe("true");
    for (const [button, title] of [
      ["New key", "New key"],
      ["Import…", "Import a key"],
      [/^Change/, /^Key /],
    ] as const) {
      await page.getByRole("button", { name: button }).first().click();
      await page.getByRole("dialog", { name: title }).waitFor();
      await check();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("www");
    await page.getByRole("option", { name: /^www\.dev\.test/ }).waitFor();
    await check();
    await page.keyboard.press("Escape");
  });

  it("ACME passes axe-core: turning it on, a key shown once, and an order with a pending and a failed challenge", async () => {
    const { page } = window;
    const press = (name: string): Promise<void> =>
      page.getByRole("button", { name, exact: true }).click();
    await page.evaluate("location.hash = '#/acme'");
    await press("Turn on…");
    await page.getByRole("dialog", { name: "Turn ACME on?" }).getByLabel("Accounts").waitFor();
    await check();
    await press("Set URL and turn on");
    await page.getByText("On", { exact: true }).waitFor();
    await press("New key");
    await press("Create key");
    const dialog = page.getByRole("dialog", { name: "Key created" });
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await dialog.getByText("The key is not saved yet").waitFor();
    await check();
    await dialog.getByLabel("I have saved the key").check();
    await dialog.getByRole("button", { name: "Close", exact: true }).click();
    await page.evaluate("location.hash = '#/acme/try'");
    await page.getByLabel("Name", { exact: true }).fill("acme.dev.test");
    await press("Order a certificate");
    await press("Ready: continue");
    await page.getByRole("button", { name: "Refuse acme.dev.test" }).waitFor();
    await page.getByRole("list", { name: "Requests" }).locator("summary").first().click();
    // The button is marked as busy while the call is in progress.
    const waiting = page.locator("button[aria-busy=true]");
    expect(await waiting.count()).toBe(1);
    expect(await violations(window)).toEqual([]);
    await page.getByRole("button", { name: "Refuse acme.dev.test" }).click();
    await page.getByText("Validation failed:", { exact: false }).waitFor();
    await check();
    await page.evaluate("location.hash = '#/acme'");
    const orders = page.getByRole("list", { name: "Recent orders" });
    await orders.getByText("incorrectResponse", { exact: true }).waitFor();
    await check();
    await orders.getByRole("link", { name: "account" }).click();
    await page.getByRole("button", { name: "Revoke account…" }).waitFor();
    await check();
  });

  it("Access passes axe-core: a policy with a syntax error, the policy tester, a token shown once, and AppRole IDs", async () => {
    const { page } = window;
    const press = (name: string): Promise<void> =>
      page.getByRole("button", { name, exact: true }).click();
    await page.evaluate("location.hash = '#/access/policies/default'");
    await page.getByLabel("Text", { exact: true }).fill('path "a" {\n  policy = "raed"\n}');
    await press("Save policy");
    await page.getByText(/failed to parse policy: line 2/).waitFor();
    await check();
    await page.evaluate("location.hash = '#/access/tester?policies=default,none'");
    await page.getByRole("dialog", { name: "Leave without saving?" }).waitFor();
    await check();
    await press("Leave");
    await press("Test");
    await page.getByText("Would be denied").waitFor();
    await check();
    await page.evaluate("location.hash = '#/access/tokens'");
    await press("New token");
    await page.getByRole("dialog").getByText("More", { exact: true }).click();
    await check();
    await page.getByLabel("Name", { exact: true }).fill("a".repeat(60));
    await page.getByRole("checkbox", { name: /^default/ }).check();
    await press("Create token");
    await page.getByRole("dialog", { name: "Token created" }).waitFor();
    await check();
    await page.getByLabel("I have saved the token").check();
    await press("Close");
    await page.getByRole("table", { name: "Tokens" }).getByRole("link").first().click();
    await press("Revoke…");
    await check();
    await press("Revoke token");
    await page.getByRole("heading", { name: "Look up a token" }).waitFor();
    await page.evaluate("location.hash = '#/access/logins'");
    await press("Enable a method");
    await check();
    await page.getByLabel("Type").selectOption("approle");
    await press("Enable");
    await press("New role");
    await page.getByLabel("Name", { exact: true }).fill("web");
    await check();
    await press("Save");
    await press("IDs of web");
    await press("Create secret ID");
    await page.getByRole("dialog", { name: "Secret ID created" }).waitFor();
    await check();
    await page.getByLabel("I have saved the secret ID").check();
    await press("Close");
    await press("Disable…");
    await check();
    await page.keyboard.press("Escape");
  });

  it("groups, visibility of login methods, leases and backups pass axe-core", async () => {
    const { page } = window;
    const press = (name: string | RegExp): Promise<void> =>
      page
        .getByRole("button", { name, exact: typeof name === "string" })
        .first()
        .click();
    const leave = async (): Promise<void> => {
      await page.getByRole("dialog").waitFor();
      await check();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    };
    await page.evaluate("location.hash = '#/access/entities'");
    await press("New group");
    await page.getByLabel("Name", { exact: true }).fill(`group-${"a".repeat(40)}`);
    await page.getByLabel("Nested groups").fill("nobody");
    await press("Create group");
    await page.getByText("nobody: no group has this name or ID").waitFor();
    await check();
    await page.getByLabel("Kind").selectOption("external");
    await check();
    await page.getByLabel("Nested groups").fill("");
    await press("Create group");
    await page.getByRole("heading", { level: 2, name: /^group-a/ }).waitFor();
    await check();
    await press("Change…");
    await page.getByRole("dialog").waitFor();
    await check();
    await press("Delete…");
    await page.getByRole("dialog", { name: "Delete this group?" }).waitFor();
    await check();
    await press("Delete");
    await page.getByText("No groups yet.").waitFor();
    await page.evaluate("location.hash = '#/access/logins/approle'");
    await press("Change visibility and token settings");
    await leave();
    await page.evaluate(
      `fetch("./v1/pki/roles/leased", { method: "POST", body: JSON.stringify({ allow_any_name: true, generate_lease: true }) }).then(() => fetch("./v1/pki/issue/leased", { method: "POST", body: JSON.stringify({ common_name: "leased.dev.test" }) }))`,
    );
    await page.evaluate("location.hash = '#/system/leases/pki/issue/leased/'");
    await press("Revoke all these…");
    await leave();
    await page.getByRole("table", { name: "Leases" }).getByRole("link").first().click();
    await page.getByRole("heading", { name: "Lease", exact: true }).waitFor();
    await check();
    await press("Revoke…");
    await leave();
    await page.evaluate("location.hash = '#/system'");
    await page.getByText("Details").first().click();
    await check();
    await page.evaluate("location.hash = '#/system/backup'");
    await page.getByLabel("Passphrase", { exact: true }).fill("short");
    await press("Save a backup");
    await page.getByText("At least 12 characters").waitFor();
    await check();
    for (const label of ["Passphrase", "Repeat passphrase"])
      await page.getByLabel(label, { exact: true }).fill("a passphrase of this test");
    const [download] = await Promise.all([page.waitForEvent("download"), press("Save a backup")]);
    await page.getByLabel("Backup", { exact: true }).setInputFiles(await download.path());
    await page.getByLabel("Backup passphrase").fill("a passphrase of this test");
    await press("Verify");
    await page.getByText("Complete and intact").waitFor();
    await check();
    // as on a server that does not have the mount yet
    await page.evaluate(
      "{ const real = fetch; globalThis.fetch = (url, init) => String(url).includes('internal/ui/mounts') ? Promise.resolve(Response.json({ data: { secret: {}, auth: {} } })) : real(url, init); }",
    );
    await press("Verify");
    await press("Restore…");
    await page.getByRole("dialog").waitFor();
    await check();
    await press("Restore");
    await page.getByRole("alert").waitFor();
    await leave();
  });

  it("EST with a client, an external policy error, a managed key that fails, and archives pass axe-core", async () => {
    const { page } = window;
    const press = (name: string): Promise<void> =>
      page.getByRole("button", { name, exact: true }).first().click();
    await page.evaluate("location.hash = '#/est'");
    await page.getByLabel("Labels").fill("twice=role:dev-server\nTWICE=role:dev-server");
    await press("Save");
    await page.getByText("Duplicate label").waitFor();
    await check();
    await page.getByLabel("Labels").fill("devices=role:dev-server");
    await page.getByLabel("Answer EST requests").check();
    await press("Save");
    await page.getByText("nobody can enroll").first().waitFor();
    await check();
    const closing = page.getByRole("dialog").getByRole("button", { name: "Close" });
    if (await closing.isVisible()) await closing.click();
    await page.getByRole("tab", { name: "estclient" }).click();
    await page.getByRole("group", { name: "Commands for estclient" }).waitFor();
    await check();
    await page.evaluate("location.hash = '#/external'");
    await press("Check now");
    await page.getByRole("alert").waitFor();
    await check();
    await page.evaluate("location.hash = '#/keys/managed'");
    await press("Register a key");
    await page.getByRole("dialog").getByText("More", { exact: true }).click();
    await press("Register");
    await page.getByText("Address is missing").waitFor();
    await check();
    await page.getByLabel("Name", { exact: true }).fill(`key-${"a".repeat(40)}`);
    await page
      .getByLabel("Address", { exact: true })
      .fill(`https://${"signing.".repeat(12)}example/${"a".repeat(60)}`);
    await page.getByLabel("Token", { exact: true }).fill("a-token");
    await press("Register");
    await page.getByRole("heading", { level: 2, name: /^key-a/ }).waitFor();
    await check();
    await press("Sign test data");
    await page.getByRole("alert").waitFor();
    await check();
    await press("Allow pki");
    await page.getByText("Allowed", { exact: true }).waitFor();
    // content that is read again is dimmed
    await page.locator("main [aria-busy=true]").first().waitFor({ state: "detached" });
    await check();
    for (const button of ["Change…", "Delete…"]) {
      await press(button);
      await page.getByRole("dialog").waitFor();
      await check();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
    await page.evaluate("location.hash = '#/keys/managed'");
    await page.getByRole("table", { name: "Managed keys" }).waitFor();
    await check();
    await page.evaluate("location.hash = '#/issue/dev-server?name=archived.dev.test'");
    await press("Issue certificate");
    await page.getByText("As an archive: PKCS#12, JKS, PKCS#7").click();
    await page.getByRole("group", { name: "Archive password" }).waitFor();
    await check();
    await page.getByLabel("I have saved the key").check();
    await press("Close");
  });

  it("the page of a CA with its tabs and its CRL pass axe-core", async () => {
    const { page } = window;
    await page.evaluate("location.hash = '#/overview'");
    await page.getByRole("link", { name: "Dev CA Servers" }).click();
    await page.getByRole("heading", { level: 1, name: "Dev CA Servers" }).waitFor();
    await check();
    await page.getByRole("tab", { name: "Details" }).focus();
    for (const name of ["Extensions", "PEM"]) {
      await page.keyboard.press("ArrowRight");
      expect(await page.getByRole("tab", { name, exact: true }).getAttribute("aria-selected")).toBe(
        "true",
      );
      await check();
    }
    await page.getByRole("link", { name: "Open", exact: true }).click();
    await page.getByRole("heading", { level: 2, name: /^CRL of/ }).waitFor();
    await check();
  });

  it("importing, changing and cross-signing a CA pass axe-core", async () => {
    const { page } = window;
    await page.evaluate("location.hash = '#/overview'");
    await page.getByRole("button", { name: "Import…", exact: true }).click();
    const pem = await page.evaluate<string>(
      "fetch('./v1/pki/ca_chain').then((answer) => answer.text())",
    );
    await page
      .getByLabel("CA certificates, and the private keys of CAs that will sign here")
      .fill(`${pem}\n-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----`);
    await page.getByText("The key could not be read").waitFor();
    await check();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("link", { name: "Dev CA Servers" }).click();
    await page.getByRole("heading", { level: 1, name: "Dev CA Servers" }).waitFor();
    for (const [button, title] of [
      ["Change…", "Change Dev CA Servers"],
      ["Cross-sign…", "Cross-sign Dev CA Servers"],
    ] as const) {
      await page.getByRole("button", { name: button }).click();
      await page.getByRole("dialog", { name: title }).waitFor();
      await check();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
    await page.getByRole("button", { name: "Change…" }).click();
    await page.getByRole("button", { name: "Delete…" }).click();
    await page.getByRole("dialog", { name: "Delete this CA?" }).waitFor();
    await check();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Change…");
  });

  it("dialogs of a workspace pass axe-core, close with Esc and return the focus", async () => {
    const { page } = window;
    await page.evaluate("location.hash = '#/variables/default/lab-core'");
    for (const [button, title] of [
      ["New variable", "New variable"],
      ["Paste many…", "Paste many"],
      ["Export…", "Export"],
      ["Delete…", "Delete this workspace?"],
      ["Edit region", "Edit region"],
      ["Edit DNS_TOKEN", "Edit DNS_TOKEN"],
    ] as const) {
      await page.getByRole("button", { name: button, exact: true }).click();
      const dialog = page.getByRole("dialog", { name: title });
      await dialog.waitFor();
      if (title === "Paste many") await dialog.getByLabel("NAME=value lines").fill("A=1\nnonsense");
      if (title === "Edit region") await dialog.getByText("As an API request").click();
      if (title === "New variable") {
        await dialog.getByRole("button", { name: "Save variable" }).click();
        await dialog.getByText("Key can't be blank").waitFor();
      }
      await check();
      await page.keyboard.press("Escape");
      // typed input is not discarded without a question
      if (title === "Paste many") await page.getByRole("button", { name: "Leave" }).click();
      await dialog.waitFor({ state: "detached" });
      const focused =
        "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent";
      await expect.poll(() => page.evaluate(focused)).toBe(button);
    }
  });

  it("buttons cover no text, and the More dialog has the same styles as others", async () => {
    const { page } = window;
    await page.evaluate("location.hash = '#/issue/dev-server?name=three.dev.test'");
    await page.getByLabel("Name 1", { exact: true }).fill("three.dev.test");
    await page.setViewportSize({ width: Math.min(width, 1024), height: 768 });
    const below = `(() => {
      const [bar, verdict] = ['.by-parts > .bar', '.by-parts > aside'].map((one) => document.querySelector(one).getBoundingClientRect());
      return verdict.top >= bar.bottom || verdict.left >= bar.right;
    })()`;
    expect(await page.evaluate(below)).toBe(true);
    await page.setViewportSize({ width, height: 900 });
    await page.getByRole("button", { name: "Issue certificate" }).click();
    const key = page.getByRole("dialog").getByLabel("Private key", { exact: true });
    await key.waitFor();
    const covered = `[...document.querySelectorAll('dialog .code')].flatMap((code) => {
      const button = code.querySelector('button').getBoundingClientRect();
      const range = document.createRange();
      range.selectNodeContents(code.querySelector('pre'));
      return [...range.getClientRects()].filter(({ left, right, top, bottom }) => right > button.left && left < button.right && bottom > button.top && top < button.bottom);
    }).length`;
    expect(await page.evaluate(covered)).toBe(0);
    await page.getByLabel("I have saved the key").check();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await expect
      .poll(() => page.evaluate("document.activeElement.textContent"))
      .toBe("Issue certificate");
    await page.evaluate("location.hash = '#/overview'");
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    if (width > 940) return;
    const small =
      "[...document.querySelectorAll('.chart text')].filter((text) => text.getBoundingClientRect().height < 12).length";
    await page.locator(".chart").waitFor();
    expect(await page.evaluate(small)).toBe(0);
    await page.getByRole("button", { name: "More", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "More" });
    await dialog.waitFor();
    const looks = (what: string, property: string): Promise<unknown> =>
      page.evaluate(
        `getComputedStyle(document.querySelector('dialog[open] ${what}'))[${JSON.stringify(property)}]`,
      );
    expect(await looks(".list a", "fontSize")).toBe("14px");
    expect(await looks(".actions button", "borderTopWidth")).toBe("1px");
    expect(
      (await dialog.getByRole("link", { name: "Keys" }).boundingBox())?.height,
    ).toBeGreaterThanOrEqual(40);
    await page.keyboard.press("Escape");
  });

  it("dialogs of certificates and CAs pass axe-core, close with Esc and return the focus", async () => {
    const { page } = window;
    await page.evaluate(`location.hash = '#/certificates/${serial}'`);
    for (const [button, title] of [
      ["Download…", "Download"],
      ["Revoke…", "Revoke this certificate?"],
    ] as const) {
      await page.getByRole("button", { name: button }).click();
      await page.getByRole("dialog", { name: title }).waitFor();
      await check();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe(button);
    }
    await page.evaluate("location.hash = '#/overview'");
    await page.getByRole("button", { name: "Add authority" }).click();
    await page.getByRole("button", { name: "Create authority" }).click();
    await page.getByText("Enter a name").waitFor();
    await page.getByText("Name constraints").click();
    await check();
    await page.keyboard.press("Escape");
    await page.evaluate("location.hash = '#/issue/dev-server?name=two.dev.test'");
    await page.getByRole("button", { name: "Issue certificate" }).click();
    await page.getByRole("dialog", { name: "Issued" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("The key is not saved yet").waitFor();
    await check();
    await page.getByRole("button", { name: "Close and lose the key" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });
});

it.each([
  ["light", 1280],
  ["dark", 390],
] as const)(
  "the sign-in to a Worker passes axe-core in the %s theme at %i pixels",
  async (colorScheme, width) => {
    const url = `${at.url}connect.html?at=https://far.example&mount=pki`;
    const window = await openWindow({ ...at, url }, "overview", {
      colorScheme,
      viewport: { width, height: 900 },
    });
    const { page, context, complaints } = window;
    await addAxe(window);
    await page.getByRole("heading", { level: 1, name: "Is far.example your authority?" }).waitFor();
    expect(await violations(window)).toEqual([]);
    expect(
      await page.evaluate("document.documentElement.scrollWidth - innerWidth"),
    ).toBeLessThanOrEqual(0);
    await page.getByRole("button", { name: "Continue to far.example" }).click();
    await page.getByRole("heading", { level: 1, name: "Sign in to far.example" }).waitFor();
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Enter a token that was created").waitFor();
    expect(await violations(window)).toEqual([]);
    expect(
      await page.evaluate("document.documentElement.scrollWidth - innerWidth"),
    ).toBeLessThanOrEqual(0);
    // The page only requests the list of public login methods.
    expect(
      complaints.filter((text) => !text.endsWith("far.example/v1/sys/internal/ui/mounts")),
    ).toEqual([]);
    await context.close();
  },
);

it("the result of Inspect passes axe-core", async () => {
  const window = await openWindow(at, "inspect");
  const { page, context } = window;
  await addAxe(window);
  await devCaFrom(window);
  await page
    .getByLabel("PEM, DER as base64 or hex")
    .fill("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----");
  await page.getByText("not readable").waitFor();
  await page.getByText("Lints", { exact: true }).click();
  await page.getByText("Not checked: the structure cannot be parsed.").waitFor();
  expect(await violations(window)).toEqual([]);
  const pem = await page.evaluate<string>(
    "fetch('./v1/pki/ca_chain').then((answer) => answer.text())",
  );
  await page.getByLabel("PEM, DER as base64 or hex").fill(`some text\n${pem}`);
  await page.getByText("CA certificate").first().waitFor();
  expect(await page.getByText("CA certificate").count()).toBe(2);
  expect(
    await page.getByText("Signed by Dev CA Root; every signature up to the root is valid").count(),
  ).toBe(1);
  expect(await violations(window)).toEqual([]);
  expect(window.complaints).toEqual([]);
  await context.close();
});

async function devCaFrom({ page }: Window): Promise<void> {
  await page.evaluate("location.hash = '#/start'");
  await devCa(page);
  await page.evaluate("location.hash = '#/inspect'");
  await page.getByRole("heading", { level: 1, name: "Inspect" }).waitFor();
}
