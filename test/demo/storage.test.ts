import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { devCa, host, openWindow, type Host, type Window } from "./support.ts";

let at: Host;
let window: Window | undefined;

beforeEach(async () => {
  at = await host({ headers: true });
});
afterEach(async () => {
  // The browser itself reports a script that does not come.
  expect(window?.complaints.filter((text) => !text.includes("when fetching the script"))).toEqual(
    [],
  );
  await window?.context.close();
  window = undefined;
  await at.close();
});

/** Runs a script in the service worker before everything else. */
const beforeWorker = (script: string): void => {
  const file = join(at.built, "sw.js");
  writeFileSync(file, `${script}\n${readFileSync(file, "utf8")}`);
};

it.each([
  [
    "is refused",
    "IDBFactory.prototype.open = () => { throw new DOMException('The operation is insecure.', 'SecurityError'); };",
    "does not let the page keep anything",
  ],
  [
    "is missing",
    "Object.defineProperty(self, 'indexedDB', { value: undefined });",
    "does not let the page keep anything",
  ],
  [
    "was written by a newer version",
    "const open = IDBFactory.prototype.open; IDBFactory.prototype.open = function (name) { open.call(this, name, 9); return open.call(this, name, 1); };",
    "could not open its storage: The requested version (1) is less than the existing version (9).",
  ],
])(
  "where the browser's storage %s, the start says so before anything is made",
  async (_, script, why) => {
    beforeWorker(script);
    window = await openWindow(at);
    const { page } = window;
    await page.waitForURL(/#\/start$/);
    await page.getByText(why).waitFor();
    expect(await page.getByRole("button", { name: /^Dev CA/ }).isDisabled()).toBe(true);
    await page.evaluate("location.hash = '#/variables'");
    await page.getByRole("alert").getByText(why).waitFor();
    await page.evaluate("location.hash = '#/settings'");
    const storage = page.getByRole("region", { name: "Storage" });
    await storage.getByText(why).waitFor();
    expect(await storage.innerText()).not.toMatch(/Kept by the browser|Encrypted at rest/);
  },
);

it("a page whose files cannot be kept says so, instead of loading for ever", async () => {
  rmSync(join(at.built, "icon.svg"));
  window = await openWindow(at);
  await window.page.waitForURL(/#\/start$/);
  await window.page.getByText("could not keep the files of this page").waitFor();
  expect(await window.page.getByRole("button", { name: /^Dev CA/ }).isDisabled()).toBe(true);
});

it("a service worker that does not arrive is told with the browser's own words", async () => {
  rmSync(join(at.built, "sw.js"));
  window = await openWindow(at);
  await window.page.waitForURL(/#\/start$/);
  await window.page.getByText(/This window cannot keep an authority.*404/).waitFor();
});

it("the console in a folder answers for itself although the site has a service worker at its root", async () => {
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
