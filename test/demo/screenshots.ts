import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Page } from "playwright";
import { devCa, host, issue, openWindow, workspace } from "./support.ts";

/**
 * Takes the screenshots in `docs/screenshots`: `node test/demo/screenshots.ts`. Not part of the
 * tests, because dates change. `cwebp` (package `webp` of Debian) compresses the screenshots of the
 * README almost without loss.
 */
const folder = resolve(import.meta.dirname, "../../docs/screenshots");
mkdirSync(folder, { recursive: true });

type Shot = readonly [name: string, show: (page: Page, serial: string) => Promise<void>];

const go =
  (hash: string, heading: string) =>
  async (page: Page): Promise<void> => {
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await page.getByRole("heading", { level: 1, name: heading, exact: true }).waitFor();
  };
const names = [
  "www.dev.test",
  "api.dev.test",
  "db-1.svc.dev.test",
  "grafana.dev.test",
  "*.apps.dev.test",
  "mail.dev.test",
];
const shots: readonly Shot[] = [
  ["overview", go("#/overview", "Overview")],
  ["certificates", go("#/certificates", "Certificates")],
  ["certificate", async (page, serial) => go(`#/certificates/${serial}`, "www.dev.test")(page)],
  [
    "issue",
    go("#/issue/dev-server?name=www.dev.test,wiki.internal,10.0.0.1", "Issue a certificate"),
  ],
  [
    "inspect",
    async (page, serial) => {
      const one = `./v1/pki/cert/${serial.match(/../g)?.join(":") ?? ""}`;
      const chain = await page.evaluate<string>(
        `Promise.all([fetch(${JSON.stringify(one)}).then((answer) => answer.json()).then(({ data }) => data.certificate), fetch('./v1/pki/ca_chain').then((answer) => answer.text())]).then((all) => all.join('\\n'))`,
      );
      await go("#/inspect", "Inspect")(page);
      await page.locator("#paste").fill(chain);
      await page.getByText("3 found").waitFor({ state: "attached" });
      await page.evaluate("document.activeElement.scrollTop = 0; document.activeElement.blur()");
    },
  ],
  ["roles", go("#/roles", "Roles")],
  ["role", go("#/roles/dev-server", "dev-server")],
  [
    "authority",
    async (page) => {
      await go("#/overview", "Overview")(page);
      await page.getByRole("link", { name: "Dev CA Partners" }).click();
      await page.getByRole("heading", { level: 1, name: "Dev CA Partners" }).waitFor();
    },
  ],
  ["keys", go("#/keys", "Keys")],
  ["revocation", go("#/revocation", "Revocation")],
  [
    "ocsp",
    async (page, serial) => {
      await go(`#/revocation/ocsp?serial=${serial}`, "Revocation")(page);
      await page.getByText("OCSP response", { exact: true }).waitFor();
    },
  ],
  ["tidy", go("#/revocation/tidy", "Revocation")],
  ["variables", go("#/variables/default/lab-core", "lab-core")],
];

const at = await host({ pixels: true });
for (const [kind, colorScheme, width, height] of [
  ["light", "light", 1280, 860],
  ["dark", "dark", 1280, 860],
  ["phone", "light", 390, 844],
] as const) {
  const { page, context, complaints } = await openWindow(at, "", {
    colorScheme,
    viewport: { width, height },
    reducedMotion: "reduce",
  });
  await page.getByRole("button", { name: /^Dev CA/ }).waitFor();
  await page.screenshot({ path: join(folder, `start-${kind}.png`) });
  await devCa(page);
  const serials: string[] = [];
  for (const name of names) serials.push(await issue(page, name));
  await page.evaluate(
    `fetch('./v1/pki/revoke', { method: 'POST', body: JSON.stringify({ serial_number: ${JSON.stringify(serials[5])}.match(/../g).join(':') }) })`,
  );
  await page.evaluate("location.hash = '#/overview'");
  await page.getByRole("button", { name: "Add authority" }).click();
  const dialog = page.getByRole("dialog", { name: "Add authority" });
  await dialog.getByLabel("Common name").fill("Dev CA Partners");
  await dialog.getByText("Name constraints").click();
  await dialog
    .getByRole("group", { name: "Permitted" })
    .getByLabel("Domains", { exact: true })
    .fill("partners.test");
  await dialog
    .getByRole("group", { name: "Excluded" })
    .getByLabel("IP ranges")
    .fill("0.0.0.0/0, ::/0");
  await dialog.getByRole("button", { name: "Create authority" }).click();
  await dialog.waitFor({ state: "detached" });
  await workspace(page, "lab-core", [
    { key: "region", value: "eu-north", category: "terraform", description: "Where the lab lives" },
    {
      key: "DNS_TOKEN",
      value: "not to be seen",
      category: "env",
      sensitive: true,
      description: "For dns-01",
    },
    {
      key: "node_count",
      value: "3",
      category: "terraform",
      hcl: true,
      description: "Cluster size",
    },
    {
      key: "pools",
      value: "{\n  small = 3\n  large = 1\n}",
      category: "terraform",
      hcl: true,
      description: "Machines by kind",
    },
    { key: "LOG_LEVEL", value: "info", category: "env" },
    { key: "registry_password", value: "not to be seen", category: "terraform", sensitive: true },
  ]);
  // Reloads instead of waiting for the toast of the last step to disappear.
  for (const [name, show] of kind === "phone" ? shots.slice(0, 4) : shots) {
    await page.reload();
    await show(page, serials[0] ?? "");
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.locator("[aria-busy=true], main .loading").first().waitFor({ state: "detached" });
    await page.evaluate(
      "document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))",
    );
    await page.screenshot({ path: join(folder, `${name}-${kind}.png`) });
  }
  if (complaints.length > 0) process.stderr.write(`${complaints.join("\n")}\n`);
  await context.close();
}
await at.close();
await at.browser.close();
for (const kind of ["light", "dark"]) {
  const picture = join(folder, `overview-${kind}`);
  const words = [
    "-quiet",
    "-near_lossless",
    "20",
    "-z",
    "9",
    `${picture}.png`,
    "-o",
    `${picture}.webp`,
  ];
  const { status, error } = spawnSync("cwebp", words, { stdio: "inherit" });
  if (status !== 0) throw error ?? new Error(`cwebp exited with ${status}`);
  rmSync(`${picture}.png`);
}
