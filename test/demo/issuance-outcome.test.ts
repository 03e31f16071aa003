import { afterAll, beforeAll, expect, it } from "vitest";
import type { Page } from "playwright";
import { fieldsOf } from "../../demo/lib/request-fields.ts";
import { generator, seed } from "./lib/issuance-requests.ts";
import { host, openDevCa, type Host } from "./support.ts";

const { requests } = generator();
let at: Host;
beforeAll(async () => {
  at = await host();
});
afterAll(async () => {
  await at.close();
});

const post = (page: Page, path: string, body: object): Promise<{ errors?: string[] }> =>
  page.evaluate(
    `fetch('./v1/pki/${path}', { method: 'POST', body: ${JSON.stringify(JSON.stringify(body))} }).then((answer) => answer.status === 204 ? {} : answer.json())`,
  );

it(`the predicted outcome of the issue form equals the server's answer for generated requests (seed ${seed})`, async () => {
  const { page, context, complaints } = await openDevCa(at);
  const differences: string[] = [];
  for (const { names: typed } of requests(15)) {
    await page.evaluate("location.hash = '#/settings'");
    await page.evaluate(
      `location.hash = ${JSON.stringify(`#/issue/dev-server?name=${encodeURIComponent(typed.join(","))}`)}`,
    );
    const outcome = page.getByRole("status").filter({ hasText: /^Would be (issued|denied)$/ });
    await outcome.waitFor();
    const said = await outcome.innerText();
    const real = await post(page, "issue/dev-server", fieldsOf(typed));
    if ((said === "Would be issued") !== (real.errors === undefined))
      differences.push(
        `${typed.join(" and ")}: page ${said}, authority ${real.errors?.join() ?? "issued"}`,
      );
  }
  expect(differences).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

it("every rule and finding is shown, and the server is called only when typing pauses", async () => {
  const { page, context, complaints } = await openDevCa(at);
  await page.getByText("Checked by the server").waitFor();
  const trace = page.getByRole("region", { name: "Would this be allowed?" });
  await trace.getByText("No CRL or OCSP URL").waitFor();
  await page.getByLabel("Name 1", { exact: true }).fill("www.elsewhere.example");
  await page.getByRole("status").filter({ hasText: "Would be denied" }).waitFor();
  await trace
    .getByText(/not allowed by this role/)
    .first()
    .waitFor();
  expect(await trace.innerText()).toContain("allowed_domains");
  await post(page, "roles/long", {
    allow_any_name: true,
    key_type: "ec",
    key_bits: 256,
    max_ttl: "200000h",
    issuer_ref: "default",
  });
  await page.evaluate("location.hash = '#/issue/long?name=a.test'");
  await page.getByRole("status").filter({ hasText: "Would be issued" }).waitFor();
  const asked: string[] = [];
  page.on("request", (request) => void asked.push(request.url()));
  // typed by the page itself: a slow machine could pause between two key presses from here
  await page.evaluate(`(async () => {
    const input = document.querySelector("input[aria-label='Name 1']");
    const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
    for (const letter of "jihgfedcb") {
      set.call(input, letter + input.value);
      input.dispatchEvent(new Event("input", { bubbles: true }));
      await new Promise(requestAnimationFrame);
    }
  })()`);
  await page.getByText("bcdefghija.test").first().waitFor();
  await page.locator(".trace[aria-busy=true]").waitFor({ state: "detached" });
  expect(asked.filter((url) => url.includes("/explain/")).length).toBeLessThanOrEqual(2);
  expect(complaints).toEqual([]);
  await context.close();
});

it("the page checks the request itself if the server cannot explain it", async () => {
  const { page, context, complaints } = await openDevCa(at);
  await page.getByText("Checked by the server").waitFor();
  await page.evaluate(
    "const real = fetch; globalThis.fetch = (url, init) => String(url).includes('/explain/') ? Promise.resolve(new Response('{}', { status: 404 })) : real(url, init)",
  );
  await page.evaluate("location.hash = '#/settings'");
  await page.evaluate("location.hash = '#/issue/dev-server?name=www.dev.test'");
  await page.getByText("Checked in this page: the role’s names").waitFor();
  await page.getByRole("status").filter({ hasText: "Would be issued" }).waitFor();
  await page.getByLabel("Name 1", { exact: true }).fill("www.elsewhere.example");
  await page.getByRole("status").filter({ hasText: "Would be denied" }).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

it("a repeated check shows an error if it is no longer permitted, and changes nothing if it fails otherwise", async () => {
  const { page, context, complaints } = await openDevCa(at);
  await page.evaluate("location.hash = '#/issue/dev-server?name=www.dev.test'");
  await page.getByRole("status").filter({ hasText: "Would be issued" }).waitFor();
  await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
  await page.evaluate(`{
    const real = fetch;
    globalThis.repeats = 0;
    globalThis.status = 500;
    globalThis.fetch = (url, init) => {
      if (!String(url).includes("/explain/")) return real(url, init);
      globalThis.repeats++;
      return Promise.resolve(new Response('{"errors":["not permitted now"]}', { status }));
    };
  }`);
  const refresh = (): Promise<unknown> =>
    page.evaluate(
      "new BroadcastChannel('sealwright').postMessage(new URL('./', location.href).href.replace(/\\/$/, ''))",
    );
  await refresh();
  await expect.poll(() => page.evaluate("repeats")).toBe(1);
  expect(await page.getByText("Checked by the server").count()).toBe(1);
  await page.evaluate("status = 403");
  await refresh();
  await page.getByText("not permitted now").waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});
