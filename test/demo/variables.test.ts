import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { Locator, Page } from "playwright";
import { host, openWindow, vars, workspace, type Host, type Window } from "./support.ts";

const secret = "never-to-be-seen-again";
let at: Host;
let window: Window;
beforeAll(async () => {
  at = await host({ headers: true });
});
afterEach(async () => {
  await window.context.close();
});
afterAll(async () => {
  await at.close();
});

/** Opens the workspace `lab` with the given variables. */
async function lab(variables: readonly object[] = []): Promise<Page> {
  window = await openWindow(at, "variables");
  const { page } = window;
  await page.getByRole("button", { name: "New workspace" }).waitFor();
  await workspace(page, "lab", variables);
  await page.evaluate("location.hash = '#/variables/default/lab'");
  await page.getByRole("heading", { level: 1, name: "lab" }).waitFor();
  return page;
}
const row = (page: Page, key: string): Locator =>
  page.getByRole("table", { name: "Variables" }).getByRole("row").filter({ hasText: key });
async function edit(page: Page, key: string): Promise<Locator> {
  await page.getByRole("button", { name: `Edit ${key}`, exact: true }).click();
  return page.getByRole("dialog", { name: `Edit ${key}` });
}
const saveIn = (dialog: Locator): Promise<void> =>
  dialog.getByRole("button", { name: "Save variable" }).click();
/** Returns the content of the page: HTML, field values, URL and storage. */
const everything = (page: Page): Promise<string> =>
  page.evaluate(
    "document.documentElement.outerHTML + [...document.querySelectorAll('input, textarea')].map((field) => field.value).join() + location.href + JSON.stringify([{ ...sessionStorage }, { ...localStorage }])",
  );
interface Listed {
  readonly data: readonly {
    readonly id: string;
    readonly attributes: Readonly<Record<string, unknown>>;
  }[];
}
async function listed(page: Page): Promise<Listed["data"]> {
  const { data } = await vars<Listed>(page, "GET", "/organizations/default/workspaces");
  return (await vars<Listed>(page, "GET", `/workspaces/${data[0]?.id}/vars`)).data;
}

it("a variable that another window adds appears in the open workspace", async () => {
  const page = await lab();
  await page.getByText("No variables yet").waitFor();
  const { data } = await vars<Listed>(page, "GET", "/organizations/default/workspaces");
  await vars(page, "POST", `/workspaces/${data[0]?.id}/vars`, {
    data: { type: "vars", attributes: { key: "size", value: "2", category: "terraform" } },
  });
  await page.evaluate(
    "new BroadcastChannel('sealwright').postMessage(new URL('./', location.href).href.replace(/\\/$/, ''))",
  );
  await row(page, "size").waitFor();
});

it("the first workspace is created from the empty list, and a variable is created, changed and deleted in it", async () => {
  window = await openWindow(at, "variables");
  const { page } = window;
  await page.getByText("No workspaces yet").waitFor();
  await page.getByRole("button", { name: "New workspace" }).click();
  const making = page.getByRole("dialog", { name: "New workspace" });
  await making.getByLabel("Name").fill("no spaces");
  await making.getByRole("button", { name: "Create workspace" }).click();
  await making
    .getByText("Name may only contain letters, numbers, dashes and underscores")
    .waitFor();
  await making.getByLabel("Name").fill("lab");
  await making.getByLabel("Name").press("Enter");
  await page.getByRole("heading", { level: 1, name: "lab" }).waitFor();
  expect(new URL(page.url()).hash).toBe("#/variables/default/lab");
  await page.getByRole("button", { name: "New variable" }).click();
  const fresh = page.getByRole("dialog", { name: "New variable" });
  await fresh.getByLabel("Key").fill("region");
  await fresh.getByLabel("Value", { exact: true }).fill("eu-north\nsecond");
  await fresh.getByRole("textbox", { name: "Description" }).fill("Where the lab lives");
  await saveIn(fresh);
  await row(page, "region").getByText("… 2 lines").waitFor();
  expect(await row(page, "region").innerText()).toContain("Where the lab lives");
  const dialog = await edit(page, "region");
  expect(await dialog.getByLabel("Value", { exact: true }).inputValue()).toBe("eu-north\nsecond");
  await dialog.getByLabel("Value", { exact: true }).fill("{}");
  await dialog.getByRole("checkbox", { name: /^HCL/ }).check();
  await saveIn(dialog);
  await row(page, "region").getByText("HCL").waitFor();
  expect((await listed(page))[0]?.attributes).toMatchObject({
    key: "region",
    value: "{}",
    hcl: true,
    category: "terraform",
    description: "Where the lab lives",
  });
  await page.reload();
  await row(page, "region").waitFor();
  await (await edit(page, "region")).getByRole("button", { name: "Delete…" }).click();
  await page
    .getByRole("dialog", { name: "Delete region?" })
    .getByRole("button", { name: "Delete", exact: true })
    .click();
  await page.getByText("No variables yet").waitFor();
  await expect.poll(() => page.evaluate("document.activeElement.tagName")).toBe("H1");
  expect(await listed(page)).toEqual([]);
  expect(window.complaints).toEqual([]);
});

it("a sensitive value never appears in the page after saving, even after a reload", async () => {
  const page = await lab();
  await page.getByRole("button", { name: "New variable" }).click();
  const fresh = page.getByRole("dialog", { name: "New variable" });
  await fresh.getByLabel("Key").fill("DNS_TOKEN");
  await fresh.getByLabel("Value", { exact: true }).fill(secret);
  await fresh.getByLabel("Category").selectOption("env");
  await fresh.getByLabel("Sensitive").check();
  await fresh.getByText("As an API request").click();
  expect(await fresh.getByLabel("As a curl command", { exact: true }).innerText()).not.toContain(
    secret,
  );
  await saveIn(fresh);
  await row(page, "DNS_TOKEN").getByText("Write-only").waitFor();
  expect(await everything(page)).not.toContain(secret);
  const dialog = await edit(page, "DNS_TOKEN");
  expect(await dialog.getByLabel("Value", { exact: true }).inputValue()).toBe("");
  expect(await dialog.getByLabel("Value", { exact: true }).getAttribute("placeholder")).toBe(
    "write-only",
  );
  await dialog.getByRole("textbox", { name: "Description" }).fill("For dns-01");
  await saveIn(dialog);
  await row(page, "For dns-01").waitFor();
  expect(await everything(page)).not.toContain(secret);
  await page.reload();
  await row(page, "DNS_TOKEN").getByText("Write-only").waitFor();
  expect(await everything(page)).not.toContain(secret);
  expect((await listed(page))[0]?.attributes).toMatchObject({
    value: null,
    sensitive: true,
    description: "For dns-01",
  });
  expect(window.complaints).toEqual([]);
});

it("a readable value can become sensitive, and changes that are then impossible are rejected with the API's error", async () => {
  const page = await lab([{ key: "token", value: secret, category: "terraform" }]);
  await row(page, secret).waitFor();
  let dialog = await edit(page, "token");
  await dialog.getByLabel("Sensitive").check();
  await saveIn(dialog);
  await row(page, "token").getByText("Write-only").waitFor();
  expect(await everything(page)).not.toContain(secret);
  dialog = await edit(page, "token");
  await dialog.getByLabel("Sensitive").uncheck();
  await dialog.getByRole("textbox", { name: "Key" }).fill("other");
  await dialog.getByRole("checkbox", { name: /^HCL/ }).check();
  await saveIn(dialog);
  await dialog.getByText("Key cannot be updated for a sensitive variable").waitFor();
  await dialog.getByText("Hcl cannot be updated for a sensitive variable").waitFor();
  await dialog
    .getByText(
      "To make this variable readable, destroy this record and create a new one with the same key value.",
    )
    .waitFor();
  expect(await dialog.getByRole("textbox", { name: "Key" }).inputValue()).toBe("other");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  dialog = await edit(page, "token");
  const before = (await listed(page))[0]?.attributes["version-id"];
  await dialog.getByLabel("Value", { exact: true }).fill("replaced-unseen");
  await saveIn(dialog);
  await dialog.waitFor({ state: "detached" });
  expect((await listed(page))[0]?.attributes["version-id"]).not.toBe(before);
  expect(await everything(page)).not.toContain("replaced-unseen");
  expect(window.complaints).toEqual([]);
});

it("the variable editor sends only changes and does not overwrite a concurrent change", async () => {
  const page = await lab([
    { key: "size", value: "3\r\n4", category: "terraform", description: "d" },
  ]);
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "PATCH") sent.push(request.postData() ?? "");
  });
  const first = await edit(page, "size");
  await first.getByLabel("Description").fill("e");
  await saveIn(first);
  await row(page, "size").getByText("e", { exact: true }).waitFor();
  expect(sent.map((text) => JSON.parse(text) as unknown)).toEqual([
    { data: { type: "vars", attributes: { description: "e" } } },
  ]);
  const second = await edit(page, "size");
  const [one] = await listed(page);
  const { data } = await vars<Listed>(page, "GET", "/organizations/default/workspaces");
  await vars(page, "PATCH", `/workspaces/${data[0]?.id}/vars/${one?.id}`, {
    data: { type: "vars", attributes: { value: "5" } },
  });
  await second.getByLabel("Value", { exact: true }).fill("6");
  await saveIn(second);
  await second.getByRole("button", { name: "Show the new version" }).click();
  await row(page, "size").getByText("5", { exact: true }).waitFor();
  expect((await listed(page))[0]?.attributes["value"]).toBe("5");
});

it("pasted dotenv lines are saved in one call, and an invalid line prevents that", async () => {
  const page = await lab([{ key: "REGION", value: "old", category: "env", sensitive: true }]);
  await row(page, "REGION").waitFor();
  await page.getByRole("button", { name: "Paste many…" }).click();
  const dialog = page.getByRole("dialog", { name: "Paste many" });
  const field = dialog.getByLabel("NAME=value lines");
  await field.fill("REGION=eu\nnonsense");
  await dialog.getByText("Line 2: expected NAME=value").waitFor();
  expect(await dialog.getByRole("button", { name: "Save all" }).isDisabled()).toBe(true);
  await field.fill(`REGION=eu\n${"K".repeat(200)}=1`);
  await dialog.getByRole("button", { name: "Save all" }).click();
  await dialog.getByText(/K+: Key is too long \(maximum is 128 characters\)/).waitFor();
  expect(await listed(page)).toHaveLength(1);
  await field.fill(`# lab\nREGION=eu\nexport PASSWORD='${secret}'\nTF_VAR_node_count=3\n`);
  await dialog.getByText("3 variables: 2 new, 1 changed").waitFor();
  await dialog.getByRole("button", { name: "Save all" }).click();
  await row(page, "node_count").waitFor();
  await row(page, secret).waitFor();
  expect(
    (await listed(page)).map(({ attributes: { key, category, sensitive } }) => [
      key,
      category,
      sensitive,
    ]),
  ).toEqual([
    ["PASSWORD", "env", false],
    ["REGION", "env", true],
    ["node_count", "terraform", false],
  ]);
  await page.getByRole("button", { name: "Paste many…" }).click();
  await field.fill(`PASSWORD=${secret}`);
  await dialog.getByLabel("Mark all as sensitive").check();
  await dialog.getByRole("button", { name: "Save all" }).click();
  await row(page, "PASSWORD").getByText("Write-only").waitFor();
  expect(await everything(page)).not.toContain(secret);
  expect(window.complaints).toEqual([]);
});

it("an export has no sensitive values, and another workspace accepts the JSON file", async () => {
  const page = await lab([
    { key: "A", value: "it's\nhere", category: "env" },
    { key: "size", value: "3", category: "terraform", hcl: true },
    { key: "T", value: secret, category: "env", sensitive: true },
  ]);
  const download = async (format: string): Promise<readonly [name: string, text: string]> => {
    await page.getByRole("button", { name: "Export…" }).click();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: `Download as ${format}` }).click(),
    ]);
    await page.getByRole("dialog").waitFor({ state: "detached" });
    return [file.suggestedFilename(), readFileSync(await file.path(), "utf8")];
  };
  expect(await download("dotenv")).toEqual([
    "lab.env",
    `A="it's\nhere"\n# T: sensitive, its value is not shown\nTF_VAR_size='3'\n`,
  ]);
  const [name, text] = await download("JSON");
  expect(name).toBe("lab.json");
  expect(text).not.toContain(secret);
  await workspace(page, "second");
  await page.evaluate("location.hash = '#/variables/default/second'");
  await page.getByRole("button", { name: "Paste many…" }).click();
  const dialog = page.getByRole("dialog", { name: "Paste many" });
  await dialog
    .locator("input[type=file]")
    .setInputFiles({ name, mimeType: "application/json", buffer: Buffer.from(text) });
  await dialog.getByText("3 variables: 3 new, 0 changed").waitFor();
  await dialog.getByRole("button", { name: "Save all" }).click();
  await row(page, "size").getByText("HCL").waitFor();
  await row(page, "T").getByText("Write-only").first().waitFor();
  expect(window.complaints).toEqual([]);
});

it("a long list renders few rows, and the filter in the URL finds a variable", async () => {
  const page = await lab(
    Array.from({ length: 400 }, (_, i) => ({
      key: `key_${i}`,
      value: String(i),
      category: "env",
      description: i === 7 ? "the seventh" : "",
    })),
  );
  const table = page.getByRole("table", { name: "Variables" });
  await table.waitFor();
  expect(await table.getAttribute("aria-rowcount")).toBe("401");
  expect(await table.getByRole("row").count()).toBeLessThanOrEqual(62);
  await page.getByLabel("Filter by key or description").fill("Seventh");
  await page.getByRole("status").filter({ hasText: "1 of 400 shown" }).waitFor();
  await page.reload();
  await row(page, "key_7").waitFor();
  expect(await table.getByRole("row").count()).toBe(2);
  expect(window.complaints).toEqual([]);
});

it("a workspace can be opened by ID, and deleting it requires typing its name", async () => {
  const page = await lab([{ key: "a", value: "1", category: "env" }]);
  const { data } = await vars<Listed>(page, "GET", "/organizations/default/workspaces");
  await page.evaluate("location.hash = '#/settings'");
  await page.evaluate(`location.hash = '#/variables/${data[0]?.id}'`);
  await page.getByRole("heading", { level: 1, name: "lab" }).waitFor();
  await page.getByRole("button", { name: "Delete…" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete this workspace?" });
  expect(await dialog.getByRole("button", { name: "Delete", exact: true }).isDisabled()).toBe(true);
  await dialog.getByRole("textbox").fill("lab");
  await dialog.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("No workspaces yet").waitFor();
  expect(window.complaints).toEqual([]);
});

it("a variable is created with the keyboard alone, and the variables API rejects navigations", async () => {
  const page = await lab();
  await page.getByRole("button", { name: "New variable" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "New variable" }).waitFor();
  await page.keyboard.type("KEY");
  await page.keyboard.press("Tab");
  await page.keyboard.type("value");
  await page.keyboard.press("Tab");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  await page.keyboard.press("Enter");
  await row(page, "KEY").getByText("Write-only").waitFor();
  expect((await listed(page))[0]?.attributes).toMatchObject({ category: "env", sensitive: true });
  const answer = await page.goto(`${at.url}api/v2/organizations`);
  expect(answer?.status()).toBe(401);
});

it("markup and bidirectional controls in variables are shown as plain text", async () => {
  const evil =
    "<img src=x onerror=document.title='broken'><script>document.title='broken'</script>\u202egnp.exe";
  const page = await lab([
    { key: evil, value: evil, description: evil, category: "env" },
    {
      key: `${evil}2`,
      value: `${evil}\n${evil}`,
      description: evil,
      category: "terraform",
      hcl: true,
      sensitive: true,
    },
  ]);
  const shown = async (): Promise<void> => {
    expect(await page.locator("main img, main script, dialog img, dialog script").count()).toBe(0);
    const text = String(await page.evaluate("document.body.innerText"));
    expect(text).toContain("<img src=x");
    expect(text).not.toContain("\u202e");
    expect(await page.title()).not.toContain("broken");
  };
  await page.getByRole("table", { name: "Variables" }).waitFor();
  await shown();
  await page
    .getByRole("button", { name: /^Edit / })
    .first()
    .click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("As an API request").click();
  await shown();
  await dialog.getByRole("button", { name: "Delete…" }).click();
  await page.getByRole("dialog", { name: /^Delete / }).waitFor();
  await shown();
  await page.keyboard.press("Escape");
  await page.reload();
  await page.getByRole("button", { name: "Paste many…" }).click();
  await page
    .getByRole("dialog", { name: "Paste many" })
    .getByLabel("NAME=value lines")
    .fill(`A='${evil}'\n${evil}`);
  await page.getByText("Line 2: expected NAME=value").waitFor();
  await shown();
  expect(window.complaints).toEqual([]);
});
