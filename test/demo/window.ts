import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright";

/** A window with the console, and everything forbidden that it did. */
export interface Window {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Requests to other origins, errors on the browser's console, and violations of the CSP. */
  readonly complaints: string[];
  /** Closes the window. Its process may show the next one. */
  close(): Promise<void>;
}

/** Where to open a window: the browser and the URL of the console. */
export interface Place {
  readonly browser: Browser;
  readonly url: string;
}

/** The view to open, and the state of the browser. */
interface Opening {
  readonly hash: string;
  readonly profile: string;
  /** Whether the browser may have the console's service worker already. */
  readonly returning: boolean;
}

/** The cookie with the profile of a request, which determines its engine. */
export const profileCookie = "profile";

/** A path that every test host serves: an empty page below no service worker. */
export const emptyPath = "/empty.html";

/** Without transitions, because Chromium renders each of their frames with the CPU. */
const defaults = { viewport: { width: 1280, height: 900 }, reducedMotion: "reduce" } as const;

/** A browser profile with a page, for one window after the other. */
interface Tab {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Whether its options are the defaults. */
  readonly ordinary: boolean;
  readonly origin: string;
  /** Whether the service worker is installed. */
  installed: boolean;
  /** Whether a test made a change that lasts as long as the profile. */
  changed: boolean;
  uses: number;
}

/** Tabs without a window, the last used at the end. */
const free: Tab[] = [];
/** Each takes the memory of a renderer process. */
const maxFree = 3;
/** Windows of a tab, so that its memory does not grow. */
const maxUses = 40;

/** Methods whose effects last as long as the profile or its page. */
const lasting: readonly [part: (tab: Tab) => object, names: readonly string[]][] = [
  [
    ({ context }) => context,
    ["addInitScript", "exposeBinding", "exposeFunction", "route", "setOffline", "newCDPSession"],
  ],
  [({ page }) => page, ["addInitScript", "exposeBinding", "exposeFunction", "route"]],
  [
    ({ page }) => page.clock,
    ["install", "fastForward", "pauseAt", "runFor", "setFixedTime", "setSystemTime"],
  ],
];

/** Marks a tab as changed when a test calls a method whose effects last. */
function watch(tab: Tab): void {
  for (const [part, names] of lasting) {
    const owner = part(tab);
    for (const name of names) {
      const method: unknown = Reflect.get(owner, name);
      if (typeof method !== "function") throw new Error(`Playwright has no method ${name}`);
      Reflect.set(owner, name, (...args: unknown[]): unknown => {
        tab.changed = true;
        return Reflect.apply(method, owner, args);
      });
    }
  }
}

const isOrdinary = (options: BrowserContextOptions): boolean => Object.keys(options).length === 0;
async function newTab(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions,
): Promise<Tab> {
  const context = await browser.newContext({ ...defaults, ...options });
  context.setDefaultTimeout(60_000);
  await context.addInitScript(
    "addEventListener('securitypolicyviolation', (event) => console.error('policy breach: ' + event.violatedDirective + ' ' + event.blockedURI))",
  );
  const page = await context.newPage();
  const tab: Tab = {
    page,
    context,
    ordinary: isOrdinary(options),
    origin,
    installed: false,
    changed: false,
    uses: 0,
  };
  watch(tab);
  return tab;
}

/** Takes a free tab out of the list. */
function takeTab(browser: Browser, origin: string, returning: boolean): Tab | undefined {
  const fits = (tab: Tab): boolean =>
    tab.origin === origin && tab.context.browser() === browser && !tab.page.isClosed();
  const index = [true, false]
    .filter((installed) => returning || !installed)
    .map((installed) => free.findLastIndex((tab) => fits(tab) && tab.installed === installed))
    .find((found) => found >= 0);
  return index === undefined ? undefined : free.splice(index, 1)[0];
}

/** Events of a page or a profile to which tests listen. */
const events = [
  "console",
  "dialog",
  "download",
  "page",
  "pageerror",
  "popup",
  "request",
  "requestfailed",
  "requestfinished",
  "response",
  "serviceworker",
];

/** Leaves the page, and removes what it stored and what a test registered. Reports whether it could. */
async function emptied(tab: Tab): Promise<boolean> {
  const { page, context, origin } = tab;
  for (const other of context.pages()) if (other !== page) await other.close();
  for (const event of events) {
    page.removeAllListeners(event);
    context.removeAllListeners(event);
  }
  await page.goto(origin + emptyPath);
  await context.clearCookies();
  const [workers, databases] = await page.evaluate<[number, number]>(`(async () => {
    localStorage.clear();
    sessionStorage.clear();
    const lists = [navigator.serviceWorker.getRegistrations(), indexedDB.databases()];
    return (await Promise.all(lists)).map(({ length }) => length);
  })()`);
  tab.installed = workers > 0;
  return databases === 0;
}

async function release(tab: Tab): Promise<void> {
  const kept =
    tab.ordinary &&
    !tab.changed &&
    ++tab.uses < maxUses &&
    !tab.page.isClosed() &&
    (await emptied(tab).catch(() => false));
  if (!kept) return tab.context.close();
  free.push(tab);
  if (free.length > maxFree) await free.shift()?.context.close();
}

/** Closes the tabs without a window. */
export async function closeTabs(): Promise<void> {
  await Promise.all(free.splice(0).map(({ context }) => context.close()));
}

/** Opens the console in a window. */
export async function openWindowAt(
  { browser, url }: Place,
  { hash, profile, returning }: Opening,
  { viewport = defaults.viewport, colorScheme = "light", ...options }: BrowserContextOptions,
): Promise<Window> {
  const { origin } = new URL(url);
  const tab =
    (isOrdinary(options) ? takeTab(browser, origin, returning) : undefined) ??
    (await newTab(browser, origin, options));
  const { page, context } = tab;
  if (viewport && JSON.stringify(viewport) !== JSON.stringify(page.viewportSize()))
    await page.setViewportSize(viewport);
  await page.emulateMedia({ media: null, colorScheme });
  await context.addCookies([{ name: profileCookie, value: profile, url }]);
  const complaints: string[] = [];
  context.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`) && !/^(data|blob):/.test(request.url()))
      complaints.push(`request to ${request.url()}`);
  });
  page.on("console", (message) => {
    // The browser reports error responses itself; tests check those separately.
    if (message.type() === "error" && !/Failed to load resource/.test(message.text()))
      complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error.stack ?? error)));
  await page.goto(url + hash);
  return { page, context, complaints, close: () => release(tab) };
}
