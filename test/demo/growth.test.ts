import type { BrowserContextOptions, Page } from "playwright";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { memoryStore, type Store, type Stores } from "../../src/index.ts";
import { partitionKeys } from "../../src/engine/partition-layout.ts";
import { addAxe, staysInWidth, violations } from "./axe.ts";
import { remote, type Remote } from "./remote.ts";
import { host, openWindow, type Host, type Window } from "./support.ts";

let at: Host;
let server: Remote | undefined;
let window: Window;
beforeAll(async () => {
  at = await host({ headers: true });
});
afterEach(async () => {
  const toServer = `request to ${server?.base}/`;
  expect(window.complaints.filter((one) => !one.startsWith(toServer))).toEqual([]);
  await window.context.close();
  await server?.close();
});
afterAll(async () => {
  await at.close();
});

interface Server {
  readonly far: Remote;
  readonly uuid: string;
  readonly stores: Stores;
  /** Paths of requests that read the progress of a growth. */
  readonly reads: string[];
  /** Runs a step of the growth. */
  step(): Promise<void>;
}
/** Starts a server whose mount `pki` has 250 certificates, and whose jobs run only in `step`. */
async function serverWith(stores: Stores): Promise<Server> {
  let skipped = 0;
  const far = await remote([new URL(at.url).origin], () => Date.now() + skipped, { stores });
  server = far;
  const { pki } = far.ca;
  await pki.generateRoot({ common_name: "Far Root", key_type: "ec" });
  await pki.writeRole({ name: "web", key_type: "ed25519", allow_any_name: true, ttl: "24h" });
  for (let n = 0; n < 250; n++) await pki.issue({ role: "web", common_name: "a.test" });
  const { uuid } = await far.ca.sys.readMount({ path: "pki" });
  const reads: string[] = [];
  far.instead = ({ method, url = "" }) => {
    if (method === "GET" && /\/sys\/(?:health|mounts\/pki\/partitions)$/.test(url)) reads.push(url);
    return false;
  };
  const step = async (): Promise<void> => {
    // the next step is due after a pause of twice the duration of the last one
    skipped += 60_000;
    await far.ca.tick();
  };
  return { far, uuid, stores, reads, step };
}
/** Opens the list of mounts of a server. */
async function openMounts({ far }: Server, options: BrowserContextOptions = {}): Promise<Page> {
  window = await openWindow({ ...at, url: `${at.url}connect.html` }, "settings", options);
  const { page } = window;
  await page.getByLabel("Address").fill(far.base);
  await page.getByLabel("Token", { exact: true }).fill(far.token);
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.getByRole("link", { name: "Far Root" }).waitFor();
  await page.evaluate("location.hash = '#/system/mounts'");
  await page.getByRole("heading", { level: 1, name: "System" }).waitFor();
  return page;
}
const settingsOf = (page: Page) => page.getByRole("dialog", { name: "Settings of pki" });
const openSettings = (page: Page): Promise<void> =>
  page.getByRole("button", { name: "Settings of pki" }).click();

it("adding partitions to a mount shows its progress, which is refreshed, and can be stopped and continued", async () => {
  const begun = Date.now();
  const own = await serverWith(memoryStore());
  const page = await openMounts(own);
  await addAxe(window);
  const row = page.getByRole("table", { name: "Mounts" }).getByRole("row", { name: /^pki/ });
  const settings = settingsOf(page);
  await openSettings(page);
  await settings.getByText(/^One partition with about \d+ rows/).waitFor();
  await settings.getByRole("button", { name: "More partitions…" }).click();
  const dialog = page.getByRole("dialog", { name: "More partitions for pki" });
  expect(await dialog.getByLabel("Partitions").locator("option").allTextContents()).toEqual([
    "4",
    "16",
    "64",
  ]);
  await dialog.getByText("The number of partitions cannot be reduced later.").waitFor();
  expect(await violations(window)).toEqual([]);
  await dialog.getByRole("button", { name: "Add partitions" }).click();
  await dialog.waitFor({ state: "detached" });
  await settings.getByText("Growing from 1 to 4 partitions: 0%, 0 rows moved").waitFor();
  await own.step();
  await settings.getByText(/^Growing from 1 to 4 partitions: [1-9]\d*%, \d+ rows moved/).waitFor();
  expect(Number(await settings.getByRole("progressbar").getAttribute("value"))).toBeGreaterThan(0);
  await settings.getByRole("button", { name: "Stop" }).click();
  await settings.getByText(/^Stopped while growing from 1 to 4 partitions/).waitFor();
  await settings.getByRole("button", { name: "Cancel" }).click();
  await row.getByText(/^Growth stopped: \d+%/).waitFor();
  await openSettings(page);
  await settings.getByRole("button", { name: "Continue" }).click();
  await settings.getByText(/^Growing from 1 to 4 partitions/).waitFor();
  await settings.getByRole("button", { name: "Cancel" }).click();
  await row.getByText(/^Growing to 4 partitions: \d+%/).waitFor();
  for (let n = 0; n < 20; n++) await own.step();
  await row.getByText(/^Growing to 4/).waitFor({ state: "detached" });
  await openSettings(page);
  await settings.getByRole("table", { name: "Partitions" }).getByRole("row").nth(4).waitFor();
  expect(await settings.getByRole("progressbar").count()).toBe(0);
  await settings.getByRole("button", { name: "More partitions…" }).waitFor();
  // two seconds between reads, and one more after each of these actions
  expect(own.reads.length).toBeLessThan((Date.now() - begun) / 2000 + 25);
});

it("a failing growth is shown with its error, on a phone too", async () => {
  const own = await serverWith(memoryStore());
  await own.far.ca.sys.growPartitions({ path: "pki", count: 4 });
  await own.step();
  const home = own.stores(own.uuid);
  const [growth] = await home.get([partitionKeys.growth]);
  const failed = { ...(growth?.value as object), failures: 1, error: "the disk is full" };
  await home.commit({ put: [[partitionKeys.growth, failed]] });
  const page = await openMounts(own, {
    viewport: { width: 390, height: 844 },
    reducedMotion: "reduce",
  });
  await addAxe(window);
  const row = page.getByRole("table", { name: "Mounts" }).getByRole("row", { name: /^pki/ });
  await row.getByText(/^Growing to 4 partitions: \d+% Failing/).waitFor();
  expect([await violations(window), await staysInWidth(window)]).toEqual([[], true]);
  await openSettings(page);
  await settingsOf(page)
    .getByText("The last step failed and is being retried: the disk is full")
    .waitFor();
  expect([await violations(window), await staysInWidth(window)]).toEqual([[], true]);
});

it("the console does not offer more partitions if the storage cannot add them", async () => {
  const inner = memoryStore();
  const open = (name: string): Store => {
    const { getWithIndex: _, ...store } = inner(name);
    return store;
  };
  const stores = Object.assign(open, { durable: false as const, partitions: true });
  const page = await openMounts(await serverWith(stores));
  await openSettings(page);
  await settingsOf(page)
    .getByText(/^One partition with about \d+ rows/)
    .waitFor();
  expect(await settingsOf(page).getByRole("button", { name: "More partitions…" }).count()).toBe(0);
});
