import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright";
import { afterEach, beforeEach, expect, it } from "vitest";
import { fileOf } from "../support/built.ts";
import { devCa, host, openWindow, type Host, type Window } from "./support.ts";

let at: Host;
let window: Window | undefined;

beforeEach(async () => {
  at = await host({ headers: true, worker: "kept" });
});
afterEach(async () => {
  // The browser itself reports a script that fails to load.
  expect(window?.complaints.filter((text) => !text.includes("when fetching the script"))).toEqual(
    [],
  );
  await window?.context.close();
  window = undefined;
  await at.close();
});

/** Makes the service worker run a script before everything else. */
const beforeWorker = (script: string): void => {
  const file = join(at.built, "sw.js");
  writeFileSync(file, `${script}\n${readFileSync(file, "utf8")}`);
};

/** Returns the host with the URL of a file other than the page. */
const beside = (): Host => ({ ...at, url: at.url + fileOf(at.built, "icon") });

const refused = "does not let this page store data";
const newer =
  "could not open its storage: The requested version (1) is less than the existing version (9).";

it.each([
  [
    "is refused",
    "IDBFactory.prototype.open = () => { throw new DOMException('The operation is insecure.', 'SecurityError'); };",
    refused,
  ],
  ["is missing", "Object.defineProperty(globalThis, 'indexedDB', { value: undefined });", refused],
])(
  "the start page reports that the browser's storage %s before anything is created or installed",
  async (_, script, why) => {
    beforeWorker(script);
    window = await openWindow(at, "settings");
    await window.context.addInitScript(script);
    const { page } = window;
    await page.goto("about:blank");
    at.asked.splice(0);
    await page.goto(at.url);
    await page.getByText(why).waitFor();
    expect(at.asked).not.toContain("sw.js");
    await saysWhy(page, why);
  },
);

it("security row 87: the start page reports storage written by a newer version before anything is created", async () => {
  window = await openWindow(beside());
  const { page } = window;
  for (const name of [`sealwright ${new URL(at.url).pathname}/sys`, "sealwright-keys"])
    await page.evaluate(
      `new Promise((done) => { indexedDB.open(${JSON.stringify(name)}, 9).onsuccess = ({ target }) => done(target.result.close()) })`,
    );
  await page.goto(at.url);
  await saysWhy(page, newer);
});

/** Asserts that start page, views and settings explain why there can be no CA. */
async function saysWhy(page: Page, why: string): Promise<void> {
  await page.waitForURL(/#\/start$/);
  await page.getByText(why).waitFor();
  expect(await page.getByRole("button", { name: /^Dev CA/ }).isDisabled()).toBe(true);
  await page.evaluate("location.hash = '#/variables'");
  await page.getByRole("alert").getByText(why).waitFor();
  await page.evaluate("location.hash = '#/settings'");
  const storage = page.getByRole("region", { name: "Storage" });
  await storage.getByText(why).waitFor();
  expect(await storage.innerText()).not.toMatch(/Persistent|Encrypted at rest/);
}

it("security row 87: a page whose files cannot be cached reports that on creating a CA, instead of loading forever", async () => {
  rmSync(join(at.built, "connect.html"));
  window = await openWindow(at);
  await window.page.getByRole("button", { name: /^Dev CA/ }).click();
  await window.page.getByText("could not store the files of this page").waitFor();
  expect(await window.page.getByRole("button", { name: /^Dev CA/ }).isDisabled()).toBe(true);
});

it("a service worker that fails to install is reported with the browser's error", async () => {
  rmSync(join(at.built, "sw.js"));
  window = await openWindow(at);
  await window.page.getByRole("button", { name: /^Dev CA/ }).click();
  await window.page.getByText(/This window cannot store an authority.*404/).waitFor();
});

it("the console in a folder handles its own calls although the site has a service worker at its root", async () => {
  at.outside.set("/", "<!doctype html><title>site</title>");
  at.outside.set(
    "/root.js",
    "addEventListener('activate', (event) => event.waitUntil(clients.claim()))",
  );
  window = await openWindow({ ...at, url: new URL("/", at.url).href });
  const { page } = window;
  await page.evaluate(
    "navigator.serviceWorker.register('/root.js').then(() => navigator.serviceWorker.ready)",
  );
  await page.goto(at.url);
  await devCa(page);
  expect(at.asked.filter((path) => path.startsWith("v1"))).toEqual([]);
});
