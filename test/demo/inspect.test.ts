import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { host, openWindow, type Host } from "./support.ts";

let at: Host;
const folder = mkdtempSync(join(tmpdir(), "sealwright-inspect-"));
beforeAll(async () => {
  at = await host();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await at.close();
});

it("of a certificate with a name that is not ASCII the names that can be read are shown, and what is wrong with the other", async () => {
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "one.key"];
  const names = ["-subj", "/CN=good.test", "-addext", "subjectAltName=DNS:good.test,DNS:bucher.test"];
  execFileSync("openssl", ["req", "-x509", ...key, ...names, "-outform", "DER", "-out", "one.der"], { cwd: folder, stdio: "ignore" });
  const der = readFileSync(join(folder, "one.der"));
  der[der.indexOf("bucher.test") + 1] = 0xfc;
  const { page, context, complaints } = await openWindow(at, "inspect");
  await page.getByLabel("PEM, DER as base64 or hex").fill(der.toString("base64"));
  const card = page.getByRole("region", { name: "Certificate good.test" });
  const told = card.locator("dd").filter({ hasText: "DNS:good.test" });
  await told.filter({ hasText: "Name 2: " }).filter({ hasText: "a DNS name is not ASCII" }).waitFor();
  expect(
    await card
      .locator("dd")
      .filter({ hasText: /^None$/ })
      .count(),
  ).toBe(0);
  expect(complaints).toEqual([]);
  await context.close();
});
