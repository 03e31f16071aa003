import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { root } from "../../worker/build/build.ts";
import { fileOf } from "../support/built.ts";
import { pinnedNode } from "../support/server.ts";
import { devCa, host, issue, openWindow, type Host } from "./support.ts";

let folder: string;
let at: Host;
let printed: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sealwright-site-test-"));
  for (const file of ["CNAME", "main-AAAAAAAA.js", "part-AAAAAAAA.js", "my-AAAAAAAA.js"])
    writeFileSync(join(folder, file), "");
  printed = execFileSync(pinnedNode(), ["demo/site.ts", folder], { cwd: root, encoding: "utf8" });
  at = await host({ from: folder, worker: "kept" });
});
afterAll(async () => {
  await at.close();
  rmSync(folder, { recursive: true, force: true });
});

it("the build replaces an older site, leaves other files in the folder, and writes no compressed copies", () => {
  expect(["CNAME", "my-AAAAAAAA.js"].filter((file) => !existsSync(join(folder, file)))).toEqual([]);
  const files = readdirSync(folder);
  expect(files.filter((file) => /AAAAAAAA|\.(?:br|gz)$/.test(file))).toEqual(["my-AAAAAAAA.js"]);
  expect(files).toEqual(expect.arrayContaining(["index.html", "connect.html", "sw.js"]));
});

it("the build prints the size of each route, and a first visit loads at most 15 files and 60 kB", () => {
  const weights = new Map(
    [...printed.matchAll(/^(\w+) +(\d+) files +([\d.]+) kB$/gm)].map(
      ([, route = "", files, kilobytes]) => [route, [Number(files), Number(kilobytes)]] as const,
    ),
  );
  expect([...weights.keys()]).toEqual(
    expect.arrayContaining(["overview", "certificates", "issue", "inspect", "roles", "standalone"]),
  );
  const [files = 0, kilobytes = 0] = weights.get("start") ?? [];
  expect(files).toBeGreaterThan(0);
  expect(files).toBeLessThanOrEqual(15);
  expect(kilobytes).toBeGreaterThan(0);
  expect(kilobytes).toBeLessThanOrEqual(60);
});

it("on a static host below a path the console creates a CA without failed requests and works offline", async () => {
  const beside = { ...at, url: at.url + fileOf(folder, "icon") };
  const { page, context, complaints } = await openWindow(beside);
  const failed: string[] = [];
  context.on("response", (answer) => {
    if (answer.status() >= 400) failed.push(`${answer.status()} ${answer.url()}`);
  });
  context.on("requestfailed", (request) => void failed.push(request.url()));
  await page.goto(at.url);
  await page.getByRole("button", { name: /^Dev CA/ }).waitFor();
  await page.waitForLoadState("networkidle");
  expect(failed).toEqual([]);
  await devCa(page);
  await issue(page, "site.dev.test");
  // Errors of the engine are expected; the host only got requests for files that it has.
  expect(failed.filter((text) => !text.includes("/v1/"))).toEqual([]);
  await context.setOffline(true);
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "site.dev.test" }).waitFor();
  await issue(page, "offline.dev.test");
  await page.goto(at.url);
  await page.getByRole("link", { name: "Dev CA Root" }).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

it("the build without an output directory is rejected with the missing argument", () => {
  expect(() => execFileSync(pinnedNode(), ["demo/site.ts"], { cwd: root, stdio: "pipe" })).toThrow(
    "npm run static-page -- DIR",
  );
});
