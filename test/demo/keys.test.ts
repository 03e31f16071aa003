import { execFileSync } from "node:child_process";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { Page } from "playwright";
import { host, openDevCa, openWindow, type Host, type Window } from "./support.ts";

let at: Host;
let window: Window | undefined;

beforeAll(async () => {
  at = await host({ headers: true });
});
afterEach(async () => {
  await window?.context.close();
  window = undefined;
});
afterAll(async () => {
  await at.close();
});

async function keysOf(): Promise<Page> {
  window = await openDevCa(at);
  const { page } = window;
  await page.getByRole("link", { name: "Keys", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
  return page;
}

const read = (page: Page, path: string): Promise<{ data?: Record<string, unknown> }> =>
  page.evaluate(
    `fetch('./v1/pki/${path}', { method: ${JSON.stringify(path === "keys" ? "LIST" : "GET")} }).then((answer) => answer.json())`,
  );
const freshKey = (): string =>
  execFileSync("openssl", ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"], {
    encoding: "utf8",
  });

it("every key is listed with its type and links to the CAs that use it", async () => {
  const page = await keysOf();
  const rows = page.getByRole("table", { name: "Keys" }).getByRole("row");
  await expect.poll(() => rows.count()).toBe(3);
  const used = rows.filter({ hasText: "Dev CA Servers" });
  expect(await used.innerText()).toContain("ECDSA P-256");
  await used.getByRole("link", { name: "Dev CA Servers" }).click();
  await page.getByRole("heading", { level: 1, name: "Dev CA Servers" }).waitFor();
  await page.getByRole("link", { name: "In this mount, encrypted" }).click();
  await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
  expect(window?.complaints).toEqual([]);
});

it("a key is created, renamed, made the default, and deleted after typing its name", async () => {
  const page = await keysOf();
  await page.getByRole("button", { name: "New key" }).click();
  const made = page.getByRole("dialog", { name: "New key" });
  await made.getByLabel("Name").fill("no good!");
  await made.getByText("letters, digits").waitFor();
  await made.getByLabel("Name").fill("spare");
  await made.getByLabel("Kind").selectOption({ label: "Ed25519" });
  await made.getByRole("button", { name: "Create key" }).click();
  await made.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Change spare" }).click();
  const dialog = page.getByRole("dialog", { name: "Key spare" });
  await dialog.getByText("Not used by any authority").waitFor();
  await dialog.getByLabel("Name").fill("reserve");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await expect
    .poll(() =>
      page.evaluate(
        "document.activeElement.getAttribute('aria-label') ?? document.activeElement.tagName",
      ),
    )
    .toBe("Change reserve");
  expect((await read(page, "key/reserve")).data).toMatchObject({
    key_name: "reserve",
    key_type: "ed25519",
  });
  await page.getByRole("button", { name: "Change reserve" }).click();
  await page.getByRole("button", { name: "Make default" }).click();
  await page.getByRole("row").filter({ hasText: "reserve" }).getByText("Default").waitFor();
  await page.getByRole("button", { name: "Change reserve" }).click();
  await page.getByRole("button", { name: "Delete…" }).click();
  const last = page.getByRole("dialog", { name: "Delete this key?" });
  await last.getByText("there will be no default key").waitFor();
  expect(await last.getByRole("button", { name: "Delete" }).isDisabled()).toBe(true);
  await last.getByLabel(/^Type/).fill("reserve");
  await last.getByRole("button", { name: "Delete" }).click();
  await last.waitFor({ state: "detached" });
  await expect.poll(() => page.getByText("reserve", { exact: true }).count()).toBe(0);
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Keys");
  expect((await read(page, "keys")).data?.["keys"]).toHaveLength(2);
  expect(window?.complaints).toEqual([]);
});

it("a key in use cannot be deleted, and the console explains why", async () => {
  const page = await keysOf();
  await page.getByRole("row").filter({ hasText: "Dev CA Root" }).getByRole("button").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("To delete this key, first delete the authorities").waitFor();
  expect(await dialog.getByRole("button", { name: "Delete…" }).count()).toBe(0);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
});

it("a key is imported, reported as existing the second time, and is not left in the page", async () => {
  const page = await keysOf();
  const pem = freshKey();
  const put = async (name: string, text: string): Promise<void> => {
    await page.getByRole("button", { name: "Import…" }).click();
    const dialog = page.getByRole("dialog", { name: "Import a key" });
    await dialog.getByLabel("Name").fill(name);
    await dialog.getByLabel("Private key").fill(text);
    await dialog.getByRole("button", { name: "Import", exact: true }).click();
  };
  await put("brought", pem);
  await page.getByRole("button", { name: "Change brought" }).waitFor();
  await put("again", pem);
  await page.getByRole("dialog").getByText("Key already imported", { exact: false }).waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  expect(
    await page.evaluate(
      "document.documentElement.outerHTML + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)",
    ),
  ).not.toContain(pem.slice(40, 90));
  await put("broken", `-----BEGIN PRIVATE KEY-----\n${"A".repeat(80)}\n-----END PRIVATE KEY-----`);
  await page.getByRole("dialog").getByRole("alert").waitFor();
  expect(window?.complaints).toEqual([]);
});

it("a mount without keys says so and can create the first one", async () => {
  window = await openWindow(at, "keys");
  const { page } = window;
  await page.getByText("No keys yet").waitFor();
  await page.getByRole("button", { name: "New key" }).click();
  await page
    .getByRole("dialog", { name: "New key" })
    .getByRole("button", { name: "Create key" })
    .click();
  await page.getByRole("table", { name: "Keys" }).getByText("Unnamed").waitFor();
});
