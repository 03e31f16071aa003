import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { Locator, Page } from "playwright";
import { host, issue, openDevCa, type Host, type Window } from "./support.ts";

let at: Host;
let window: Window;
beforeAll(async () => {
  at = await host();
});
afterEach(async () => {
  await window.context.close();
});
afterAll(async () => {
  await at.close();
});

async function go(page: Page, hash: string, heading: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(`#/${hash}`)}`);
  await page.getByRole("heading", { level: 1, name: heading, exact: true }).waitFor();
  await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
}
const rightOf = async (one: Locator): Promise<number> => {
  const box = await one.boundingBox();
  return Math.round((box?.x ?? 0) + (box?.width ?? 0));
};

it("the bars above a view end at the edge of the view at any window width", async () => {
  window = await openDevCa(at);
  const { page } = window;
  for (const width of [1280, 1700, 1920, 2560]) {
    await page.setViewportSize({ width, height: 900 });
    await go(page, "settings", "Settings");
    await go(page, "overview", "Overview");
    expect(await rightOf(page.getByRole("link", { name: "Issue a certificate" }))).toBe(
      await rightOf(page.getByRole("region", { name: "Authorities" })),
    );
  }
});

it("the tabs of a view keep their positions when another one is selected", async () => {
  window = await openDevCa(at);
  const { page } = window;
  const places = (): Promise<readonly number[]> =>
    page.locator(".tabs > *").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().x));
  for (const [views, heading] of [
    [["revocation", "revocation/ocsp", "revocation/urls", "revocation/tidy"], "Revocation"],
    [["access", "access/policies", "access/logins"], "Access"],
  ] as const) {
    await go(page, views[0], heading);
    const before = await places();
    expect(before.length).toBeGreaterThan(2);
    for (const view of views.slice(1)) {
      await go(page, view, heading);
      expect(await places()).toEqual(before);
    }
  }
});

it("relative times are updated while the view is open", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await page.clock.install();
  await go(page, "revocation", "Revocation");
  await page.reload();
  const age = page.getByRole("cell", { name: /^\d+ minutes? ago$/ }).first();
  const minutes = async (): Promise<number> => Number.parseInt(await age.innerText(), 10);
  await page.clock.fastForward("02:00");
  const before = await minutes();
  await page.clock.fastForward("05:00");
  await expect.poll(minutes).toBeGreaterThanOrEqual(before + 5);
});

it.each(["light", "dark"] as const)(
  "in the %s theme a selected segment is lighter than the background of the others",
  async (colorScheme) => {
    window = await openDevCa(at, { colorScheme });
    const { page } = window;
    await go(page, "settings", "Settings");
    const lightness = (of: string): Promise<number> =>
      page
        .locator(of)
        .first()
        .evaluate((one) =>
          (getComputedStyle(one).backgroundColor.match(/[\d.]+/g) ?? [])
            .slice(0, 3)
            .reduce((sum, part) => sum + Number(part), 0),
        );
    expect(await lightness(".pick [aria-pressed=true]")).toBeGreaterThan(
      (await lightness(".pick")) + 30,
    );
  },
);

it("on a phone the years are above the lifetime bars of CAs, at the right positions", async () => {
  window = await openDevCa(at, { viewport: { width: 390, height: 844 } });
  const { page } = window;
  await go(page, "overview", "Overview");
  const labels = page.locator(".axis-labels");
  const bar = page.locator(".span-bar").first();
  expect(await labels.locator("text").count()).toBeGreaterThan(2);
  const [above, below] = [await labels.boundingBox(), await bar.boundingBox()];
  expect(above?.width).toBe(below?.width);
  expect(above?.x).toBe(below?.x);
  expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThan(below?.y ?? 0);
  const [now, line] = [
    await labels.locator(".now").boundingBox(),
    await bar.locator(".now").boundingBox(),
  ];
  expect(Math.abs((line?.x ?? 0) - (now?.x ?? 0) - (now?.width ?? 0) / 2)).toBeLessThan(
    (now?.width ?? 0) / 2 + 2,
  );
});

it("on a phone the first certificate of the list is in the upper half", async () => {
  window = await openDevCa(at, { viewport: { width: 390, height: 844 } });
  const { page } = window;
  await issue(page, "www.dev.test");
  await go(page, "certificates", "Certificates");
  const row = page.locator("main tbody tr").first();
  expect((await row.boundingBox())?.y ?? Infinity).toBeLessThan(422);
});

it("placeholder rows are as high as the loaded rows", async () => {
  window = await openDevCa(at);
  const { page } = window;
  await go(page, "settings", "Settings");
  await page.evaluate(
    "{ const real = fetch, gate = new Promise((go) => { globalThis.go = go; }); globalThis.fetch = async (url, init) => { if (String(url).includes('/keys')) await gate; return real(url, init); }; undefined }",
  );
  await page.evaluate("location.hash = '#/keys'");
  const waiting = page.locator("main .loading i").first();
  await waiting.waitFor();
  const height = (await waiting.boundingBox())?.height ?? 0;
  await page.evaluate("go()");
  const row = page.getByRole("table", { name: "Keys" }).getByRole("row").nth(1);
  await row.waitFor();
  expect(Math.abs(((await row.boundingBox())?.height ?? 0) - height)).toBeLessThanOrEqual(8);
});

const views: readonly (readonly [hash: string, heading: string])[] = [
  ["overview", "Overview"],
  ["roles/dev-server", "dev-server"],
  ["keys", "Keys"],
  ["keys/managed", "Keys"],
  ["revocation", "Revocation"],
  ["acme", "ACME"],
  ["est", "EST"],
  ["access", "Access"],
  ["access/policies", "Access"],
  ["access/tokens", "Access"],
  ["access/logins", "Access"],
  ["access/entities", "Access"],
  ["system", "System"],
  ["variables", "Variables"],
];

/**
 * Presses Esc until the dialog has closed: on a busy machine Chromium can lose the first key press.
 */
async function dismiss(page: Page, what: string): Promise<void> {
  const dialog = page.getByRole("dialog");
  for (let presses = 0; presses < 5; presses++) {
    await page.keyboard.press("Escape");
    const closed = dialog.waitFor({ state: "detached", timeout: 5_000 }).then(
      () => true,
      () => false,
    );
    if (await closed) return;
  }
  throw new Error(`${what}: the dialog did not close: ${await dialog.innerText()}`);
}

it("exactly the buttons that open a dialog have an ellipsis or a plus icon", async () => {
  window = await openDevCa(at);
  const { page } = window;
  const serial = await issue(page, "www.dev.test");
  const wrong: string[] = [];
  let asked = 0;
  const all = [...views, [`certificates/${serial}`, "www.dev.test"] as const];
  for (const [hash, heading] of all) {
    await go(page, "settings", "Settings");
    await go(page, hash, heading);
    const buttons = page.locator("main button.btn:not(.square):not([disabled])");
    for (let i = 0; i < (await buttons.count()); i++) {
      const button = buttons.nth(i);
      const name = (await button.innerText()).trim();
      const plus = (await button.locator("use[href='#i-plus']").count()) > 0;
      const calm = name.endsWith("…") || plus;
      // Buttons that act at once would change what the next ones find.
      if (!calm && !/^(Import|Add|New|Make|Change|Download|Delete|Revoke)/.test(name)) continue;
      await button.click();
      const opened = await page
        .getByRole("dialog")
        .waitFor({ timeout: calm ? 60_000 : 2_000 })
        .then(
          () => true,
          () => false,
        );
      if (opened) asked++;
      if (opened !== calm) wrong.push(`${hash}: ${name} ${opened ? "asks" : "does not ask"}`);
      if (opened) await dismiss(page, `${hash}: ${name}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(asked).toBeGreaterThan(10);
});
