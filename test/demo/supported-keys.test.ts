import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { devCa, host, openDevCa, openWindow, type Host, type Window } from "./support.ts";

let at: Host;
let window: Window | undefined;

beforeAll(async () => {
  at = await host({ headers: true });
});
afterEach(async () => {
  expect(window?.complaints).toEqual([]);
  await window?.context.close();
  window = undefined;
});
afterAll(() => at.close());

/** Simulates a browser without Ed25519 and P-521. */
const lacking = `const { prototype } = globalThis.SubtleCrypto ?? { prototype: {} };
const make = prototype.generateKey;
prototype.generateKey = function (algorithm, ...rest) {
  return algorithm.name === "Ed25519" || algorithm.namedCurve === "P-521"
    ? Promise.reject(new DOMException("unknown", "NotSupportedError"))
    : make.call(this, algorithm, ...rest);
};`;

it("key types that the browser cannot generate are not offered, and the role editor warns about them", async () => {
  window = await openWindow(at, "inspect");
  await window.context.addInitScript(lacking);
  const { page } = window;
  await page.goto("about:blank");
  await page.goto(at.url);
  await devCa(page);
  await page.evaluate("location.hash = '#/keys'");
  await page.getByRole("button", { name: "New key" }).click();
  const dialog = page.getByRole("dialog", { name: "New key" });
  await dialog.getByText("This browser cannot generate ECDSA P-521 or Ed25519 keys.").waitFor();
  const offered = await dialog.getByLabel("Kind").locator("option").allInnerTexts();
  expect(offered).toContain("ECDSA P-384");
  expect(offered.filter((kind) => /P-521|Ed25519/.test(kind))).toEqual([]);
  await page.keyboard.press("Escape");
  await page.evaluate("location.hash = '#/roles/new'");
  const type = page.getByRole("group", { name: "Key and use" }).getByLabel("Key", { exact: true });
  await type.selectOption("ed25519");
  await page
    .getByText("This browser cannot generate Ed25519 keys, but can sign CSRs with such keys.")
    .waitFor();
  await type.selectOption("rsa");
  await page.getByLabel("Key size").selectOption("8192");
  await page.getByText("Generating this key takes up to a minute").waitFor();
  await page.getByLabel("Key size").selectOption("4096");
  await page.getByText("Generating this key takes up to a minute").waitFor({ state: "detached" });
});

it("a browser that supports every key type offers all of them without a warning", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await page.evaluate("location.hash = '#/keys'");
  await page.getByRole("button", { name: "New key" }).click();
  const dialog = page.getByRole("dialog", { name: "New key" });
  const offered = await dialog.getByLabel("Kind").locator("option").allInnerTexts();
  expect(offered).toEqual(expect.arrayContaining(["ECDSA P-521", "Ed25519", "RSA 4096"]));
  expect(await dialog.innerText()).not.toContain("cannot generate");
});
