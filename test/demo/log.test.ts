import { afterAll, beforeAll, expect, it } from "vitest";
import type { Page } from "playwright";
import { addAxe, violations } from "./axe.ts";
import { host, issue, openDevCa, type Host } from "./support.ts";

let at: Host;
beforeAll(async () => {
  at = await host();
});
afterAll(async () => {
  await at.close();
});

const send = (page: Page, method: string, path: string, body?: object): Promise<object> =>
  page.evaluate(
    `fetch('./v1/pki/${path}', { method: '${method}'${body ? `, body: ${JSON.stringify(JSON.stringify(body))}` : ""} }).then((answer) => answer.json())`,
  );
/** Waits until the log contains a certificate. */
const logged = (page: Page, serial: string): Promise<void> =>
  expect
    .poll(async () => JSON.stringify(await send(page, "GET", `cert/${serial}`)))
    .toContain("log_proof");

it("a certificate's page verifies its log entry, and Inspect follows the log and reports a rewritten one", async () => {
  const { page, context, complaints } = await openDevCa(at);
  await page.evaluate("location.hash = '#/inspect'");
  await page.getByLabel("PEM, DER as base64 or hex").waitFor();
  const card = page.getByRole("region", { name: "Log of this mount" });
  expect(await card.count()).toBe(0);
  await send(page, "POST", "config/log", { enabled: true, origin: "ca.test/log" });
  const serial = await issue(page, "a.dev.test");
  await logged(page, serial);
  // the page was loaded before the entry was in the log
  await page.reload();
  const own = page.getByRole("region", { name: "Log", exact: true });
  await own.getByText("Inclusion verified").waitFor();
  expect(await own.innerText()).toMatch(/0 of 1[\s\S]*ca\.test\/log/);
  await own.getByRole("link", { name: "Follow the log" }).click();
  await card.getByText("Never verified in this browser.").waitFor();
  const verify = card.getByRole("button", { name: "Verify log" });
  await card.getByLabel("Name").fill("a.dev.test");
  await verify.click();
  await card.getByText("ca.test/log: 1 entry, verified").waitFor();
  await card.getByRole("row", { name: /CN=a\.dev\.test/ }).waitFor();
  await addAxe({ page, context });
  expect(await violations({ page })).toEqual([]);
  await logged(page, await issue(page, "b.dev.test"));
  await page.evaluate("location.hash = '#/inspect'");
  await card.getByText(/^Verifies in your browser.*Last verified/).waitFor();
  await verify.click();
  await card.getByText("ca.test/log: 2 entries, verified").waitFor();
  await card.getByText(/1 new since .* Nothing was removed or rewritten/).waitFor();
  // pretend that this browser has verified another tree
  const rewritten = await page.evaluate<string>(`(() => {
    const key = Object.keys(localStorage).find((one) => one.startsWith("sealwright-log "));
    const log = JSON.parse(localStorage[key]);
    const note = log.note.replace(/\\n[^\\n]{44}\\n/, "\\n" + btoa("x".repeat(32)) + "\\n");
    return (localStorage[key] = JSON.stringify({ ...log, note }));
  })()`);
  await verify.click();
  const alert = card.getByRole("alert");
  await alert.getByText("Log verification failed").waitFor();
  expect(await alert.innerText()).toContain(
    "the first 2 entries differ from those that were verified before",
  );
  const download = page.waitForEvent("download");
  await alert.getByRole("button", { name: "Save both checkpoints" }).click();
  expect((await download).suggestedFilename()).toBe("log-evidence.txt");
  const stored = `Object.entries(localStorage).find(([key]) => key.startsWith("sealwright-log "))?.[1]`;
  expect(await page.evaluate(stored)).toBe(rewritten);
  await alert.getByRole("button", { name: "Start again with this log" }).click();
  expect(await page.evaluate(stored)).toBeUndefined();
  expect(complaints).toEqual([]);
  await context.close();
});
